import type { LedgerImport } from './run.ts'
import { readTotals } from './wave.ts'

/** An import and its last run as they are now, by the clock of the database. */
export interface ImportOverview {
  readonly run: string
  /** How many runs the import has, this one included. */
  readonly runs: number
  readonly wave: number
  readonly began: string
  readonly ended: string | null
  readonly rows: number
  /** Rows that came to an end. */
  readonly byStatus: Readonly<Record<string, number>>
  /** Rows of all runs that are in doubt. */
  readonly inDoubt: number
  readonly callsUnderWay: number
  readonly chunks: Readonly<Record<'done' | 'underWay' | 'free' | 'later', number>>
  readonly workers: readonly WorkerFacts[]
  /** How long no call starts. */
  readonly heldForS: number
  /** How often a worker was asked to slow down. */
  readonly cuts: number
}

interface WorkerFacts {
  readonly name: string
  readonly since: string
  /** Until it was last heard of. */
  readonly workedForS: number
  readonly seenAgoS: number
  /** Not heard of for longer than its lease. */
  readonly isGone: boolean
  /** How many it settled. */
  readonly rows: number
  readonly chunks: number
}

const seconds = (time: string) => `extract(epoch FROM ${time})::float`
const utc = (time: string) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const overview = `
WITH r AS (SELECT * FROM rowlift.run WHERE import = $1 ORDER BY id DESC LIMIT 1),
c AS (SELECT c.worker, coalesce(c.lease > clock_timestamp(), false) AS is_held, c.wave > r.wave AS is_later, c.is_done
        FROM rowlift.chunk c JOIN r ON c.run = r.id),
w AS (SELECT w.*, ${seconds('clock_timestamp() - seen')} AS ago, ${seconds('seen - since')} AS worked,
             (SELECT count(*) FROM c WHERE NOT is_done AND is_held AND c.worker = w.id) AS chunks
        FROM rowlift.worker w, r WHERE w.import = $1 AND w.seen >= r.registered)
SELECT r.id, r.run, r.rows, r.wave, ${utc('r.registered')} AS began, ${utc('r.ended')} AS ended,
  (SELECT count(*) FROM rowlift.run WHERE import = $1) AS runs,
  (SELECT count(*) FROM rowlift.entry WHERE run = r.id AND state = 'o') AS "callsUnderWay",
  (SELECT json_build_object(
     'done', count(*) FILTER (WHERE is_done), 'underWay', count(*) FILTER (WHERE NOT is_done AND is_held),
     'free', count(*) FILTER (WHERE NOT is_done AND NOT is_held AND NOT is_later),
     'later', count(*) FILTER (WHERE NOT is_done AND NOT is_held AND is_later)) FROM c) AS chunks,
  (SELECT coalesce(json_agg(json_build_object(
     'name', name, 'since', ${utc('since')}, 'workedForS', worked, 'seenAgoS', ago, 'isGone', ago > lease_s,
     'rows', rows, 'chunks', chunks) ORDER BY since, id), '[]') FROM w) AS workers,
  greatest(0, ${seconds('p.held_until - clock_timestamp()')}) AS "heldForS", coalesce(p.cuts, 0) AS cuts
  FROM r LEFT JOIN rowlift.pace p ON p.import = $1`

/** It waits while the database is away. Throws a LogError. */
export async function readOverview(imported: LedgerImport): Promise<ImportOverview> {
  const [row] = await imported.database.query<ImportOverview & { id: number }>(overview, [imported.importId])
  if (row === undefined) throw new Error('the import was dropped')
  const { id, ...rest } = row
  const { byStatus, inDoubt } = await readTotals({ ...imported, id, rows: rest.rows })
  return { ...rest, byStatus, inDoubt }
}
