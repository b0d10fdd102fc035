import { CsvError, type Parser, parse } from 'csv-parse'
import { SourceError } from '../model/errors.ts'
import { type Problem, problem } from '../model/problem.ts'
import { isReservedColumn, keyColumn, raggedMark, reasonColumn } from '../model/reserved-columns.ts'
import type { Row } from '../model/row.ts'
import { maxRowBytes, type SourceSettings } from './source.ts'

type Cells = readonly string[]

interface CsvSettings extends Pick<SourceSettings, 'header' | 'ragged'> {
  readonly source: string
  readonly delimiter: string
}

/** A CSV source that was read up to the end of its header. */
export interface OpenCsv {
  readonly columns: readonly string[]
  /** The line of the header; undefined where the source has none. */
  readonly headerLine: number | undefined
  /** In batches of one chunk. */
  readonly rows: AsyncGenerator<Row[]>
}

/**
 * Reads a CSV source up to its header. In a file of rejected rows that is always the first line. Throws a SourceError if there is no
 * header or the text is not CSV.
 */
export async function openCsv(bytes: AsyncIterable<Buffer>, settings: CsvSettings): Promise<OpenCsv> {
  const lines = new LineOfRecord()
  const batches = recordBatches(bytes, settings, lines)
  const { header, line, rest } = await findHeader(batches, settings, lines)
  return { columns: header.names, headerLine: line, rows: rowsOf(header, rest, batches, settings, lines) }
}

/** The line on which the next record starts, known by counting the line ends in the records. */
class LineOfRecord {
  next = 1

  /** Takes a record and returns the line on which it started. */
  pass(cells: Cells): number {
    const line = this.next
    this.next += 1
    for (const cell of cells) this.next += lineEndsIn(cell)
    return line
  }
}

/** CR, LF and CRLF count as one each. */
const lineEndsIn = (text: string) =>
  text.includes('\n') || text.includes('\r') ? text.split(/\r\n|\n|\r/).length - 1 : 0

const isEmptyLine = (cells: Cells) => cells.length === 1 && cells[0]?.trim() === ''

async function findHeader(
  batches: AsyncIterator<Cells[]>,
  { source, header }: CsvSettings,
  lines: LineOfRecord,
): Promise<{ header: Header; line: number | undefined; rest: Cells[] }> {
  const firstCells: string[] = []
  for (let next = await batches.next(); !next.done; next = await batches.next())
    for (const [at, cells] of next.value.entries()) {
      const isOfRejects = firstCells.length === 0 && cells.some(cell => isReservedColumn(cell.trim()))
      if (header.type === 'columns' && !isOfRejects && !isEmptyLine(cells))
        return { header: new Header(header.columns), line: undefined, rest: next.value.slice(at) }
      const line = lines.pass(cells)
      if (isEmptyLine(cells)) continue
      const first = cells[0]?.trim() ?? ''
      if (isOfRejects || header.type !== 'starts_with' || first === header.cell)
        return { header: new Header(cells), line, rest: next.value.slice(at + 1) }
      if (firstCells.length < 5) firstCells.push(first.slice(0, 40))
    }
  if (header.type === 'columns') return { header: new Header(header.columns), line: undefined, rest: [] }
  throw header.type === 'first_line'
    ? new SourceError('no_header', { source })
    : new SourceError('header_not_found', { source, wanted: header.cell, seen: firstCells })
}

async function* rowsOf(
  header: Header,
  first: Cells[],
  batches: AsyncGenerator<Cells[]>,
  settings: CsvSettings,
  lines: LineOfRecord,
): AsyncGenerator<Row[]> {
  let row = 0
  const rowsIn = (batch: Cells[]) => {
    const rows: Row[] = []
    for (const cells of batch) {
      const line = lines.pass(cells)
      if (isEmptyLine(cells)) continue
      row += 1
      rows.push(new CsvRow(settings, row, line, header, cells))
    }
    return rows
  }
  yield rowsIn(first)
  for await (const batch of batches) yield rowsIn(batch)
}

/** Every record of the text, empty lines included, in batches of one chunk. */
async function* recordBatches(
  bytes: AsyncIterable<Buffer>,
  { source, delimiter }: CsvSettings,
  lines: LineOfRecord,
): AsyncGenerator<Cells[]> {
  let parser: Parser | undefined
  let batch: Cells[] = []
  let failure: Error | undefined
  const start = (chunk?: Buffer) =>
    csvParser((chunk && delimiterOfRejects(chunk)) ?? delimiter)
      .on('data', (cells: Cells) => batch.push(cells))
      .on('error', error => {
        failure = error
      })
  const takeBatch = () => {
    const records = batch
    batch = []
    return records
  }
  for await (const chunk of bytes) {
    if (chunk.length === 0) continue
    parser ??= start(chunk)
    await new Promise<void>(done => parser?.write(chunk, () => done()))
    yield takeBatch()
    if (failure) throw sourceFault(failure, source, lines.next)
  }
  parser ??= start()
  await new Promise<void>(done =>
    parser
      ?.once('error', () => done())
      .once('end', () => done())
      .end(),
  )
  yield takeBatch()
  if (failure) throw sourceFault(failure, source, lines.next)
}

