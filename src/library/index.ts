export { LockError, LogError, SourceError, UsageError } from '../model/errors.ts'
export { type ImportRun, importRows } from './import-rows.ts'
export type {
  FromFiles,
  FromRows,
  ImportOptions,
  ImportRowsOptions,
  ResponseRule,
} from './options.ts'
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
} from './outcome.ts'
export type { ImportReason, ImportStop, ImportSummary, StopKind } from './summary.ts'
