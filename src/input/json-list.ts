import { isAscii } from 'node:buffer'
import { SourceError, type SourceProblems } from '../model/errors.ts'
import type { Row } from '../model/row.ts'
import { mostLevels } from '../model/values.ts'
import { decode, LineCounter } from './decode.ts'
import { readLine } from './ndjson.ts'
import { openObjects, primed, type Reader } from './reader.ts'
import type { JsonList } from './sniff/json-document.ts'
import { maxRowBytes, type SourceSettings, tooLong } from './source.ts'

/** A list or an object that is walked through; but what is in the items of a list of objects, and in rows, is not. */
interface Container {
  readonly path: string
  readonly isList: boolean
  readonly list?: JsonList | 'rows' | undefined
}

const [quote, comma, colon, backslash] = [34, 44, 58, 92]
const [listStart, listEnd, objectStart, objectEnd] = [91, 93, 123, 125]
const isBlank = (byte: number) => byte === 32 || byte === 10 || byte === 13 || byte === 9
const isOfNoValue = (byte: number) => [comma, colon, listEnd, objectEnd].includes(byte)
const [mostLists, mostSamples, longestSample] = [100, 5, 20_000]

type Wanted = SourceProblems['bad_json']['wanted']
/** Checks for what may come next: a key, a value or the end of the container. */
const expected: Readonly<
  Record<Wanted, { readonly key?: true; readonly value?: true; readonly end?: true }>
> = {
  key: { key: true },
  key_or_end: { key: true, end: true },
  value: { value: true },
  value_or_end: { value: true, end: true },
  comma_or_end: { end: true },
  colon: {},
  nothing: {},
}

/** Walks through a JSON document in UTF-8 by its brackets, keys and commas; finds lists that are in no other list. */
class JsonWalk {
  readonly #lists = new Map<string, JsonList>()
  isReached = false
  readonly #source: string
  readonly #rowsAt: string | undefined
  readonly #onRow: (text: string) => void
  readonly #place = new TextPlace()
  readonly #within: Container[] = []
  #wanted: Wanted = 'value'
  /** Path of the value after the last key. */
  #path = ''
  /** A key or a value that has no end yet; it is read again when the text is twice as long. */
  #rest: Buffer[] = []
  #missing = 0

  constructor(source: string, rowsAt?: string, onRow = (_: string) => {}) {
    this.#source = source
    this.#rowsAt = rowsAt
    this.#onRow = onRow
  }

