import type { OneOf, ParamsOf, ProblemsOf } from './problem.ts'

export type UsageProblems = ProblemsOf<'usage'>
export type SourceProblems = ProblemsOf<'sources'>
type LogProblems = ProblemsOf<'log'>
type LockProblems = ProblemsOf<'lock'>
export type StopReasons = ProblemsOf<'stops'>
export type StopReason = OneOf<StopReasons>

/** Content of a file that is not a table of rows. */
export type NotRows = SourceProblems['unsupported_source']['looksLike']

/** A place in an approval, what it has there, and what there is. */
export type ApprovalDifference = UsageProblems['approval_differs']['differences'][number]

/** Line and column count from 1. */
export type FileFault = UsageProblems['file_faults']['faults'][number]

/** Ends a command or a run, a LogError with exit 3, a LockError with exit 4. It has no message: `output/words` makes one. */
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

/** Exit 2: nothing was sent. */
export class UsageError<C extends UsageCode = UsageCode> extends RowliftError<UsageProblems, C> {
  override readonly name = 'UsageError'

  static of(faults: readonly FileFault[]): UsageError<'file_faults'> {
    const sorted = [...faults].sort((a, b) => a.line - b.line || a.column - b.column)
    return new UsageError('file_faults', { faults: sorted })
  }
}

/** Exit 2 before the first call, else 3, and always 3 if a source changed. */
export class SourceError<C extends SourceCode = SourceCode> extends RowliftError<SourceProblems, C> {
  override readonly name = 'SourceError'
}

export class LogError<C extends keyof LogProblems = keyof LogProblems> extends RowliftError<LogProblems, C> {
  override readonly name = 'LogError'
}

export class LockError<C extends LockCode = LockCode> extends RowliftError<LockProblems, C> {
  override readonly name = 'LockError'
}

/** A LogError that names the file; any other error of rowlift stays as it is. */
export const cannotWrite = (path: string, cause: unknown): Error =>
  cause instanceof RowliftError ? cause : new LogError('cannot_write', { path, reason: reasonOf(cause) })

/** The system's code of an error, such as ENOENT, or its message. */
export const reasonOf = (cause: unknown): string =>
  (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : String(cause))
