/** What the page hands to its script. All texts are visible ones (visible.ts). */

/** Values under a name, in the colour that the style knows by `color`. */
export interface Series {
  readonly name: string
  readonly color: string
  readonly values: readonly number[]
}

export type ChartFacts = SlicesChart | SpansChart | RunsChart

/** Counts over time, stacked. */
export interface SlicesChart {
  readonly is: 'slices'
  readonly startedAt: string
  readonly sliceMs: number
  readonly series: readonly Series[]
}

/** Spans of time under labels, side by side. */
export interface SpansChart {
  readonly is: 'spans'
  readonly labels: readonly string[]
  readonly series: readonly Series[]
}

/** Counts of runs, stacked. */
export interface RunsChart {
  readonly is: 'runs'
  readonly startedAt: readonly string[]
  /** Whether the mapping was another one than in the run before. */
  readonly newMapping: readonly boolean[]
  readonly series: readonly Series[]
}

/** A row of the table that can be searched. */
export interface ShownRow {
  readonly status: string
  /** The status as people read it. */
  readonly word: string
  readonly place: string
  readonly row: number
  readonly key: string
  readonly column?: string | undefined
  readonly value?: string | undefined
  readonly messages: readonly string[]
  readonly answer?: string | undefined
  readonly at?: string | undefined
}
