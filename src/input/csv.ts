import { CsvError, type Parser, parse } from 'csv-parse'
import { sourceErrors } from '../model/errors.ts'
import { isOwnColumn } from '../model/own-columns.ts'
import type { Row } from '../model/row.ts'
import { type Cells, CsvRow } from './csv-row.ts'
import { Header } from './header.ts'
import { lineEndsIn } from './lines.ts'
import { type CsvSettings, maxRowBytes } from './source.ts'

/** A source whose header was read, and its rows from there on. */
export interface OpenCsv {
  readonly columns: readonly string[]
  /** The line on which the header stands; undefined where the source has none. */
  readonly headerLine: number | undefined
  /** In batches, as the chunks of the source hold them. */
  readonly rows: AsyncGenerator<Row[]>
}

/**
 * Reads a CSV source up to its header. A file of rejected rows has it in its first line, whatever the settings say of the
 * source that its rows came from. Throws a SourceError when there is none or the text is not CSV.
 */
export async function openCsv(bytes: AsyncIterable<Buffer>, settings: CsvSettings): Promise<OpenCsv> {
  const lines = new LineOfRecord()
  const batches = recordBatches(bytes, settings, lines)
  const { header, line, rest } = await findHeader(batches, settings, lines)
  return { columns: header.names, headerLine: line, rows: rowsOf(header, rest, batches, settings, lines) }
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
): Promise<{ header: Header; line: number | undefined; rest: Cells[] }> {
  const firstCells: string[] = []
  for (let next = await batches.next(); !next.done; next = await batches.next())
    for (const [at, cells] of next.value.entries()) {
      const isOfRejects = firstCells.length === 0 && cells.some(cell => isOwnColumn(cell.trim()))
      if (header.is === 'columns' && !isOfRejects && !isEmptyLine(cells))
        return { header: new Header(header.columns), line: undefined, rest: next.value.slice(at) }
      const line = lines.pass(cells)
      if (isEmptyLine(cells)) continue
      const first = cells[0]?.trim() ?? ''
      if (isOfRejects || header.is !== 'starts_with' || first === header.cell)
        return { header: new Header(cells), line, rest: next.value.slice(at + 1) }
      if (firstCells.length < 5) firstCells.push(first.slice(0, 40))
    }
  if (header.is === 'columns') return { header: new Header(header.columns), line: undefined, rest: [] }
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

/** The parser that all CSV goes through. */
export const csvParser = (delimiter: string): Parser =>
  parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true, // a ragged row is a value, not the end of the run
    relax_quotes: true, // a quote inside an unquoted cell is a character like any other
    skip_empty_lines: false, // they count as lines
    max_record_size: maxRowBytes,
  })

/** Every record of the text, empty lines among them, in batches as the chunks hold them. */
async function* recordBatches(
  bytes: AsyncIterable<Buffer>,
  { source, delimiter }: CsvSettings,
  lines: LineOfRecord,
): AsyncGenerator<Cells[]> {
  const parser = csvParser(delimiter)
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
