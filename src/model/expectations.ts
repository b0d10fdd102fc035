import type { OneOf } from './problem.ts'

/** A number of rows, or a share of them. */
export type RowsOrShare = { readonly rows: number } | { readonly percent: number }

export const rowsOrShare = (text: string): RowsOrShare =>
  text.endsWith('%') ? { percent: Number.parseFloat(text) } : { rows: Number(text) }

export const textOfLimit = (limit: RowsOrShare): string =>
  'rows' in limit ? String(limit.rows) : `${limit.percent}%`

export const isOver = (count: number, limit: RowsOrShare, of: number): boolean =>
  count > ('rows' in limit ? limit.rows : (of * limit.percent) / 100)

/** What a run has to find for exit code 0; what is undefined is not checked. Shares are percentages. */
export interface Expectations {
  /** At least so many rows in the sources, without those that `where` leaves out. */
  readonly rowsMin: number
  /** At least this share of the rows of the last run that read its sources to their end. */
  readonly rowsOfLast?: number | undefined
  /** At most so many rows that get the record of another row. */
  readonly merged: RowsOrShare
  /** At most this share of a column's values may be left out. */
  readonly omitted?: number | undefined
  /** So many invalid rows are no fault. */
  readonly invalid?: RowsOrShare | undefined
  /** `complete`: an answer that lacks a field that was sent is a fault. */
  readonly answers: 'told' | 'complete'
}

/** Expectations that do not hold. */
export interface UnmetExpectations {
  too_few_rows: { readonly expected: number; readonly actual: number }
  fewer_rows_than_last: { readonly expected: string; readonly actual: number; readonly last: number }
  too_many_merged: { readonly expected: string; readonly actual: number }
  too_many_omitted: {
    readonly expected: string
    readonly actual: number
    readonly column: string
    readonly values: number
  }
  too_many_invalid: { readonly expected: string; readonly actual: number }
  incomplete_answers: { readonly actual: number; readonly path: string }
}
export type Unmet = OneOf<UnmetExpectations>
