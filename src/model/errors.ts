import type { Holder } from './holder.ts'
import type { FileProblem, None, ParamsOf, Problem } from './problem.ts'

type OneOf<P> = { readonly [C in keyof P]: { readonly code: C; readonly params: P[C] } }[keyof P]

/** A file problem, and its place in the file: line and column from 1. */
export interface FileFault {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly problem: FileProblem
}

/** Why a file of which no rows can be read is none: what it looks like. */
export type NotRows =
  | 'empty'
  | 'zip'
  | 'office'
  | 'pdf'
  | 'gzip'
  | 'image'
  | 'web_page'
  | 'vcard'
  | 'calendar'
  | 'binary'
  | 'json_list'
  | 'json_spread'

/** Why a command cannot begin as it was given. */
export interface UsageProblems {
  file_faults: { readonly faults: readonly FileFault[] }
  unreadable: { readonly what: UserFile; readonly path: string; readonly reason: string }
  wrong_values: { readonly faults: readonly (readonly [from: string, reason: string])[] }
  missing_command: { readonly commands: readonly string[] }
  unknown_command: { readonly word: string; readonly suggestion: string | undefined }
  unknown_option: { readonly word: string; readonly suggestion: string | undefined }
  missing_value: { readonly option: string }
  unexpected_value: { readonly option: string }
  option_required: { readonly option: string }
  no_source: None
  stdin_twice: None
  preview_without_dry_run: None
  use_created_for_others: { readonly mapping: string; readonly record: string }
  unknown_encoding: { readonly mapping: string; readonly encoding: string }
  no_results: None
  stdout_twice: { readonly role: string; readonly other: string }
  metrics_of_dry_run: None
  cannot_write_at_end: { readonly path: string; readonly role: string; readonly reason: string }
  same_file: { readonly path: string | undefined; readonly role: string; readonly written: string }
  said_in_plan: { readonly given: readonly string[] }
  not_a_file: { readonly path: string; readonly step: string }
  rejects_to_stdout: None
  rejects_packed: { readonly path: string }
  rejects_no_file: { readonly path: string }
  cannot_write_rejects: { readonly path: string; readonly reason: string }
  rejects_of_both: None
  rejects_name: { readonly path: string; readonly format: 'csv' | 'ndjson' }
  rejects_in_tree: { readonly mapping: string }
  no_token: None
  /** `file` is where the token was read; undefined for the environment or the option. */
  empty_token: { readonly file: string | undefined }
  bad_token: { readonly file: string | undefined }
  no_preset: {
    readonly name: string
    readonly suggestion: string | undefined
    readonly known: readonly string[]
  }
  not_an_address: { readonly text: string }
  address_with_more: None
  address_in_the_clear: { readonly origin: string }
  bad_proxy: None
  log_is_folder: { readonly path: string }
  log_gone: { readonly path: string; readonly inFlight: string }
  not_a_log: { readonly path: string }
  not_a_log_line: { readonly path: string; readonly line: number }
  not_in_flight: { readonly path: string }
  other_import: {
    readonly log: string
    readonly what: LogPart
    readonly before: string
    readonly now: string
  }
  no_lookup_log: { readonly path: string; readonly lookup: string }
  lookup_of_another: {
    readonly path: string
    readonly lookup: string
    readonly what: LogPart
    readonly before: string
    readonly now: string
  }
  lookup_unreadable: { readonly lookup: string; readonly problem: SourceProblem }
  bad_lookup_row: {
    readonly path: string
    readonly line: number
    readonly column: string | undefined
    readonly problem: Problem
  }
  not_a_lock: { readonly path: string }
  no_log: { readonly path: string }
  no_logs: None
  page_is_no_file: { readonly path: string }
  not_a_page: { readonly path: string }
  cannot_write_page: { readonly path: string; readonly reason: string }
  page_to_stdout: None
  page_without_log: None
  one_log: None
  resolve_how: None
  not_in_doubt: {
    readonly log: string
    readonly key: string
    readonly state: 'settled' | 'refused' | undefined
  }
  record_of_another: { readonly log: string; readonly line: number; readonly recordId: string }
  one_source: None
  output_exists: { readonly path: string }
  cannot_write_draft: { readonly path: string; readonly reason: string }
  no_rows: { readonly path: string; readonly looksLike: NotRows }
  no_mappings: None
  no_tests: { readonly mappings: readonly string[] }
  source_or_rows: None
  not_iterable: None
  rows_have_no_format: None
  standard_stream: { readonly option: string }
  unwritable_mapping: { readonly reason: string }
  one_loop: None
  no_sandbox: { readonly reason: string }
}

