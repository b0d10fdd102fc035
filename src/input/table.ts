import { isReservedColumn, raggedMark, reasonColumn } from '../model/content-key.ts'
import { SourceError } from '../model/errors.ts'
import { type Problem, problem } from '../model/problem.ts'
import type { Row } from '../model/row.ts'
import { mostCells, type SourceSettings } from './source.ts'

/** A record that is not empty: a line of CSV, or a row of a sheet. */
export interface TableRecord {
  readonly line: number
  readonly cells: string[]
  /** Faults of cells, by the names of the columns. */
  readonly faultIn?: ((columns: readonly string[]) => Problem) | undefined
  /** It may go on: it has no line end, and its file may still be written. */
  isUnfinished?: boolean
  readonly isHidden?: boolean
}

interface TableSettings extends Pick<SourceSettings, 'header'> {
  readonly source: string
  /** A sheet holds no empty cells at the end of its rows, and any cells next to its table. */
  readonly ragged: SourceSettings['ragged'] | 'sheet'
  /** Joins the cells of a row that has far too many. */
  readonly delimiter: string
}

type Batches = AsyncIterator<TableRecord[]> & AsyncIterable<TableRecord[]>

/** Reads a table up to its header; `rowsOf` makes rows of other records. Throws a SourceError if there is none. */
export async function openTable(batches: Batches, settings: TableSettings) {
  const { header, headerLine, rest } = await findHeader(batches, settings)
  async function* rowsOf(
    others: AsyncIterable<TableRecord[]>,
    row: number,
    first: readonly TableRecord[] = [],
  ): AsyncGenerator<Row[]> {
    const toRow = (record: TableRecord) => rowOf(settings, row++, header, record)
    yield first.map(toRow)
    for await (const batch of others) yield batch.map(toRow)
  }
  return { columns: header.names, headerLine, rows: rowsOf(batches, 1, rest), rowsOf }
}

/** Finds the header, and the records after it in its batch. A file of rejected rows has it in the first line. */
async function findHeader(batches: Batches, { source, header }: TableSettings) {
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
        return { header: headerOf(cells), headerLine: line, rest: next.value.slice(at + 1) }
      }
      if (header.type === 'columns')
        return { header: headerOf(header.columns), headerLine: undefined, rest: next.value.slice(at) }
      if (firstCells.length < 5) firstCells.push(first.slice(0, 40))
    }
  if (header.type === 'columns') return { header: headerOf(header.columns), headerLine: undefined, rest: [] }
  throw header.type === 'first_line'
    ? new SourceError('no_header', { source })
    : new SourceError('header_not_found', { source, wanted: header.cell, seen: firstCells })
}

function headerOf(cells: readonly string[]) {
  const names = cells.map(cell => cell.trim())
  /** The positions of a column's cells: several, if the name is repeated. */
  const positions = new Map<string, number[]>()
  for (const [at, name] of names.entries()) positions.set(name, [...(positions.get(name) ?? []), at])
  return { names, positions, isOfRejects: names.includes(reasonColumn) }
}
type Header = ReturnType<typeof headerOf>

function rowOf(
  { source, ragged, delimiter }: TableSettings,
  row: number,
  { names, positions, isOfRejects }: Header,
  { line, cells: written, faultIn, isUnfinished, isHidden = false }: TableRecord,
): Row {
  const width = names.length
  const isWide = written.length !== width && written.length > mostCells
  const cells = isWide ? [...written.slice(0, mostCells), written.slice(mostCells).join(delimiter)] : written
  if (ragged === 'sheet') cells.push(...Array<string>(Math.max(0, width - cells.length)).fill(''))
  const raggedFault = isWide
    ? problem('too_many_values', { most: mostCells })
    : findRaggedFault(cells, width, ragged)
  const value = (column: string) => {
    const at = positions.get(column)
    return at?.length === 1 ? cells[at[0] ?? -1] : at?.map(each => cells[each] ?? '')
  }
  const fault = isUnfinished
    ? problem('unfinished_line')
    : (raggedFault ?? faultIn?.(names) ?? (isOfRejects ? findMarkedFault(value(reasonColumn)) : undefined))
  return {
    source,
    row,
    line,
    repaired: isOfRejects,
    isRagged: raggedFault !== undefined,
    isHeader: isHeaderAgain(cells, names),
    isHidden,
    fault,
    value,
    // those past the header have the empty name
    cells: () => cells.map((cell, at) => [names[at] ?? '', cell] as const),
  }
}

/** Checks that a row has nothing but the names of its columns: at least two, in any case of letters, or that of the only column. */
function isHeaderAgain(cells: readonly string[], names: readonly string[]): boolean {
  let count = 0
  for (let at = 0; at < cells.length; at += 1) {
    const cell = cells[at]?.trim() ?? ''
    const name = names[at] ?? ''
    if (cell === '') continue
    const mayBeName = cell.length === name.length && names.length > 1
    const isName = cell === name || (mayBeName && cell.toLowerCase() === name.toLowerCase())
    if (isName) count += 1
    else if (!isReservedColumn(name)) return false
  }
  return count > 1 || names.length === count
}

function findRaggedFault(cells: readonly string[], columns: number, ragged: TableSettings['ragged']) {
  if (cells.length === columns || ragged === 'sheet') return undefined
  if (ragged === 'invalid') return problem('ragged', { cells: cells.length, columns })
  const surplus = cells.slice(columns).some(cell => cell.trim() !== '')
  return surplus ? problem('extra_cells', { cells: cells.length, columns }) : undefined
}

/** The fault of a row whose reason is still ragged: it may have cells under wrong columns. */
function findMarkedFault(written: unknown): Problem | undefined {
  const reason = String(written ?? '').trimStart()
  return reason.startsWith(raggedMark.trimEnd()) ? problem('still_ragged') : undefined
}
