import type { StopReason } from '../model/errors.ts'
import { isOver, type RowsOrShare, textOfLimit } from '../model/expectations.ts'
import { isKnown, type Outcome } from '../model/outcome.ts'

/** A share says nothing of fewer rows. */
const rowsBeforeShare = 100
const fewestUnanswered = 10

/** As many calls in a row without an answer mean that the service is down. */
export const mostUnanswered = (concurrency: number): number => Math.max(fewestUnanswered, 2 * concurrency)

/** Watches outcomes and decides when the run has to stop: too many failures, or a service that does not answer. */
export class FailureBudget {
  readonly #maxFailures: RowsOrShare | undefined
  readonly #mostUnanswered: number
  #rows = 0
  #failures = 0
  #unanswered = 0

  /** `maxFailures`: how many rows may fail, as a number or as a share of the rows settled so far. */
  constructor(maxFailures: RowsOrShare | undefined, concurrency: number) {
    this.#maxFailures = maxFailures
    this.#mostUnanswered = mostUnanswered(concurrency)
  }

  /** Counts an outcome; returns the reason to stop once there is one. */
  take(outcome: Outcome): StopReason | undefined {
    this.#rows += 1
    return this.#tooManyUnanswered(outcome) ?? this.#tooManyFailures(outcome)
  }

  #tooManyUnanswered(outcome: Outcome): StopReason | undefined {
    if ('recordId' in outcome) this.#unanswered = 0
    if (outcome.status !== 'failed' && outcome.status !== 'in_doubt') return undefined
    const isUnanswered = outcome.fault === 'ambiguous' || outcome.fault === 'never_reached'
    this.#unanswered = isUnanswered ? this.#unanswered + 1 : 0
    if (this.#unanswered < this.#mostUnanswered) return undefined
    return { code: 'not_answering', params: { inARow: this.#unanswered, last: outcome.errors[0] } }
  }

  #tooManyFailures(outcome: Outcome): StopReason | undefined {
    if ('errors' in outcome && !isKnown(outcome)) this.#failures += 1
    const allowed = this.#maxFailures
    if (allowed === undefined || !this.#isPast(allowed)) return undefined
    return {
      code: 'too_many_failures',
      params: { failures: this.#failures, allowed: textOfLimit(allowed) },
    }
  }

  #isPast(allowed: RowsOrShare): boolean {
    const isTooEarly = 'percent' in allowed && this.#rows < rowsBeforeShare
    return !isTooEarly && isOver(this.#failures, allowed, this.#rows)
  }
}
