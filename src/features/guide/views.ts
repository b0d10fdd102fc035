// The calls of the steps from the check on, and what several calls take and answer. Types alone.
import type { RecordType } from '../../records/kinds.ts'

export interface DeliverRoutes {
  /** Starts a job; its progress is in `State.job`. There is one at a time. */
  check: { in: Of; out: object }
  try: { in: Of; out: object }
  run: { in: Of; out: object }
  /** Lets calls in flight end, then ends the job; the same call of `run` goes on from there. */
  stop: { in: object; out: object }
  /** A window of the rows of the last check or trial, in the order of the file. */
  rows: {
    in: Of & {
      readonly filter: RowFilter
      readonly from: number
      readonly count: number
      /** Rows of the check, or of the trial; by default those of the one that was last. */
      readonly of?: 'check' | 'try'
    }
    out: RowsView
  }
  /** Puts a corrected row into `<source>.corrected.csv`, and checks it. */
  correct: {
    in: Of & { readonly row: number; readonly cells: Readonly<Record<string, string>> }
    out: { readonly row: RowView }
  }
  /** Takes records out of the log after they were deleted in the service. */
  forget: { in: Of & { readonly keys: readonly string[] }; out: object }
  /** The name of the second person, or of the same one. */
  approve: { in: Of & { readonly by: string }; out: object }

  /** The service, a token that is kept in memory alone, and whether it is for practice. */
  service: { in: ServiceChange; out: State }
  /** The checks of `rowlift doctor`. */
  probe: { in: Of; out: { readonly lines: readonly { readonly isGood: boolean; readonly text: string }[] } }

  after: { in: Of; out: AfterView }
  /** Settles a row in doubt: by the id of its record, or null if there is none. */
  settle: { in: Of & { readonly key: string; readonly recordId: string | null }; out: object }
  /** Opens a page that a job wrote, in the browser. */
  open: { in: { readonly name: string }; out: object }
}

export type DeliverHandlers = {
  readonly [Name in keyof DeliverRoutes]: (
    input: DeliverRoutes[Name]['in'],
  ) => Promise<DeliverRoutes[Name]['out']>
}

export interface Of {
  /** The source: one of `State.files`. */
  readonly file: string
}

export interface Seen extends Of {
  /** The edit is refused with `conflict` if the mapping has another text by now. */
  readonly version: string
}

/** The answer of a call that was refused, with status 400, or 409 for `conflict`. */
export interface Refused {
  /** `conflict`, `busy`, or the code of an error of rowlift. */
  readonly code: string
  /** A sentence as the command would print it. */
  readonly text: string
}

export interface State {
  /** Name of the folder, and its whole path. */
  readonly folder: { readonly name: string; readonly path: string }
  readonly files: readonly FileState[]
  /** The plan of several files. */
  readonly plan: string | null
  readonly service: ServiceState
  readonly job: JobState | null
  readonly version: string
}

export interface FileState {
  readonly source: string
  /** Null while the file is read for the first time, and if it cannot be read: then `fault` says why. */
  readonly mapping: { readonly name: string; readonly version: string } | null
  readonly fault: string | null
  readonly record: RecordType | null
  /** Columns without a decision, and questions of the draft. */
  readonly open: { readonly columns: number; readonly questions: number }
  readonly canUndo: boolean
  /** Of the log of practice, or of the service; null if there is none. */
  readonly log: LogState | null
  /** Rows of the file of corrections. */
  readonly corrected: { readonly name: string; readonly rows: number } | null
  readonly approval: { readonly by: string; readonly at: string; readonly agreed: string | null } | null
}

export interface LogState {
  readonly name: string
  readonly records: number
  readonly invalid: number
  readonly failed: number
  readonly inDoubt: number
}

export interface ServiceState {
  readonly practice: boolean
  readonly baseUrl: string | null
  readonly organizationId: number | null
  /** Whether there is one, and where it is from. */
  readonly token: 'none' | 'typed' | 'settings'
}

export interface ServiceChange {
  readonly practice?: boolean
  readonly baseUrl?: string
  readonly organizationId?: number
  readonly token?: string
}

export interface JobState {
  readonly id: string
  readonly kind: 'check' | 'try' | 'run'
  readonly file: string
  /** The file that is read: the one of the job, or one that its links need first. */
  readonly step: string
  readonly practice: boolean
  readonly status: 'running' | 'stopping' | 'ended' | 'failed'
  readonly rows: number
  /** 0 to 1; null if it is not known. */
  readonly share: number | null
  readonly rowsPerSecond: number
  readonly secondsLeft: number | null
  /** Rows by status of the result log, `valid` in a check. */
  readonly counts: Readonly<Record<string, number>>
  /** Why it could not start, or stopped. */
  readonly error: string | null
  /** What happened during the run that a person should know, as the command prints it. */
  readonly notices: readonly string[]
  /** The summary of the command, at the end. */
  readonly summary: Readonly<Record<string, unknown>> | null
  readonly report: string | null
}

/** A record as a person reads it: the path of each field, its words, and its value. */
export interface RecordView {
  readonly name: string
  readonly fields: readonly { readonly path: string; readonly label: string; readonly value: string }[]
}

export type RowFilter =
  | 'all'
  | 'refused'
  | 'left_out'
  | 'omitted'
  | 'kept'
  | 'near'
  | 'conflicts'
  | 'existing'
  | 'corrected'

export interface RowsView {
  /** Rows that pass the filter. */
  readonly total: number
  readonly from: number
  readonly columns: readonly string[]
  readonly rows: readonly RowView[]
  /** Rows by filter, and those that would be sent; `refused` has the conflicts, too. */
  readonly counts: Readonly<Partial<Record<RowFilter | 'sent', number>>>
}

export interface RowView {
  readonly row: number
  readonly line: number | null
  readonly key: string
  readonly status: string
  readonly cells: readonly string[]
  readonly isCorrected: boolean
  readonly errors: readonly { readonly column: string | null; readonly text: string }[]
  readonly notes: readonly { readonly column: string | null; readonly text: string }[]
  readonly record: RecordView | null
  readonly recordId: string | null
  /** Rows that may be the same record. */
  readonly near: readonly number[]
}

export interface AfterView {
  /** What one sentence says of the run, with what is left to do. */
  readonly sentence: string
  readonly report: string | null
  readonly rejects: { readonly name: string; readonly rows: number } | null
  readonly doubts: readonly { readonly key: string; readonly row: number; readonly record: RecordView }[]
  /** What changed since the last run: a line each. */
  readonly changes: readonly string[]
  readonly nightly: {
    readonly settings: string
    readonly cron: string
    readonly systemd: string
    readonly taskScheduler: string
  } | null
}
