import type { Opening } from '../../journal/lines.ts'
import type { ColumnProfileFacts } from '../../model/column-profile.ts'
import type { ColumnFacts } from '../../model/mapping-report.ts'
import type { NearFacts } from '../../model/near-duplicates.ts'
import type { RowIdentity } from '../../model/row.ts'
import type { NextStep } from '../text.ts'

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
export type BadStatus = 'in_doubt' | 'failed' | 'invalid'

export interface Problems {
  /** The most frequent reason first; `otherReasons` rows have others. */
  readonly reasons: readonly ReasonFacts[]
  readonly otherReasons: number
  /** Whether a row has several reasons and counts in each. */
  readonly overlap: boolean
  readonly attention: {
    readonly total: number
    readonly known: number
    /** The first rows of each reason, as many as a page can hold. */
    readonly rows: readonly AttentionRow[]
  }
}

/** Values that are not in the records of their rows, most first; all texts are cut. */
export interface LossFacts {
  /** Left out by a rule with `omit`, by column, or by path where there is none; with the first examples. */
  readonly omitted: readonly {
    readonly column: string
    readonly count: number
    readonly examples: readonly OmittedExample[]
  }[]
  /** Sent, and not in the answer, by path with `#` for positions in lists. */
  readonly notInAnswer: readonly { readonly path: string; readonly count: number }[]
}

export interface OmittedExample extends RowLabel {
  readonly value: string
  readonly code?: string
}

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
  /** What only the run itself knew; undefined when a log is read later. */
  readonly lastRun: LastRun | undefined
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

export interface ReasonFacts {
  readonly status: BadStatus
  /** Undefined for lines that 0.1 wrote. */
  readonly code: string | undefined
  readonly rows: number
  /** Of these: refused by an earlier run, and not anew by the last one. */
  readonly known: number
  readonly reason: string
  /** The pattern of what the service answered. */
  readonly answer: string | undefined
  readonly remedy: string
  readonly examples: readonly AttentionRow[]
}

/** The service gave the second row the record of the first, which may belong to another source or run. */
export interface MergedRows {
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

export type RowLabel = Pick<RowIdentity, 'source' | 'row' | 'line' | 'key'>

/** All texts are cut to a length that can be shown. */
export interface AttentionRow extends RowLabel {
  readonly status: BadStatus
  /** Of the first error. */
  readonly column: string | undefined
  readonly value: string | undefined
  /** Of all errors. */
  readonly messages: readonly string[]
  /** The start of the service's answer. */
  readonly answer: string | undefined
  readonly at: string | undefined
  /** Of a row in doubt: what was sent of all that a person can look for in the service. */
  readonly recognizedBy: readonly string[]
}

export interface LastRun {
  readonly durationMs: number
  readonly stopped: string | undefined
  readonly unmet: readonly string[]
  /** Rows by what became of them in this run, with those left alone (done), held, and left out by `where`. */
  readonly rows: Readonly<Record<string, number>>
  /** Rows that have their record and have changed in the source since. */
  readonly changed: number
  readonly columns: ColumnFacts
  readonly near?: NearFacts | undefined
}

export interface DryRunPart extends Problems, LossFacts {
  readonly type: 'dry_run'
  /** The step of a plan, or the first source. */
  readonly name: string
  readonly sources: readonly string[]
  readonly mapping: string
  readonly lastRun: LastRun
  readonly samples: readonly Sample[]
  /** Of the rows that can be read and that `where` selects. */
  readonly profile: {
    readonly rows: number
    readonly columns: readonly ProfiledColumn[]
    readonly more: number
  }
}

export interface ProfiledColumn extends ColumnProfileFacts {
  readonly column: string
  /** What it feeds; empty where the mapping does not use it. */
  readonly fields: readonly string[]
}

export interface Sample extends RowLabel {
  readonly fields: readonly {
    readonly path: string
    readonly value: string
    /** None for a constant of the mapping. */
    readonly cells: readonly Cell[]
  }[]
  /** They reach no field. */
  readonly unused: readonly Cell[]
}

export interface Cell {
  readonly column: string
  readonly value: string
}
