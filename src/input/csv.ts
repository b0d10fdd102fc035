import { CsvError, type Parser, parse } from 'csv-parse'
import { keyColumn, reasonColumn } from '../model/content-key.ts'
import { SourceError } from '../model/errors.ts'
import { problem } from '../model/problem.ts'
import { carriageReturn, decode, lineFeed } from './decode.ts'
import { nothing } from './decoders.ts'
import type { Reader } from './reader.ts'
import { delimiterOf, maxRowBytes, tooLong } from './source.ts'
import { openTable, type TableRecord } from './table.ts'

export const csvReader: Reader = {
  async open({ path: source, bytes, lines, mayGrow }, settings) {
    const text = decode(bytes, settings, source, lines)
    const { header, ragged, delimiter = delimiterOf(source) } = settings
    const read = recordReader(source, delimiter, mayGrow)
    const { rowsOf, ...table } = await openTable(read(text, 1), { source, header, ragged, delimiter })
    return {
      ...table,
      rowsFrom: (from, { firstRow, firstLine }) => rowsOf(read(from, firstLine), firstRow),
      close: () => text.return(undefined),
    }
  },
}

/**
 * Reads the records that are not empty, in batches of one chunk. Rejected rows have their delimiter in the first line. The last line of
 * a file that may grow is unfinished if it has no end.
 */
function recordReader(source: string, usualDelimiter: string, mayGrow = false) {
  let delimiter: string | undefined
  return async function* read(bytes: AsyncIterable<Buffer>, line: number): AsyncGenerator<TableRecord[]> {
    let parser: Parser | undefined
    const batch: TableRecord[] = []
    let failure: Error | undefined
    let bytesOfRow = 0
    let hasNul = false
    let lastByte: number | undefined
    let newest: TableRecord | undefined
    let emptyLines = 0
    const onRecord = (cells: string[]) => {
      bytesOfRow = 0
      const record = hasNul ? { line, cells, faultIn: nulIn(cells) } : { line, cells }
      newest = isEmptyLine(cells) ? undefined : record
      if (newest) batch.push(newest)
      emptyLines = newest ? 0 : emptyLines + 1
      if (emptyLines > mostEmptyLines)
        failure ??= new SourceError('too_many_empty_lines', { source, line, most: mostEmptyLines })
      line += 1
      for (const cell of cells) if (cell.includes('\n') || cell.includes('\r')) line += lineEndsIn(cell)
    }
    const start = (chunk: Buffer) => {
      delimiter ??= delimiterOfRejects(chunk) ?? usualDelimiter
      return csvParser(delimiter, onRecord).on('error', error => {
        failure = error
      })
    }
    async function* parsed(step: (done: () => void) => void) {
      await new Promise<void>(step)
      yield batch.splice(0)
      if (failure) throw sourceFault(failure, source, line)
    }
    for await (const chunk of bytes) {
      if (chunk.length === 0) continue
      parser ??= start(chunk)
      const csv = parser
      bytesOfRow += chunk.length
      hasNul ||= chunk.includes(0)
      lastByte = chunk.at(-1)
      csv.options.max_record_size = bytesOfRow > maxRowBytes ? maxRowBytes : 0 // it is compared at every byte
      yield* parsed(done => csv.write(chunk, () => done()))
      if (bytesOfRow > maxRowBytes) throw tooLong(source, line) // the parser does not count delimiters
    }
    const csv = parser ?? start(nothing)
    const atEnd = () => {
      if (mayGrow && newest && lastByte !== lineFeed && lastByte !== carriageReturn)
        newest.isUnfinished = true
    }
    yield* parsed(done => csv.on('end', atEnd).once('error', done).once('end', done).end())
  }
}

/** In a row: more than a sheet can have. */
const mostEmptyLines = 2_000_000

/** Calls back with each record. Blanks after a closing quote are left out, as other readers do. */
export function csvParser(delimiter: string, onRecord: (cells: string[]) => void): Parser {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true, // a ragged row is a value, not the end of the run
    relax_quotes: true, // a quote inside an unquoted cell is a character like any other
    skip_empty_lines: false, // they count as lines
    max_record_size: maxRowBytes,
  })
  if (Buffer.byteLength(delimiter) === 1) Object.assign(Reflect.get(parser, 'api'), byteTests(delimiter))
  const pushOn = parser.push.bind(parser)
  const info: { records: number } = parser.info
  // records are taken at once: the buffer of a stream takes a tenth of the time
  parser.push = (cells: string[] | null) => {
    if (cells === null) return pushOn(null)
    // each record counts as the first one: else the parser makes an error with a stack for each ragged row, and drops it
    info.records = 0
    for (let at = 0; at < cells.length; at += 1)
      if (cells[at]?.charCodeAt(0) === quote) cells[at] = cells[at]?.replace(blankAfterQuote, '$1') ?? ''
    onRecord(cells)
    return true
  }
  return parser.resume()
}

const quote = 34

/** What the parser asks at every byte. Its own answers, to private names, know signs of several bytes, and take a quarter of its time. */
const byteTests = (delimiter: string, sign = delimiter.charCodeAt(0)) => ({
  __isQuote: (bytes: Buffer, at: number) => bytes[at] === quote,
  __isEscape: (_bytes: Buffer, _at: number, byte: number) => byte === quote,
  __isDelimiter: (_bytes: Buffer, _at: number, byte: number) => (byte === sign ? 1 : 0),
  __isRecordDelimiter: (byte: number, bytes: Buffer, at: number) =>
    byte === lineFeed ? 1 : byte !== carriageReturn ? 0 : bytes[at + 1] === lineFeed ? 2 : 1,
})

/** The parser keeps the quotes of such a cell. `"Ada" and "Bob" ` was never quoted as a whole. */
const blankAfterQuote = /^"([^"]*(?:\s".*)?)"[ \t]+$/s

export const isEmptyLine = (cells: readonly string[]) => cells.length === 1 && cells[0]?.trim() === ''

/** CR, LF and CRLF count as one each. */
const lineEndsIn = (text: string) => text.split(/\r\n|\n|\r/).length - 1

const betweenOwnColumns = new RegExp(`${keyColumn}"?([,;|\\t])"?${reasonColumn}`)

/** Reads the first line: a spreadsheet may have saved the file with another delimiter. */
const delimiterOfRejects = (start: Buffer): string | undefined =>
  betweenOwnColumns.exec(start.toString('latin1').split(/\r\n|\n|\r/, 1)[0] ?? '')?.[1]

function sourceFault(error: Error, source: string, line: number): Error {
  if (!(error instanceof CsvError)) return error
  if (error.code === 'CSV_MAX_RECORD_SIZE') return tooLong(source, line)
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return new SourceError('unclosed_quote', { source, line })
  return new SourceError('not_csv', { source, line, reason: error.message })
}

function nulIn(cells: readonly string[]): TableRecord['faultIn'] {
  const at = cells.findIndex(cell => cell.includes('\0'))
  return at === -1 ? undefined : columns => problem('nul_character', { column: columns[at] ?? '' })
}
