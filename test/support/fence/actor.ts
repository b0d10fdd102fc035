import { ulid } from 'ulid'
import type { ClaimedChunk } from '../../../src/features/ledger/claim.ts'
import type { Database } from '../../../src/features/ledger/database.ts'
import { joinLedger, type Ledger } from '../../../src/features/ledger/ledger.ts'
import { outcomeWriter } from '../../../src/features/ledger/outcomes.ts'
import type { RunRequest } from '../../../src/features/ledger/registration.ts'
import type { Clock } from '../../../src/model/clock.ts'
import type { Outcome } from '../../../src/model/outcome.ts'
import { problem } from '../../../src/model/problem.ts'
import type { Before, Call, RowIdentity } from '../../../src/model/row.ts'
import type { Denial } from '../../../src/model/store.ts'
import { created } from '../ledger.ts'
import { outcomeOf, refused } from '../outcomes.ts'
import { Gates, type Patch } from './gated.ts'
import type { Outcome as Ending } from './state.ts'

const leaseS = 30
/** Two ticks, with the margin that a doubt is held for besides. */
const attemptS = 40

/** A process that takes part in an import. Its clocks stand still until the test moves them; its heartbeat comes when it is asked for. */
export class Process {
  readonly gates: Gates
  readonly #ledger: Ledger
  readonly #clock: ReturnType<typeof handClock>

  private constructor(gates: Gates, ledger: Ledger, clock: ReturnType<typeof handClock>) {
    this.gates = gates
    this.#ledger = ledger
    this.#clock = clock
  }

  static async start(
    real: Database,
    { name, asked, patch }: { readonly name: string; readonly asked: RunRequest; readonly patch: Patch },
  ): Promise<Process> {
    const gates = new Gates(real, patch)
    const clock = handClock()
    const id = ulid()
    const ledger = await joinLedger(gates.database, asked, {
      ...{ clock, id, name, leaseS, attemptS },
      ...{ worker: id, spoolFolder: '/nowhere', resendsDoubts: asked.opening.delivery === 'at-least-once' },
      lock: { timeoutMs: 1000, holder: { id, pid: 1, host: 'here', since: '' } },
      unmetIn: () => undefined,
      onFailure: () => {},
    })
    gates.isClosed = true
    return new Process(gates, ledger, clock)
  }

  get ledger(): Ledger {
    return this.#ledger
  }

  passTime(seconds: number): void {
    this.#clock.pass(seconds)
  }

  beat(): void {
    this.#clock.beat()
  }
}

/** The wall clock stands still, so that nothing differs only because it was done later. */
function handClock(): Clock & { pass(seconds: number): void; beat(): void } {
  const wallMs = Date.parse('2026-11-21T08:00:00Z')
  let elapsedMs = 0
  let beat = () => {}
  return {
    now: () => new Date(wallMs),
    elapsedMs: () => elapsedMs,
    after(_, action) {
      beat = action
      return () => {}
    },
    pass(seconds) {
      elapsedMs += seconds * 1000
    },
    beat: () => beat(),
  }
}

/** A call of a worker, from the moment in which its row was read. */
interface CallInHand {
  readonly process: Process
  readonly claim: ClaimedChunk
  readonly call: Call
}

/** One lane of a worker with one call, as the model has it: what it does with a ledger. */
export class Actor {
  process: Process | undefined
  claim: ClaimedChunk | undefined
  /** Until it has left its chunk, no other lane of its process takes that. */
  holds: number | undefined
  inHand: CallInHand | undefined

  /** The number of the chunk that it got, in that process. It leaves what it has there. */
  async takeChunk(process: Process): Promise<number | undefined> {
    if (this.process === process && this.holds !== undefined) await this.leaveChunk(false)
    const claim = await process.ledger.claim()
    if (typeof claim === 'string') return undefined
    this.process = process
    this.claim = claim
    this.holds = claim.chunk.no
    return claim.chunk.no
  }

  async leaveChunk(isEnd: boolean): Promise<void> {
    const { claim } = this
    this.holds = undefined
    if (claim !== undefined)
      await this.#needed().ledger.free(claim, isEnd ? { left: 0, unlogged: {} } : undefined)
  }

  async read(identity: RowIdentity): Promise<void> {
    const { claim } = this
    if (claim === undefined) throw new Error('nobody reads without a chunk')
    await claim.load([identity])
    const status = claim.get(identity.key, identity.hash)?.status
    const before: Before | undefined = status === 'settled' ? undefined : status
    const json = JSON.stringify({ name: identity.key })
    const call: Call = { identity, before, body: { name: identity.key }, json }
    this.inHand = { process: this.#needed(), claim, call }
  }

  addIntent(): Promise<Denial | undefined> {
    const { process, call } = this.#calling()
    return process.ledger.intentLog.add(call)
  }

  /** Whether it may send its call by its own clocks. */
  maySend(): boolean {
    const { process, call } = this.#calling()
    return process.ledger.intentLog.check(call) === undefined
  }

  async withdraw(): Promise<void> {
    const { process, call } = this.#calling()
    process.ledger.intentLog.remove(call.identity.key)
    await process.ledger.intentLog.drained()
  }

  async record(ending: Ending): Promise<void> {
    const { process, call } = this.#calling()
    await process.ledger.record(outcomeIn(call, ending))
  }

  /** Writes an outcome that waited in a spool. */
  async upload(ending: Ending): Promise<void> {
    const { process, claim, call } = this.#calling()
    const { run } = process.ledger
    const { no: chunk, epoch, source } = claim.chunk
    const place = { run: run.id, runId: run.opening.run, chunk, epoch, source }
    const pending = { outcome: outcomeIn(call, ending), at: '2026-11-21T08:00:00.000Z', ...place }
    await outcomeWriter(run).writeGroup([pending])
  }

  async recordDuplicate(identity: RowIdentity): Promise<void> {
    const sameAs = { source: identity.source, row: 0 }
    const outcome = outcomeOf({ status: 'duplicate', sameAs, isLogged: false }, identity)
    const { claim } = this
    const process = this.#needed()
    if (claim === undefined) throw new Error('nobody records a row without a chunk')
    await claim.load([identity])
    await process.ledger.record(outcome)
  }

  #needed(): Process {
    if (this.process === undefined) throw new Error('there is no process')
    return this.process
  }

  #calling(): CallInHand {
    if (this.inHand === undefined) throw new Error('there is no call')
    return this.inHand
  }
}

/** A call that was refused after a doubt is in doubt as before. */
function outcomeIn(call: Call, ending: Ending): Outcome {
  const { identity, before } = call
  if (ending === 'created') return created(call)
  if (ending === 'refused' && before !== 'in_doubt') return refused(422, '', identity)
  const errors = [problem('no_answer', { reason: 'the connection was closed' })]
  const effort = { attempts: 1, durationMs: 5 }
  return outcomeOf({ status: 'in_doubt', fault: 'ambiguous', ...effort, errors, body: call.json }, identity)
}
