import { isAscii } from 'node:buffer'
import { decode, LineCounter } from '../../input/decode.ts'
import { readLine } from '../../input/ndjson.ts'
import { openObjects, primed, type Reader } from '../../input/reader.ts'
import { maxRowBytes, type SourceSettings, tooLong } from '../../input/source.ts'
import { SourceError, type SourceProblems } from '../../model/errors.ts'
import type { Row } from '../../model/row.ts'
import { mostLevels } from '../../model/values.ts'

/**
 * A list in a JSON document, by its keys with dots between them; the path is empty if the document is the list. Lists whose paths differ
 * by ids alone are one, with `*` in place of each id.
 */
export interface JsonList {
  path: string
  items: number
  /** The first items, if they are short. */
  readonly samples: string[]
}

/** A list or an object that is walked through; but what is in the items of a list of objects, and in rows, is not. */
interface Container {
  readonly path: string
  /** The path with `*` in place of whatever may be an id. */
  readonly pattern: string
  /** The keys from here to the rows that are read; empty at their place, undefined elsewhere. */
  readonly rest: string | undefined
  readonly isList: boolean
  readonly list?: JsonList | 'rows' | undefined
}

const [quote, comma, colon, backslash] = [34, 44, 58, 92]
const [listStart, listEnd, objectStart, objectEnd] = [91, 93, 123, 125]
const isBlank = (byte: number) => byte === 32 || byte === 10 || byte === 13 || byte === 9
const isOfNoValue = (byte: number) => [comma, colon, listEnd, objectEnd].includes(byte)
const [mostLists, mostSamples, longestSample] = [100, 5, 20_000]

type Wanted = SourceProblems['bad_json']['wanted']

/** Ids such as those of databases; and keys such as `list1`, which are ids if several such keys have the same list. */
const isId = (key: string) => /^\d+$|^[\da-f]{8}-[\da-f-]{27}$|^(?=.*\d)[\w-]{16,}$/i.test(key)
const mayBeId = (key: string) => isId(key) || /\d$|^(?=.*\d)[\w-]{8,}$/.test(key)

const joined = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)

/** The keys that remain behind one; `*` stands for any key. */
function restBehind(rest: string | undefined, key: string): string | undefined {
  const [any] = rest?.split('.', 1) ?? []
  const first = any === '*' ? any : key
  if (rest === first) return ''
  return rest?.startsWith(`${first}.`) ? rest.slice(first.length + 1) : undefined
}

