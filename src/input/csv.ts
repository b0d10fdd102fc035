import { CsvError, type Parser, parse } from 'csv-parse'
import { SourceError } from '../model/errors.ts'
import { type Problem, problem } from '../model/problem.ts'
import { isReservedColumn, keyColumn, raggedMark, reasonColumn } from '../model/reserved-columns.ts'
import type { Row } from '../model/row.ts'
import { maxRowBytes, mostCells, type OpenSource, type SourceSettings, type Start } from './source.ts'

interface CsvSettings extends Pick<SourceSettings, 'header' | 'ragged'> {
  readonly source: string
  readonly delimiter: string
}

/** The delimiter is set where the reading begins: rejected rows tell theirs in their first line. */
type Reading = Pick<Start, 'firstLine'> & { delimiter?: string }

type Cells = readonly string[]

interface CsvRecord {
  readonly line: number
  readonly cells: Cells
  /** The position of a cell with a NUL character, else -1. */
  readonly nul: number
}

/** Reads a CSV source up to its header. Throws a SourceError if there is no header or the text is not CSV. */
export async function openCsv(
  bytes: AsyncIterable<Buffer>,
  settings: CsvSettings,
): Promise<Omit<OpenSource, 'close'>> {
  const reading: Reading = { firstLine: 1 }
  const batches = readRecords(bytes, settings, reading)
  const { header, headerLine, rest } = await findHeader(batches, settings)
  async function* rows(row: number, first: CsvRecord[], others: typeof batches): AsyncGenerator<Row[]> {
    const toRow = (record: CsvRecord) => new CsvRow(settings, row++, header, record)
    yield first.map(toRow)
    for await (const batch of others) yield batch.map(toRow)
  }
  return {
    columns: header.names,
    headerLine,
    rows: rows(1, rest, batches),
    rowsFrom: (text, start) =>
      rows(start.firstRow, [], readRecords(text, settings, { ...reading, ...start })),
  }
}

/** Finds the header, and the records behind it in its batch. A file of rejected rows has it in the first line. */
async function findHeader(
  batches: AsyncIterator<CsvRecord[]>,
  { source, header }: CsvSettings,
): Promise<{ header: Header; headerLine: number | undefined; rest: CsvRecord[] }> {
  const firstCells: string[] = []
  for (let next = await batches.next(); !next.done; next = await batches.next())
    for (const [at, { line, cells }] of next.value.entries()) {
      const first = cells[0]?.trim() ?? ''
      const isOfRejects = firstCells.length === 0 && cells.some(cell => isReservedColumn(cell.trim()))
      const isNamed = header.type === 'starts_with' && first === header.cell
      if (isOfRejects || isNamed || header.type === 'first_line') {
        const columns = cells.length - (isOfRejects ? 2 : 0)
        if (columns > mostCells)
          throw new SourceError('too_many_columns', { source, columns, most: mostCells })
        return { header: new Header(cells), headerLine: line, rest: next.value.slice(at + 1) }
      }
      if (header.type === 'columns')
        return { header: new Header(header.columns), headerLine: undefined, rest: next.value.slice(at) }
      if (firstCells.length < 5) firstCells.push(first.slice(0, 40))
    }
  if (header.type === 'columns')
    return { header: new Header(header.columns), headerLine: undefined, rest: [] }
  throw header.type === 'first_line'
    ? new SourceError('no_header', { source })
    : new SourceError('header_not_found', { source, wanted: header.cell, seen: firstCells })
}

/** Yields the records that are not empty, in batches of one chunk. */
async function* readRecords(
  bytes: AsyncIterable<Buffer>,
  { source, delimiter }: CsvSettings,
  reading: Reading,
): AsyncGenerator<CsvRecord[]> {
  let parser: Parser | undefined
  let batch: CsvRecord[] = []
  let line = reading.firstLine
  let failure: Error | undefined
  let bytesOfRow = 0
  let hasNul = false
  const start = (chunk?: Buffer) => {
    reading.delimiter ??= (chunk && delimiterOfRejects(chunk)) ?? delimiter
    return csvParser(reading.delimiter, cells => {
      bytesOfRow = 0
      const nul = hasNul ? cells.findIndex(cell => cell.includes('\0')) : -1
      if (!isEmptyLine(cells)) batch.push({ line, cells, nul })
      line += 1
      for (const cell of cells) line += lineEndsIn(cell)
    }).on('error', error => {
      failure = error
    })
  }
  async function* parsed(step: (done: () => void) => void) {
    await new Promise<void>(step)
    const records = batch
    batch = []
    yield records
    if (failure) throw sourceFault(failure, source, line)
  }
  for await (const chunk of bytes) {
    if (chunk.length === 0) continue
    parser ??= start(chunk)
    const csv = parser
    bytesOfRow += chunk.length
    hasNul ||= chunk.includes(0)
    yield* parsed(done => csv.write(chunk, () => done()))
    if (bytesOfRow > maxRowBytes) throw tooLong(source, line) // the parser does not count delimiters
  }
  const csv = parser ?? start()
  yield* parsed(done => csv.once('error', done).once('end', done).end())
}

