import type { Opening } from '../store/files/lines.ts'
import type { LossFacts } from './losses.ts'
import type { Problems } from './reasons.ts'
import type { NextStep, RunResult } from './run-result.ts'
import type { RowLabel } from './short-texts.ts'

/** Everything that a page shows; bounded, however many rows there were. Times are ISO 8601 in UTC. */
export interface PageFacts {
  /** The name of the result log or of the plan. */
  readonly title: string
  readonly createdAt: string
  readonly version: string
  /** One for each result log or dry run, in their order. */
  readonly parts: readonly Part[]
  /** The steps of a plan that did not begin. */
  readonly unbegun: readonly string[]
  /** All that is left to do, as the command says it; undefined where logs are read later. */
  readonly next: readonly NextStep[] | undefined
}

export type Part = LogPart | DryRunPart

/** In the order in which the page shows them. */
export const rowStatuses = ['created', 'existing', 'merged', 'in_doubt', 'failed', 'invalid'] as const
export type RowStatus = (typeof rowStatuses)[number]
/** Of lines: those of duplicates decide nothing. */
export const runStatuses = [...rowStatuses, 'duplicate'] as const

export interface LogPart extends Problems, LossFacts {
  readonly type: 'log'
  /** The step of a plan, or the log's name. */
  readonly name: string
  /** The path of the log, as commands name it. */
  readonly log: string
  /** Of the last run. */
  readonly opening: Opening
  /** Rows by what became of them so far: each row counts once, by the line that decides. */
  readonly counts: Readonly<Record<RowStatus, number>>
  /** Lines of duplicate rows. */
  readonly duplicates: number
  /** Rows that were refused or in doubt and have their record now. */
  readonly recovered: number
  readonly byHand: number
  /** The last runs, the oldest first; `earlierRuns` came before them. */
  readonly runs: readonly RunFacts[]
  readonly earlierRuns: number
  /** The calls that took longest, the slowest first. */
  readonly slowest: readonly SlowCall[]
  readonly merged: { readonly count: number; readonly pairs: readonly MergedRows[] }
  /** The result of the last run; undefined if a log is read later. */
  readonly lastRun: RunResult | undefined
}

export interface RunFacts {
  readonly run: string
  readonly startedAt: string
  /** Of its last line. */
  readonly lastAt: string
  /** Until then; 0 where the times are none. */
  readonly durationMs: number
  readonly rowlift: string
  readonly sources: readonly string[]
  /** Since the run before. */
  readonly mappingChanged: boolean
  /** A person wrote its lines (rowlift resolve). */
  readonly byHand: boolean
  /** The rows of its sources; undefined unless it read them to their end. */
  readonly rows: number | undefined
  /** Of them: refused by an earlier run, and the same in this one, which wrote no line for them. */
  readonly known: number
  readonly counts: Readonly<Record<(typeof runStatuses)[number], number>>
  /** Attempts after the first of a call. */
  readonly repeated: number
  /** Attempts at which the service asked to slow down. */
  readonly throttled: number
}

/** The service gave the second row the record of the first, which may belong to another source or run. */
interface MergedRows {
  readonly recordId: string
  readonly first: RowLabel
  readonly second: RowLabel
}

export interface SlowCall extends RowLabel {
  readonly run: string
  readonly at: string
  readonly attempts: number
  readonly durationMs: number
}

export interface DryRunPart extends Problems, LossFacts {
  readonly type: 'dry_run'
  /** The step of a plan, or the first source. */
  readonly name: string
  readonly sources: readonly string[]
  readonly mapping: string
  readonly lastRun: RunResult
  /** The first rows beside their records; undefined if none would be sent. */
  readonly samples?: Markup | undefined
  /** What the columns hold; undefined if there are none. */
  readonly columns?: Markup | undefined
}

/** Text that is HTML already. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
