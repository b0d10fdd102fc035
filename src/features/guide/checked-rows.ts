import { isRepeated, isReservedColumn, replacedName } from '../../model/content-key.ts'
import type { Outcome, RowError } from '../../model/outcome.ts'
import type { Row, RowPlace } from '../../model/row.ts'
import { nilUuid } from '../../model/values.ts'
import type { OutcomeSink, PreparedImport } from '../../run/prepared-import.ts'
import { lineErrors } from '../../store/files/lines.ts'
import { describeProblem } from './language.ts'
import { bits, type RowIndex, type StoredRow } from './row-index.ts'

const mostTried = 5
const longCell = 40

/** Takes the rows of a check into its index. Corrected rows take the place of those that they replace. */
export class CheckedRows {
  readonly index: RowIndex
  readonly #corrected: string
  /** The numbers of rows by their names in the file of corrections. */
  readonly #replaced = new Map<string, number | undefined>()
  /** The numbers of rows by those of their corrections. */
  readonly #numbers = new Map<number, number | undefined>()
  readonly #columns = new Map<string, number>()
  /** Its source has columns. */
  isTable = false
  /** What cells of rows that would be sent are like: empty, short or long, by columns. */
  readonly #shapes = new Set<string>()
  /** The first of these rows, and those that have something new, with how much of it. */
  readonly #news = new Map<number, number>()

  /** `names` are those of rows that have a correction. */
  constructor(index: RowIndex, corrected: string, names: Iterable<string> = []) {
    this.index = index
    this.#corrected = corrected
    for (const name of names) this.#replaced.set(name, undefined)
  }

  /** Names a row that is in the index. */
  replace = (name: string, row: number) => void this.#replaced.set(name, row)

  /** Adds what takes the rows that `where` leaves out, of which there is no outcome. */
  watch = (prepared: PreparedImport): PreparedImport => {
    const { mapping, sources } = prepared
    const [{ columns } = {}] = sources
    this.isTable = columns !== undefined
    this.index.columns.push(...(columns ?? []).filter(column => !isReservedColumn(column)))
    const selects = (row: Row) => {
      const isSelected = mapping.selects(row)
      if (!isSelected && row.source !== this.#corrected && !this.index.has(row.row)) {
        const { row: number, line } = row
        const stored = { row: number, line, key: '', status: 'left_out', cells: this.#cellsOf(row) }
        this.index.add(stored, bits.left_out)
      }
      return isSelected
    }
    return { ...prepared, mapping: { ...mapping, selects } }
  }

  /** Notes rows that may be one record, in groups. */
  setNear(groups: Iterable<readonly RowPlace[]> = []): void {
    const numberOf = ({ source, row }: RowPlace) =>
      source === this.#corrected ? (this.#numbers.get(row) ?? []) : row
    for (const group of groups) this.index.setNear(group.flatMap(numberOf))
  }

  readonly sink: OutcomeSink = { keep: (outcome, row) => this.#keep(outcome, row), close: async () => {} }

  #keep(outcome: Outcome, row: Row): undefined {
    const { identity, status } = outcome
    const isCorrection = row.source === this.#corrected
    const name = replacedName(identity)
    if (!isCorrection && this.#replaced.has(name)) this.#replaced.set(name, row.row)
    const number = isCorrection ? this.#replaced.get(name) : row.row
    if (isCorrection) this.#numbers.set(row.row, number)
    if (number === undefined) return // the source has no longer the row that was corrected
    const { errors, omitted = [], kept = [] } = outcome as Lists
    const flags = flagsOf(outcome) | (isCorrection ? bits.corrected : 0)
    const stored: StoredRow = {
      ...{ row: number, key: identity.key, status, cells: this.#cellsOf(row) },
      line: (isCorrection ? this.index.at(number)?.line : undefined) ?? row.line,
      ...(isCorrection || flags & bits.refused ? { name, written: row.asWritten } : {}),
      body: 'body' in outcome ? outcome.body : undefined,
      errors: errors && lineErrors(errors, describeProblem),
      notes: lineErrors([...omitted, ...kept], describeProblem),
      recordId: 'recordId' in outcome ? outcome.recordId : undefined,
      sameAs:
        'sameAs' in outcome && outcome.sameAs.source !== this.#corrected ? outcome.sameAs.row : undefined,
    }
    this.index.add(stored, flags)
    if (status === 'valid' && !isCorrection && !isRepeated(identity.key)) this.#consider(stored)
  }

  /** The cells in the order of the columns; those of objects have columns as they come. */
  #cellsOf(row: Row): string[] {
    const cells: string[] = []
    for (const [column, value] of row.cells()) {
      if (isReservedColumn(column)) continue
      const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
      cells[this.isTable ? cells.length : this.#columnOf(column)] = text
    }
    return Array.from(cells, cell => cell ?? '')
  }

  #columnOf(column: string): number {
    const at = this.#columns.get(column) ?? this.index.columns.push(column) - 1
    this.#columns.set(column, at)
    return at
  }

  #consider({ row, cells, notes = [], body }: StoredRow): void {
    const shapes = cells.map((cell, at) => `${at} ${cell && (cell.length > longCell ? 'long' : 'short')}`)
    const found = [...shapes, `${notes.length} notes`].filter(shape => !this.#shapes.has(shape))
    if (found.length === 0 && this.#news.size >= mostTried) return
    if (JSON.stringify(body).includes(nilUuid)) return // it needs the record of another row
    for (const shape of found) this.#shapes.add(shape)
    this.#news.set(row, found.length)
  }

  /** The numbers of five rows that differ much. */
  chosen = (): Set<number> => {
    const rows = [...this.#news].sort(([, one], [, other]) => other - one)
    return new Set(rows.slice(0, mostTried).map(([row]) => row))
  }
}

/** What an outcome may say of its values. */
type Lists = Partial<Record<'errors' | 'omitted' | 'kept', readonly RowError[]>>

function flagsOf(outcome: Outcome): number {
  const { status } = outcome
  const { errors, omitted, kept } = outcome as Lists
  const isConflict = status === 'duplicate' && errors !== undefined
  const isRefused = status === 'invalid' || isConflict || (status === 'held' && errors !== undefined)
  return (
    (isRefused ? bits.refused : 0) |
    (isConflict ? bits.conflicts : 0) |
    (omitted ? bits.omitted : 0) |
    (kept ? bits.kept : 0) |
    (status === 'existing' || status === 'done' ? bits.existing : 0) |
    (status === 'valid' ? bits.sent : 0)
  )
}

/** The import with rows of one of its sources alone; all of them by default. */
export function onlyRows(
  prepared: PreparedImport,
  path: string,
  wanted?: ReadonlySet<number>,
): PreparedImport {
  const sources = prepared.sources.map(source => ({
    ...source,
    async *rows(...how: Parameters<typeof source.rows>) {
      if (source.path !== path) return
      let left = wanted?.size ?? Number.POSITIVE_INFINITY
      for await (const batch of source.rows(...how)) {
        const rows = batch.filter(({ row }) => wanted?.has(row) ?? true)
        left -= rows.length
        yield rows
        if (left <= 0) return
      }
    },
  }))
  return { ...prepared, totalBytes: undefined, sources }
}