/** Files that a person writes or names. */
export type UserFile = 'mapping file' | 'settings file' | 'token file' | 'result log' | 'plan'
/** What a result log belongs to. */
export type LogPart = string

/** Why a source cannot be read on. */
export interface SourceProblems {
  source_unreadable: { readonly source: string; readonly reason: string }
  broken_gzip: { readonly source: string; readonly reason: string }
  bad_bytes: { readonly source: string; readonly line: number; readonly encoding: string }
  too_long: { readonly source: string; readonly line: number; readonly megabytes: number }
  open_quote: { readonly source: string; readonly line: number }
  not_csv: { readonly source: string; readonly line: number; readonly reason: string }
  no_header: { readonly source: string }
  header_not_found: { readonly source: string; readonly wanted: string; readonly seen: readonly string[] }
  header_changed: { readonly source: string }
}
export type SourceProblem = OneOf<SourceProblems>

/** Why a result log, preview or file of rejected rows cannot be written. */
export interface LogProblems {
  cannot_write: { readonly path: string; readonly reason: string }
  unfinished_gone: { readonly path: string }
  log_moved: { readonly path: string }
}
export type LogProblem = OneOf<LogProblems>

/** Why a run does not hold the result log. */
export interface LockProblems {
  log_held: { readonly log: string; readonly holder: Holder | undefined }
  lock_lost: { readonly log: string }
}
export type LockProblem = OneOf<LockProblems>

/** Why a run ends before its last row. */
export interface StopReasons {
  unauthorized: {
    readonly httpStatus: number
    readonly location?: string
    /** A rule of the settings file says so. */
    readonly byRule?: true
  }
  not_answering: { readonly inARow: number; readonly last: Problem | undefined }
  asked_to_wait: { readonly until: Date }
  throttled: { readonly forMs: number }
  too_many_failures: { readonly failures: number; readonly allowed: string }
  log: { readonly problem: LogProblem }
  lock: { readonly problem: LockProblem }
  source: { readonly problem: SourceProblem }
  signal: { readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' }
  /** The program that runs the import as a library said so: by its abort signal, or by leaving the loop over outcomes. */
  aborted: { readonly by: 'signal' | 'loop' }
  /** Standard output of a dry run was closed. */
  reader_gone: None
  defect: { readonly error: unknown }
}
export type StopReason = OneOf<StopReasons>

/** A code of any kind, with its parameters. */
export type AnyProblem =
  | Problem
  | FileProblem
  | OneOf<UsageProblems>
  | SourceProblem
  | LogProblem
  | LockProblem
  | StopReason

/** What ends a command or a run. It has no message of its own: the face that shows it makes one (`report/words`). */
export abstract class RowliftError<P, C extends keyof P = keyof P> extends Error {
  readonly code: C
  readonly params: P[C]

  constructor(code: C, ...[params]: ParamsOf<P, C>) {
    super()
    this.code = code
    this.params = params ?? ({} as P[C])
  }

  /** The error as a value of its closed union. */
  get problem(): OneOf<P> {
    return { code: this.code, params: this.params } as unknown as OneOf<P>
  }
}

/** Usage, settings, mapping or source could not be used, and nothing was sent: exit 2. */
export class UsageError<C extends keyof UsageProblems = keyof UsageProblems> extends RowliftError<
  UsageProblems,
  C
> {
  override readonly name = 'UsageError'

  /** All faults of files, in their order in each file. */
  static of(faults: readonly FileFault[]): UsageError<'file_faults'> {
    const sorted = [...faults].sort((a, b) => a.line - b.line || a.column - b.column)
    return new UsageError('file_faults', { faults: sorted })
  }
}

/** A source broke off or could not be read: exit 2 before the first call, else 3. */
export class SourceError<C extends keyof SourceProblems = keyof SourceProblems> extends RowliftError<
  SourceProblems,
  C
> {
  override readonly name = 'SourceError'
}

/** The result log could not be written: exit 3. */
export class LogError<C extends keyof LogProblems = keyof LogProblems> extends RowliftError<LogProblems, C> {
  override readonly name = 'LogError'
}

/** Another run holds the result log: exit 4. */
export class LockError<C extends keyof LockProblems = keyof LockProblems> extends RowliftError<
  LockProblems,
  C
> {
  override readonly name = 'LockError'
}

/** A LogError that says which file cannot be written; an error that says more already stays what it is. */
export const cannotWrite = (path: string, cause: unknown): LogError | LockError =>
  cause instanceof LogError || cause instanceof LockError
    ? cause
    : new LogError('cannot_write', { path, reason: reasonOf(cause) })

/** The system's code of an error, such as ENOENT, or its message. */
export const reasonOf = (cause: unknown): string =>
  (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : String(cause))
