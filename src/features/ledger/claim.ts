import type { Clock } from '../../model/clock.ts'
import type { Describe } from '../../model/problem.ts'
import { type ChunkRow, ClaimedChunk, type KnownRows, leaseFromNow } from './claimed-chunk.ts'
import { doubtOpenIntents } from './entries.ts'
import type { JoinedRun } from './run.ts'

export interface WorkerSettings {
  readonly clock: Clock
  readonly describe: Describe
  readonly id: string
  readonly leaseS: number
  /** The longest that an attempt of a call takes. */
  readonly attemptS: number
  /** Rows in doubt are sent again. */
  readonly resendsDoubts: boolean
}

/** Takes the first chunk of the wave that nobody holds, if there is one. The calls of its last worker are in doubt. */
export function claimChunk(
  run: JoinedRun,
  worker: WorkerSettings,
  known: KnownRows,
): Promise<ClaimedChunk | undefined> {
  const lease = leaseFromNow(worker)
  return run.database.transaction(async query => {
    const [chunk] = await query<ChunkRow>(
      `SELECT c.no, c.source, c.at, c.first_row AS "firstRow", c.first_line AS "firstLine", c.rows, c.epoch + 1 AS epoch,
              c.wave, r.is_last_wave AS "isLastWave"
         FROM rowlift.run r JOIN rowlift.chunk c ON c.run = r.id AND c.wave = r.wave
        WHERE r.id = $1 AND NOT c.is_done AND (c.lease IS NULL OR c.lease < clock_timestamp())
        ORDER BY c.no LIMIT 1 FOR UPDATE OF c SKIP LOCKED`,
      [run.id],
    )
    if (chunk === undefined) return undefined
    const isFirst = chunk.epoch === 1 && chunk.wave === 0
    if (!isFirst) await doubtOpenIntents(query, run, worker.describe, chunk.no)
    await query(
      `UPDATE rowlift.chunk SET epoch = $3, lease = clock_timestamp() + make_interval(secs => $4), worker = $5, attempt_s = $6
        WHERE run = $1 AND no = $2`,
      [run.id, chunk.no, chunk.epoch, worker.leaseS, worker.id, worker.attemptS],
    )
    const claimed = new ClaimedChunk(run, chunk, lease, known)
    if (isFirst) return claimed
    // rows that have a line in this run; if rows in doubt are sent again, without those
    const accounted = await query<{ row: number }>(
      `SELECT DISTINCT row FROM rowlift.line WHERE run = $1 AND chunk = $2
       EXCEPT SELECT row FROM rowlift.entry WHERE $3 AND import = $4 AND state = 'd' AND run = $1 AND chunk = $2`,
      [run.id, chunk.no, worker.resendsDoubts, run.importId],
    )
    for (const { row } of accounted) claimed.accounted.add(row)
    return claimed
  })
}

/** Rows of a chunk that come again in the next wave, and those without a line by what became of them. */
export interface ChunkEnd {
  readonly left: number
  readonly unlogged: Readonly<Record<string, number>>
}

/**
 * Frees a chunk, once even if the answer is lost. With an `end` every row was looked at: the chunk is done, or what is left of it comes
 * again in the next wave. With an open intent it is not done, and its next claim puts the row in doubt.
 */
export async function freeChunk(run: JoinedRun, { no, epoch }: ChunkRow, end?: ChunkEnd): Promise<void> {
  await run.database.query(
    `UPDATE rowlift.chunk SET lease = NULL, worker = NULL, rows_left = coalesce($4, rows_left), unlogged = coalesce($5, unlogged),
       is_done = coalesce($4 = 0, false) AND NOT EXISTS (SELECT FROM rowlift.entry WHERE run = $1 AND chunk = $2 AND state = 'o'),
       wave = wave + coalesce($4 > 0, false)::int
      WHERE run = $1 AND no = $2 AND epoch = $3 AND lease IS NOT NULL`,
    [run.id, no, epoch, end?.left, end && JSON.stringify(end.unlogged)],
  )
}