/** The parser that reads all CSV. */
export const csvParser = (delimiter: string): Parser =>
  parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true, // a ragged row is a value, not the end of the run
    relax_quotes: true, // a quote inside an unquoted cell is a character like any other
    skip_empty_lines: false, // they count as lines
    max_record_size: maxRowBytes,
  })

const betweenOwnColumns = new RegExp(`${keyColumn}"?([,;|\\t])"?${reasonColumn}`)

/** The delimiter of a file of rejected rows, by its first line: a spreadsheet may have saved it with another one. */
const delimiterOfRejects = (start: Buffer): string | undefined =>
  betweenOwnColumns.exec(start.toString('latin1').split(/\r\n|\n|\r/, 1)[0] ?? '')?.[1]

function sourceFault(error: Error, source: string, line: number): Error {
  if (!(error instanceof CsvError)) return error
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return new SourceError('too_long', { source, line, megabytes: maxRowBytes / 1_000_000 })
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return new SourceError('open_quote', { source, line })
  return new SourceError('not_csv', { source, line, reason: error.message })
}

/** The columns of a source, and the positions of their cells. */
class Header {
  readonly names: readonly string[]
  /** Whether the source is a file of rejected rows. */
  readonly isOfRejects: boolean
  /** The positions of all columns in the order of their names. */
  readonly sorted: readonly number[]
  readonly #positions = new Map<string, number | number[]>()

  /** Names are trimmed. A repeated name means a list. */
  constructor(cells: Cells) {
    this.names = cells.map(cell => cell.trim())
    this.isOfRejects = this.names.includes(reasonColumn)
    this.sorted = [...this.names.keys()].sort(
      (a, b) => compare(this.names[a] ?? '', this.names[b] ?? '') || a - b,
    )
    for (const [at, name] of this.names.entries()) {
      const before = this.#positions.get(name)
      this.#positions.set(name, before === undefined ? at : [before, at].flat())
    }
  }

  /** The position of a column's cell; all of them if the name is repeated. */
  at(name: string): number | readonly number[] | undefined {
    return this.#positions.get(name)
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** A record under its header. */
class CsvRow implements Row {
  readonly source: string
  readonly row: number
  readonly line: number
  readonly fault?: Problem
  readonly isRagged: boolean = false
  readonly #header: Header
  readonly #cells: Cells

  constructor({ source, ragged }: CsvSettings, row: number, line: number, header: Header, cells: Cells) {
    this.source = source
    this.row = row
    this.line = line
    this.#header = header
    this.#cells = cells
    if (cells.length === header.names.length && !header.isOfRejects) return
    const raggedFault = findRaggedFault(cells, header.names.length, ragged)
    if (raggedFault) this.isRagged = true
    const fault = raggedFault ?? (header.isOfRejects ? findMarkedFault(this) : undefined)
    if (fault) this.fault = fault
  }

  get repaired(): boolean {
    return this.#header.isOfRejects
  }

  value(column: string): string | string[] | undefined {
    const at = this.#header.at(column)
    if (at === undefined) return undefined
    return typeof at === 'number' ? this.#cells[at] : at.map(each => this.#cells[each] ?? '')
  }

  /** Cells past the header have the empty name. */
  cells(): (readonly [string, string])[] {
    return this.#cells.map((cell, at) => [this.#header.names[at] ?? '', cell] as const)
  }

  cellsByName(): (readonly [string, string])[] {
    const { names, sorted } = this.#header
    const cells: (readonly [string, string])[] = []
    for (let at = names.length; at < this.#cells.length; at += 1) cells.push(['', this.#cells[at] ?? ''])
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
  return cells.slice(columns).some(cell => cell.trim() !== '')
    ? problem('surplus', { cells: cells.length, columns })
    : undefined
}

/** A rejected row whose reason still says ragged may have its cells under wrong columns, however many they are now. */
const findMarkedFault = (row: Row): Problem | undefined =>
  String(row.value(reasonColumn) ?? '')
    .trimStart()
    .startsWith(raggedMark.trimEnd())
    ? problem('still_ragged')
    : undefined
