// The progress of a run: its totals, how a wave and a run end, and the whole of an import for those who look at it.
import { LockError } from '../../model/errors.ts'
import { withChecksum } from '../../store/files/checksum.ts'
import { inDoubt } from './entries.ts'
import type { JoinedRun, LedgerImport, LedgerSettings, RunTotals } from './run.ts'

/**
 * Begins the next wave once this one is over, or ends the run, if no chunk of the wave is free. Rows whose parent was not there
 * yet come again; a wave that settled none of them is followed by the last. Throws a LockError once the run was given up.
 */
export async function endWave(
  run: JoinedRun,
  settings: LedgerSettings,
): Promise<'wait' | 'next_wave' | 'finished'> {
  const { query } = run.database
  // chunks of this wave that are not done, and the rows of those that wait for the next one
  const [wave] = await query<{ no: number; open: number; rows_left: number }>(
    `SELECT r.wave AS no, count(*) FILTER (WHERE c.wave = r.wave) AS open,
            coalesce(sum(c.rows_left) FILTER (WHERE c.wave > r.wave), 0)::bigint AS rows_left
       FROM rowlift.run r JOIN rowlift.chunk c ON c.run = r.id AND NOT c.is_done WHERE r.id = $1 GROUP BY r.id`,
    [run.id],
  )
  if (wave === undefined) return endRun(run, settings)
  if (wave.open > 0) return 'wait'
  await query(
    `UPDATE rowlift.run SET wave = wave + 1, is_last_wave = coalesce($3 >= rows_left, false), rows_left = $3
      WHERE id = $1 AND wave = $2`,
    [run.id, wave.no, wave.rows_left],
  )
  return 'next_wave'
}

/** The worker that sees it first writes the closing line. Without one the run was given up for a new one, or dropped. */
async function endRun(run: JoinedRun, { clock, unmetIn }: LedgerSettings): Promise<'finished'> {
  const { query, name: ledger } = run.database
  const totals = await readTotals(run)
  const { rows, byStatus } = totals
  const counts = Object.fromEntries(Object.entries(byStatus).filter(([, count]) => count > 0))
  const all = { rows: rows - (byStatus.left_out ?? 0), ...counts }
  const closing = withChecksum(
    JSON.stringify({
      run: run.opening.run,
      at: clock.now(),
      ended: all,
      unmet: unmetIn(totals, run.lastRows),
    }),
  )
  await query(
    'UPDATE rowlift.run SET ended = clock_timestamp(), closing = $2 WHERE id = $1 AND ended IS NULL',
    [run.id, closing],
  )
  const ended = await query('SELECT FROM rowlift.run WHERE id = $1 AND closing IS NOT NULL', [run.id])
  if (ended.length === 0) throw new LockError('ledger_run_over', { ledger, import: run.name })
  return 'finished'
}

const mostMs = 600_000

type CountedRun = Pick<JoinedRun, 'database' | 'importId' | 'id' | 'rows'>

export async function readTotals({ database, importId, id, rows }: CountedRun): Promise<RunTotals> {
  const { query } = database
  const counts = await query<{ status: string; count: number; has_line: boolean }>(
    `WITH last AS (
       SELECT DISTINCT ON (chunk, row) status, line LIKE '%,"unclear_attempts":%' AS is_unclear
         FROM rowlift.line WHERE run = $1 AND chunk IS NOT NULL ORDER BY chunk, row, seq DESC)
     SELECT status, count(*), true AS has_line FROM last GROUP BY status
     UNION ALL
     SELECT 'unclear', count(*), true FROM last WHERE is_unclear HAVING count(*) > 0
     UNION ALL
     SELECT key, sum(value::bigint)::bigint, false FROM rowlift.chunk, jsonb_each_text(unlogged) WHERE run = $1 GROUP BY key`,
    [id],
    mostMs, // of ten million lines
  )
  const [doubts] = await query<{ all: number; of_run: number }>(
    `SELECT count(*) AS all, count(*) FILTER (WHERE run = $2) AS of_run FROM rowlift.entry WHERE import = $1 AND ${inDoubt}`,
    [importId, id],
  )
  const byStatus: Record<string, number> = {}
  for (const { status, count } of counts) byStatus[status] = (byStatus[status] ?? 0) + count
  byStatus.in_doubt = doubts?.of_run ?? 0 // the line of a doubt that was settled since counts no more
  const without = counts.filter(({ has_line }) => !has_line)
  const unlogged = Object.fromEntries(without.map(({ status, count }) => [status, count]))
  return { rows, byStatus, unlogged, inDoubt: doubts?.all ?? 0 }
}

