import type { RowPlace } from '../../model/row.ts'
import { closingLine, type Opening } from '../../store/files/lines.ts'
import type { Database } from './database.ts'
import { readTotals } from './overview.ts'

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
export interface JoinedRun {
  readonly importId: number
  readonly id: number
  readonly opening: Opening
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

interface WaveRow {
  readonly wave: number
  /** Chunks of this wave that are not done, and the rows of those that wait for the next one. */
  readonly open: number
  readonly rows_left: number
}

/**
 * If no chunk of the wave is free: begins the next wave once this one is over, or ends the run. Rows whose parent was not there
 * yet come again; a wave that settled none of them is followed by the last.
 */
export async function endWave(
  database: Database,
  run: JoinedRun,
  now: () => Date,
): Promise<'wait' | 'next_wave' | 'finished' | 'given_up'> {
  const [found] = await database.query<WaveRow>(
    `SELECT r.wave, count(*) FILTER (WHERE c.wave = r.wave) AS open,
            coalesce(sum(c.rows_left) FILTER (WHERE c.wave > r.wave), 0)::bigint AS rows_left
       FROM rowlift.run r JOIN rowlift.chunk c ON c.run = r.id AND NOT c.is_done WHERE r.id = $1 GROUP BY r.id`,
    [run.id],
  )
  if (found === undefined) return (await endRun(database, run, now)) ? 'finished' : 'given_up'
  if (found.open > 0) return 'wait'
  await database.query(
    `UPDATE rowlift.run SET wave = wave + 1, is_last_wave = coalesce($3 >= rows_left, false), rows_left = $3
      WHERE id = $1 AND wave = $2`,
    [run.id, found.wave, found.rows_left],
  )
  return 'next_wave'
}

/** The worker that sees it first writes the closing line. Without one the run was given up for a new one, or dropped. */
async function endRun({ query }: Database, run: JoinedRun, now: () => Date): Promise<boolean> {
  const { rows, byStatus } = await readTotals(query, run)
  const { left_out = 0 } = byStatus
  const counts = Object.fromEntries(Object.entries(byStatus).filter(([, count]) => count > 0))
  const closing = closingLine(run.opening.run, now(), { rows: rows - left_out, ...counts })
  await query(
    'UPDATE rowlift.run SET ended = clock_timestamp(), closing = $2 WHERE id = $1 AND ended IS NULL',
    [run.id, closing],
  )
  const ended = await query('SELECT FROM rowlift.run WHERE id = $1 AND closing IS NOT NULL', [run.id])
  return ended.length > 0
}