/** Walks through a JSON document in UTF-8 by its brackets, keys and commas; finds lists that are in no other list. */
function walkThrough(source: string, rowsAt?: string, onRow = (_: string) => {}) {
  const lists = new Map<string, JsonList>()
  const keyed = new Map<string, JsonList>()
  let isReached = false
  const holdsItems = () => [...lists.values()].some(({ items }) => items > 0)
  const place = new TextPlace()
  const within: Container[] = []
  /** What may come next, by its own words: a key, a value, a sign, or the end of the container. */
  let wanted: Wanted = 'value'
  let lastKey = ''
  /** A key or a value that has no end yet; it is read again when the text is twice as long. */
  let rest: Buffer[] = []
  let missing = 0

  return {
    isReached: () => isReached,
    /** The lists of objects, and empty ones. */
    lists: () =>
      [...lists.values()].filter(({ path, samples: [first = '{'] }) => path === '' || first.startsWith('{')),
    /** The objects whose keys may be ids, as if they were lists; those of the document by any keys, if it holds no list. */
    keyed: () =>
      [...keyed.values()].filter(({ path }) => path.endsWith('*') && (path !== '*' || !holdsItems())),
    /** Yields after each chunk, and at the end. Throws a SourceError if the document is broken, or not complete. */
    async *read(bytes: AsyncIterable<Buffer>): AsyncGenerator<void> {
      for await (const chunk of bytes) yield readChunk(chunk)
      missing = 0
      readChunk(Buffer.from(' ')) // ends a number
      if (missing > 0 || wanted !== 'nothing') throw fault(Buffer.concat(rest))
      yield
    },
  }

  function readChunk(chunk: Buffer): void {
    rest.push(chunk)
    missing -= chunk.length
    if (missing > 0) return
    const text = Buffer.concat(rest)
    let at = 0
    for (let end = 0; end !== -1 && at < text.length; at = Math.max(at, end))
      end = isBlank(text[at] as number) ? at + 1 : take(text, at)
    place.add(text.subarray(0, at))
    rest = [text.subarray(at)]
    missing = text.length - at
  }

  /** `sign` is the one that is wrong; without it the document ends too early. */
  function fault(before: Buffer, sign = ''): SourceError {
    place.add(before)
    const column = sign === '' ? place.column - 1 : place.column
    return new SourceError('bad_json', { source, line: place.line, column, wanted, sign })
  }

  /** Returns the place after a sign, a key or a value; -1 if that has no end yet. */
  function take(text: Buffer, at: number): number {
    const byte = text[at] as number
    const isKey = wanted.startsWith('key')
    const { isList, list } = within.at(-1) ?? {}
    if (wanted.endsWith('end') && byte === (isList ? listEnd : objectEnd)) {
      within.pop()
      goOn()
    } else if (wanted === 'comma_or_end' && byte === comma) wanted = isList ? 'value' : 'key'
    else if (wanted === 'colon' && byte === colon) wanted = 'value'
    else if (isKey ? byte !== quote : !wanted.startsWith('value') || isOfNoValue(byte))
      throw fault(text.subarray(0, at), [...text.toString('utf8', at, at + 4)][0])
    else if (isKey || list || isRow(byte) || !enter(text, at)) return takeWhole(text, at)
    return at + 1
  }

  function takeWhole(text: Buffer, at: number): number {
    const end = endOfValue(text, at)
    if ((end === -1 ? text.length : end) - at > maxRowBytes) {
      place.add(text.subarray(0, at))
      throw tooLong(source, place.line)
    }
    if (end === -1) return -1
    const { list } = within.at(-1) ?? {}
    if (wanted.startsWith('key')) {
      lastKey = keyIn(text.toString('utf8', at + 1, end - 1))
      wanted = 'colon'
      return end
    }
    if (list === 'rows' || isRow(text[at] as number)) onRow(text.toString('utf8', at, end))
    else if (list) addSample(list, text, at, end)
    goOn()
    return end
  }

  function addSample({ samples }: JsonList, text: Buffer, at: number, end: number): void {
    const isShort = end !== -1 && end - at < longestSample
    if (isShort && samples.length < mostSamples) samples.push(text.toString('utf8', at, end))
  }

  /** An object at a path that ends in `*` is a row. */
  function isRow(byte: number): boolean {
    const { isList, rest } = within.at(-1) ?? {}
    const isOne = byte === objectStart && isList === false && rest === '*'
    isReached ||= isOne
    return isOne
  }

  /** Returns whether a list or an object is walked through. */
  function enter(text: Buffer, at: number): boolean {
    const byte = text[at] as number
    const isList = byte === listStart
    if (!isList && byte !== objectStart) return false
    const { path, pattern, rest } = placeOf(within.at(-1))
    let list: Container['list']
    if (isList && rest === '') list = 'rows'
    else if (!rest) {
      if (within.some(({ isList }) => isList) || within.length > mostLevels) return false
      if (isList) list = listAt(lists, path, pattern)
      else if (pattern.endsWith('*') || within.length === 1) {
        const one = listAt(keyed, path, pattern.endsWith('*') ? pattern : '*')
        one.items += 1
        if (one.samples.length < mostSamples) addSample(one, text, at, endOfValue(text, at))
      }
    }
    if (list === 'rows') isReached = true
    within.push({ path, pattern, rest, isList, list })
    wanted = isList ? 'value_or_end' : 'key_or_end'
    return true
  }

  /** The place of the next value in a container. */
  function placeOf(outer: Container | undefined): Pick<Container, 'path' | 'pattern' | 'rest'> {
    if (outer === undefined) return { path: '', pattern: '', rest: rowsAt }
    if (outer.isList) return outer
    return {
      path: joined(outer.path, isId(lastKey) ? '*' : lastKey),
      pattern: joined(outer.pattern, mayBeId(lastKey) ? '*' : lastKey),
      rest: restBehind(outer.rest, lastKey),
    }
  }

  function listAt(all: Map<string, JsonList>, path: string, pattern: string): JsonList {
    const list = all.get(pattern) ?? { path, items: 0, samples: [] }
    if (list.path !== path) list.path = pattern
    if (all.size < mostLists) all.set(pattern, list)
    return list
  }

  function goOn(): void {
    const container = within.at(-1)
    if (typeof container?.list === 'object') container.list.items += 1
    wanted = container ? 'comma_or_end' : 'nothing'
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

/**
 * The lists of objects in a document, and empty ones; or the document, if it is a list: that is not read on. `keyed` are its objects by
 * ids. Throws a SourceError.
 */
export async function findLists(bytes: AsyncIterable<Buffer>, source: string) {
  const walk = walkThrough(source)
  for await (const _ of walk.read(bytes)) if (walk.lists()[0]?.path === '') break
  return { lists: walk.lists(), keyed: walk.keyed() }
}

/** The path of the one list of objects. Throws a SourceError. */
async function onlyList(bytes: AsyncIterable<Buffer>, source: string): Promise<string> {
  const { lists } = await findLists(bytes, source)
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
  const walk = walkThrough(source, path, text => {
    row += 1
    rows.push(readLine({ source, row, line: row }, onOneLine(text), keepsLines))
  })
  try {
    for await (const _ of walk.read(bytes)) yield rows.splice(0)
  } finally {
    if (rows.length > 0) yield rows
  }
  if (!walk.isReached()) throw notOneList(source, path || undefined, walk.lists())
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