  /** The lists of objects, and empty ones. */
  get lists(): JsonList[] {
    const isOfObjects = ({ path, samples: [first = '{'] }: JsonList) => path === '' || first.startsWith('{')
    return [...this.#lists.values()].filter(isOfObjects)
  }

  /** Yields after each chunk, and at the end. Throws a SourceError if the document is broken, or not complete. */
  async *read(bytes: AsyncIterable<Buffer>): AsyncGenerator<void> {
    for await (const chunk of bytes) yield this.#readChunk(chunk)
    this.#missing = 0
    this.#readChunk(Buffer.from(' ')) // ends a number
    if (this.#missing > 0 || this.#wanted !== 'nothing') throw this.#fault(Buffer.concat(this.#rest))
    yield
  }

  #readChunk(chunk: Buffer): void {
    this.#rest.push(chunk)
    this.#missing -= chunk.length
    if (this.#missing > 0) return
    const text = Buffer.concat(this.#rest)
    let at = 0
    for (let end = 0; end !== -1 && at < text.length; at = Math.max(at, end))
      end = isBlank(text[at] as number) ? at + 1 : this.#take(text, at)
    this.#place.add(text.subarray(0, at))
    this.#rest = [text.subarray(at)]
    this.#missing = text.length - at
  }

  /** `sign` is the one that is wrong; without it the document ends too early. */
  #fault(before: Buffer, sign = ''): SourceError {
    this.#place.add(before)
    const { line, column: next } = this.#place
    const column = sign === '' ? next - 1 : next
    return new SourceError('bad_json', {
      source: this.#source,
      line,
      column,
      wanted: this.#wanted,
      sign,
    })
  }

  /** Returns the place after a sign, a key or a value; -1 if that has no end yet. */
  #take(text: Buffer, at: number): number {
    const byte = text[at] as number
    const wanted = this.#wanted
    const { key, value, end } = expected[wanted]
    const { isList, list } = this.#within.at(-1) ?? {}
    if (end && byte === (isList ? listEnd : objectEnd)) {
      this.#within.pop()
      this.#goOn()
    } else if (wanted === 'comma_or_end' && byte === comma) this.#wanted = isList ? 'value' : 'key'
    else if (wanted === 'colon' && byte === colon) this.#wanted = 'value'
    else if (key ? byte !== quote : !value || isOfNoValue(byte))
      throw this.#fault(text.subarray(0, at), [...text.toString('utf8', at, at + 4)][0])
    else if (key || list || !this.#enter(byte)) return this.#takeWhole(text, at)
    return at + 1
  }

  #takeWhole(text: Buffer, at: number): number {
    const end = endOfValue(text, at)
    if ((end === -1 ? text.length : end) - at > maxRowBytes) {
      this.#place.add(text.subarray(0, at))
      throw tooLong(this.#source, this.#place.line)
    }
    if (end === -1) return -1
    const { path, list } = this.#within.at(-1) ?? {}
    if (expected[this.#wanted].key) {
      this.#path = (path ? `${path}.` : '') + keyIn(text.toString('utf8', at + 1, end - 1))
      this.#wanted = 'colon'
      return end
    }
    if (list === 'rows') this.#onRow(text.toString('utf8', at, end))
    else if (list && list.samples.length < mostSamples && end - at < longestSample)
      list.samples.push(text.toString('utf8', at, end))
    this.#goOn()
    return end
  }

  /** Returns whether a list or an object is walked through. */
  #enter(byte: number): boolean {
    const isList = byte === listStart
    if (!isList && byte !== objectStart) return false
    const outer = this.#within.at(-1)
    const path = outer?.isList === false ? this.#path : (outer?.path ?? '')
    const isOnTheWay = this.#rowsAt && (path === '' || this.#rowsAt.startsWith(`${path}.`))
    let list: Container['list']
    if (isList && path === this.#rowsAt) list = 'rows'
    else if (!isOnTheWay) {
      if (this.#within.some(({ isList }) => isList) || this.#within.length > mostLevels) return false
      if (isList) list = this.#lists.get(path) ?? { path, items: 0, samples: [] }
    }
    if (list === 'rows') this.isReached = true
    else if (list && this.#lists.size < mostLists) this.#lists.set(path, list)
    this.#within.push({ path, isList, list })
    this.#wanted = isList ? 'value_or_end' : 'key_or_end'
    return true
  }

  #goOn(): void {
    const container = this.#within.at(-1)
    if (typeof container?.list === 'object') container.list.items += 1
    this.#wanted = container ? 'comma_or_end' : 'nothing'
  }
}

/** The line and the column after what was added; a column is a character. */
class TextPlace extends LineCounter {
  column = 1

  override add(text: Buffer): void {
    super.add(text)
    const start = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
    const rest = text.subarray(start)
    this.column = (start > 0 ? 1 : this.column) + (isAscii(rest) ? rest.length : rest.toString().length)
  }
}

/** The place after a value, which ends with its bracket or quote, or before a blank or a sign; -1 if the text ends first. */
function endOfValue(text: Buffer, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    const byte = text[at] as number
    if (byte === quote) {
      at += 1
      while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1
      if (depth === 0 && at < text.length) return at + 1
    } else if (byte === listStart || byte === objectStart) depth += 1
    else if (byte === listEnd || byte === objectEnd) {
      depth -= 1
      if (depth <= 0) return depth < 0 ? at : at + 1
    } else if (depth === 0 && (byte === comma || byte === colon || isBlank(byte))) return at
  }
  return -1
}

const keyIn = (text: string) =>
  text.replaceAll(
    /\\(?:u([\da-f]{4})|(.))/gi,
    (_, hex, sign) => sign ?? String.fromCharCode(Number(`0x${hex}`)),
  )

/** The lists of objects in a document, and empty ones; or the document, if it is a list: that is not read on. Throws a SourceError. */
export async function findLists(bytes: AsyncIterable<Buffer>, source: string): Promise<JsonList[]> {
  const walk = new JsonWalk(source)
  for await (const _ of walk.read(bytes)) if (walk.lists[0]?.path === '') break
  return walk.lists
}

/** The path of the one list of objects. Throws a SourceError. */
async function onlyList(bytes: AsyncIterable<Buffer>, source: string): Promise<string> {
  const lists = await findLists(bytes, source)
  const [first, ...others] = lists.filter(({ path, items }) => path === '' || items > 0)
  if (first && others.length === 0) return first.path
  throw notOneList(source, undefined, lists)
}

function notOneList(source: string, rows: string | undefined, all: readonly JsonList[]): SourceError {
  const lists = all.map(({ path, items }) => ({ path, items })).sort((a, b) => b.items - a.items)
  return new SourceError('no_one_list', { source, rows, lists: lists.slice(0, 10) })
}

/** The text on one line: outside of texts a tab is a blank like a line break, and in a text of JSON neither can be. */
const onOneLine = (text: string) => (/[\r\n]/.test(text) ? text.replaceAll(/[\r\n][\r\n\t ]*/g, '\t') : text)

/** The items of the list at `rows`, else of the document; also those before a break. Throws a SourceError. */
export async function* jsonRows(
  bytes: AsyncIterable<Buffer>,
  source: string,
  { rows: path = '', keepsLines = false }: Pick<SourceSettings, 'rows' | 'keepsLines'>,
): AsyncGenerator<Row[]> {
  let row = 0
  const rows: Row[] = []
  const walk = new JsonWalk(source, path, text => {
    row += 1
    rows.push(readLine({ source, row, line: row }, onOneLine(text), keepsLines))
  })
  try {
    for await (const _ of walk.read(bytes)) yield rows.splice(0)
  } finally {
    if (rows.length > 0) yield rows
  }
  if (!walk.isReached) throw notOneList(source, path || undefined, walk.lists)
}

export const jsonReader: Reader = {
  async open({ path, bytes, lines }, settings) {
    const text = decode(bytes, settings, path, lines)
    return openObjects(text, await primed(jsonRows(text, path, settings)))
  },
  async complete({ path, bytes }, settings) {
    if (settings.rows !== undefined) return settings
    return { ...settings, rows: await onlyList(decode(bytes, settings, path), path) }
  },
}
