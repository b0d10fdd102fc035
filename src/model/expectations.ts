import type { OneOf } from './problem.ts'

/** A number of rows, or a share of them. */
export type RowsOrShare = { readonly rows: number } | { readonly percent: number }

export const rowsOrShare = (text: string): RowsOrShare =>
  text.endsWith('%') ? { percent: Number.parseFloat(text) } : { rows: Number(text) }

export const textOfLimit = (limit: RowsOrShare): string =>
  'rows' in limit ? String(limit.rows) : `${limit.percent}%`

export const isOver = (count: number, limit: RowsOrShare, of: number): boolean =>
  count > ('rows' in limit ? limit.rows : (of * limit.percent) / 100)

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
