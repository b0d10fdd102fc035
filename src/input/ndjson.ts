import { type Problem, problem } from '../model/problem.ts'
import { isReservedColumn, reasonColumn, textColumn } from '../model/reserved-columns.ts'
import type { Place, Row } from '../model/row.ts'
import { atPath, isObject, isTooDeep, type JsonObject, mostLevels, parseKeeping } from '../model/values.ts'
import { maxRowBytes, type Start, tooLong } from './source.ts'

/** Yields a batch for each chunk; a line that is no JSON object has a fault. Throws a SourceError at a line over 10 MB. */
export async function* ndjsonRows(
  bytes: AsyncIterable<Buffer>,
  source: string,
  keepsLines = false,
  { firstRow: row, firstLine: line }: Start = { firstRow: 1, firstLine: 1 },
): AsyncGenerator<Row[]> {
  for await (const texts of lineBatches(bytes, source, line)) {
    const rows: Row[] = []
    for (const text of texts) {
      if (text.trim() !== '') rows.push(readLine({ source, row: row++, line }, text, keepsLines))
      line += 1
    }
    yield rows
  }
}

interface Reading {
  readonly toText: (chunk: Buffer) => string
  /** Keeps a part of a line that has not ended. */
  readonly toKeep: (partial: string) => string
}
const whole: Reading = { toText: chunk => chunk.toString(), toKeep: partial => partial }

/** Lines that end in LF, CRLF or CR, in a batch for each chunk. Throws a SourceError at one over 10 MB. */
export async function* lineBatches(
  bytes: AsyncIterable<Buffer>,
  source: string,
  line: number,
  { toText, toKeep }: Reading = whole,
): AsyncGenerator<string[]> {
  let partial = ''
  let heldReturn = ''
  for await (const chunk of bytes) {
    const text = heldReturn + toText(chunk)
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

const mostValues = 100_000

/** Whether JSON has more members and items; to parse it could take fifty times the memory of its text. */
function hasManyValues(text: string): boolean {
  let values = 0
  let isText = false
  for (
    let at = text.length > mostValues ? 0 : text.length;
    at < text.length && values <= mostValues;
    at += 1
  ) {
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

/** Whole numbers that JSON.parse would round become text, so that ids keep all their digits. */
const parseExactly = (text: string): unknown =>
  /\d{16}/.test(text) ? parseKeeping(text, isRounded) : JSON.parse(text)

const isRounded = (number: string) => /^-?\d{16,}$/.test(number) && String(Number(number)) !== number

/** Message without the quoted part of the line: the row has the whole line. */
const withoutQuote = (reason: string) => reason.replace(/, .* is not valid JSON$/s, '')

export const brokenRow = ({ source, row, line }: Place, text: string, fault: Problem): Row => ({
  source,
  row,
  line,
  text,
  fault,
  value: () => undefined,
  cells: () => [],
})

/** The row of a JSON object, which must not change afterwards. */
function jsonRow(place: Place, json: JsonObject, asWritten: string | undefined): Row {
  const row = new JsonRow(place, json, asWritten)
  if (!row.repaired) return row
  const unread = row.value(textColumn)
  if (typeof unread !== 'string' || unread.trim() === '') return row
  // a line that could not be read came back unchanged: it has only rowlift's own columns
  return {
    ...brokenRow(row, unread, problem('still_not_json')),
    repaired: true,
    value: column => (isReservedColumn(column) ? row.value(column) : undefined),
  }
}

class JsonRow implements Row {
  readonly source: string
  readonly row: number
  readonly line: number
  readonly asWritten?: string
  readonly #json: JsonObject

  constructor({ source, row, line }: Place, json: JsonObject, asWritten: string | undefined) {
    this.source = source
    this.row = row
    this.line = line
    this.#json = json
    if (asWritten !== undefined) this.asWritten = asWritten
  }

  get repaired(): boolean {
    return Object.hasOwn(this.#json, reasonColumn)
  }

  value(column: string): unknown {
    return Object.hasOwn(this.#json, column) ? this.#json[column] : atPath(this.#json, column)
  }

  cells(): Iterable<readonly [string, unknown]> {
    return Object.entries(this.#json)
  }
}
