import { type Spread, spreadOf } from './figures.ts'

/** A line of a table: what was measured, and how it stands to what it is measured against. */
export interface Line {
  readonly what: string
  readonly rowlift: string
  readonly beside: string
  /** One for each round. Without any, nothing stands to be compared. */
  readonly ratios?: readonly number[]
  /** What the median of the ratios is held against; undefined where it is only told. */
  readonly bar?: Bar
}

export type Bar =
  | { readonly is: 'at least'; readonly ratio: number }
  | { readonly is: 'at most'; readonly ratio: number }
  | { readonly is: 'below'; readonly ratio: number }

export const headOfLines = ['', 'rowlift', 'compared with', 'ratio (lowest to highest)', 'bar', ''] as const

const none = '–'

/** The cells of a line. */
export function cellsOf({ what, rowlift, beside, ratios, bar }: Line): string[] {
  if (ratios === undefined) return [what, rowlift, beside, none, none, none]
  const spread = spreadOf(ratios)
  const judged =
    bar === undefined ? [none, none] : [barText(bar), meets(spread.median, bar) ? 'met' : 'missed']
  return [what, rowlift, beside, spreadText(spread), ...judged]
}

const spreadText = ({ median, lowest, highest }: Spread) =>
  `${fixed(median)} (${fixed(lowest)} to ${fixed(highest)})`

/** Shares of a few thousandths keep a third digit. */
const fixed = (ratio: number) => ratio.toFixed(ratio < 0.1 ? 3 : 2)

const barText = ({ is, ratio }: Bar) => `${is} ${ratio}`

function meets(ratio: number, bar: Bar): boolean {
  if (bar.is === 'at least') return ratio >= bar.ratio
  return bar.is === 'at most' ? ratio <= bar.ratio : ratio < bar.ratio
}
