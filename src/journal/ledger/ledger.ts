// The ledger: what workers on several machines share of an import, in PostgreSQL. Begin with `openDatabase` and
// `Ledger.join`; the tables are in schema.ts, the fence in fence.ts, and what happens when a worker dies in takeover.ts.
import { every } from '../../model/clock.ts'
import { LockError } from '../../model/errors.ts'
import { isKnown, type Outcome } from '../../model/outcome.ts'
import type { RowIdentity } from '../../model/row.ts'
import type { Intents } from '../../model/store.ts'
import { endsCall, isLogged } from '../lines.ts'
import type { LockOptions } from '../lock.ts'
import { type Account, readAccount } from './account.ts'
import { type ClaimedChunk, claimChunk, type WorkerChunks, type WorkerSettings } from './claim.ts'
import { columnsOf } from './columns.ts'
import { Database, type DatabaseOptions } from './database.ts'
import { Fence } from './fence.ts'
import { Lease } from './lease.ts'
import type { PendingOutcome } from './outcome-rows.ts'
import { Outcomes } from './outcomes.ts'
import { findReferred, type Referred } from './references.ts'
import { type AskedRun, type JoinedRun, joinRun } from './registration.ts'
import { checkServer, migrate } from './server.ts'
import { adoptSpools, Spool } from './spool.ts'
import { endWave } from './waves.ts'

export interface LedgerSettings extends WorkerSettings {
  /** The name of the import. */
  readonly name: string
  /** How people call this worker. */
  readonly worker: string
  readonly version: string
  readonly concurrency: number
  readonly useCreated: boolean
  readonly spoolFolder: string
  /** Of the spool. */
  readonly lock: Pick<LockOptions, 'holder' | 'clock' | 'timeoutMs'>
  /** Leases cannot be renewed any more. */
  readonly onFailure: (error: unknown) => void
}

