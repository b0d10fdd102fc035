import { median, ratios } from './figures.ts'
import type { Bar, Line } from './lines.ts'
import { grouped } from './table.ts'

/** How fast something was in each round, per second. */
export interface Speeds {
  readonly of: string
  readonly perSecond: readonly number[]
}

/** A line that compares our speed with another, measured in the same rounds. */
export const compared = (
  what: string,
  ours: readonly number[],
  { of, perSecond }: Speeds,
  bar?: Bar,
): Line => ({
  what,
  rowlift: grouped(median(ours)),
  beside: `${of} ${grouped(median(perSecond))}`,
  ratios: ratios(ours, perSecond),
  ...(bar && { bar }),
})
