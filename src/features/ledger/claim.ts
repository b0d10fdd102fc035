import { isContentKey, replacedName } from '../../model/content-key.ts'
import type { RowIdentity, RowPlace } from '../../model/row.ts'
import { Checkpoint } from '../../store/files/checkpoint.ts'
import type { ResultLine } from '../../store/files/lines.ts'
import type { Chunk } from './chunk-reader.ts'
import { type CallEntry, doubtOpenIntents } from './entries.ts'
import { digestOf } from './query.ts'
import { type JoinedRun, type LedgerSettings, placeIn } from './run.ts'

/**
 * Takes the first chunk of the wave that nobody holds, if there is one. The calls of its last worker are in doubt. `held` are those that
 * lanes of this worker have: their leases may be over, as after a sleep, but two lanes with one chunk would mix up their calls.
 */
export function claimChunk(
  run: JoinedRun,
  worker: LedgerSettings,
  known: KnownRows,
  held: readonly number[],
): Promise<ClaimedChunk | undefined> {
  const lease = leaseFromNow(worker)
  return run.database.transaction(async query => {
    const [chunk] = await query<ChunkRow>(
      `SELECT c.no, c.source, c.at, c.first_row AS "firstRow", c.first_line AS "firstLine", c.rows, c.epoch + 1 AS epoch,
              c.wave, r.is_last_wave AS "isLastWave"
         FROM rowlift.run r JOIN rowlift.chunk c ON c.run = r.id AND c.wave = r.wave
        WHERE r.id = $1 AND NOT c.is_done AND (c.lease IS NULL OR c.lease < clock_timestamp()) AND c.no <> ALL($2)
        ORDER BY c.no LIMIT 1 FOR UPDATE OF c SKIP LOCKED`,
      [run.id, held],
    )
    if (chunk === undefined) return undefined
    const isFirst = chunk.epoch === 1 && chunk.wave === 0
    if (!isFirst) await doubtOpenIntents(query, run, chunk.no)
    await query(
      `UPDATE rowlift.chunk SET epoch = $3, lease = clock_timestamp() + make_interval(secs => $4), worker = $5, attempt_s = $6
        WHERE run = $1 AND no = $2`,
      [run.id, chunk.no, chunk.epoch, worker.leaseS, worker.id, worker.attemptS],
    )
    const claimed = claimedChunk(run, chunk, lease, known)
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
  left: number
  readonly unlogged: Record<string, number>
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

export interface ChunkRow extends Chunk {
  readonly no: number
  readonly epoch: number
  readonly wave: number
  /** Rows that still wait for another one have no hope. */
  readonly isLastWave: boolean
}

/** The state of a row in the ledger, when its chunk was claimed. */
interface KnownRow {
  readonly claim: ClaimedChunk
  readonly name: string
  /** The last line that the worker has seen; a call goes out only while there is no later one. */
  readonly seq: number | null
  /** Another row of this run that owns the key. */
  readonly sameAs: RowPlace | undefined
}

/** The rows of all chunks of a worker that were asked about. */
export class KnownRows extends WeakMap<RowIdentity, KnownRow> {
  of(identity: RowIdentity): KnownRow {
    const known = this.get(identity)
    if (known === undefined) throw new Error('a row that the ledger was not asked about')
    return known
  }
}

export type ClaimedChunk = ReturnType<typeof claimedChunk>

/**
 * A chunk that this worker holds until its lease ends, and the checkpoint of its rows: what earlier runs, and other workers of this
 * one, made of them.
 */
function claimedChunk(run: JoinedRun, chunk: ChunkRow, lease: Lease, known: KnownRows) {
  const addedLines = new Set<number>()
  const claim = Object.assign(new Checkpoint(), {
    ...{ chunk, lease, isLost: false },
    /** Rows that have their line, and are not looked at again. */
    accounted: new Set<number>(),
    /** Asks about rows before they are looked at. */
    async load(identities: readonly RowIdentity[]): Promise<void> {
      const entries = await run.database.query<CallEntry>(
        `SELECT e.name, e.state, e.run, e.source, e.row, e.line AS seq, l.line
           FROM rowlift.entry e LEFT JOIN rowlift.line l ON l.seq = e.line
          WHERE e.import = $1 AND e.name = ANY($2) ORDER BY e.line`,
        [run.importId, identities.flatMap(namesOf)],
      )
      for (const { seq, line } of entries)
        if (seq !== null && line !== null && !addedLines.has(seq)) {
          addedLines.add(seq)
          claim.add(JSON.parse(line) as ResultLine)
        }
      const byName = new Map(entries.map(entry => [entry.name, entry]))
      for (const identity of identities) {
        const name = digestOf(identity.key)
        const entry = byName.get(name)
        const isOwn = entry?.source === chunk.source && entry.row === identity.row
        const isTaken = entry?.run === run.id && entry.state !== 'f' && !isOwn
        const sameAs = isTaken ? placeIn(run, entry) : undefined
        known.set(identity, { claim, name, seq: entry?.seq ?? null, sameAs })
      }
    },
  })
  return claim
}

/** Returns the key, and the name in rejects files: a row that came back from one has its record by that. */
function namesOf(identity: RowIdentity): string[] {
  const { key } = identity
  const replaced = replacedName(identity)
  return replaced === key || isContentKey(key) ? [digestOf(key)] : [digestOf(key), digestOf(replaced)]
}

/** A worker stops using a lease this share of its time before it ends. */
const marginShare = 0.2

type Lease = ReturnType<typeof leaseFromNow>

/**
 * The lease of a chunk as the worker's own clocks see it, counted from before the database is asked. One clock may stand still while
 * the machine sleeps, the other may be set.
 */
export function leaseFromNow({ clock, leaseS }: Pick<LedgerSettings, 'clock' | 'leaseS'>) {
  const usableMs = leaseS * 1000 * (1 - marginShare)
  const [elapsedMs, wallMs] = [clock.elapsedMs(), clock.now().getTime()]
  const spentMs = () => Math.max(clock.elapsedMs() - elapsedMs, clock.now().getTime() - wallMs)
  /** Checks whether a call may start now. */
  return { isLive: () => spentMs() < usableMs }
}
