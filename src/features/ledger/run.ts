import type { Clock } from '../../model/clock.ts'
import type { RowPlace } from '../../model/row.ts'
import type { Closing, Opening } from '../../store/files/lines.ts'
import type { LockOptions } from '../../store/files/lock.ts'
import type { Database } from './database.ts'

export interface LedgerSettings {
  readonly clock: Clock
  readonly id: string
  /** Its name for people. */
  readonly worker: string
  /** The name of the import; it need not be a file name. */
  readonly name: string
  readonly leaseS: number
  /** The longest that an attempt of a call takes. */
  readonly attemptS: number
  readonly resendsDoubts: boolean
  readonly spoolFolder: string
  /** The lock of a spool. */
  readonly lock: Pick<LockOptions, 'holder' | 'timeoutMs'>
  /** The codes of expectations that a run does not meet; undefined if it meets all. */
  readonly unmetIn: (totals: RunTotals, lastRows: number | undefined) => Closing['unmet']
  /** Called when leases cannot be renewed any more. */
  readonly onFailure: (error: unknown) => void
}

export interface LedgerImport {
  readonly database: Database
  readonly importId: number
  readonly name: string
  /** The opening line of its last run. */
  readonly opening: Opening
}

/** A source as all workers must have it; only the name may differ. */
export interface SourceVersion {
  readonly name: string
  readonly size: number
  readonly sha256: string
  readonly rows: number
  /** Its format, delimiter and encoding. */
  readonly reading: string
}

export interface JoinedRun extends LedgerImport {
  readonly id: number
  readonly sources: readonly SourceVersion[]
  readonly rows: number
  /** The rows of the last whole run that met its expectations. */
  readonly lastRows: number | undefined
  /** The opening of the run before, for the worker that begins this one. */
  readonly before?: Opening | undefined
}

/** The rows of a run by what became of them: those with a line, and those of finished chunks without one. */
export interface RunTotals {
  readonly rows: number
  /**
   * Rows by status, as in the result log; and `done`, `held`, `left_out` and others that have no line. Those that were sent again after an
   * unclear answer are in `unclear` too.
   */
  readonly byStatus: Readonly<Record<string, number>>
  /** Rows without a line, which `byStatus` has too. */
  readonly unlogged: Readonly<Record<string, number>>
  /** Rows of all runs that are in doubt now. */
  readonly inDoubt: number
}

/** Returns the place of a row whose source goes by its position. */
export const placeIn = (run: JoinedRun, { source, row }: Record<'source' | 'row', number>): RowPlace => ({
  source: run.sources[source]?.name ?? '',
  row,
})
