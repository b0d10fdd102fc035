import type { Outcome } from '../model/outcome.ts'

/** The ends of rows, as people read them, in the order in which they are counted. */
export const statuses = {
  valid: ['would be sent', ''],
  created: ['created', ''],
  existing: ['existing', 'the service had the record before'],
  done: ['left alone', 'have their record from an earlier run'],
  left_out: ['left out', 'by where'],
  duplicate: ['duplicate', 'another row of this import has the same key'],
  merged: ['merged', 'they have the record of another row, without their values'],
  invalid: ['invalid', 'not sent'],
  failed: ['failed', 'no record was made'],
  in_doubt: ['in doubt', 'sent, but no answer tells whether the record exists'],
  held: ['held', 'not sent: in doubt since an earlier run, or perhaps there already'],
  forgotten: ['forgotten', 'their records are gone; the next import sends them again'],
} as const satisfies Readonly<Record<string, readonly [word: string, note: string]>>

export type Status = keyof typeof statuses

export const allStatuses = Object.keys(statuses) as Status[]

export const statusWord = (status: Status): string => statuses[status][0]

/** The rows of a result log: each has one of these ends. */
export const noRows = { created: 0, existing: 0, merged: 0, in_doubt: 0, failed: 0, invalid: 0, forgotten: 0 }
export type RowStatus = keyof typeof noRows
export const rowStatuses = Object.keys(noRows) as RowStatus[]
/** The ends that lines of a run name; a duplicate does not decide what became of a row. */
export const runStatuses = [...rowStatuses, 'duplicate'] as const

const summed = [
  ...(['leftOut', 'changed', 'noLongerValid', 'conflicts', 'respelled', 'renamed', 'unclear'] as const),
  ...(['ambiguous', 'retries', 'throttled'] as const),
]

export class RowCounts {
  readonly ends: Record<Outcome['status'], number> = {
    ...{ created: 0, existing: 0, merged: 0, duplicate: 0, invalid: 0 },
    ...{ failed: 0, in_doubt: 0, done: 0, held: 0, valid: 0 },
  }
  leftOut = 0
  /** Rows that are invalid or failed as in an earlier run, and read the same. */
  readonly known = { invalid: 0, failed: 0 }
  /** Rows that an earlier run created and that have changed since; those of them that could not be sent now. */
  changed = 0
  noLongerValid = 0
  /** Duplicates whose bodies differ. */
  conflicts = 0
  /** Rows that may be known under another name, and those that got their record under their new name; rows that may have one of several records. */
  respelled = 0
  renamed = 0
  ambiguous = 0
  /** Rows that were sent again after an unclear answer, so that their record may be there more than once. */
  unclear = 0
  retries = 0
  throttled = 0

  /** Rows that ended, including those that `where` left out. */
  get rows(): number {
    return this.leftOut + Object.values(this.ends).reduce((sum, count) => sum + count, 0)
  }

  /** The counts for programs; `row_counts` sum up to `rows`. */
  get fields() {
    const { rows, leftOut: left_out, noLongerValid: no_longer_valid } = this
    const { changed, conflicts, respelled, renamed, ambiguous, unclear, retries, throttled } = this
    const { done: left_alone, ...ends } = this.ends
    const known = this.known.invalid + this.known.failed
    return {
      rows,
      row_counts: { ...ends, left_alone, left_out },
      ...{ ...this.ends, left_out, known, changed, no_longer_valid, conflicts, respelled, renamed },
      ...{ ambiguous, unclear, retries, throttled },
    }
  }

  static sumOf(all: readonly RowCounts[]): RowCounts {
    const sum = new RowCounts()
    for (const each of all) {
      for (const end of Object.keys(sum.ends) as Outcome['status'][]) sum.ends[end] += each.ends[end]
      for (const end of ['invalid', 'failed'] as const) sum.known[end] += each.known[end]
      for (const count of summed) sum[count] += each[count]
    }
    return sum
  }
}
