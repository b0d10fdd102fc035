// The ledger: a PostgreSQL database in which workers on several machines share an import. Begin with `openDatabase` and
// `joinLedger`; the tables are in schema.ts, the fence in fence.ts, and the takeover after a worker that died in claim.ts.
//
// A *chunk* is a part of a source that one worker holds at a time, under a *lease* and an *epoch*. A *wave* goes through all chunks once;
// rows that wait for a parent come again in the next one. A *lane* takes one chunk after the other; a worker has some side by side. The
// *fence* lets a call out only under the epoch of its chunk. A *spool* is a file for outcomes while the database is away.
import { every } from '../../model/clock.ts'
import type { Outcome } from '../../model/outcome.ts'
import { endsCall, isLogged } from '../../store/files/lines.ts'
import { type ChunkEnd, type ClaimedChunk, claimChunk, freeChunk, KnownRows, leaseFromNow } from './claim.ts'
import type { Database } from './database.ts'
import { noCall } from './entries.ts'
import { openFence } from './fence.ts'
import { outcomeWriter, type PendingOutcome } from './outcomes.ts'
import { endWave } from './progress.ts'
import { batchesOf } from './query.ts'
import { joinRun, type RunRequest } from './registration.ts'
import type { LedgerSettings } from './run.ts'
import { spoolFor } from './spool.ts'

const beatsInLease = 5

/** A worker's part in one run of an import. */
export type Ledger = Awaited<ReturnType<typeof joinLedger>>

