import type { StopReason } from '../model/errors.ts'
import { isOver, type RowsOrShare, textOfLimit } from '../model/expectations.ts'
import { isKnown, type Outcome } from '../model/outcome.ts'

/** A share says nothing of fewer rows. */
const rowsBeforeShare = 100

export class FailureBudget {
  readonly #maxFailures: RowsOrShare | undefined
  #rows = 0
  #failures = 0

  /** `maxFailures`: how many rows may fail, as a number or as a share of the rows settled so far. */
  constructor(maxFailures: RowsOrShare | undefined) {
    this.#maxFailures = maxFailures
  }

  /** Counts an outcome; returns the reason to stop once there is one. */
  take(outcome: Outcome): StopReason | undefined {
    this.#rows += 1
    if ('errors' in outcome && !isKnown(outcome)) this.#failures += 1
    const [allowed, failures] = [this.#maxFailures, this.#failures]
    if (allowed === undefined || !isOver(failures, allowed, this.#rows)) return undefined
    if ('percent' in allowed && this.#rows < rowsBeforeShare) return undefined
    return { code: 'too_many_failures', params: { failures, allowed: textOfLimit(allowed) } }
  }
}
