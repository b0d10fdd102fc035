import type { Clock } from '../../model/clock.ts'
import type { Describe } from '../../model/problem.ts'
import type { Chunk } from '../../model/row.ts'
import { type OrphanedCall, orphanDoubt, orphanLine } from '../../store/files/lines.ts'
import type { Database } from './database.ts'
import { LedgerPast } from './past.ts'
import { columnsOf, type Query } from './query.ts'
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

interface ChunkRow extends Chunk {
  readonly no: number
  readonly epoch: number
  readonly wave: number
  /** Rows that still wait for another one have no hope. */
  readonly isLastWave: boolean
}

/** Takes the first chunk of the wave that nobody holds, if there is one. The calls of its last worker are in doubt. */
export async function claimChunk(
  database: Database,
  run: JoinedRun,
  worker: WorkerSettings,
): Promise<ClaimedChunk | undefined> {
  const since = Lease.instant(worker.clock)
  const claimed = await database.transaction(async query => {
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
    if (!isFirst) await doubtOpenIntents(query, run, chunk.no, worker.describe)
    await query(
      `UPDATE rowlift.chunk SET epoch = $3, lease = clock_timestamp() + make_interval(secs => $4), worker = $5, attempt_s = $6
        WHERE run = $1 AND no = $2`,
      [run.id, chunk.no, chunk.epoch, worker.leaseS, worker.id, worker.attemptS],
    )
    const accounted = isFirst ? new Set<number>() : await accountedRows(query, run, chunk.no, worker)
    return { chunk, accounted, lease: new Lease(worker.clock, worker.leaseS, since) }
  })
  return claimed && new ClaimedChunk(database.query, run, claimed)
}

/** Returns the rows of a chunk that have a line in this run; if rows in doubt are sent again, without those. */
async function accountedRows(
  query: Query,
  { id, importId }: JoinedRun,
  chunk: number,
  { resendsDoubts }: WorkerSettings,
): Promise<Set<number>> {
  const rows = await query<{ row: number }>(
    `SELECT DISTINCT row FROM rowlift.line WHERE run = $1 AND chunk = $2
     EXCEPT SELECT row FROM rowlift.entry WHERE $3 AND import = $4 AND state = 'd' AND run = $1 AND chunk = $2`,
    [id, chunk, resendsDoubts, importId],
  )
  return new Set(rows.map(({ row }) => row))
}

/** A worker that was stopped in the middle of a call needs a moment more than the call may take. */
const marginS = 5

interface OpenIntent {
  readonly name: Buffer
  readonly chunk: number
  readonly row: number
  readonly intent: string
}

/**
 * Puts the calls that another worker may have under way in doubt: those of a chunk, in the transaction that takes it, or of the whole
 * run. Until `held_until` that worker may still hold such a call.
 */
export async function doubtOpenIntents(
  query: Query,
  { importId, id: run, opening: { record } }: JoinedRun,
  chunk: number | undefined,
  describe: Describe,
): Promise<void> {
  const open = await query<OpenIntent>(
    `SELECT name, chunk, row, intent FROM rowlift.entry
      WHERE import = $1 AND run = $2 AND state = 'o' AND ($3::int IS NULL OR chunk = $3) ORDER BY name FOR UPDATE`,
    [importId, run, chunk],
  )
  if (open.length === 0) return
  const lines = open.map(({ intent }) =>
    orphanLine(orphanDoubt(JSON.parse(intent) as OrphanedCall, record), describe),
  )
  await query(
    `WITH doubt AS (SELECT * FROM unnest($3::bytea[], $4::int[], $5::int[], $6::text[]) AS u(name, chunk, row, line)),
     put AS (
       UPDATE rowlift.entry e SET state = 'd', intent = NULL,
         line = nextval('rowlift.line_seq_seq'),
         held_until = clock_timestamp() + make_interval(secs => ${marginS} + coalesce(
           (SELECT attempt_s FROM rowlift.chunk c WHERE c.run = $2 AND c.no = e.chunk), 0))
        FROM doubt WHERE e.import = $1 AND e.name = doubt.name RETURNING e.name, e.line)
     INSERT INTO rowlift.line (seq, run, chunk, row, status, line) OVERRIDING SYSTEM VALUE
     SELECT put.line, $2, doubt.chunk, doubt.row, 'in_doubt', doubt.line FROM put JOIN doubt USING (name)`,
    [importId, run, ...columnsOf(open, ['name', 'chunk', 'row']), lines],
  )
}

interface Claimed {
  readonly chunk: ChunkRow
  readonly accounted: ReadonlySet<number>
  readonly lease: Lease
}

/** A chunk that this worker holds, until its lease ends. */
export class ClaimedChunk {
  readonly chunk: ChunkRow
  readonly past: LedgerPast
  readonly lease: Lease
  isLost = false
  readonly #query: Query
  readonly #run: number
  readonly #accounted: ReadonlySet<number>

  constructor(query: Query, run: JoinedRun, { chunk, accounted, lease }: Claimed) {
    this.chunk = chunk
    this.past = new LedgerPast(query, run, chunk.source)
    this.lease = lease
    this.#query = query
    this.#run = run.id
    this.#accounted = accounted
  }

  /** Whether the row has its line: it is not looked at again. */
  isAccounted(row: number): boolean {
    return this.#accounted.has(row)
  }

  /**
   * Every row was looked at: the chunk is done, or what is left of it comes again in the next wave. With an open intent it is not
   * done, and its next claim puts the row in doubt.
   */
  end(left: number, unlogged: Readonly<Record<string, number>>): Promise<void> {
    return this.#free(
      `, is_done = $4 AND NOT EXISTS (SELECT FROM rowlift.entry WHERE run = $1 AND chunk = $2 AND state = 'o'),
       wave = wave + (NOT $4)::int, rows_left = $5, unlogged = $6`,
      [left === 0, left, JSON.stringify(unlogged)],
    )
  }

  /** Leaves the rest to any other worker. */
  release(): Promise<void> {
    return this.#free('', [])
  }

  async #free(set: string, values: readonly unknown[]): Promise<void> {
    const isHeld = 'run = $1 AND no = $2 AND epoch = $3 AND lease IS NOT NULL' // once, even if the answer is lost
    const sql = `UPDATE rowlift.chunk SET lease = NULL, worker = NULL${set} WHERE ${isHeld}`
    await this.#query(sql, [this.#run, this.chunk.no, this.chunk.epoch, ...values])
  }
}

/** A time on both clocks of this machine: one may stand still while it sleeps, the other may be set. */
interface Instant {
  readonly elapsedMs: number
  readonly wallMs: number
}

/** A worker stops using a lease this share of its time before it ends. */
const marginShare = 0.2

/** The lease of a chunk as the worker's own clocks see it, counted from before it was asked for. */
export class Lease {
  readonly #clock: Clock
  readonly #usableMs: number
  #since: Instant

  constructor(clock: Clock, leaseS: number, since: Instant) {
    this.#clock = clock
    this.#usableMs = leaseS * 1000 * (1 - marginShare)
    this.#since = since
  }

  static instant = (clock: Clock): Instant => ({
    elapsedMs: clock.elapsedMs(),
    wallMs: clock.now().getTime(),
  })

  /** Whether a call may start now. */
  get isLive(): boolean {
    const { elapsedMs, wallMs } = Lease.instant(this.#clock)
    return Math.max(elapsedMs - this.#since.elapsedMs, wallMs - this.#since.wallMs) < this.#usableMs
  }

  renewed(since: Instant): void {
    this.#since = since
  }
}
