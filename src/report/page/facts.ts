import type { Opening } from '../../journal/outcome.ts'
import type { ColumnFacts } from '../../model/column-facts.ts'

/** All that a page shows; bounded, however many rows there were. Times are ISO 8601 in UTC, spans are in milliseconds. */
export interface PageFacts {
  /** The result log's name, or that of the plan. */
  readonly title: string
  readonly madeAt: string
  /** Of rowlift. */
  readonly version: string
  /** One for each result log or dry run, in their order. */
  readonly parts: readonly Part[]
}

export type Part = LogPart | DryRunPart

/** Rows by the end that they have now: each row counts once, by the last that was told of its key. */
export interface RowsNow {
  readonly created: number
  readonly existing: number
  readonly invalid: number
  readonly failed: number
  readonly inDoubt: number
}

/** What a result log tells. */
export interface LogPart {
  readonly is: 'log'
  /** The step of a plan, else the log's name. */
  readonly name: string
  /** The path of the log, as commands name it. */
  readonly log: string
  /** Of the last run. */
  readonly opening: Opening
  readonly now: RowsNow
  /** Lines that tell of a duplicate. */
  readonly duplicates: number
  /** Rows that were refused or in doubt and have their record now. */
  readonly mended: number
  /** Rows that a person settled. */
  readonly byHand: number
  /** The last runs, the oldest first; `earlierRuns` came before them. */
  readonly runs: readonly RunLine[]
  readonly earlierRuns: number
  /** Of the last run that settled a row. */
  readonly timeline: Timeline | undefined
  /** Of all calls that were answered, in that run and in all. */
  readonly responses: {
    readonly lastRun: ResponseTimes | undefined
    readonly allRuns: ResponseTimes | undefined
  }
  /** Why rows have no record now, that of the most rows first; `otherReasons` rows have others. */
  readonly reasons: readonly ReasonFacts[]
  readonly otherReasons: number
  readonly merged: { readonly count: number; readonly pairs: readonly MergedRows[] }
  readonly attention: Attention
  /** What only the run itself knew; undefined where a log is read later. */
  readonly lastRun: LastRun | undefined
}

/** One run, as its lines of the log tell of it. */
export interface RunLine {
  readonly run: string
  readonly startedAt: string
  /** The time of its last line. */
  readonly lastAt: string
  readonly rowlift: string
  readonly sources: readonly string[]
  /** Whether the mapping file was another one than in the run before. */
  readonly mappingChanged: boolean
  /** Whether a person wrote its lines (rowlift resolve). */
  readonly byHand: boolean
  readonly created: number
  readonly existing: number
  readonly duplicate: number
  readonly invalid: number
  readonly failed: number
  readonly inDoubt: number
  /** Attempts after the first of a call; and attempts that the service asked to make later. */
  readonly repeated: number
  readonly throttled: number
}

/** What happened over the time of a run, in slices of equal length; each list has one number for each slice. */
export interface Timeline {
  readonly startedAt: string
  readonly sliceMs: number
  readonly created: readonly number[]
  readonly existing: readonly number[]
  readonly invalid: readonly number[]
  readonly failed: readonly number[]
  readonly inDoubt: readonly number[]
  /** By the time at which the row was settled. */
  readonly repeated: readonly number[]
  readonly throttled: readonly number[]
}

/** How long calls took, from the first attempt to the end of the row, waits between attempts among it. */
export interface ResponseTimes {
  readonly calls: number
  readonly meanMs: number
  readonly maxMs: number
  /** 50, 75, 90, 95, 99 and 99.9 of a hundred calls took no longer. */
  readonly percentiles: readonly { readonly percent: number; readonly ms: number }[]
}

export interface ReasonFacts {
  readonly status: 'invalid' | 'failed' | 'in_doubt'
  readonly rows: number
  readonly reason: string
  /** The pattern of what the service answered. */
  readonly answer: string | undefined
  /** What to do about it, in a sentence or two. */
  readonly remedy: string
  readonly examples: readonly AttentionRow[]
}

/** Two rows of which the service said that they are one contact; the first may be that of another source or run. */
export interface MergedRows {
  readonly recordId: string
  readonly first: RowLabel
  readonly second: RowLabel
}

export interface RowLabel {
  readonly source: string
  readonly row: number
  readonly line: number
  readonly key: string
}

/** The rows that a person has to look at: those in doubt, those that failed, those that are invalid. */
export interface Attention {
  /** How many there are; `rows` holds the first of each reason, so many as a page bears. */
  readonly total: number
  readonly rows: readonly AttentionRow[]
}

export interface AttentionRow extends RowLabel {
  readonly status: 'invalid' | 'failed' | 'in_doubt'
  /** Of the first thing that is wrong. */
  readonly column: string | undefined
  /** What stood there, as text, cut to a length that can be shown. */
  readonly value: string | undefined
  /** All that is wrong. */
  readonly messages: readonly string[]
  /** The start of the service's answer. */
  readonly answer: string | undefined
  readonly at: string | undefined
}

/** A run as its summary tells of it. */
export interface LastRun {
  readonly exitCode: number
  readonly durationMs: number
  /** Why it stopped early. */
  readonly stopped: string | undefined
  /** What to type next. */
  readonly next: string | undefined
  /** Rows by their end in this run, with those that were left alone (done), held and left out by `where`. */
  readonly rows: Readonly<Record<string, number>>
  /** Rows that have their record and read otherwise now. */
  readonly changed: number
  readonly columns: ColumnFacts
}

/** What a dry run found out. */
export interface DryRunPart {
  readonly is: 'dry_run'
  /** The step of a plan, else the first source. */
  readonly name: string
  readonly sources: readonly string[]
  readonly mapping: string
  readonly lastRun: LastRun
  /** The first rows that would be sent, beside what was made of them. */
  readonly samples: readonly Sample[]
  /** What is wrong, by the column in which it stands, the column with the most rows first. */
  readonly problems: readonly ColumnProblems[]
  readonly attention: Attention
}

export interface Sample extends RowLabel {
  /** The cells of the row, in the order of the source, each cut to a length that can be shown. */
  readonly cells: readonly { readonly column: string; readonly value: string }[]
  /** The body as JSON, spread over lines. */
  readonly body: string
}

export interface ColumnProblems {
  /** Empty where a row as a whole is wrong. */
  readonly column: string
  readonly rows: number
  readonly reasons: readonly ReasonFacts[]
}
