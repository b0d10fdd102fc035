import type { LockOwner } from './lock-owner.ts'
import type { FileProblem, None, OneOf, ParamsOf, Problem } from './problem.ts'
import type { ServiceUsage } from './service-usage.ts'
import type { SettlingUsage } from './settling-usage.ts'

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
  | 'xls'
  | 'encrypted'
  | 'xlsb'
  | 'ods'
  | 'office'
  | 'pdf'
  | 'gzip'
  | Packing
  | 'image'
  | 'web_page'
  | 'vcard'
  | 'icalendar'
  | 'binary'
  | 'text'
  | 'ndjson'
  | 'xlsx'
  | 'json'

export type Packing = 'zstd' | 'bzip2' | 'xz' | 'lz4' | 'compress' | 'rar' | '7z' | 'tar'
export type UnreadableZip = 'encrypted' | 'method' | 'bomb'

/** Why a part of a workbook is not read. */
export type WorkbookFault = 'xml' | 'doctype' | 'deep' | 'long' | 'place' | 'many_styles' | 'many_strings'

/** Why a command cannot begin. */
export interface UsageProblems extends LedgerUsage, ServiceUsage, SettlingUsage {
  file_faults: { faults: readonly FileFault[] }
  file_unreadable: { what: UserFile; path: string; reason: string }
  file_too_large: { what: UserFile; path: string; kilobytes: number }
  bad_values: { faults: readonly (readonly [from: string, reason: string])[] }
  missing_command: { commands: readonly string[] }
  unknown_command: { word: string; suggestion: string | undefined }
  unknown_option: { word: string; suggestion: string | undefined }
  missing_value: { option: string }
  unexpected_value: { option: string }
  option_required: { option: string }
  no_source: None
  stdin_twice: None
  preview_without_dry_run: None
  watch_options: None
  use_created_contacts_only: { mapping: string; record: string }
  unknown_encoding: { mapping: string; encoding: string }
  no_results: None
  stdout_twice: { role: string; other: string }
  metrics_with_dry_run: None
  not_approvable: { what: string }
  approval_differs: { path: string; differences: readonly ApprovalDifference[] }
  cannot_write_artifact: { path: string; role: string; reason: string }
  same_file: { path: string | undefined; role: string; written: string }
  set_in_plan: { given: readonly string[] }
  plan_source_not_a_file: { path: string; step: string }
  rejects_to_stdout: None
  rejects_compressed: { path: string }
  rejects_not_a_file: { path: string }
  cannot_write_rejects: { path: string; reason: string }
  rejects_mixed_formats: None
  rejects_extension: { path: string; format: 'csv' | 'ndjson' }
  rejects_with_indent: { mapping: string }
  unknown_preset: { name: string; suggestion: string | undefined; known: readonly string[] }
  log_not_a_file: { path: string }
  log_gone: { path: string; inFlight: string }
  not_a_log: { path: string }
  log_linked: { path: string; names: number }
  /** `log` is the result log that the file is, or is beside. */
  bad_log_line: { path: string; line: number; log: string }
  unreadable_line: { path: string; line: number; log: string }
  unknown_line: { path: string; line: number; status: string | undefined }
  bad_in_flight_file: { path: string }
  log_mismatch: Mismatch & { log: string }
  /** The other log that was written last comes first. */
  other_log: { log: string; others: readonly string[]; isStep: boolean }
  lookup_log_not_found: { path: string; lookup: string }
  lookup_log_mismatch: Mismatch & { path: string; lookup: string }
  lookup_too_large: { path: string }
  lookup_unreadable: { lookup: string; problem: SourceProblem }
  lookup_without_document: { lookup: string }
  bad_lookup_row: { path: string; line: number; column: string | undefined; problem: Problem }
  not_a_lock: { path: string }
  log_not_found: { path: string }
  no_log_named: None
  page_not_a_file: { path: string }
  not_a_page: { path: string }
  cannot_write_page: { path: string; reason: string }
  page_to_stdout: None
  page_without_log: None
  one_log_only: { command: string }
  log_options: None
  unknown_run: { log: string; run: string; isAmbiguous: boolean }
  one_source_only: None
  several_need_folder: None
  stream_in_migration: None
  no_record_named: { records: readonly string[] }
  no_such_field: { record: string; words: readonly string[] }
  output_exists: { path: string }
  cannot_write_draft: { path: string; reason: string }
  no_mapping_named: None
  no_tests: { mappings: readonly string[] }
  source_or_rows: None
  rows_not_iterable: None
  rows_have_no_format: None
  standard_stream: { option: string }
  mapping_not_serializable: { reason: string }
  already_iterated: None
  sandbox_failed: { reason: string }
}

