// Statements: the values they take, what texts go by in the tables, and many rows at once.
import { hash } from 'node:crypto'
import { setImmediate as endOfTurn } from 'node:timers/promises'

/** Runs one statement. Bytes are texts such as `\x0aff`, in both directions; many rows are one value, as JSON. */
export type Query = <Row extends object = Record<string, unknown>>(
  sql: string,
  values?: readonly unknown[],
  /** Time limit of a statement that may take longer than others. */
  timeoutMs?: number,
) => Promise<Row[]>

/** Returns the first of the items that go by the same text. */
export function firstOfEach<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const seen = new Set<string>()
  return items.filter(item => !seen.has(textOf(item)) && seen.add(textOf(item)))
}

const digestBytes = 16

/** Returns the bytes that a text goes by in the ledger. */
export const digestOf = (text: string): string =>
  `\\x${hash('sha256', text, 'hex').slice(0, digestBytes * 2)}`

const mostInBatch = 500

/** Does work for many callers at once: what comes while batches are under way is in the next one. */
export class Batches<Item, Result = void> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>
  /** The ends of the last batches: as many run at once, and those before them have ended. */
  readonly #ends: Promise<unknown>[]
  #next: { readonly items: Item[]; readonly results: Promise<readonly Result[]> } | undefined

  /** `work` returns a result for each item, in their order. */
  constructor(work: (items: readonly Item[]) => Promise<readonly Result[]>, mostAtOnce = 1) {
    this.#work = work
    this.#ends = Array.from({ length: mostAtOnce }, () => Promise.resolve())
  }

  async add(item: Item): Promise<Result> {
    if (this.#next === undefined || this.#next.items.length === mostInBatch) this.#next = this.#begin()
    const { items, results } = this.#next
    const at = items.push(item) - 1
    return (await results)[at] as Result
  }

  /** Resolves when what was added so far has ended. */
  async drained(): Promise<void> {
    await Promise.all(this.#ends)
  }

  #begin() {
    const items: Item[] = []
    const results = this.#run(items, this.#ends.shift())
    this.#ends.push(results.catch(() => {}))
    return { items, results }
  }

  async #run(items: readonly Item[], before: Promise<unknown> | undefined): Promise<readonly Result[]> {
    await before
    await endOfTurn() // answers that came together share a batch
    if (this.#next?.items === items) this.#next = undefined
    return this.#work(items)
  }
}
