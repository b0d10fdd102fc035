import { SourceError } from '../model/errors.ts'
import { type Problem, problem } from '../model/problem.ts'
import { isReservedColumn, raggedMark, reasonColumn } from '../model/reserved-columns.ts'
import type { Row } from '../model/row.ts'
import { mostCells, type OpenSource, type SourceSettings } from './source.ts'

/** A record that is not empty: a line of CSV, or a row of a sheet. */
export interface TableRecord {
  readonly line: number
  readonly cells: readonly string[]
  /** Faults of cells, by the names of the columns. */
  readonly faultIn?: ((columns: readonly string[]) => Problem) | undefined
}

interface TableSettings extends Pick<SourceSettings, 'header'> {
  readonly source: string
  /** A sheet holds no empty cells at the end of its rows, and any cells beside its table. */
  readonly ragged: SourceSettings['ragged'] | 'sheet'
  /** Between the cells of a row that has far too many. */
  readonly delimiter: string
}

type Cells = readonly string[]
type Batches = AsyncIterator<TableRecord[]> & AsyncIterable<TableRecord[]>

/** Reads a table up to its header. Throws a SourceError if there is none. */
export async function openTable(
  batches: Batches,
  settings: TableSettings,
): Promise<
  Pick<OpenSource, 'columns' | 'headerLine' | 'rows'> & {
    readonly rowsOf: (batches: AsyncIterable<TableRecord[]>, firstRow: number) => AsyncGenerator<Row[]>
  }
> {
  const { header, headerLine, rest } = await findHeader(batches, settings)
  async function* rowsOf(
    others: AsyncIterable<TableRecord[]>,
    row: number,
    first: readonly TableRecord[] = [],
  ): AsyncGenerator<Row[]> {
    const toRow = (record: TableRecord) => new TableRow(settings, row++, header, record)
    yield first.map(toRow)
    for await (const batch of others) yield batch.map(toRow)
  }
  return { columns: header.names, headerLine, rows: rowsOf(batches, 1, rest), rowsOf }
}

/** Finds the header, and the records behind it in its batch. A file of rejected rows has it in the first line. */
async function findHeader(
  batches: Batches,
  { source, header }: TableSettings,
): Promise<{ header: Header; headerLine: number | undefined; rest: TableRecord[] }> {
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

class TableRow implements Row {
  readonly source: string
  readonly row: number
  readonly line: number
  readonly fault?: Problem
  readonly isRagged: boolean = false
  readonly #header: Header
  readonly #cells: Cells

  constructor(
    { source, ragged, delimiter }: TableSettings,
    row: number,
    header: Header,
    { line, cells, faultIn }: TableRecord,
  ) {
    this.source = source
    this.row = row
    this.line = line
    this.#header = header
    const width = header.names.length
    const isRagged = cells.length !== width
    const isWide = isRagged && cells.length > mostCells
    this.#cells = isWide ? [...cells.slice(0, mostCells), cells.slice(mostCells).join(delimiter)] : cells
    if (!isRagged && !header.isOfRejects && faultIn === undefined) return
    if (ragged === 'sheet' && cells.length < width)
      this.#cells = [...cells, ...Array<string>(width - cells.length).fill('')]
    const raggedFault = isWide
      ? problem('too_many_values', { most: mostCells })
      : findRaggedFault(cells, width, ragged)
    if (raggedFault) this.isRagged = true
    const fault =
      raggedFault ?? faultIn?.(header.names) ?? (header.isOfRejects ? findMarkedFault(this) : undefined)
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

function findRaggedFault(
  cells: Cells,
  columns: number,
  ragged: TableSettings['ragged'],
): Problem | undefined {
  if (cells.length === columns || ragged === 'sheet') return undefined
  if (ragged === 'invalid') return problem('ragged', { cells: cells.length, columns })
  const surplus = cells.slice(columns).some(cell => cell.trim() !== '')
  return surplus ? problem('extra_cells', { cells: cells.length, columns }) : undefined
}

/** A row whose reason still says ragged may have cells under wrong columns. */
function findMarkedFault(row: Row): Problem | undefined {
  const reason = String(row.value(reasonColumn) ?? '').trimStart()
  return reason.startsWith(raggedMark.trimEnd()) ? problem('still_ragged') : undefined
}
