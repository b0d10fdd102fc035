import type { Body, Origin, Outcome, Row, RowError } from '../../model/row.ts'
import type { ColumnProblems, DryRunPart, LastRun, Sample } from '../page/facts.ts'
import { type BadRow, BadRows, type ColumnReason } from './bad-rows.ts'
import { shortened, shownBody, shownValue } from './shown-text.ts'

const mostSamples = 20
const mostCells = 200
const mostColumns = 200
const mostReasons = 20
const longest = { key: 500, cell: 500, bodyText: 2_000, body: 20_000 }
const advised = { log: undefined, doubts: 'held' } as const

/** What is known of a dry run beside its rows. */
export type AboutDryRun = Pick<DryRunPart, 'name' | 'sources' | 'mapping'> & { readonly lastRun: LastRun }

/** What a dry run finds out, row by row, in the same memory however many there are. */
export class DryRunAccount {
  readonly #samples: Sample[] = []
  readonly #bad = new BadRows()
  /** Rows in which a column is wrong. */
  readonly #rowsOf = new Map<string, number>()

  take({ origin, end }: Outcome, row: Row): void {
    if (end.status === 'valid' && this.#samples.length < mostSamples)
      this.#samples.push(sampleOf(origin, end.body, row))
    if (end.status !== 'invalid') return
    this.#bad.take(badRow(origin, end.errors))
    const [first] = end.errors
    if (end.errors.length === 1) this.#count(first?.column ?? '')
    else for (const column of new Set(end.errors.map(error => error.column ?? ''))) this.#count(column)
  }

  #count(column: string): void {
    this.#rowsOf.set(column, (this.#rowsOf.get(column) ?? 0) + 1)
  }

  part(about: AboutDryRun): DryRunPart {
    return {
      is: 'dry_run',
      ...about,
      samples: this.#samples,
      problems: this.#problems(),
      attention: this.#bad.attention(),
    }
  }

  #problems(): ColumnProblems[] {
    const byColumn = new Map<string, ColumnReason[]>()
    for (const each of this.#bad.reasonsInColumns(advised))
      byColumn.set(each.column, [...(byColumn.get(each.column) ?? []), each])
    return [...this.#rowsOf]
      .sort(([, a], [, b]) => b - a)
      .slice(0, mostColumns)
      .map(([column, rows]) => ({
        column,
        rows,
        reasons: (byColumn.get(column) ?? []).slice(0, mostReasons).map(({ reason }) => reason),
      }))
  }
}

/** Field by field: an object that is spread into another one costs several times the rest. */
const badRow = ({ source, row, line, key }: Origin, errors: readonly RowError[]): BadRow => ({
  source,
  row,
  line,
  key,
  status: 'invalid',
  httpStatus: undefined,
  errors,
  texts: [],
  at: undefined,
})

function sampleOf({ source, row: number, line, key }: Origin, body: Body, row: Row): Sample {
  const cells: Sample['cells'][number][] = []
  for (const [column, value] of row.cells()) {
    if (cells.length === mostCells) break
    cells.push({ column: shortened(column, longest.cell), value: shownValue(value, longest.cell) ?? '' })
  }
  return {
    ...{ source, row: number, line, key: shortened(key, longest.key) },
    cells,
    body: shownBody(body, longest.bodyText, longest.body),
  }
}
