// How a wave and a run end, and the totals of a run.
import { closingLine } from '../../store/files/lines.ts'
import type { JoinedRun } from './run.ts'

/**
 * If no chunk of the wave is free: begins the next wave once this one is over, or ends the run. Rows whose parent was not there
 * yet come again; a wave that settled none of them is followed by the last.
 */
export async function endWave(
  run: JoinedRun,
  now: () => Date,
): Promise<'wait' | 'next_wave' | 'finished' | 'given_up'> {
  const { query } = run.database
  // chunks of this wave that are not done, and the rows of those that wait for the next one
  const [wave] = await query<{ no: number; open: number; rows_left: number }>(
    `SELECT r.wave AS no, count(*) FILTER (WHERE c.wave = r.wave) AS open,
            coalesce(sum(c.rows_left) FILTER (WHERE c.wave > r.wave), 0)::bigint AS rows_left
       FROM rowlift.run r JOIN rowlift.chunk c ON c.run = r.id AND NOT c.is_done WHERE r.id = $1 GROUP BY r.id`,
    [run.id],
  )
  if (wave === undefined) return (await endRun(run, now)) ? 'finished' : 'given_up'
  if (wave.open > 0) return 'wait'
  await query(
    `UPDATE rowlift.run SET wave = wave + 1, is_last_wave = coalesce($3 >= rows_left, false), rows_left = $3
      WHERE id = $1 AND wave = $2`,
    [run.id, wave.no, wave.rows_left],
  )
  return 'next_wave'
}

/** The worker that sees it first writes the closing line. Without one the run was given up for a new one, or dropped. */
async function endRun(run: JoinedRun, now: () => Date): Promise<boolean> {
  const { query } = run.database
  const { rows, byStatus } = await readTotals(run)
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

/** The rows of a run by what became of them: those with a line, and those of finished chunks without one. */
export interface RunTotals {
  readonly rows: number
  /** Rows by status, as in the result log; and `done`, `held`, `left_out` and others that have no line. */
  readonly byStatus: Readonly<Record<string, number>>
  /** Rows without a line, which `byStatus` has too. */
  readonly unlogged: Readonly<Record<string, number>>
  /** Rows of all runs that are in doubt now. */
  readonly inDoubt: number
}

const mostMs = 600_000

export async function readTotals({
  database: { query },
  importId,
  id,
  rows,
}: Pick<JoinedRun, 'database' | 'importId' | 'id' | 'rows'>): Promise<RunTotals> {
  const lines = await query<{ status: string; count: number }>(
    `SELECT status, count(*) FROM (
       SELECT DISTINCT ON (chunk, row) status FROM rowlift.line WHERE run = $1 AND chunk IS NOT NULL ORDER BY chunk, row, seq DESC
     ) AS last GROUP BY status`,
    [id],
    mostMs, // of ten million lines
  )
  const without = await query<{ status: string; count: number }>(
    `SELECT key AS status, sum(value::bigint)::bigint AS count FROM rowlift.chunk, jsonb_each_text(unlogged)
      WHERE run = $1 GROUP BY key`,
    [id],
  )
  const [doubts] = await query<{ all: number; of_run: number }>(
    `SELECT count(*) AS all, count(*) FILTER (WHERE run = $2) AS of_run FROM rowlift.entry WHERE import = $1 AND state = 'd'`,
    [importId, id],
  )
  const byStatus: Record<string, number> = {}
  for (const { status, count } of [...lines, ...without]) byStatus[status] = (byStatus[status] ?? 0) + count
  byStatus.in_doubt = doubts?.of_run ?? 0 // the line of a doubt that was settled since counts no more
  const unlogged = Object.fromEntries(without.map(({ status, count }) => [status, count]))
  return { rows, byStatus, unlogged, inDoubt: doubts?.all ?? 0 }
}
