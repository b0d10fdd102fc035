import { lineErrors } from '../../journal/lines.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Row, RowIdentity } from '../../model/row.ts'
import type { ColumnProblems, DryRunPart, LastRun, ReasonFacts, Sample } from '../page/facts.ts'
import { describeProblem } from '../words.ts'
import { BadRows } from './bad-rows.ts'
import { labelOf, shorten, showValue } from './parse-line.ts'

const maxSamples = 20
const maxCells = 200
const maxColumns = 200
const maxReasons = 20
const maxLength = { cell: 500, bodyText: 2_000, body: 20_000 }

/** Gathers what a dry run finds, row by row, in bounded memory. */
export class DryRunStats {
  readonly #samples: Sample[] = []
  readonly #badRows = new BadRows()
  readonly #invalidByColumn = new Map<string, number>()

  take(outcome: Outcome, row: Row): void {
    const { identity } = outcome
    if (outcome.status === 'valid' && this.#samples.length < maxSamples)
      this.#samples.push(sampleOf(identity, outcome.body, row))
    if (outcome.status !== 'invalid') return
    const { errors } = outcome
    this.#badRows.take(identity, { status: 'invalid', errors: lineErrors(errors, describeProblem) })
    for (const column of new Set(errors.map(error => error.column ?? '')))
      this.#invalidByColumn.set(column, (this.#invalidByColumn.get(column) ?? 0) + 1)
  }

  part(about: Pick<DryRunPart, 'name' | 'sources' | 'mapping'> & { readonly lastRun: LastRun }): DryRunPart {
    return {
      type: 'dry_run',
      ...about,
      samples: this.#samples,
      problems: this.#problems(),
      attention: this.#badRows.attention(),
    }
  }

  #problems(): ColumnProblems[] {
    const byColumn = new Map<string, ReasonFacts[]>()
    for (const { column, reason } of this.#badRows.reasonsInColumns({ log: undefined, doubts: 'held' }))
      byColumn.set(column, [...(byColumn.get(column) ?? []), reason])
    return [...this.#invalidByColumn]
      .sort(([, a], [, b]) => b - a)
      .slice(0, maxColumns)
      .map(([column, rows]) => ({ column, rows, reasons: (byColumn.get(column) ?? []).slice(0, maxReasons) }))
  }
}

function sampleOf(identity: RowIdentity, body: string, row: Row): Sample {
  const cells: Sample['cells'][number][] = []
  for (const [column, value] of row.cells()) {
    if (cells.length === maxCells) break
    cells.push({ column: shorten(column, maxLength.cell), value: showValue(value, maxLength.cell) })
  }
  return { ...labelOf(identity), cells, body: showBody(body) }
}

const showBody = (body: string): string => {
  const cutText = (_: string, value: unknown) =>
    typeof value === 'string' ? shorten(value, maxLength.bodyText) : value
  return shorten(JSON.stringify(JSON.parse(body), cutText, 2), maxLength.body)
}
