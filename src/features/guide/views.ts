// The calls of the page and their answers: POST /api/NAME with a JSON object, which is answered by another. Types alone.

/** Names of files are relative to the folder of the guide, with slashes; `version` is the SHA-256 of the mapping's text that was seen. */
export interface Routes {
  state: { in: object; out: State }
  /** A new address for another browser, for one use. */
  invite: { in: object; out: { readonly url: string } }

  /** Step "File": the first lines as they were read. */
  source: { in: Of; out: SourceView }
  /** Edits how the file is read. */
  read: { in: Seen & { readonly change: ReadChange }; out: Saved }
  /** Step "What is it": both kinds, with two rows each. */
  kinds: { in: Of; out: KindsView }
  /** Drafts the mapping anew as one of contacts or tasks; the old text can be had back by `undo`. */
  record: { in: Of & { readonly record: RecordName }; out: Saved }
  columns: { in: Of; out: ColumnsView }
  column: { in: Seen & { readonly column: string; readonly choice: ColumnChoice }; out: Saved }
  questions: { in: Of; out: { readonly version: string; readonly questions: readonly QuestionView[] } }
  answer: { in: Seen & { readonly id: string; readonly choice: string }; out: Saved }
  worksheets: { in: Of; out: { readonly worksheets: readonly WorksheetView[] } }
  /** Fills in cells of a worksheet; a row is named by its first cell. */
  fill: { in: Of & { readonly worksheet: string; readonly row: string; readonly value: string }; out: object }
  mapping: { in: Of; out: MappingView }
  save: { in: Seen & { readonly text: string }; out: Saved }
  undo: { in: Seen; out: Saved }

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

export type RouteName = keyof Routes
type RecordName = 'contact' | 'task'

export interface Of {
  /** The source: one of `State.files`. */
  readonly file: string
}

interface Seen extends Of {
  /** The edit is refused with `conflict` if the mapping has another text by now. */
  readonly version: string
}

interface Saved {
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
  /** Null until the file could be read; `fault` says why. */
  readonly mapping: { readonly name: string; readonly version: string } | null
  readonly fault: string | null
  readonly record: RecordName | null
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

export interface SourceView {
  readonly version: string
  readonly format: string
  readonly lines: readonly GridLine[]
  /** The line of the header; null if the file has none. */
  readonly header: number | null
  readonly encoding: { readonly current: string; readonly choices: readonly EncodingChoice[] } | null
  readonly sheets: readonly SheetChoice[]
}

export interface GridLine {
  readonly line: number
  readonly cells: readonly string[]
  readonly kind: 'row' | 'header' | 'passed_over' | 'left_out'
  /** Why it is no row; empty for a row. `condition` is another condition of the mapping. */
  readonly reason: '' | 'title' | 'section' | 'total' | 'hidden' | 'header' | 'blank' | 'note' | 'condition'
}

export interface EncodingChoice {
  readonly name: string
  /** A word of the file with other letters than a to z, as it reads in this encoding. */
  readonly sample: string
}

export interface SheetChoice {
  readonly name: string
  /** Null for one of a large workbook, which was not counted. */
  readonly rows: number | null
  readonly isHidden: boolean
  readonly isChosen: boolean
}

export type ReadChange =
  | { readonly type: 'header'; readonly line: number }
  | { readonly type: 'encoding'; readonly name: string }
  | { readonly type: 'sheet'; readonly name: string }
  /** Imports a line that was left out. */
  | { readonly type: 'take_back'; readonly line: number }

export interface KindsView {
  /** The product whose export it is. */
  readonly recognized: string | null
  readonly chosen: RecordName | null
  readonly choices: readonly { readonly record: RecordName; readonly samples: readonly RecordView[] }[]
}

/** A record as a person reads it: the path of each field, its words, and its value. */
export interface RecordView {
  readonly name: string
  readonly fields: readonly { readonly path: string; readonly label: string; readonly value: string }[]
}

export interface ColumnsView {
  readonly version: string
  readonly columns: readonly ColumnView[]
  readonly fields: readonly FieldView[]
}

export interface ColumnView {
  readonly name: string
  /** Three different values, and what becomes of them; null for one that is left out or refused. */
  readonly values: readonly {
    readonly before: string
    readonly after: string | null
    readonly fault: string | null
  }[]
  /** 0 to 1. */
  readonly filled: number
  readonly shapes: readonly string[]
  /** Paths in the body that the column goes to, such as `emails.email`. */
  readonly fields: readonly string[]
  /** Who chose: by its values, by its name, by hand; `undecided` if it goes nowhere and nobody said so. */
  readonly by: 'values' | 'name' | 'hand' | 'undecided' | 'not_imported'
  /** Fields that fit, best first. */
  readonly candidates: readonly string[]
  /** The rule of its field as the page can set it. */
  readonly settings: ColumnSettings
}

export interface ColumnSettings {
  readonly split?: string | undefined
  readonly country?: string | undefined
  readonly dateFormat?: string | undefined
  readonly map?: Readonly<Record<string, string>> | undefined
  /** Distinct values with their rows, most first, if the field takes words of a list. */
  readonly words?: readonly { readonly word: string; readonly rows: number }[] | undefined
}

export type ColumnChoice =
  | ({
      readonly type: 'field'
      readonly path: string
      /** The id that the service gave an own field, for a path that begins with `custom_field_values`. */
      readonly customFieldId?: string | undefined
    } & Omit<ColumnSettings, 'words'>)
  | { readonly type: 'not_imported' }
  | { readonly type: 'undecided' }

export interface FieldView {
  readonly path: string
  readonly label: string
  readonly description: string
  /** Words that find it, of all languages. */
  readonly words: readonly string[]
  /** Settings that it may need. */
  readonly takes: readonly ('split' | 'country' | 'date' | 'words')[]
  /** Values that it takes, if it is a list. */
  readonly values: readonly string[]
}

export interface QuestionView {
  readonly id: string
  readonly text: string
  readonly columns: readonly string[]
  /** Values of the file that the question is about. */
  readonly examples: readonly string[]
  readonly choices: readonly QuestionChoice[]
}

export interface QuestionChoice {
  readonly id: string
  readonly label: string
  readonly isDefault: boolean
  /** Fields of the first rows that differ under this answer: at most three. */
  readonly effect: readonly { readonly row: number; readonly before: string; readonly after: string }[]
}

export interface WorksheetView {
  readonly name: string
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly missing: number
}

export interface MappingView {
  readonly name: string
  readonly version: string
  readonly text: string
  /** Numbers of lines that the last edit changed, from 1. */
  readonly changed: readonly number[]
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
