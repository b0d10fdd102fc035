import type { Clock } from '../../model/clock.ts'
import type { Describe } from '../../model/problem.ts'
import type { RowPlace } from '../../model/row.ts'
import type { Opening } from '../../store/files/lines.ts'
import type { LockOptions } from '../../store/files/lock.ts'
import type { Database } from './database.ts'

/** Settings of a worker. */
export interface LedgerSettings {
  readonly clock: Clock
  readonly describe: Describe
  readonly id: string
  /** Its name for people. */
  readonly worker: string
  /** The name of the import; it need not be a file name. */
  readonly name: string
  readonly leaseS: number
  /** The longest that an attempt of a call takes. */
  readonly attemptS: number
  /** Rows in doubt are sent again. */
  readonly resendsDoubts: boolean
  readonly spoolFolder: string
  /** The lock of a spool. */
  readonly lock: Pick<LockOptions, 'holder' | 'timeoutMs'>
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

/** The run that a worker takes part in. */
export interface JoinedRun extends LedgerImport {
  readonly id: number
  readonly sources: readonly SourceVersion[]
  readonly rows: number
  /** Rows of the last run that read its sources to their end. */
  readonly lastRows: number | undefined
  /** The opening of the run before, for the worker that begins this one. */
  readonly before?: Opening | undefined
}

/** Returns the place of a row whose source goes by its position. */
export const placeIn = (run: JoinedRun, { source, row }: Record<'source' | 'row', number>): RowPlace => ({
  source: run.sources[source]?.name ?? '',
  row,
})
