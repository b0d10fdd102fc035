/** The middle of what several rounds gave, and how far they lie apart. */
export interface Spread {
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

/** Of at least one figure. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = [...figures].sort((a, b) => a - b)
  const [lowest, highest] = [sorted[0], sorted.at(-1)]
  if (lowest === undefined || highest === undefined) throw new Error('there is no median of nothing')
  const below = sorted[Math.floor((sorted.length - 1) / 2)] ?? lowest
  const above = sorted[Math.ceil((sorted.length - 1) / 2)] ?? highest
  return { median: (below + above) / 2, lowest, highest }
}

export const median = (figures: readonly number[]): number => spreadOf(figures).median

/** Each figure divided by the one of the same round. */
export const ratios = (figures: readonly number[], others: readonly number[]): number[] =>
  figures.map((figure, round) => figure / (others[round] ?? Number.NaN))

/** How many per second, for each of several durations. */
export const perSecond = (count: number, durationsMs: readonly number[]): number[] =>
  durationsMs.map(durationMs => (count * 1000) / durationMs)