/** Calls back with each record. Blanks behind a closing quote are left out, as other readers do. */
export const csvParser = (delimiter: string, onRecord: (cells: Cells) => void): Parser =>
  parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true, // a ragged row is a value, not the end of the run
    relax_quotes: true, // a quote inside an unquoted cell is a character like any other
    skip_empty_lines: false, // they count as lines
    max_record_size: maxRowBytes,
  }).on('data', (cells: string[]) => {
    for (let at = 0; at < cells.length; at += 1)
      if (cells[at]?.charCodeAt(0) === quote) cells[at] = cells[at]?.replace(blankBehindQuote, '$1') ?? ''
    onRecord(cells)
  })

const quote = 34
/** The parser keeps the quotes of such a cell. `"Ada" and "Bob" ` was never quoted as a whole. */
const blankBehindQuote = /^"([^"]*(?:\s".*)?)"[ \t]+$/s

const isEmptyLine = (cells: Cells) => cells.length === 1 && cells[0]?.trim() === ''

/** CR, LF and CRLF count as one each. */
const lineEndsIn = (text: string) =>
  text.includes('\n') || text.includes('\r') ? text.split(/\r\n|\n|\r/).length - 1 : 0

const betweenOwnColumns = new RegExp(`${keyColumn}"?([,;|\\t])"?${reasonColumn}`)

/** From the first line: a spreadsheet may have saved the file with another delimiter. */
const delimiterOfRejects = (start: Buffer): string | undefined =>
  betweenOwnColumns.exec(start.toString('latin1').split(/\r\n|\n|\r/, 1)[0] ?? '')?.[1]

const tooLong = (source: string, line: number) =>
  new SourceError('row_too_long', { source, line, megabytes: maxRowBytes / 1_000_000 })

function sourceFault(error: Error, source: string, line: number): Error {
  if (!(error instanceof CsvError)) return error
  if (error.code === 'CSV_MAX_RECORD_SIZE') return tooLong(source, line)
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return new SourceError('unclosed_quote', { source, line })
  return new SourceError('not_csv', { source, line, reason: error.message })
}

class Header {
  readonly names: readonly string[]
  readonly isOfRejects: boolean
  /** The positions of all columns in the order of their names. */
  readonly sorted: readonly number[]
  /** The position of a column's cell; all of them if the name is repeated. */
  readonly positions = new Map<string, number | readonly number[]>()

  /** Names are trimmed. A repeated name means a list. */
  constructor(cells: Cells) {
    this.names = cells.map(cell => cell.trim())
    this.isOfRejects = this.names.includes(reasonColumn)
    const compare = (a = '', b = '') => (a < b ? -1 : Number(a > b))
    this.sorted = [...this.names.keys()].sort((a, b) => compare(this.names[a], this.names[b]) || a - b)
    for (const [at, name] of this.names.entries()) {
      const before = this.positions.get(name)
      this.positions.set(name, before === undefined ? at : [before, at].flat())
    }
  }
}

class CsvRow implements Row {
  readonly source: string
  readonly row: number
  readonly line: number
  readonly fault?: Problem
  readonly isRagged: boolean = false
  readonly #header: Header
  readonly #cells: Cells

  constructor(
    { source, ragged, delimiter }: CsvSettings,
    row: number,
    header: Header,
    { line, cells, nul }: CsvRecord,
  ) {
    this.source = source
    this.row = row
    this.line = line
    this.#header = header
    const isRagged = cells.length !== header.names.length
    const isWide = isRagged && cells.length > mostCells
    this.#cells = isWide ? [...cells.slice(0, mostCells), cells.slice(mostCells).join(delimiter)] : cells
    if (!isRagged && !header.isOfRejects && nul === -1) return
    const raggedFault = isWide
      ? problem('too_many_values', { most: mostCells })
      : findRaggedFault(cells, header.names.length, ragged)
    if (raggedFault) this.isRagged = true
    const nulFault = nul === -1 ? undefined : problem('nul_character', { column: header.names[nul] ?? '' })
    const fault = raggedFault ?? nulFault ?? (header.isOfRejects ? findMarkedFault(this) : undefined)
    if (fault) this.fault = fault
  }

  get repaired(): boolean {
    return this.#header.isOfRejects
  }

  value(column: string): string | string[] | undefined {
    const at = this.#header.positions.get(column)
    if (at === undefined) return undefined
    return typeof at === 'number' ? this.#cells[at] : at.map(each => this.#cells[each] ?? '')
  }

  /** Cells past the header have the empty name. */
  cells(): (readonly [string, string])[] {
    return this.#cells.map((cell, at) => [this.#header.names[at] ?? '', cell] as const)
  }

  cellsByName(): (readonly [string, string])[] {
    const { names, sorted } = this.#header
    const cells = this.#cells.slice(names.length).map((cell): readonly [string, string] => ['', cell])
    for (const at of sorted) {
      const cell = this.#cells[at]
      if (cell !== undefined) cells.push([names[at] ?? '', cell])
    }
    return cells
  }
}

function findRaggedFault(cells: Cells, columns: number, ragged: 'invalid' | 'pad'): Problem | undefined {
  if (cells.length === columns) return undefined
  if (ragged === 'invalid') return problem('ragged', { cells: cells.length, columns })
  const surplus = cells.slice(columns).some(cell => cell.trim() !== '')
  return surplus ? problem('extra_cells', { cells: cells.length, columns }) : undefined
}

/** A row whose reason still says ragged may have cells under wrong columns. */
function findMarkedFault(row: Row): Problem | undefined {
  const reason = String(row.value(reasonColumn) ?? '').trimStart()
  return reason.startsWith(raggedMark.trimEnd()) ? problem('still_ragged') : undefined
}
