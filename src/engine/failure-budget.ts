import type { StopReason } from '../model/errors.ts'
import { isOver, type RowsOrShare, textOfLimit } from '../model/expectations.ts'
import { isKnown, type Outcome } from '../model/outcome.ts'

/** A share says nothing of fewer rows. */
const rowsBeforeShare = 100

/** Counts an outcome; returns the reason to stop once there is one. */
export type FailureBudget = (outcome: Outcome) => StopReason | undefined

/** Limits how many rows may fail: a number, or a share of the rows settled so far. */
export function failureBudget(allowed: RowsOrShare | undefined): FailureBudget {
  let rows = 0
  let failures = 0
  return outcome => {
    rows += 1
    if ('errors' in outcome && !isKnown(outcome)) failures += 1
    if (allowed === undefined || !isOver(failures, allowed, rows)) return undefined
    if ('percent' in allowed && rows < rowsBeforeShare) return undefined
    return { code: 'too_many_failures', params: { failures, allowed: textOfLimit(allowed) } }
  }
}
