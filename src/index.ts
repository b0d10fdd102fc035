export { type ImportRun, importRows } from './app/library/import-rows.ts'
export type {
  FromFiles,
  FromRows,
  ImportOptions,
  ImportRowsOptions,
  ResponseRule,
} from './app/library/options.ts'
export type {
  CreatedRow,
  DoneRow,
  DuplicateRow,
  FailedRow,
  HeldRow,
  InDoubtRow,
  InvalidRow,
  OutcomeError,
  RowEffort,
  RowName,
  RowOutcome,
  ValidRow,
} from './app/library/outcome.ts'
export type { ImportReason, ImportStop, ImportSummary, StopKind } from './app/library/summary.ts'
export { LockError, LogError, SourceError, UsageError } from './model/errors.ts'
