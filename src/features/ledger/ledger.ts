// The ledger: a PostgreSQL database in which workers on several machines share an import. Begin with `openDatabase` and
// `Ledger.join`; the tables are in schema.ts, the fence in fence.ts, and the takeover after a worker that died in claim.ts.
//
// A *chunk* is a part of a source that one worker holds at a time, under a *lease* and an *epoch*. A *wave* goes through all chunks once;
// rows that wait for a parent come again in the next one. A *lane* takes one chunk after the other; a worker has some side by side. The
// *fence* lets a call out only under the epoch of its chunk. A *spool* is a file for outcomes while the database is away.
import { every } from '../../model/clock.ts'
import { LockError } from '../../model/errors.ts'
import { isKnown, type Outcome } from '../../model/outcome.ts'
import type { RowIdentity } from '../../model/row.ts'
import type { Intents } from '../../model/store.ts'
import { endsCall, isLogged } from '../../store/files/lines.ts'
import { type ClaimedChunk, claimChunk, Lease, type WorkerSettings } from './claim.ts'
import type { Database } from './database.ts'
import { Fence } from './fence.ts'
import { Outcomes, type PendingOutcome } from './outcomes.ts'
import { readTotals, type Totals } from './overview.ts'
import { columnsOf } from './query.ts'
import { findReferred, type Referred } from './references.ts'
import { type AskedRun, joinRun } from './registration.ts'
import { endWave, type JoinedRun } from './run.ts'
import { adoptSpools, Spool, type SpoolSettings } from './spool.ts'

export interface LedgerSettings extends WorkerSettings, SpoolSettings {
  /** The name of this worker for people. */
  readonly worker: string
  readonly useCreated: boolean
  /** Called when leases cannot be renewed any more. */
  readonly onFailure: (error: unknown) => void
}

interface Unsafe {
  readonly pending: PendingOutcome
  /** Called once the outcome is on some disk. */
  readonly resolve: (outcome: Outcome) => void
}

/** A worker's part in one run of an import. */
export class Ledger {
  readonly run: JoinedRun
  readonly #database: Database
  readonly #settings: LedgerSettings
  readonly #fence: Fence
  readonly #outcomes: Outcomes
  readonly #spool: Spool
  /** The chunk in which each row was read. */
  readonly owners = new WeakMap<RowIdentity, ClaimedChunk>()
  readonly #held = new Set<ClaimedChunk>()
  /** Outcomes of calls that the database does not have yet. */
  readonly #unsafe = new Set<Unsafe>()
  readonly #stopHeartbeat: () => void
  #beating: Promise<void> | undefined
  #settledRows = 0

