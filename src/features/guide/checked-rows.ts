import { isRepeated, isReservedColumn, replacedName } from '../../model/content-key.ts'
import type { Outcome, RowError } from '../../model/outcome.ts'
import type { Row, RowPlace } from '../../model/row.ts'
import { nilUuid } from '../../model/values.ts'
import type { OutcomeSink, PreparedImport } from '../../run/prepared-import.ts'
import { describeProblem } from './language.ts'
import { bits, RowIndex, type StoredRow } from './row-index.ts'
import { recordView } from './samples.ts'

export const mostTried = 5
const longCell = 40

/** The rows of a check. Corrected rows take the place of those that they replace. */
export class CheckedRows extends RowIndex {
  readonly #corrected: string
  readonly #short: (text: string) => string
  /** The numbers of rows by their names in the file of corrections. */
  readonly #replaced: Map<string, number | undefined>
  /** The numbers of rows by those of their corrections. */
  readonly #numbers = new Map<number, number | undefined>()
  readonly #columns = new Map<string, number>()
  /** Rows that may be one record, in groups. */
  #groups: () => Iterable<readonly RowPlace[]> = () => []
  /** The hash of the mapping. */
  mapping: string | undefined
  practice = true
  /** All rows were read. */
  isWhole = false
  /** Its source has columns. */
  isTable = false
  /** What cells of rows that would be sent are like: empty, short or long, by columns. */
  readonly #shapes = new Set<string>()
  /** The first of these rows, and those that have something new, with how much of it. */
  readonly #news = new Map<number, number>()

  /** `names` are those of rows that have a correction, in the file `corrected`; `short` makes a text fit for the page. */
  constructor(corrected: string, names: Iterable<string>, short: (text: string) => string) {
    super()
    this.#corrected = corrected
    this.#short = short
    this.#replaced = new Map([...names].map(name => [name, undefined]))
  }

  /** Names a row that is there. */
  replace = (name: string, row: number) => void this.#replaced.set(name, row)

  /** Adds what takes the rows that `where` leaves out, of which there is no outcome. */
  watch = (prepared: PreparedImport): PreparedImport => {
    const { mapping, sources, comparison } = prepared
    const [{ columns } = {}] = sources
    this.mapping = mapping.sha256
    if (comparison) this.#groups = comparison.groups
    this.isTable = columns !== undefined
    this.columns.push(...(columns ?? []).filter(column => !isReservedColumn(column)))
    const selects = (row: Row) => {
      const isSelected = mapping.selects(row)
      if (!isSelected && row.source !== this.#corrected && !this.has(row.row)) {
        const place = { row: row.row, line: row.line, status: 'left_out' }
        this.add({ ...noRow, ...place, cells: this.#cellsOf(row) }, bits.left_out)
      }
      return isSelected
    }
    return { ...prepared, mapping: { ...mapping, selects } }
  }

  readonly sink: OutcomeSink = {
    keep: (outcome, row) => this.#keep(outcome, row),
    close: async () => {
      const numberOf = ({ source, row }: RowPlace) =>
        source === this.#corrected ? (this.#numbers.get(row) ?? []) : row
      for (const group of this.#groups()) this.setNear(group.flatMap(numberOf))
    },
  }

  #keep(outcome: Outcome, row: Row): undefined {
    const { identity, status } = outcome
    const isCorrection = row.source === this.#corrected
    const name = replacedName(identity)
    if (!isCorrection && this.#replaced.has(name)) this.#replaced.set(name, row.row)
    const number = isCorrection ? this.#replaced.get(name) : row.row
    if (isCorrection) this.#numbers.set(row.row, number)
    if (number === undefined) return // the source has no longer the row that was corrected
    const { errors = [], omitted = [], kept = [] } = outcome as Lists
    const flags = flagsOf(outcome) | (isCorrection ? bits.corrected : 0)
    const stored: StoredRow = {
      ...{ row: number, key: identity.key, status, cells: this.#cellsOf(row) },
      line: (isCorrection ? this.at(number)?.line : undefined) ?? row.line,
      ...(isCorrection || flags & bits.refused ? { name, written: row.asWritten } : {}),
      ...('body' in outcome && { body: outcome.body }),
      errors: this.#notesOf(errors),
      notes: this.#notesOf([...omitted, ...kept]),
      ...('sameAs' in outcome && outcome.sameAs.source !== this.#corrected && { sameAs: outcome.sameAs.row }),
    }
    this.add(stored, flags)
    if (status === 'valid' && !isCorrection && !isRepeated(identity.key)) this.#consider(stored)
  }

  #notesOf = (errors: readonly RowError[]) =>
    errors.map(error => ({ column: error.column ?? null, text: this.#short(describeProblem(error)) }))

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
    const at = this.#columns.get(column) ?? this.columns.push(column) - 1
    this.#columns.set(column, at)
    return at
  }

  #consider({ row, cells, notes, body }: StoredRow): void {
    const shapes = cells.map((cell, at) => `${at} ${Math.min(2, Math.ceil(cell.length / longCell))}`)
    const found = [...shapes, `${notes.length} notes`].filter(shape => !this.#shapes.has(shape))
    if (found.length === 0 && this.#news.size >= mostTried) return
    if (JSON.stringify(body).includes(nilUuid)) return // it needs the record of another row
    for (const shape of found) this.#shapes.add(shape)
    this.#news.set(row, found.length)
  }

  /** The numbers of five rows that differ much. */
  chosen(): Set<number> {
    const rows = [...this.#news].sort(([, one], [, other]) => other - one)
    return new Set(rows.slice(0, mostTried).map(([row]) => row))
  }
}

const noRow = { line: 0, key: '', status: '', cells: [], errors: [], notes: [] }

/** A row as the page shows it, without cells if it is not there; `near` are those that may be the same record. */
export function rowView(row: number, rows?: RowIndex) {
  const { body, ...stored } = rows?.at(row) ?? { ...noRow, row }
  return {
    ...{ ...stored, recordId: null as string | null, isCorrected: rows?.has(row, bits.corrected) ?? false },
    cells: rows?.columns.map((_, at) => stored.cells[at] ?? '') ?? [],
    record: body === undefined ? null : recordView(body),
    near: rows?.nearOf(stored) ?? [],
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

/** The import with rows of one of its sources alone, all of them or those that are wanted, which are its limit. The rejects stay as they are. */
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
        if (left > 0) continue
        prepared.tally.limitReached = wanted?.size
        return
      }
    },
  }))
  return { ...prepared, totalBytes: undefined, sources, options: { ...prepared.options, rejects: undefined } }
}
