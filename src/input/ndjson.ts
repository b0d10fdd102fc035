import { isReservedColumn, reasonColumn, textColumn } from '../model/content-key.ts'
import { type Problem, problem } from '../model/problem.ts'
import type { Place, Row } from '../model/row.ts'
import { atPath, isObject, isTooDeep, type JsonObject, mostLevels, parseKeeping } from '../model/values.ts'
import { decode } from './decode.ts'
import { openObjects, type Reader, type SourceBytes } from './reader.ts'
import { maxRowBytes, type OpenSource, type SourceSettings, type Start, tooLong } from './source.ts'

export const ndjsonReader: Reader = {
  async open({ path, bytes, lines, mayGrow }, settings) {
    const text = decode(bytes, settings, path, lines)
    const rowsFrom: OpenSource['rowsFrom'] = (from, start) =>
      rowsOfLines(from, path, { ...settings, mayGrow }, start)
    return { ...openObjects(text, rowsFrom(text, { firstRow: 1, firstLine: 1 })), rowsFrom }
  },
}

/**
 * Yields a batch for each chunk; a line that is no JSON object has a fault. The last one of a file that may grow is unfinished if it is no
 * JSON; an object that is closed is whole, with a line end or without. Throws a SourceError at a line over 10 MB.
 */
async function* rowsOfLines(
  bytes: AsyncIterable<Buffer>,
  source: string,
  { keepsLines = false, mayGrow }: Pick<SourceSettings, 'keepsLines'> & Pick<SourceBytes, 'mayGrow'>,
  { firstRow: row, firstLine: line }: Start,
): AsyncGenerator<Row[]> {
  let isAtEnd = false
  async function* toEnd() {
    yield* bytes
    isAtEnd = true
  }
  for await (const texts of lineBatches(toEnd(), { source, line })) {
    const rows: Row[] = []
    for (const text of texts) {
      const place = { source, row, line: line++ }
      if (text.trim() === '') continue
      const read = readLine(place, text, keepsLines)
      const isUnfinished = mayGrow && isAtEnd && read.fault?.code === 'not_json'
      rows.push(isUnfinished ? brokenRow(place, text, problem('unfinished_line')) : read)
      row += 1
    }
    yield rows
  }
}

/** Lines that end in LF, CRLF or CR, in a batch for each chunk; `toKeep` shortens one that has not ended. Throws a SourceError at one over 10 MB. */
export async function* lineBatches(
  bytes: AsyncIterable<Buffer>,
  { source, line, encoding = 'utf8' }: { source: string; line: number; encoding?: BufferEncoding },
  toKeep = (partial: string) => partial,
): AsyncGenerator<string[]> {
  let partial = ''
  let heldReturn = ''
  for await (const chunk of bytes) {
    const text = heldReturn + chunk.toString(encoding)
    heldReturn = text.endsWith('\r') ? '\r' : ''
    const lines = text.slice(0, text.length - heldReturn.length).split(/\r\n|\n|\r/)
    lines[0] = partial + (lines[0] ?? '')
    if (lines[0].length > maxRowBytes) throw tooLong(source, line)
    const last = lines.pop() ?? ''
    yield lines
    partial = toKeep(last)
    line += lines.length
  }
  yield [partial]
}

export function readLine(place: Place, text: string, keepsLine: boolean): Row {
  let json: unknown
  if (hasManyValues(text)) return brokenRow(place, text, problem('too_many_values', { most: mostValues }))
  try {
    json = parseExactly(text)
  } catch (error) {
    return brokenRow(place, text, problem('not_json', { reason: withoutQuote((error as Error).message) }))
  }
  if (!isObject(json)) return brokenRow(place, text, problem('not_object'))
  if (isTooDeep(json)) return brokenRow(place, text, problem('too_deep', { levels: mostLevels }))
  const nul = text.includes('\\u0000') && Object.entries(json).find(entry => entry.some(holdsNul))
  if (nul) return brokenRow(place, text, problem('nul_character', { column: nul[0] }))
  return jsonRow(place, json, keepsLine ? text : undefined)
}

export const mostValues = 100_000

/** Checks JSON for more members and items: to parse it could take fifty times the memory of its text. */
function hasManyValues(text: string): boolean {
  let values = 0
  let isText = false
  if (text.length <= mostValues) return false
  for (let at = 0; at < text.length && values <= mostValues; at += 1) {
    const sign = text[at]
    if (sign === '"') isText = !isText
    else if (isText && sign === '\\') at += 1
    else if (!isText && (sign === ',' || sign === '[' || sign === '{')) values += 1
  }
  return values > mostValues
}

const holdsNul = (json: unknown): boolean =>
  typeof json === 'object' && json !== null
    ? Object.entries(json).flat().some(holdsNul)
    : String(json).includes('\0')

/** Whole numbers that JSON.parse would round become text, so that ids keep all their digits; so do those that are too large for it. */
const parseExactly = (text: string): unknown =>
  /\d{16}|e\+?\d{3}/i.test(text) ? parseKeeping(text, isRounded) : JSON.parse(text)

const isRounded = (number: string) =>
  (/^-?\d{16,}$/.test(number) && String(Number(number)) !== number) || !Number.isFinite(Number(number))

/** Message without the quoted part of the line: the row has the whole line. */
const withoutQuote = (reason: string) => reason.replace(/, .* is not valid JSON$/s, '')

export const brokenRow = (place: Place, text: string, fault: Problem): Row => ({
  ...place,
  text,
  fault,
  value: () => undefined,
  cells: () => [],
})

/** The row of a JSON object, which must not change afterwards. */
function jsonRow(place: Place, json: JsonObject, asWritten: string | undefined): Row {
  const row: Row = {
    ...place,
    ...(asWritten !== undefined && { asWritten }),
    repaired: Object.hasOwn(json, reasonColumn),
    value: column => (Object.hasOwn(json, column) ? json[column] : atPath(json, column)),
    cells: () => Object.entries(json),
  }
  const unread = row.repaired ? row.value(textColumn) : undefined
  if (typeof unread !== 'string' || unread.trim() === '') return row
  // a line that could not be read came back unchanged: it has only rowlift's own columns
  const value = (column: string) => (isReservedColumn(column) ? row.value(column) : undefined)
  return { ...brokenRow(place, unread, problem('still_not_json')), repaired: true, value }
}
