import { CsvError, type Parser, parse } from 'csv-parse'
import { sourceErrors } from '../model/errors.ts'
import { type Problem, problems } from '../model/problems.ts'
import type { Row } from '../model/row.ts'
import { Header } from './header.ts'
import { lineEndsIn } from './lines.ts'
import { type HeaderRule, maxRowBytes } from './source.ts'

type Cells = readonly string[]

/** How a CSV source is to be read. */
export interface CsvSettings {
  readonly source: string
  readonly delimiter: string
  readonly header: HeaderRule
  readonly ragged: 'invalid' | 'pad'
}

/** A source whose header was read, and its rows from there on. */
export interface OpenCsv {
  readonly columns: readonly string[]
  /** In batches, as the chunks of the source hold them. */
  readonly rows: AsyncGenerator<Row[]>
}

/** Reads a CSV source up to its header. Throws a SourceError when there is none or the text is not CSV. */
export async function openCsv(bytes: AsyncIterable<Buffer>, settings: CsvSettings): Promise<OpenCsv> {
  const lines = new LineOfRecord()
  const batches = recordBatches(bytes, settings, lines)
  const { header, rest } = await findHeader(batches, settings, lines)
  return { columns: header.names, rows: rowsOf(header, rest, batches, settings, lines) }
}

/** The line on which the next record starts, kept by counting the line ends in the records themselves. */
class LineOfRecord {
  next = 1

  /** Takes a record and says on which line it started. */
  pass(cells: Cells): number {
    const line = this.next
    this.next += 1
    for (const cell of cells) this.next += lineEndsIn(cell)
    return line
  }
}

const isEmptyLine = (cells: Cells) => cells.length === 1 && cells[0]?.trim() === ''

async function findHeader(
  batches: AsyncIterator<Cells[]>,
  { source, header }: CsvSettings,
  lines: LineOfRecord,
): Promise<{ header: Header; rest: Cells[] }> {
  if (header.is === 'columns') return { header: new Header(header.columns), rest: [] }
  const firstCells: string[] = []
  for (let next = await batches.next(); !next.done; next = await batches.next())
    for (const [at, cells] of next.value.entries()) {
      lines.pass(cells)
      if (isEmptyLine(cells)) continue
      const first = cells[0]?.trim() ?? ''
      if (header.is === 'first_line' || first === header.cell)
        return { header: new Header(cells), rest: next.value.slice(at + 1) }
      if (firstCells.length < 5) firstCells.push(first.slice(0, 40))
    }
  throw header.is === 'first_line'
    ? sourceErrors.noHeader(source)
    : sourceErrors.headerNotFound(source, header.cell, firstCells)
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

class CsvRow implements Row {
  readonly source: string
  readonly row: number
  readonly line: number
  readonly fault?: Problem
  readonly #header: Header
  readonly #cells: Cells

  constructor({ source, ragged }: CsvSettings, row: number, line: number, header: Header, cells: Cells) {
    this.source = source
    this.row = row
    this.line = line
    this.#header = header
    this.#cells = cells
    if (cells.length === header.names.length) return
    const fault = raggedFault(cells, header.names.length, ragged)
    if (fault) this.fault = fault
  }

  value(column: string): string | string[] | undefined {
    const at = this.#header.at(column)
    if (at === undefined) return undefined
    return typeof at === 'number' ? this.#cells[at] : at.map(each => this.#cells[each] ?? '')
  }

  /** Cells past the header stand under the empty name. */
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

function raggedFault(cells: Cells, columns: number, ragged: 'invalid' | 'pad'): Problem | undefined {
  if (ragged === 'invalid') return problems.ragged(cells.length, columns)
  return cells.slice(columns).some(cell => cell.trim() !== '')
    ? problems.surplus(cells.length, columns)
    : undefined
}

/** Every record of the text, empty lines among them, in batches as the chunks hold them. */
async function* recordBatches(
  bytes: AsyncIterable<Buffer>,
  { source, delimiter }: CsvSettings,
  lines: LineOfRecord,
): AsyncGenerator<Cells[]> {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true, // a ragged row is a value, not the end of the run
    relax_quotes: true, // a quote inside an unquoted cell is a character like any other
    skip_empty_lines: false, // they count as lines
    max_record_size: maxRowBytes,
  })
  let batch: Cells[] = []
  let failure: Error | undefined
  parser.on('data', (cells: Cells) => batch.push(cells))
  parser.on('error', error => {
    failure = error
  })
  const parsed = async function* (step: (parser: Parser, done: () => void) => void) {
    await new Promise<void>(done => step(parser, done))
    const records = batch
    batch = []
    yield records
    if (failure) throw sourceFault(failure, source, lines.next)
  }
  for await (const chunk of bytes) yield* parsed((csv, done) => csv.write(chunk, () => done()))
  yield* parsed((csv, done) => {
    csv.once('error', () => done()).once('end', () => done())
    csv.end()
  })
}

function sourceFault(error: Error, source: string, line: number): Error {
  if (!(error instanceof CsvError)) return error
  if (error.code === 'CSV_MAX_RECORD_SIZE') return sourceErrors.tooLong(source, line, maxRowBytes / 1_000_000)
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return sourceErrors.openQuote(source, line)
  return sourceErrors.notCsv(source, line, error.message)
}
