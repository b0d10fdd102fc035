import type { Clock } from '../../model/clock.ts'
import type { Describe } from '../../model/problem.ts'
import type { Chunk, RowIdentity, RowPlace } from '../../model/row.ts'
import type { Database, Query } from './database.ts'
import { Lease } from './lease.ts'
import { LedgerPast } from './past.ts'
import type { JoinedRun } from './registration.ts'
import { doubtOpenIntents } from './takeover.ts'

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

/** The chunks that a worker holds, and the chunk of each row that it asked for. */
export interface WorkerChunks {
  readonly held: Set<ClaimedChunk>
  readonly owners: WeakMap<RowIdentity, ClaimedChunk>
}

interface ChunkRow {
  readonly no: number
  readonly source: number
  readonly at: number
  readonly first_row: number
  readonly first_line: number
  readonly rows: number
  readonly epoch: number
}

/** Takes the first chunk of the wave that nobody holds; undefined where there is none. The calls of its last worker are in doubt. */
export async function claimChunk(
  database: Database,
  run: JoinedRun,
  worker: WorkerSettings,
  chunks: WorkerChunks,
): Promise<ClaimedChunk | undefined> {
  const since = Lease.instant(worker.clock)
  const claimed = await database.transaction(async query => {
    const [chunk] = await query<ChunkRow & { wave: number; is_last_wave: boolean }>(
      `SELECT c.no, c.source, c.at, c.first_row, c.first_line, c.rows, c.epoch + 1 AS epoch, c.wave, r.is_last_wave
         FROM rowlift.run r JOIN rowlift.chunk c ON c.run = r.id AND c.wave = r.wave
        WHERE r.id = $1 AND NOT c.is_done AND (c.lease IS NULL OR c.lease < clock_timestamp())
        ORDER BY c.no LIMIT 1 FOR UPDATE OF c SKIP LOCKED`,
      [run.id],
    )
    if (chunk === undefined) return undefined
    const isFirst = chunk.epoch === 1 && chunk.wave === 0
    if (!isFirst) {
      const whose = { importId: run.importId, run: run.id, chunk: chunk.no, record: run.opening.record }
      await doubtOpenIntents(query, whose, worker.describe)
    }
    await query(
      `UPDATE rowlift.chunk SET epoch = $3, lease = clock_timestamp() + make_interval(secs => $4), worker = $5, attempt_s = $6
        WHERE run = $1 AND no = $2`,
      [run.id, chunk.no, chunk.epoch, worker.leaseS, worker.id, worker.attemptS],
    )
    return {
      chunk,
      accounted: isFirst ? new Set<number>() : await accountedRows(query, run, chunk.no, worker),
    }
  })
  if (claimed === undefined) return undefined
  const lease = new Lease(worker.clock, worker.leaseS, since)
  return new ClaimedChunk(database.query, run, { ...claimed, lease, chunks })
}

/** The rows of a chunk that have a line in this run; those in doubt only where they are not sent again. */
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

interface Claimed {
  readonly chunk: ChunkRow & { readonly is_last_wave: boolean }
  readonly accounted: ReadonlySet<number>
  readonly lease: Lease
  readonly chunks: WorkerChunks
}

/** A chunk that this worker holds, until its lease ends. */
export class ClaimedChunk {
  readonly place: Chunk
  readonly no: number
  readonly epoch: number
  /** Rows that still wait for another one have no hope. */
  readonly isLastWave: boolean
  readonly past: LedgerPast
  readonly lease: Lease
  isLost = false
  readonly #query: Query
  readonly #run: JoinedRun
  readonly #accounted: ReadonlySet<number>
  readonly #chunks: WorkerChunks

  constructor(query: Query, run: JoinedRun, { chunk, accounted, lease, chunks }: Claimed) {
    this.#query = query
    this.#run = run
    this.no = chunk.no
    this.epoch = chunk.epoch
    this.isLastWave = chunk.is_last_wave
    this.lease = lease
    this.#accounted = accounted
    this.#chunks = chunks
    chunks.held.add(this)
    this.place = {
      source: chunk.source,
      at: chunk.at,
      firstRow: chunk.first_row,
      firstLine: chunk.first_line,
      rows: chunk.rows,
    }
    const names = run.sources.map(({ name }) => name)
    this.past = new LedgerPast(query, { importId: run.importId, run: run.id, source: chunk.source, names })
  }

  /** Asks for rows of this chunk before they are looked at. */
  async load(identities: readonly RowIdentity[]): Promise<void> {
    await this.past.load(identities)
    for (const identity of identities) this.#chunks.owners.set(identity, this)
  }

  get source(): number {
    return this.place.source
  }

  /** The row has its line: it is not looked at again. */
  isAccounted(row: number): boolean {
    return this.#accounted.has(row)
  }

  /** Another row of this run that owns the key of this one. */
  ownerOf(identity: RowIdentity): RowPlace | undefined {
    return this.past.of(identity).sameAs
  }

  /**
   * Every row was looked at: the chunk is done, or what is left of it comes again in the next wave. With an open intent it is not
   * done, and its next claim puts the row in doubt.
   */
  async end(left: number, unlogged: Readonly<Record<string, number>>): Promise<void> {
    await this.#update(
      `is_done = $4 AND NOT EXISTS (SELECT FROM rowlift.entry WHERE run = $1 AND chunk = $2 AND state = 'o'),
       wave = wave + (NOT $4)::int, rows_left = $5, unlogged = $6, lease = NULL, worker = NULL`,
      [left === 0, left, JSON.stringify(unlogged)],
    )
  }

  /** Leaves the rest to any other worker. */
  release(): Promise<void> {
    return this.#update('lease = NULL, worker = NULL', [])
  }

  async #update(set: string, values: readonly unknown[]): Promise<void> {
    this.#chunks.held.delete(this)
    const { id } = this.#run
    const isHeld = 'run = $1 AND no = $2 AND epoch = $3 AND lease IS NOT NULL' // once, also where the answer is lost
    await this.#query(`UPDATE rowlift.chunk SET ${set} WHERE ${isHeld}`, [
      ...[id, this.no, this.epoch],
      ...values,
    ])
  }
}
