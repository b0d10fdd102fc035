// What several calls of the page take and answer. Types alone.
export interface Of {
  /** The source: one of `State.files`. */
  readonly file: string
}

export interface Seen extends Of {
  /** The edit is refused with `conflict` if the mapping has another text by now. */
  readonly version: string
}

/** A window of the rows of the last check or trial, in the order of the file. */
export interface RowsOf extends Of {
  readonly filter: RowFilter
  readonly from: number
  readonly count: number
  /** Rows of the check, or of the trial; by default those of the one that was last. */
  readonly of?: 'check' | 'try'
}

export interface CorrectionOf extends Of {
  readonly row: number
  readonly cells: Readonly<Record<string, string>>
}

/** A row in doubt, with the id of its record, or null if there is none. */
export interface DoubtOf extends Of {
  readonly key: string
  readonly recordId: string | null
}

/** The answer of a call that was refused: with status 409 for `conflict`, 403 for what was not opened, 500 for a defect, else 400. */
export interface Refused {
  /** `conflict`, `busy`, or the code of an error of rowlift. */
  readonly code: string
  /** A sentence as the command would print it. */
  readonly text: string
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
  /** Version of the mapping that the rows were checked with. */
  readonly mapping?: string | undefined
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
