import type { LogStats } from './log-stats/log-stats.ts'
import type { RunList } from './log-stats/run-stats.ts'
import type { LossFacts } from './losses.ts'
import type { Problems } from './reasons.ts'
import type { NextStep, RunResult } from './run-result.ts'

/** Everything that a page shows; bounded, however many rows there were. Times are ISO 8601 in UTC. */
export interface PageFacts {
  /** The name of the result log or of the plan. */
  readonly title: string
  readonly createdAt: string
  readonly version: string
  /** One for each result log or dry run, in their order. */
  readonly parts: readonly Part[]
  /** The names of the steps of a plan that did not begin. */
  readonly notStarted: readonly string[]
  /** All that is left to do, from the command; undefined if the page is made later, of logs alone. */
  readonly next: readonly NextStep[] | undefined
}

export type Part = LogPart | DryRunPart
export type LogPart = ReturnType<LogStats['part']> & Pick<DryRunPart, 'changes'>
export type RunFacts = ReturnType<RunList['facts']>[number]

export interface DryRunPart extends Problems, LossFacts {
  readonly type: 'dry_run'
  /** The step of a plan, or the first source. */
  readonly name: string
  readonly sources: readonly string[]
  readonly mapping: string
  readonly lastRun: RunResult
  /** The first rows next to their records; undefined if none would be sent. */
  readonly samples?: Markup | undefined
  /** The first rows that changed; undefined if there are none, or a page is made later. */
  readonly changes?: Markup | undefined
  /** Rows that may be one record; undefined if there are none. */
  readonly near?: Markup | undefined
  /** The contents of the columns; undefined if there are none. */
  readonly columns?: Markup | undefined
}

/** Text that is HTML already. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
