import type { OneOf, ProblemsOf } from './problem.ts'

/** A number of rows, or a share of them. */
export type RowsOrShare = { readonly rows: number } | { readonly percent: number }

/** Reads `5`, `5%` or `any`. */
export const rowsOrShare = (text: string): RowsOrShare =>
  text === 'any' || text.endsWith('%')
    ? { percent: text === 'any' ? 100 : Number.parseFloat(text) }
    : { rows: Number(text) }

export const textOfLimit = (limit: RowsOrShare): string =>
  'rows' in limit ? String(limit.rows) : `${limit.percent}%`

export const isOver = (count: number, limit: RowsOrShare, of: number): boolean =>
  count > ('rows' in limit ? limit.rows : (of * limit.percent) / 100)

export type Unmet = OneOf<ProblemsOf<'expectations'>>