/** An import and its last run as they are now, by the clock of the database. */
export interface ImportOverview extends Pick<RunTotals, 'rows' | 'byStatus' | 'inDoubt'> {
  readonly run: string
  /** The number of runs that the import has, this one included. */
  readonly runs: number
  readonly wave: number
  readonly began: string
  readonly ended: string | null
  readonly callsUnderWay: number
  readonly chunks: Readonly<Record<'done' | 'underWay' | 'free' | 'later', number>>
  readonly workers: readonly WorkerFacts[]
  /** The time for which no call starts. */
  readonly heldForS: number
  /** The number of times that a worker was asked to slow down. */
  readonly cuts: number
}

/** `rows` were settled, `chunks` are held; `statementMs` is how long its statements took, with the way to the database. */
interface WorkerFacts
  extends Readonly<
    Record<'workedForS' | 'seenAgoS' | 'rows' | 'chunks' | 'commits' | 'statementMs', number>
  > {
  readonly name: string
  readonly since: string
  /** Set for a worker that was silent for longer than its lease. */
  readonly isGone: boolean
}

const seconds = (time: string) => `extract(epoch FROM ${time})::float`
const utc = (time: string) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const overview = `
WITH r AS (SELECT * FROM rowlift.run WHERE import = $1 ORDER BY id DESC LIMIT 1),
c AS (SELECT c.no, c.worker, coalesce(c.lease > clock_timestamp(), false) AS is_held, c.wave > r.wave AS is_later, c.is_done
        FROM rowlift.chunk c JOIN r ON c.run = r.id),
w AS (SELECT w.*, ${seconds('clock_timestamp() - seen')} AS ago, ${seconds('seen - since')} AS worked,
             (SELECT count(*) FROM c WHERE NOT is_done AND is_held AND c.worker = w.id) AS chunks
        FROM rowlift.worker w, r WHERE w.import = $1 AND w.seen >= r.registered)
SELECT r.id, r.run, r.rows, r.wave, ${utc('r.registered')} AS began, ${utc('r.ended')} AS ended,
  (SELECT count(*) FROM rowlift.run WHERE import = $1) AS runs,
  (SELECT count(*) FROM c JOIN rowlift.entry e ON e.run = r.id AND e.chunk = c.no AND e.state = 'o' WHERE NOT c.is_done) AS "callsUnderWay",
  (SELECT json_build_object(
     'done', count(*) FILTER (WHERE is_done), 'underWay', count(*) FILTER (WHERE NOT is_done AND is_held),
     'free', count(*) FILTER (WHERE NOT is_done AND NOT is_held AND NOT is_later),
     'later', count(*) FILTER (WHERE NOT is_done AND NOT is_held AND is_later)) FROM c) AS chunks,
  (SELECT coalesce(json_agg(json_build_object(
     'name', name, 'since', ${utc('since')}, 'workedForS', worked, 'seenAgoS', ago, 'isGone', ago > lease_s,
     'rows', rows, 'chunks', chunks,
     'commits', commits, 'statementMs', statement_ms) ORDER BY since, id), '[]') FROM w) AS workers,
  greatest(0, ${seconds('p.held_until - clock_timestamp()')}) AS "heldForS", coalesce(p.cuts, 0) AS cuts
  FROM r LEFT JOIN rowlift.pace p ON p.import = $1`

/** Reads an overview; waits while the database is away. Throws a LogError. */
export async function readOverview(imported: LedgerImport): Promise<ImportOverview> {
  const [row] = await imported.database.query<ImportOverview & { id: number }>(overview, [imported.importId])
  if (row === undefined) throw new Error('the import was dropped')
  const { id, ...rest } = row
  const { byStatus, inDoubt } = await readTotals({ ...imported, id, rows: rest.rows })
  return { ...rest, byStatus, inDoubt }
}
