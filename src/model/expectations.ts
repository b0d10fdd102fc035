import type { StopReason } from './errors.ts'
import { isKnown, type Outcome } from './outcome.ts'
import type { OneOf, ProblemsOf } from './problem.ts'

/** A number of rows, or a share of them. */
export type RowsOrShare = { readonly rows: number } | { readonly percent: number }

export const rowsOrShare = (text: string): RowsOrShare =>
  text.endsWith('%') ? { percent: Number.parseFloat(text) } : { rows: Number(text) }

export const textOfLimit = (limit: RowsOrShare): string =>
  'rows' in limit ? String(limit.rows) : `${limit.percent}%`

export const isOver = (count: number, limit: RowsOrShare, of: number): boolean =>
  count > ('rows' in limit ? limit.rows : (of * limit.percent) / 100)

export type Unmet = OneOf<ProblemsOf<'expectations'>>

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