/** Takes part in an import: joins its run, or begins one. Throws a UsageError, LockError or LogError. */
export async function joinLedger(database: Database, request: RunRequest, settings: LedgerSettings) {
  const { id, clock, worker, leaseS } = settings
  const run = await joinRun(database, settings.name, request)
  const { importId } = run
  await database.query(
    'INSERT INTO rowlift.worker (import, id, name, lease_s) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [importId, id, worker, leaseS],
  )
  const known = new KnownRows()
  const { writeGroup, writeOthers } = outcomeWriter(run)
  const intentLog = openFence(run, known, clock.now, { writeGroup, renew: renewIfOver })
  const others = batchesOf(writeOthers)
  const spool = spoolFor(settings)
  const held = new Set<ClaimedChunk>()
  /** Outcomes of calls that the database does not have yet, each with what to call once the spool has it. */
  const unsafe = new Map<PendingOutcome, (outcome: Outcome) => void>()
  let beating: Promise<void> | undefined
  let settledRows = 0
  database.onAway = () => {
    for (const pending of unsafe.keys()) spoolOne(pending)
  }
  const stopHeartbeat = every(
    clock,
    (leaseS * 1000) / beatsInLease,
    () => void beat().catch(settings.onFailure),
  )

  /** Frees a chunk: with an `end` it was looked at whole, otherwise any other worker may take what is left of it. */
  async function free(claim: ClaimedChunk, end?: ChunkEnd): Promise<void> {
    if (end !== undefined) await drained() // nobody looks at it again: the database itself must have all its outcomes
    held.delete(claim)
    await freeChunk(run, claim.chunk, end)
  }

  /** Resolves when the database has what was written so far, spooled or not. */
  async function drained(): Promise<void> {
    for (const each of [intentLog, others]) await each.drained()
  }

  function recordCall(pending: PendingOutcome): Promise<Outcome> {
    const written = intentLog.settle(pending).then(outcome => {
      unsafe.delete(pending)
      intentLog.forget(outcome.identity.key)
      if (unsafe.size === 0) void spool.close(true)
      return outcome
    })
    const spooled = new Promise<Outcome>(resolve => unsafe.set(pending, resolve))
    if (database.isAway()) spoolOne(pending)
    return Promise.race([written, spooled])
  }

  /** A row whose record an export shows claims its key as a call does. Resolves with a duplicate if another row has it. */
  async function recordExisting(pending: PendingOutcome): Promise<Outcome> {
    const { identity, before } = pending.outcome
    const denial = await intentLog.add({ identity, before, body: {}, json: noCall })
    if (denial === undefined) return recordCall({ ...pending, intent: intentLog.intentOf(identity.key) })
    if (denial.sameAs === undefined) return pending.outcome // another worker has the rows of this chunk
    const ofOther = { status: 'duplicate', sameAs: denial.sameAs, isLogged: false } as const
    const duplicate = { identity, before, ...ofOther }
    await others.add({ ...pending, outcome: duplicate })
    return duplicate
  }

  /** Spools an outcome; if the spool cannot be written, it waits in memory alone, and a kill puts its row in doubt. */
  function spoolOne(pending: PendingOutcome): void {
    const resolve = unsafe.get(pending)
    void spool.add(pending).then(
      () => resolve?.(pending.outcome),
      () => {},
    )
  }

  /** The lease may be over only because the database was away: it is still this worker's if nobody took it. */
  async function renewIfOver(): Promise<void> {
    if ([...held].some(claim => !claim.isLost && !claim.lease.isLive())) await beat()
  }

  function beat(): Promise<void> {
    beating ??= renew().finally(() => {
      beating = undefined
    })
    return beating
  }

  /** Renews all leases; a chunk that another worker has taken is lost. */
  async function renew(): Promise<void> {
    const lease = leaseFromNow(settings)
    const claims = [...held]
    const chunks = claims.map(({ chunk: { no, epoch } }) => ({ no, epoch }))
    const { commits, statementMs } = database.load
    const renewed = await database.query<{ no: number }>(
      `WITH beat AS (UPDATE rowlift.worker SET seen = clock_timestamp(), rows = $3, commits = $7, statement_ms = $8
         WHERE import = $1 AND id = $2),
       held AS (
         SELECT run, no FROM rowlift.chunk WHERE run = $5 AND worker = $2
            AND (no, epoch) IN (SELECT * FROM json_to_recordset($6) AS u(no int, epoch int)) ORDER BY no FOR UPDATE)
       UPDATE rowlift.chunk c SET lease = clock_timestamp() + make_interval(secs => $4)
         FROM held WHERE (c.run, c.no) = (held.run, held.no) RETURNING c.no`,
      [importId, id, settledRows, leaseS, run.id, JSON.stringify(chunks), commits, Math.round(statementMs)],
    )
    const numbers = new Set(renewed.map(({ no }) => no))
    for (const claim of claims)
      if (numbers.has(claim.chunk.no)) claim.lease = lease
      else if (held.has(claim)) claim.isLost = true
  }

  const runs = await database.query('SELECT id, run FROM rowlift.run WHERE import = $1', [importId])
  const ids = new Set(runs.map(({ id, run }) => `${id} ${run}`))
  const isOfImport = ({ run, runId }: PendingOutcome) => ids.has(`${run} ${runId}`)
  await spool.adopt(isOfImport, intentLog.settle)
  return {
    ...{ run, intentLog, known, free },
    /** The next chunk; `wait` while other workers hold what is left of this wave. Throws a LockError once the run was given up. */
    async claim(): Promise<ClaimedChunk | 'wait' | 'finished'> {
      for (;;) {
        const own = [...held].map(({ chunk }) => chunk.no)
        const claimed = await claimChunk(run, settings, known, own)
        if (claimed !== undefined) {
          held.add(claimed)
          return claimed
        }
        const next = await endWave(run, settings)
        if (next !== 'next_wave') return next
      }
    },
    /** Resolves with the outcome as it was recorded; undefined if there is nothing to write. */
    record(outcome: Outcome): Promise<Outcome> | undefined {
      settledRows += 1
      const { key } = outcome.identity
      if (!isLogged(outcome) || outcome.known) {
        if (endsCall(outcome)) intentLog.remove(key, 'r')
        return undefined
      }
      const { no: chunk, epoch, source } = known.of(outcome.identity).claim.chunk
      const place = { run: run.id, runId: run.opening.run, chunk, epoch, source }
      const at = clock.now().toISOString()
      const pending = { outcome, at, ...place, intent: intentLog.intentOf(key) }
      if (!endsCall(outcome)) return others.add(pending).then(() => outcome)
      return 'export' in outcome ? recordExisting(pending) : recordCall(pending)
    },
    /** Frees what this worker holds. What the database does not get stays in the spool. */
    async close(): Promise<void> {
      stopHeartbeat()
      try {
        await drained()
        for (const claim of [...held]) await free(claim)
        await database.query('DELETE FROM rowlift.worker WHERE import = $1 AND id = $2', [importId, id])
      } finally {
        await spool.close(unsafe.size === 0)
      }
    },
  }
}
