import { isRepeated, isReservedColumn, replacedName } from '../../model/content-key.ts'
import type { Outcome, RowError } from '../../model/outcome.ts'
import type { Row, RowPlace } from '../../model/row.ts'
import { nilUuid } from '../../model/values.ts'
import { describeProblem } from '../../output/words.ts'
import type { OutcomeSink, PreparedImport } from '../../run/prepared-import.ts'
import { lineErrors } from '../../store/files/lines.ts'
import type { RowView } from './api.ts'
import { recordView } from './record-view.ts'
import { bits, type RowIndex, type StoredRow } from './row-index.ts'

const mostCandidates = 200
/** So many are there, though they are alike. */
const fewCandidates = 5

/** Takes the rows of a check into its index. Corrected rows take the place of those that they replace. */
export class CheckedRows {
  readonly index: RowIndex
  readonly #corrected: string
  /** The numbers of rows by their names in the file of corrections. */
  readonly #replaced: Map<string, number | undefined>
  /** The numbers of rows by those of their corrections. */
  readonly #numbers = new Map<number, number | undefined>()
  readonly #columns = new Map<string, number>()
  #isTable = false
  /** The first rows that would be sent, and the first one of each pattern of filled cells. */
  readonly candidates = new Map<string, number>()

  /** `names` are those of rows that have a correction. */
  constructor(index: RowIndex, corrected: string, names: Iterable<string>) {
    this.index = index
    this.#corrected = corrected
    this.#replaced = new Map([...names].map(name => [name, undefined]))
  }

  /** Names a row that is in the index. */
  replace = (name: string, row: number) => void this.#replaced.set(name, row)

  /** Adds what takes the rows that `where` leaves out, of which there is no outcome. */
  watch(prepared: PreparedImport): PreparedImport {
    const { mapping, sources } = prepared
    const [{ columns } = {}] = sources
    this.#isTable = columns !== undefined
    if (this.index.columns.length === 0)
      this.index.columns.push(...(columns ?? []).filter(column => !isReservedColumn(column)))
    const selects = (row: Row) => {
      const isSelected = mapping.selects(row)
      if (!isSelected && row.source !== this.#corrected && !this.index.has(row.row)) this.#leaveOut(row)
      return isSelected
    }
    return { ...prepared, mapping: { ...mapping, selects } }
  }

  /** Returns groups of rows by their numbers in the source. */
  *numbersOf(groups: Iterable<readonly RowPlace[]>): Generator<number[]> {
    for (const group of groups) {
      const numbers = group.map(({ source, row }) =>
        source === this.#corrected ? this.#numbers.get(row) : row,
      )
      yield numbers.filter(number => number !== undefined)
    }
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
    if (!isCorrection && this.index.isCorrected(number)) return
    const of = outcome as Partial<Record<'errors' | 'omitted' | 'kept', readonly RowError[]>>
    const described = (errors?: readonly RowError[]) => errors && lineErrors(errors, describeProblem)
    const body = 'body' in outcome ? outcome.body : undefined
    const flags = flagsOf(outcome) | (isCorrection ? bits.corrected : 0)
    const isRefused = (flags & bits.refused) > 0
    const stored: StoredRow = {
      ...{
        row: number,
        line: isCorrection ? (this.index.at(number)?.line ?? row.line) : row.line,
        key: identity.key,
        status,
        cells: this.#cellsOf(row),
      },
      ...(isRefused || isCorrection ? { name, written: row.asWritten } : {}),
      ...{ body, errors: described(of.errors), omitted: described(of.omitted), kept: described(of.kept) },
      recordId: 'recordId' in outcome ? outcome.recordId : undefined,
      sameAs: 'sameAs' in outcome ? this.#numberOf(outcome.sameAs) : undefined,
    }
    this.index.add(stored, flags)
    if (status === 'valid' && !isCorrection && !isRepeated(identity.key)) this.#consider(stored)
  }

  #leaveOut(row: Row): void {
    const { row: number, line } = row
    const cells = this.#cellsOf(row)
    this.index.add({ row: number, line, key: '', status: 'left_out', cells }, bits.left_out)
  }

  #numberOf = ({ source, row }: { readonly source: string; readonly row: number }) =>
    source === this.#corrected ? undefined : row

  /** The cells in the order of the columns; those of objects have columns as they come. */
  #cellsOf(row: Row): string[] {
    const cells: string[] = []
    for (const [column, value] of row.cells()) {
      if (isReservedColumn(column)) continue
      const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
      cells[this.#isTable ? cells.length : this.#columnOf(column)] = text
    }
    return Array.from(cells, cell => cell ?? '')
  }

  #columnOf(column: string): number {
    const known = this.#columns.get(column)
    if (known !== undefined) return known
    const at = this.index.columns.push(column) - 1
    this.#columns.set(column, at)
    return at
  }

  #consider({ row, cells, omitted, kept, body }: StoredRow): void {
    if (this.candidates.size >= mostCandidates) return
    const shape = cells.map(cell => (cell === '' ? '-' : cell.length > 40 ? 'l' : 's')).join('')
    const pattern = `${shape} ${omitted?.length} ${kept?.length}`
    const isFew = this.candidates.size < fewCandidates
    if (!isFew && this.candidates.has(pattern)) return
    if (JSON.stringify(body).includes(nilUuid)) return // it needs the record of another row
    this.candidates.set(isFew && this.candidates.has(pattern) ? `${row}` : pattern, row)
  }
}

function flagsOf(outcome: Outcome): number {
  const { status } = outcome
  const isConflict = status === 'duplicate' && outcome.errors !== undefined
  const isHeld = status === 'held' && outcome.errors !== undefined
  const { omitted, kept } = outcome as Partial<Record<'omitted' | 'kept', readonly unknown[]>>
  return (
    (status === 'invalid' || isHeld || isConflict ? bits.refused : 0) |
    (isConflict ? bits.conflicts : 0) |
    (omitted ? bits.omitted : 0) |
    (kept ? bits.kept : 0) |
    (status === 'existing' || status === 'done' ? bits.existing : 0) |
    (status === 'valid' ? bits.sent : 0)
  )
}

/** A row of the index for the page. */
export function rowView(index: RowIndex, stored: StoredRow): RowView {
  const { row, line, key, status, cells, body, recordId = null, errors, omitted = [], kept = [] } = stored
  return {
    ...{ row, line, key, status, recordId },
    cells: index.columns.map((_, at) => cells[at] ?? ''),
    isCorrected: index.isCorrected(row),
    errors: (errors ?? []).map(noteOf),
    notes: [...omitted, ...kept].map(noteOf),
    record: body === undefined ? null : recordView(typeof body === 'string' ? JSON.parse(body) : body),
    near: index.nearOf(stored),
  }
}

const noteOf = ({
  column = null,
  message,
}: {
  readonly column?: string | null | undefined
  readonly message: string
}) => ({
  column,
  text: message,
})
