import type { LockOwner } from './lock-owner.ts'
import type { FileProblem, None, OneOf, ParamsOf, Problem } from './problem.ts'
import type { RowPlace } from './row.ts'

/** Line and column count from 1. */
export interface FileFault {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly problem: FileProblem
}

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
  | 'json_document'
  | 'json_spread'
  | 'ndjson'

/** Why a command cannot begin. */
export interface UsageProblems {
  file_faults: { readonly faults: readonly FileFault[] }
  file_unreadable: { readonly what: UserFile; readonly path: string; readonly reason: string }
  file_too_large: { readonly what: UserFile; readonly path: string; readonly kilobytes: number }
  bad_values: { readonly faults: readonly (readonly [from: string, reason: string])[] }
  missing_command: { readonly commands: readonly string[] }
  unknown_command: { readonly word: string; readonly suggestion: string | undefined }
  unknown_option: { readonly word: string; readonly suggestion: string | undefined }
  missing_value: { readonly option: string }
  unexpected_value: { readonly option: string }
  option_required: { readonly option: string }
  no_source: None
  stdin_twice: None
  preview_without_dry_run: None
  use_created_contacts_only: { readonly mapping: string; readonly record: string }
  unknown_encoding: { readonly mapping: string; readonly encoding: string }
  no_results: None
  stdout_twice: { readonly role: string; readonly other: string }
  metrics_with_dry_run: None
  cannot_write_artifact: { readonly path: string; readonly role: string; readonly reason: string }
  same_file: { readonly path: string | undefined; readonly role: string; readonly written: string }
  set_in_plan: { readonly given: readonly string[] }
  plan_source_not_a_file: { readonly path: string; readonly step: string }
  rejects_to_stdout: None
  rejects_compressed: { readonly path: string }
  rejects_not_a_file: { readonly path: string }
  cannot_write_rejects: { readonly path: string; readonly reason: string }
  rejects_mixed_formats: None
  rejects_extension: { readonly path: string; readonly format: 'csv' | 'ndjson' }
  rejects_with_indent: { readonly mapping: string }
  no_token: None
  /** The file of the token; undefined for the environment or the option. */
  empty_token: { readonly file: string | undefined }
  bad_token: { readonly file: string | undefined }
  unknown_preset: {
    readonly name: string
    readonly suggestion: string | undefined
    readonly known: readonly string[]
  }
  bad_base_url: None
  insecure_base_url: { readonly origin: string }
  bad_proxy: None
  log_not_a_file: { readonly path: string }
  log_gone: { readonly path: string; readonly inFlight: string }
  not_a_log: { readonly path: string }
  log_linked: { readonly path: string; readonly names: number }
  /** `log` is the result log that the file is, or is beside. */
  bad_log_line: { readonly path: string; readonly line: number; readonly log: string }
  unreadable_line: { readonly path: string; readonly line: number; readonly log: string }
  unknown_line: { readonly path: string; readonly line: number; readonly status: string | undefined }
  bad_in_flight_file: { readonly path: string }
  log_mismatch: Mismatch & { readonly log: string }
  /** The other log that was written last comes first. */
  other_log: { readonly log: string; readonly others: readonly string[]; readonly isStep: boolean }
  lookup_log_not_found: { readonly path: string; readonly lookup: string }
  lookup_log_mismatch: Mismatch & { readonly path: string; readonly lookup: string }
  lookup_too_large: { readonly path: string }
  lookup_unreadable: { readonly lookup: string; readonly problem: SourceProblem }
  bad_lookup_row: {
    readonly path: string
    readonly line: number
    readonly column: string | undefined
    readonly problem: Problem
  }
  not_a_lock: { readonly path: string }
  log_not_found: { readonly path: string }
  no_log_named: None
  page_not_a_file: { readonly path: string }
  not_a_page: { readonly path: string }
  cannot_write_page: { readonly path: string; readonly reason: string }
  page_to_stdout: None
  page_without_log: None
  one_log_only: { readonly command: string }
  log_options: None
  unknown_run: { readonly log: string; readonly run: string; readonly isAmbiguous: boolean }
  resolve_options: None
  not_in_doubt: {
    readonly log: string
    readonly key: string
    readonly state: string | undefined
  }
  record_taken: { readonly log: string; readonly row: RowPlace; readonly recordId: string }
  one_source_only: None
  several_need_folder: None
  stream_in_migration: None
  no_record_named: { readonly records: readonly string[] }
  no_such_field: { readonly record: string; readonly words: readonly string[] }
  output_exists: { readonly path: string }
  cannot_write_draft: { readonly path: string; readonly reason: string }
  no_mapping_named: None
  no_tests: { readonly mappings: readonly string[] }
  source_or_rows: None
  rows_not_iterable: None
  rows_have_no_format: None
  standard_stream: { readonly option: string }
  mapping_not_serializable: { readonly reason: string }
  already_iterated: None
  sandbox_failed: { readonly reason: string }
}

export type UserFile = 'mapping file' | 'settings file' | 'token file' | 'result log' | 'plan'
type Mismatch = { readonly what: string; readonly before: string; readonly now: string }

