// The ledger: a PostgreSQL database in which workers on several machines share an import. Begin with `openDatabase` and
// `Ledger.join`; the tables are in schema.ts, the fence in fence.ts, and the takeover after a worker that died in claim.ts.
//
// A *chunk* is a part of a source that one worker holds at a time, under a *lease* and an *epoch*. A *wave* goes through all chunks once;
// rows that wait for a parent come again in the next one. A *lane* takes one chunk after the other; a worker has some side by side. The
// *fence* lets a call out only under the epoch of its chunk. A *spool* is a file for outcomes while the database is away.
import { every } from '../../model/clock.ts'
import { LockError } from '../../model/errors.ts'
import type { Outcome } from '../../model/outcome.ts'
import { endsCall, isLogged } from '../../store/files/lines.ts'
import { type ChunkEnd, type ClaimedChunk, claimChunk, freeChunk, instantOf, KnownRows } from './claim.ts'
import type { Database } from './database.ts'
import { Fence } from './fence.ts'
import { type PendingOutcome, writeCalls, writeOthers } from './outcomes.ts'
import { endWave } from './progress.ts'
import { Batches } from './query.ts'
import { joinRun, type RunRequest } from './registration.ts'
import type { JoinedRun, LedgerSettings } from './run.ts'
import { adoptSpools, spoolFor } from './spool.ts'

const beatsInLease = 5

/** A worker's part in one run of an import. */
export class Ledger {
  readonly run: JoinedRun
  readonly intentLog: Fence
  readonly #settings: LedgerSettings
  readonly #calls: Batches<PendingOutcome, Outcome>
  readonly #others: Batches<PendingOutcome>
  readonly #spool: ReturnType<typeof spoolFor>
  readonly known = new KnownRows()
  readonly #held = new Set<ClaimedChunk>()
  /** Outcomes of calls that the database does not have yet, each with what to call once the spool has it. */
  readonly #unsafe = new Map<PendingOutcome, (outcome: Outcome) => void>()
  readonly #stopHeartbeat: () => void
  #beating: Promise<void> | undefined
  #settledRows = 0

