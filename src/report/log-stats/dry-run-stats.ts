import { lineErrors } from '../../journal/lines.ts'
import { isKnown, type Outcome } from '../../model/outcome.ts'
import type { Row } from '../../model/row.ts'
import { Losses } from '../losses.ts'
import type { DryRunPart, LastRun, Sample } from '../page/facts.ts'
import { describeProblem } from '../words.ts'
import { BadRows } from './bad-rows.ts'
import { lossFacts } from './parse-line.ts'
import { type MapRow, sampleOf } from './sample.ts'

const maxSamples = 10

/** Gathers what a dry run finds, row by row, in bounded memory. */
export class DryRunStats {
  readonly #map: MapRow
  readonly #samples: Sample[] = []
  readonly #badRows = new BadRows()
  readonly #losses = new Losses()

  constructor(map: MapRow) {
    this.#map = map
  }

  take(outcome: Outcome, row: Row): void {
    const { identity, status } = outcome
    if (status === 'valid' && this.#samples.length < maxSamples)
      this.#samples.push(sampleOf(identity, outcome.body, row, this.#map))
    if (status === 'valid') this.#losses.add(identity, outcome.omitted)
    if (status !== 'invalid') return
    const errors = lineErrors(outcome.errors, describeProblem)
    this.#badRows.take(identity, { status, errors, isKnown: isKnown(outcome) })
  }

  part(about: Pick<DryRunPart, 'name' | 'sources' | 'mapping'> & { readonly lastRun: LastRun }): DryRunPart {
    return {
      type: 'dry_run',
      ...about,
      samples: this.#samples,
      ...lossFacts(this.#losses),
      ...this.#badRows.facts({ log: undefined, doubts: 'held' }),
    }
  }
}