export interface SourceProblems {
  source_unreadable: { readonly source: string; readonly reason: string }
  bad_gzip: { readonly source: string; readonly reason: string }
  /** `guess` is the encoding that these bytes seem to be in. */
  bad_bytes: {
    readonly source: string
    readonly line: number
    readonly encoding: string
    readonly guess?: string | undefined
  }
  wrong_encoding: {
    readonly source: string
    readonly line: number
    readonly encoding: string
    readonly character: string
    readonly misread: string
  }
  unsupported_source: {
    readonly source: string
    readonly looksLike: NotRows
    /** A list of objects in a JSON document, as jq writes it. */
    readonly list?: string | undefined
  }
  row_too_long: { readonly source: string; readonly line: number; readonly megabytes: number }
  unclosed_quote: { readonly source: string; readonly line: number }
  not_csv: { readonly source: string; readonly line: number; readonly reason: string }
  no_header: { readonly source: string }
  too_many_columns: { readonly source: string; readonly columns: number; readonly most: number }
  misread_header: {
    readonly source: string
    readonly columns: readonly string[]
    readonly delimiter: string | undefined
    readonly encoding: string | undefined
  }
  header_not_found: { readonly source: string; readonly wanted: string; readonly seen: readonly string[] }
  source_changed: { readonly source: string; readonly isReplaced: boolean; readonly sizes: readonly number[] }
}
type SourceProblem = OneOf<SourceProblems>

export interface LogProblems {
  cannot_write: { readonly path: string; readonly reason: string }
  stdout_keeps_nothing: None
  too_few_open_files: { readonly more: number }
  rejects_moved: { readonly path: string }
  log_moved: { readonly path: string }
}
type LogProblem = OneOf<LogProblems>

export interface LockProblems {
  log_locked: { readonly log: string; readonly holder: LockOwner | undefined }
  lock_lost: { readonly log: string }
}
type LockProblem = OneOf<LockProblems>

export interface StopReasons {
  unauthorized: {
    readonly httpStatus: number
    readonly location?: string
    readonly byRule?: true
  }
  /** `waitedMs`: for how long the run waited for the service, if it was asked to. */
  not_answering: { readonly inARow: number; readonly last: Problem | undefined; readonly waitedMs?: number }
  asked_to_wait: { readonly until: Date }
  throttled: { readonly minutes: number }
  too_many_failures: { readonly failures: number; readonly allowed: string }
  log: { readonly problem: LogProblem }
  lock: { readonly problem: LockProblem }
  source: { readonly problem: SourceProblem }
  signal: { readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' }
  /** The program aborted the signal, or left the loop over outcomes. */
  aborted: { readonly by: 'signal' | 'loop' }
  reader_gone: None
  defect: { readonly error: unknown }
}
export type StopReason = OneOf<StopReasons>

export type AnyProblem =
  | Problem
  | FileProblem
  | OneOf<UsageProblems>
  | SourceProblem
  | LogProblem
  | LockProblem
  | StopReason

/** Ends a command or a run. It has no message of its own: `report/words` makes one. */
export abstract class RowliftError<P, C extends keyof P = keyof P> extends Error {
  readonly code: C
  readonly params: P[C]

  constructor(code: C, ...[params]: ParamsOf<P, C>) {
    super()
    this.code = code
    this.params = params ?? ({} as P[C])
  }

  get problem(): OneOf<P> {
    return { code: this.code, params: this.params } as unknown as OneOf<P>
  }
}

type UsageCode = keyof UsageProblems
type SourceCode = keyof SourceProblems
type LockCode = keyof LockProblems

/** Nothing was sent: exit 2. */
export class UsageError<C extends UsageCode = UsageCode> extends RowliftError<UsageProblems, C> {
  override readonly name = 'UsageError'

  /** All faults of files, in their order in each file. */
  static of(faults: readonly FileFault[]): UsageError<'file_faults'> {
    const sorted = [...faults].sort((a, b) => a.line - b.line || a.column - b.column)
    return new UsageError('file_faults', { faults: sorted })
  }
}

/** Exit 2 before the first call, else 3, and always 3 where a source changed. */
export class SourceError<C extends SourceCode = SourceCode> extends RowliftError<SourceProblems, C> {
  override readonly name = 'SourceError'
}

/** Exit 3. */
export class LogError<C extends keyof LogProblems = keyof LogProblems> extends RowliftError<LogProblems, C> {
  override readonly name = 'LogError'
}

/** Exit 4. */
export class LockError<C extends LockCode = LockCode> extends RowliftError<LockProblems, C> {
  override readonly name = 'LockError'
}

/** A LogError that names the file; an error of ours says what is wrong itself. */
export const cannotWrite = (path: string, cause: unknown): Error =>
  cause instanceof RowliftError ? cause : new LogError('cannot_write', { path, reason: reasonOf(cause) })

/** The system's code of an error, such as ENOENT, or its message. */
export const reasonOf = (cause: unknown): string =>
  (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : String(cause))
