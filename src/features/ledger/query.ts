// Statements: the values they take, what texts go by in the tables, and many rows at once.
import { hash } from 'node:crypto'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { hashable } from '../../model/fingerprint.ts'

/** Runs one statement. Bytes are texts such as `\x0aff`, in both directions; many rows are one value, as JSON. */
export type Query = <Row extends object = Record<string, unknown>>(
  sql: string,
  values?: readonly unknown[],
  /** Time limit of a statement that may take longer than others. */
  timeoutMs?: number,
) => Promise<Row[]>

/** Many rows as parameters of a statement: a text for each column, from a number on. No value is empty or has a line end. */
export function parametersOf(first: number, columns: string) {
  const pairs = columns.split(', ').map(each => each.split(' '))
  const arrays = pairs.map(([, type], at) => `string_to_array($${first + at}, E'\\n', '')::${type}[]`)
  const names = pairs.map(([name = '']) => name)
  return {
    ...{ sql: `unnest(${arrays})`, names },
    texts: (rows: readonly object[]) =>
      names.map(name => rows.map(row => (row as Record<string, unknown>)[name]).join('\n')),
  }
}

const rowsAtOnce = 1_000

/** Numbers the cursors of this process: several may be open in one transaction. */
let cursors = 0

/** Reads what a SELECT returns in pages, by a cursor of the transaction. */
export async function* pagesOf<Row extends object>(query: Query, select: string): AsyncGenerator<Row[]> {
  cursors += 1
  const cursor = `pages_${cursors}`
  await query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${select}`)
  for (let count = rowsAtOnce; count === rowsAtOnce; ) {
    const page = await query<Row>(`FETCH ${rowsAtOnce} FROM ${cursor}`)
    count = page.length
    yield page
  }
  await query(`CLOSE ${cursor}`)
}

/** Returns the first of the items that go by the same text. */
export function firstOfEach<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const seen = new Set<string>()
  return items.filter(item => !seen.has(textOf(item)) && seen.add(textOf(item)))
}

const digestBytes = 16

/** Returns the bytes that a text goes by in the ledger. */
export const digestOf = (text: string): string =>
  `\\x${hash('sha256', hashable(text), 'hex').slice(0, digestBytes * 2)}`

const mostInBatch = 500
/** The longest wait for more of what comes together; a turn that brings nothing ends it. */
const mostTurns = 2

/**
 * Does work for many callers at once: what comes while batches are under way is in the next one. `work` returns a result for each item,
 * in their order.
 */
export function batchesOf<Item, Result = void>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  mostAtOnce = 1,
) {
  /** The ends of the last batches: as many run at once, and those before them have ended. */
  const ends: Promise<unknown>[] = Array.from({ length: mostAtOnce }, () => Promise.resolve())
  let next: { readonly items: Item[]; readonly results: Promise<readonly Result[]> } | undefined

  function begin() {
    const items: Item[] = []
    const results = run(items, ends.shift())
    ends.push(results.catch(() => {}))
    return { items, results }
  }

  async function run(items: readonly Item[], before: Promise<unknown> | undefined) {
    await before
    // answers that come together share a batch, also where reading them takes some turns
    for (let [turns, before] = [0, 0]; items.length > before && turns < mostTurns; turns += 1) {
      before = items.length
      await endOfTurn()
    }
    if (next?.items === items) next = undefined
    return work(items)
  }

  return {
    async add(item: Item): Promise<Result> {
      if (next === undefined || next.items.length === mostInBatch) next = begin()
      const { items, results } = next
      const at = items.push(item) - 1
      return (await results)[at] as Result
    },
    /** Resolves when what was added so far has ended. */
    drained: async () => void (await Promise.all(ends)),
  }
}
