import { type ImportRun, LibraryRun } from './library/import-rows.ts'
import type { ImportRowsOptions } from './library/options.ts'
import { processInfo } from './platform/process-info.ts'

export type { ImportRun } from './library/import-rows.ts'
export type {
  AnswerRule as ResponseRule,
  FromFiles,
  FromRows,
  ImportOptions,
  ImportRowsOptions,
} from './library/options.ts'
export type {
  CreatedRow,
  DoneRow,
  DuplicateRow,
  FailedRow,
  HeldRow,
  InDoubtRow,
  InvalidRow,
  MergedRow,
  OmittedValue,
  OutcomeError,
  RowEffort,
  RowName,
  RowOutcome,
  ValidRow,
} from './library/outcome.ts'
export type { ImportReason, ImportStop, ImportSummary, StopKind } from './library/summary.ts'
export { LockError, LogError, SourceError, UsageError } from './model/errors.ts'

/**
 * Imports rows, as the command `rowlift import` does: one record for each, none twice, and every one accounted for in the
 * result log. The same call continues where an earlier one ended.
 *
 * Prints nothing, sets no exit code and listens to no signals. `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and
 * `NO_PROXY` are followed as by the command. Several imports may run at the same time, each with a result log of its own.
 *
 * @example
 * const run = importRows({
 *   source: 'contacts.csv', mapping: 'contacts.yaml', results: 'contacts.results.ndjson',
 *   baseUrl: 'https://api.example.com', organizationId: 42, token,
 * })
 * for await (const outcome of run) if (outcome.status === 'created') console.log(outcome.key, outcome.recordId)
 * console.log(await run.summary())
 */
export const importRows = (options: ImportRowsOptions): ImportRun =>
  new LibraryRun(options, () => processInfo(process))