  private constructor(run: JoinedRun, settings: LedgerSettings) {
    const { clock, leaseS, describe } = settings
    this.run = run
    this.#settings = settings
    this.#spool = spoolFor(settings)
    this.#calls = new Batches(calls => writeCalls(calls, { run, describe }))
    this.#others = new Batches<PendingOutcome>(others => writeOthers(others, { run, describe }))
    const renew = () => this.#renewIfOver()
    this.intentLog = new Fence({ run, known: this.known, now: clock.now, renew })
    run.database.onAway = () => {
      for (const pending of this.#unsafe.keys()) this.#spoolOne(pending)
    }
    const beat = () => void this.#beat().catch(settings.onFailure)
    this.#stopHeartbeat = every(clock, (leaseS * 1000) / beatsInLease, beat)
  }

  /** Takes part in an import: joins its run, or begins one. Throws a UsageError, LockError or LogError. */
  static async join(database: Database, request: RunRequest, settings: LedgerSettings): Promise<Ledger> {
    const { id, worker, leaseS } = settings
    const run = await joinRun(database, settings.name, request, settings.describe)
    await database.query(
      'INSERT INTO rowlift.worker (import, id, name, lease_s) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
      [run.importId, id, worker, leaseS],
    )
    const ledger = new Ledger(run, settings)
    const runs = await database.query('SELECT id, run FROM rowlift.run WHERE import = $1', [run.importId])
    const ids = new Set(runs.map(({ id, run }) => `${id} ${run}`))
    const isOfImport = ({ run, runId }: PendingOutcome) => ids.has(`${run} ${runId}`)
    await adoptSpools(settings, isOfImport, pending => ledger.#calls.add(pending))
    return ledger
  }

  /** The next chunk; `wait` while other workers hold what is left of this wave. Throws a LockError once the run was given up. */
  async claim(): Promise<ClaimedChunk | 'wait' | 'finished'> {
    for (;;) {
      const claimed = await claimChunk(this.run, this.#settings, this.known)
      if (claimed !== undefined) {
        this.#held.add(claimed)
        return claimed
      }
      const next = await endWave(this.run, this.#settings)
      if (next === 'given_up')
        throw new LockError('ledger_run_over', { ledger: this.run.database.name, import: this.run.name })
      if (next !== 'next_wave') return next
    }
  }

  /** Frees a chunk: with an `end` it was looked at whole, otherwise any other worker may take what is left of it. */
  async free(claim: ClaimedChunk, end?: ChunkEnd): Promise<void> {
    if (end !== undefined) await this.#drained() // nobody looks at it again: the database itself must have all its outcomes
    this.#held.delete(claim)
    await freeChunk(this.run, claim.chunk, end)
  }

  /** Resolves with the outcome as it was recorded; undefined if there is nothing to write. */
  record(outcome: Outcome): Promise<Outcome> | undefined {
    this.#settledRows += 1
    const { key } = outcome.identity
    if (!isLogged(outcome) || outcome.known) {
      if (endsCall(outcome)) this.intentLog.remove(key, 'r')
      return undefined
    }
    const { no: chunk, epoch, source } = this.known.of(outcome.identity).claim.chunk
    const at = this.#settings.clock.now().toISOString()
    const { id: run, opening } = this.run
    const place = { run, runId: opening.run, chunk, epoch, source }
    const pending = { outcome, at, ...place, intent: this.intentLog.intentOf(key) }
    return endsCall(outcome) ? this.#recordCall(pending) : this.#others.add(pending).then(() => outcome)
  }

  /** Frees what this worker holds. What the database does not get stays in the spool. */
  async close(): Promise<void> {
    this.#stopHeartbeat()
    try {
      await this.#drained()
      for (const claim of [...this.#held]) await this.free(claim)
      const worker = [this.run.importId, this.#settings.id]
      await this.run.database.query('DELETE FROM rowlift.worker WHERE import = $1 AND id = $2', worker)
    } finally {
      await this.#spool.close(this.#unsafe.size === 0)
    }
  }

  /** Resolves when the database has what was written so far, spooled or not. */
  async #drained(): Promise<void> {
    const { intents, withdrawals } = this.intentLog
    for (const each of [intents, withdrawals, this.#calls, this.#others]) await each.drained()
  }

  #recordCall(pending: PendingOutcome): Promise<Outcome> {
    const written = this.#calls.add(pending).then(outcome => {
      this.#unsafe.delete(pending)
      this.intentLog.forget(outcome.identity.key)
      if (this.#unsafe.size === 0) void this.#spool.close(true)
      return outcome
    })
    const spooled = new Promise<Outcome>(resolve => this.#unsafe.set(pending, resolve))
    if (this.run.database.isAway) this.#spoolOne(pending)
    return Promise.race([written, spooled])
  }

  /** Spools an outcome; if the spool cannot be written, it waits in memory alone, and a kill puts its row in doubt. */
  #spoolOne(pending: PendingOutcome): void {
    const resolve = this.#unsafe.get(pending)
    void this.#spool.add(pending).then(
      () => resolve?.(pending.outcome),
      () => {},
    )
  }

  /** The lease may be over only because the database was away: it is still this worker's if nobody took it. */
  async #renewIfOver(): Promise<void> {
    const isOver = [...this.#held].some(claim => !claim.isLost && !claim.lease.isLive())
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
    const since = instantOf(clock)
    const held = [...this.#held]
    const chunks = held.map(({ chunk: { no, epoch } }) => ({ no, epoch }))
    const renewed = await this.run.database.query<{ no: number }>(
      `WITH beat AS (UPDATE rowlift.worker SET seen = clock_timestamp(), rows = $3 WHERE import = $1 AND id = $2),
       held AS (
         SELECT run, no FROM rowlift.chunk WHERE run = $5 AND worker = $2
            AND (no, epoch) IN (SELECT * FROM json_to_recordset($6) AS u(no int, epoch int)) ORDER BY no FOR UPDATE)
       UPDATE rowlift.chunk c SET lease = clock_timestamp() + make_interval(secs => $4)
         FROM held WHERE (c.run, c.no) = (held.run, held.no) RETURNING c.no`,
      [this.run.importId, id, this.#settledRows, leaseS, this.run.id, JSON.stringify(chunks)],
    )
    const numbers = new Set(renewed.map(({ no }) => no))
    for (const claim of held)
      if (numbers.has(claim.chunk.no)) claim.lease.renewed(since)
      else if (this.#held.has(claim)) claim.isLost = true
  }
}
