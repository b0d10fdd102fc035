import type { RowPlace } from '../../model/row.ts'
import type { Opening } from '../../store/files/lines.ts'
import type { Database } from './database.ts'

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
}

/** Returns the place of a row whose source goes by its position. */
export const placeIn = (run: JoinedRun, { source, row }: Record<'source' | 'row', number>): RowPlace => ({
  source: run.sources[source]?.name ?? '',
  row,
})