/** Connects and makes the tables ready. Throws a UsageError or a LogError. */
export async function openDatabase(url: string, options: DatabaseOptions): Promise<Database> {
  const database = await Database.open(url, options)
  try {
    await checkServer(database)
    await migrate(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
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
  readonly #chunks: WorkerChunks = { held: new Set(), owners: new WeakMap() }
  /** Outcomes of calls that the database does not have yet. */
  readonly #unsafe = new Set<Unsafe>()
  readonly #stopHeartbeat: () => void
  #beating: Promise<void> | undefined
  #settledRows = 0

  private constructor(database: Database, run: JoinedRun, settings: LedgerSettings) {
    const { clock, name, id, spoolFolder, leaseS, useCreated, describe } = settings
    this.run = run
    this.#database = database
    this.#settings = settings
    this.#spool = new Spool({ folder: spoolFolder, name, id }, lockOptionsOf(settings))
    const line = { record: run.opening.record, describe }
    this.#outcomes = new Outcomes(database, { ...run, useCreated, line })
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
    const { id, worker, version, concurrency, leaseS, name, spoolFolder, describe } = settings
    const run = await joinRun(database, name, asked, describe)
    await database.query(
      `INSERT INTO rowlift.worker (import, id, name, version, concurrency, lease_s) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT DO NOTHING`,
      [run.importId, id, worker, version, concurrency, leaseS],
    )
    const ledger = new Ledger(database, run, settings)
    const runs = await database.query('SELECT id, run FROM rowlift.run WHERE import = $1', [run.importId])
    const ours = new Set(runs.map(({ id, run }) => `${id} ${run}`))
    await adoptSpools({ folder: spoolFolder, name }, lockOptionsOf(settings), {
      isOurs: pending => ours.has(`${pending.run} ${pending.runId}`),
      upload: pending => ledger.#outcomes.addCall(pending),
    })
    return ledger
  }

  /** The next chunk; `wait` while other workers hold what is left of this wave. Throws a LockError once the run was given up. */
  async claim(): Promise<ClaimedChunk | 'wait' | 'finished'> {
    for (;;) {
      const claimed = await claimChunk(this.#database, this.run, this.#settings, this.#chunks)
      if (claimed !== undefined) return claimed
      const next = await endWave(this.#database, this.run, this.#settings.clock.now)
      if (next === 'given_up')
        throw new LockError('ledger_run_over', { ledger: this.#database.name, import: this.#settings.name })
      if (next !== 'next_wave') return next
    }
  }

  /** The chunk was looked at whole; `left` rows of it come again. `unlogged` are its rows without a line, by what became of them. */
  async end(claim: ClaimedChunk, left: number, unlogged: Readonly<Record<string, number>>): Promise<void> {
    await this.#drained() // nobody looks at the chunk again, so the database itself must have all its outcomes
    await claim.end(left, unlogged)
  }

  get intentLog(): Required<Intents> {
    return this.#fence
  }

  /** Resolves with the outcome as it was recorded; undefined where there is nothing to write. */
  record(outcome: Outcome): Promise<Outcome> | undefined {
    this.#settledRows += 1
    const { key } = outcome.identity
    if (!isLogged(outcome) || isKnown(outcome)) {
      if (endsCall(outcome)) this.#fence.remove(key, 'r')
      return undefined
    }
    const { no: chunk, epoch, source } = this.#claimOf(outcome.identity)
    const at = this.#settings.clock.now().toISOString()
    const { id: run, opening } = this.run
    const place = { run, runId: opening.run, chunk, epoch, source }
    const pending = { outcome, at, ...place, intent: this.#fence.intentOf(key) }
    return endsCall(outcome) ? this.#recordCall(pending) : this.#outcomes.addOther(pending)
  }

  /** What names of other rows stand for, by the column that has them. */
  findReferred(column: string, texts: readonly string[]): Promise<Map<string, Referred>> {
    return findReferred(this.#database.query, this.run, column, texts)
  }

  account(): Promise<Account> {
    return readAccount(this.#database.query, this.run)
  }

  /** Frees what this worker holds. What the database does not get stays in the spool. */
  async close(): Promise<void> {
    this.#stopHeartbeat()
    try {
      await this.#drained()
      for (const claim of [...this.#chunks.held]) await claim.release()
      await this.#database.query('DELETE FROM rowlift.worker WHERE import = $1 AND id = $2', [
        this.run.importId,
        this.#settings.id,
      ])
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
    const claim = this.#chunks.owners.get(identity)
    if (claim === undefined) throw new Error('a row that was not asked for')
    return claim
  }

  #recordCall(pending: PendingOutcome): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const unsafe = { pending, resolve }
      this.#unsafe.add(unsafe)
      this.#outcomes.addCall(pending).then(outcome => this.#noteSafe(unsafe, outcome), reject)
      if (this.#database.isAway) this.#spoolOne(unsafe)
    })
  }

  #noteSafe(unsafe: Unsafe, outcome: Outcome): void {
    this.#unsafe.delete(unsafe)
    this.#fence.forget(outcome.identity.key)
    unsafe.resolve(outcome)
    if (this.#unsafe.size === 0 && this.#spool.isInUse) void this.#spool.close(true)
  }

  /** Where the spool cannot be written, the outcome waits in memory alone; after a kill its row is in doubt. */
  #spoolOne({ pending, resolve }: Unsafe): void {
    this.#spool.add(pending).then(
      () => resolve(pending.outcome),
      () => {},
    )
  }

  /** The lease may be over only because the database was away: it is still this worker's if nobody took it. */
  async #renewIfOver(): Promise<void> {
    const isOver = [...this.#chunks.held].some(claim => !claim.isLost && !claim.lease.isLive)
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
    const held = [...this.#chunks.held]
    const renewed = await this.#database.query<{ no: number }>(
      `WITH beat AS (UPDATE rowlift.worker SET seen = clock_timestamp(), rows = $3 WHERE import = $1 AND id = $2),
       held AS (
         SELECT run, no FROM rowlift.chunk WHERE run = $5 AND worker = $2
            AND (no, epoch) IN (SELECT * FROM unnest($6::int[], $7::int[])) ORDER BY no FOR UPDATE)
       UPDATE rowlift.chunk c SET lease = clock_timestamp() + make_interval(secs => $4)
         FROM held WHERE (c.run, c.no) = (held.run, held.no) RETURNING c.no`,
      [
        ...[this.run.importId, id, this.#settledRows, leaseS, this.run.id],
        ...columnsOf(held, ['no', 'epoch']),
      ],
    )
    const numbers = new Set(renewed.map(({ no }) => no))
    for (const claim of held)
      if (numbers.has(claim.no)) claim.lease.renewed(since)
      else if (this.#chunks.held.has(claim)) claim.isLost = true
  }
}

const beatsInLease = 5

const lockOptionsOf = ({ id, lock }: LedgerSettings): LockOptions => ({
  ...lock,
  holder: { ...lock.holder, id },
  onWait: () => {},
  onLost: () => {},
})
