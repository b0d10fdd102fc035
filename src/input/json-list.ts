import { SourceError } from '../model/errors.ts'
import type { Row } from '../model/row.ts'
import { mostLevels } from '../model/values.ts'
import { type Container, JsonWalk, type Visitor } from './json-walk.ts'
import { readLine } from './ndjson.ts'
import type { SourceSettings } from './source.ts'

/** A list in a JSON document that is in no other list. */
export interface FoundList extends Container {
  /** The first items, cut off where they are long. */
  readonly samples: string[]
}

const mostLists = 100
const isInList = (within: readonly Container[]) => within.some(({ isList }) => isList)

class ListFinder implements Visitor {
  readonly #lists = new Map<string | undefined, FoundList>()

  enter(path: string | undefined, isList: boolean, within: readonly Container[]): Container | undefined {
    if (isInList(within) || within.length > mostLevels) return undefined
    if (!isList) return { path, isList, items: 0 }
    const list = this.#lists.get(path) ?? { path, isList, taken: 5, items: 0, samples: [] }
    if (this.#lists.size < mostLists) this.#lists.set(path, list)
    return list
  }

  take(text: string, list: Container): void {
    ;(list as FoundList).samples.push(text)
  }

  /** The document that is a list, lists of objects, and empty ones. */
  get lists(): FoundList[] {
    const lists = [...this.#lists.values()]
    return lists.filter(({ path, samples: [first = '{'] }) => path === undefined || first.startsWith('{'))
  }
}

/** The lists of objects in a document, and empty ones; or the document, if it is a list: that is not read to its end. Throws a SourceError. */
export async function findLists(bytes: AsyncIterable<Buffer>, source: string): Promise<FoundList[]> {
  const finder = new ListFinder()
  const walk = new JsonWalk(source, finder)
  for await (const chunk of bytes) {
    walk.read(chunk)
    if (finder.lists.some(({ path }) => path === undefined)) return finder.lists
  }
  walk.end()
  return finder.lists
}

/** The path of the one list of objects; undefined where the document is the list. Throws a SourceError. */
export async function onlyList(bytes: AsyncIterable<Buffer>, source: string): Promise<string | undefined> {
  const lists = await findLists(bytes, source)
  const [first, ...others] = lists.filter(({ path, items }) => path === undefined || items > 0)
  if (first === undefined || others.length > 0)
    throw new SourceError('no_one_list', { source, rows: undefined, lists: told(lists) })
  return first.path
}

const told = (lists: readonly FoundList[]) =>
  lists
    .map(({ path = '', items }) => ({ path, items }))
    .sort((a, b) => b.items - a.items)
    .slice(0, 10)

class RowTaker extends ListFinder {
  readonly #wanted: string | undefined
  readonly #onRow: (text: string) => void
  /** The last one that the wanted list should be in. */
  #outer: Container | undefined
  #isReached = false

  constructor(wanted: string | undefined, onRow: (text: string) => void) {
    super()
    this.#wanted = wanted
    this.#onRow = onRow
  }

  /** An empty list on the way holds no others. */
  get isReached(): boolean {
    return this.#isReached || this.#outer?.items === 0
  }

  override enter(
    path: string | undefined,
    isList: boolean,
    within: readonly Container[],
  ): Container | undefined {
    if (isList && path === this.#wanted) {
      this.#isReached = true
      return { path, isList, taken: Number.POSITIVE_INFINITY, items: 0 }
    }
    if (this.#wanted === undefined || (path !== undefined && !this.#wanted.startsWith(`${path}.`)))
      return super.enter(path, isList, within)
    const container = { path, isList, items: 0 }
    if (isList && !isInList(within)) this.#outer = container
    return container
  }

  override take(text: string, list: Container): void {
    if (list.taken === Number.POSITIVE_INFINITY) this.#onRow(text)
    else super.take(text, list)
  }
}

/** Outside of texts a tab is a blank like a line break, and in a text of JSON neither can stand. */
const onOneLine = (text: string) => (/[\r\n]/.test(text) ? text.replaceAll(/[\r\n][\r\n\t ]*/g, '\t') : text)

/**
 * Yields the rows of a JSON document in UTF-8, each an item of the list at `rows`, or of the document. Nothing is yielded before
 * there is a row, and the rows of a chunk only when the next one was looked at: what is broken at the beginning is known before.
 * Throws a SourceError.
 */
export async function* jsonRows(
  bytes: AsyncIterable<Buffer>,
  source: string,
  { rows: path, keepsLines = false }: Pick<SourceSettings, 'rows' | 'keepsLines'>,
): AsyncGenerator<Row[]> {
  let count = 0
  let rows: Row[] = []
  const taker = new RowTaker(path, text => {
    count += 1
    rows.push(readLine({ source, row: count, line: count }, onOneLine(text), keepsLines))
  })
  const walk = new JsonWalk(source, taker)
  let isFirst = true
  function* step(read: () => void): Generator<Row[]> {
    const ready = rows
    rows = []
    try {
      read()
    } catch (fault) {
      if (!isFirst) yield [...ready, ...rows]
      throw fault
    }
    if (ready.length > 0) yield ready
    isFirst &&= ready.length === 0
  }
  for await (const chunk of bytes) if (chunk.length > 0) yield* step(() => walk.read(chunk))
  yield* step(() => {
    walk.end()
    if (!taker.isReached)
      throw new SourceError('no_one_list', { source, rows: path, lists: told(taker.lists) })
  })
  yield rows
}