/** Why a command cannot begin with its ledger. */
export interface LedgerUsage {
  ledger_needs_import: None
  import_needs_ledger: { option: string }
  ledger_and_results: { option: string }
  ledger_needs_key: { mapping: string }
  ledger_needs_files: { source: string }
  ledger_with_indent: { mapping: string }
  ledger_without_import: LedgerImport
  ledger_refused: { ledger: string; reason: string }
  ledger_too_old: { ledger: string; version: string }
  ledger_newer: { ledger: string; version: number }
  ledger_unsafe: { ledger: string; setting: string; value: string }
  ledger_differs: Mismatch & LedgerImport
}

interface LedgerImport {
  readonly ledger: string
  readonly import: string
}

/** A place in an approval, what it has there, and what there is. */
export type ApprovalDifference = Readonly<Record<'what' | 'approved' | 'now', string>>

export type UserFile = `${'mapping' | 'settings' | 'token'} file` | 'result log' | 'plan' | 'dry-run approval'
type Mismatch = { readonly what: string; readonly before: string; readonly now: string }

export type JsonSign = 'value' | 'value_or_end' | 'key' | 'key_or_end' | 'colon' | 'comma_or_end' | 'nothing'

export interface SourceProblems {
  source_unreadable: { source: string; reason: string }
  bad_gzip: { source: string; reason: string }
  /** `entry` is the file in it. */
  bad_zip: { source: string; entry?: string | undefined; reason: string }
  unreadable_zip: { source: string; entry: string; why: UnreadableZip }
  /** `files` are those that can be named. */
  no_file_in_zip: { source: string; files: readonly string[] }
  bad_calendar: { source: string; why: 'not_begun' | 'not_ended' }
  no_tasks: { source: string; events: number }
  bad_workbook: { source: string; part: string; fault: WorkbookFault; reason?: string | undefined }
  workbook_in_stream: { source: string; isPacked: boolean }
  empty_sheet: { source: string; sheet: string; others: readonly string[] }
  sheet_not_found: { source: string; sheet: string | number | undefined; sheets: readonly string[] }
  /** `guess` is the encoding that these bytes seem to be in. */
  bad_bytes: { source: string; line: number; encoding: string; guess?: string | undefined }
  wrong_encoding: { source: string; line: number; encoding: string; character: string; misread: string }
  unsupported_source: { source: string; looksLike: NotRows }
  row_too_long: { source: string; line: number; megabytes: number }
  unclosed_quote: { source: string; line: number }
  not_csv: { source: string; line: number; reason: string }
  /** `found` is empty at the end of the file. */
  bad_json: { source: string; line: number; column: number; wanted: JsonSign; found: string }
  /** `rows` is the path of the list that is not there; without one, there is not exactly one list. */
  no_one_list: {
    source: string
    rows: string | undefined
    lists: readonly { readonly path: string; readonly items: number }[]
  }
  no_header: { source: string }
  too_many_columns: { source: string; columns: number; most: number }
  misread_header: {
    source: string
    columns: readonly string[]
    delimiter: string | undefined
    encoding: string | undefined
  }
  header_not_found: { source: string; wanted: string; seen: readonly string[] }
  source_changed: { source: string; isReplaced: boolean; sizes: readonly number[] }
}
type SourceProblem = OneOf<SourceProblems>

export interface LogProblems {
  cannot_write: { path: string; reason: string }
  stdout_keeps_nothing: None
  too_few_open_files: { more: number }
  rejects_moved: { path: string }
  log_moved: { path: string }
  ledger_away: { ledger: string; reason: string }
}
type LogProblem = OneOf<LogProblems>

export interface LockProblems {
  log_locked: { log: string; holder: LockOwner | undefined }
  lock_lost: { log: string }
  ledger_busy: LedgerImport & { worker: string }
  ledger_run_over: LedgerImport
}
type LockProblem = OneOf<LockProblems>

export interface StopReasons {
  unauthorized: { httpStatus: number; location?: string; byRule?: true }
  /** `waitedMs`: for how long the run waited for the service, if it was asked to. */
  not_answering: { inARow: number; last: Problem | undefined; waitedMs?: number }
  asked_to_wait: { until: Date }
  throttled: { minutes: number }
  too_many_failures: { failures: number; allowed: string }
  log: { problem: LogProblem }
  lock: { problem: LockProblem }
  source: { problem: SourceProblem }
  signal: { signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' }
  /** The program aborted the signal, or left the loop over outcomes. */
  aborted: { by: 'signal' | 'loop' }
  reader_gone: None
  defect: { error: unknown }
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