  private constructor(database: Database, run: JoinedRun, settings: LedgerSettings) {
    const { clock, leaseS } = settings
    this.run = run
    this.#database = database
    this.#settings = settings
    this.#spool = new Spool(settings)
    this.#outcomes = new Outcomes(database, run, settings)
    this.#fence = new Fence(database.query, run, {
      claimOf: identity => this.#claimOf(identity),
      now: clock.now,
      renew: () => this.#renewIfOver(),
    })
    database.onAway = () => {
      for (const each of this.#unsafe) this.#spoolOne(each)
    }
    const beat = () => void this.#beat().catch(settings.onFailure)
    this.#stopHeartbeat = every(clock, (leaseS * 1000) / beatsInLease, beat)
  }

  /** Takes part in an import: joins its run, or begins one. Throws a UsageError, LockError or LogError. */
  static async join(database: Database, asked: AskedRun, settings: LedgerSettings): Promise<Ledger> {
    const { id, worker, leaseS } = settings
    const run = await joinRun(database, settings.name, asked, settings.describe)
    await database.query(
      'INSERT INTO rowlift.worker (import, id, name, lease_s) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
      [run.importId, id, worker, leaseS],
    )
    const ledger = new Ledger(database, run, settings)
    const runs = await database.query('SELECT id, run FROM rowlift.run WHERE import = $1', [run.importId])
    const ours = new Set(runs.map(({ id, run }) => `${id} ${run}`))
    await adoptSpools(settings, {
      isOurs: pending => ours.has(`${pending.run} ${pending.runId}`),
      upload: pending => ledger.#outcomes.calls.add(pending),
    })
    return ledger
  }

  /** The next chunk; `wait` while other workers hold what is left of this wave. Throws a LockError once the run was given up. */
  async claim(): Promise<ClaimedChunk | 'wait' | 'finished'> {
    for (;;) {
      const claimed = await claimChunk(this.#database, this.run, this.#settings)
      if (claimed !== undefined) {
        this.#held.add(claimed)
        return claimed
      }
      const next = await endWave(this.#database, this.run, this.#settings.clock.now)
      if (next === 'given_up')
        throw new LockError('ledger_run_over', { ledger: this.#database.name, import: this.#settings.name })
      if (next !== 'next_wave') return next
    }
  }

  /** The chunk was looked at whole; `left` rows of it come again. `unlogged` are its rows without a line, by what became of them. */
  async end(claim: ClaimedChunk, left: number, unlogged: Readonly<Record<string, number>>): Promise<void> {
    await this.#drained() // nobody looks at the chunk again, so the database itself must have all its outcomes
    this.#held.delete(claim)
    await claim.end(left, unlogged)
  }

  /** Leaves what is left of a chunk to any other worker. */
  async release(claim: ClaimedChunk): Promise<void> {
    this.#held.delete(claim)
    await claim.release()
  }

  get intentLog(): Required<Intents> {
    return this.#fence
  }

  /** Resolves with the outcome as it was recorded; undefined if there is nothing to write. */
  record(outcome: Outcome): Promise<Outcome> | undefined {
    this.#settledRows += 1
    const { key } = outcome.identity
    if (!isLogged(outcome) || isKnown(outcome)) {
      if (endsCall(outcome)) this.#fence.remove(key, 'r')
      return undefined
    }
    const { no: chunk, epoch, source } = this.#claimOf(outcome.identity).chunk
    const at = this.#settings.clock.now().toISOString()
    const { id: run, opening } = this.run
    const place = { run, runId: opening.run, chunk, epoch, source }
    const pending = { outcome, at, ...place, intent: this.#fence.intentOf(key) }
    return endsCall(outcome) ? this.#recordCall(pending) : this.#outcomes.others.add(pending)
  }

  /** Finds the rows that names stand for, by the column that has them. */
  findReferred(column: string, texts: readonly string[]): Promise<Map<string, Referred>> {
    return findReferred(this.#database.query, this.run, column, texts)
  }

  totals(): Promise<Totals> {
    return readTotals(this.#database.query, this.run)
  }

  /** Frees what this worker holds. What the database does not get stays in the spool. */
  async close(): Promise<void> {
    this.#stopHeartbeat()
    try {
      await this.#drained()
      for (const claim of [...this.#held]) await this.release(claim)
      const worker = [this.run.importId, this.#settings.id]
      await this.#database.query('DELETE FROM rowlift.worker WHERE import = $1 AND id = $2', worker)
    } finally {
      await this.#spool.close(this.#unsafe.size === 0)
    }
  }

  /** Resolves when the database has what was written so far, spooled or not. */
  async #drained(): Promise<void> {
    await this.#fence.drained()
    await this.#outcomes.drained()
  }

  #claimOf(identity: RowIdentity): ClaimedChunk {
    const claim = this.owners.get(identity)
    if (claim === undefined) throw new Error('a row that was not asked for')
    return claim
  }

  #recordCall(pending: PendingOutcome): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const unsafe = { pending, resolve }
      this.#unsafe.add(unsafe)
      this.#outcomes.calls.add(pending).then(outcome => this.#noteSafe(unsafe, outcome), reject)
      if (this.#database.isAway) this.#spoolOne(unsafe)
    })
  }

  #noteSafe(unsafe: Unsafe, outcome: Outcome): void {
    this.#unsafe.delete(unsafe)
    this.#fence.forget(outcome.identity.key)
    unsafe.resolve(outcome)
    if (this.#unsafe.size === 0 && this.#spool.isInUse) void this.#spool.close(true)
  }

  /** If the spool cannot be written, the outcome waits in memory alone; after a kill its row is in doubt. */
  #spoolOne({ pending, resolve }: Unsafe): void {
    this.#spool.add(pending).then(
      () => resolve(pending.outcome),
      () => {},
    )
  }

  /** The lease may be over only because the database was away: it is still this worker's if nobody took it. */
  async #renewIfOver(): Promise<void> {
    const isOver = [...this.#held].some(claim => !claim.isLost && !claim.lease.isLive)
    if (isOver) await this.#beat()
  }

  #beat(): Promise<void> {
    this.#beating ??= this.#renew().finally(() => {
      this.#beating = undefined
    })
    return this.#beating
  }

  /** Renews all leases; a chunk that another worker has taken is lost. */
  async #renew(): Promise<void> {
    const { clock, leaseS, id } = this.#settings
    const since = Lease.instant(clock)
    const held = [...this.#held]
    const chunks = held.map(({ chunk }) => chunk)
    const renewed = await this.#database.query<{ no: number }>(
      `WITH beat AS (UPDATE rowlift.worker SET seen = clock_timestamp(), rows = $3 WHERE import = $1 AND id = $2),
       held AS (
         SELECT run, no FROM rowlift.chunk WHERE run = $5 AND worker = $2
            AND (no, epoch) IN (SELECT * FROM unnest($6::int[], $7::int[])) ORDER BY no FOR UPDATE)
       UPDATE rowlift.chunk c SET lease = clock_timestamp() + make_interval(secs => $4)
         FROM held WHERE (c.run, c.no) = (held.run, held.no) RETURNING c.no`,
      [this.run.importId, id, this.#settledRows, leaseS, this.run.id, ...columnsOf(chunks, ['no', 'epoch'])],
    )
    const numbers = new Set(renewed.map(({ no }) => no))
    for (const claim of held)
      if (numbers.has(claim.chunk.no)) claim.lease.renewed(since)
      else if (this.#held.has(claim)) claim.isLost = true
  }
}

const beatsInLease = 5
