import type { Model } from './explore.ts'
import type { Mistake } from './mistakes.ts'
import {
  type Call,
  type Claim,
  copy,
  digest,
  nth,
  type Outcome,
  put,
  type State,
  startOf,
  type Worker,
} from './state.ts'
import { attemptTicks, leaseTicks, type Scene, Statements } from './statements.ts'

type Step = (what: string, change: (next: State) => void) => void

/** A worker whose turn it is. */
interface Turn {
  readonly state: State
  readonly at: number
  readonly worker: Worker
  readonly step: Step
}

const isUnsent = (call: Call | undefined) => call?.phase === 'ready' || call?.phase === 'intent'

/**
 * The fence of a ledger as a state machine: two workers, the tables, the service, and time, with their steps in every order. A worker may
 * be killed at any step, with or without its spool, and may do nothing for as long as it likes. Time passes in ticks.
 *
 * A worker is one lane with one call; more lanes are like more workers. A database that is away is one that nobody asks, but for the
 * spool. Bounded: how often chunks are claimed, and the runs. Left out:
 * - waves (a row that is left is read again), and lookups;
 * - what the promise does not cover: a call that the service takes up after its time, a database that forgets, a worker that is suspended
 *   between the look at its clock and the call right behind it, a person who says "not created" without looking.
 */
export class Fence implements Model<State> {
  readonly start: State
  readonly key = digest
  readonly #scene: Scene
  readonly #tables: Statements

  constructor(scene: Scene, mistake?: Mistake) {
    this.#scene = scene
    this.#tables = new Statements(scene, mistake)
    this.start = startOf(scene.rows)
  }

  next(state: State, to: (what: string, state: State) => void): void {
    const step: Step = (what, change) => {
      const next = copy(state)
      change(next)
      to(what, next)
    }
    this.#tick(state, step)
    if (this.#scene.jumps) this.#jump(state, step)
    this.#register(state, step)
    if (this.#scene.person) this.#resolve(state, step)
    for (const [at, worker] of state.workers.entries())
      this.#work({ state, at, worker, step: (what, change) => step(`${'AB'[at]} ${what}`, change) })
  }

  wrong({ keys, chunks, accounts }: State): string | undefined {
    const isFinished = chunks.every(chunk => chunk.isDone)
    for (const [at, { line, isOpen, made, isTold, isKnown }] of keys.entries()) {
      if (made > 1) return 'a key has two records'
      if (made > 0 && !isKnown && !isOpen && line !== 'in doubt') return 'nothing tells of a record'
      if (isTold && !isKnown) return 'a record that a worker told of is not in the ledger'
      if (line === 'created' && made === 0) return 'a row is created without a record'
      if (isKnown && (line !== 'created' || isOpen)) return 'a record is not final'
      if (!isFinished) continue
      const ofKey = accounts.filter((_, row) => nth(this.#scene.rows, row).key === at)
      if (ofKey.includes('none')) return 'a row has no account'
      if (!ofKey.includes('own')) return 'all rows of a key are duplicates'
      if (line === 'none' || isOpen) return 'a row has no outcome'
    }
    return undefined
  }

  /** All calls end in their time. The clock of a worker may miss a tick of its lease. */
  #tick(state: State, step: Step): void {
    if (state.workers.some(({ call }) => call?.age === attemptTicks)) return
    for (const missing of [[], [0], [1], [0, 1]])
      if (missing.every(at => this.#mayMiss(nth(state.workers, at).claim)))
        step(missing.length > 0 ? 'a tick that a clock misses' : 'a tick', next => tick(next, missing))
  }

  #mayMiss(claim: Claim | undefined): boolean {
    if (claim === undefined || claim.left === 0) return false
    return !claim.hasMissed || this.#tables.makes('the clock of a worker stands still while it sleeps')
  }

  /** The clock of the database is set: ahead, so that all leases are over, or back, so that they last longer. No worker's clock is. */
  #jump({ chunks }: State, step: Step): void {
    const left = chunks.map(({ leaseLeft }) => leaseLeft).filter(ticks => ticks > 0)
    if (left.length === 0) return
    step('the clock of the database jumps ahead', next => {
      for (const at of next.chunks.keys()) put(next.chunks, at, { leaseLeft: 0 })
      for (const at of next.keys.keys()) put(next.keys, at, { heldLeft: 0 })
    })
    if (left.some(ticks => ticks > leaseTicks)) return
    step('the clock of the database jumps back', next => {
      for (const [at, { leaseLeft }] of next.chunks.entries())
        if (leaseLeft > 0) put(next.chunks, at, { leaseLeft: leaseLeft + 1 })
    })
  }

  #register(state: State, step: Step): void {
    if (state.run === this.#scene.runs || state.chunks.some(chunk => chunk.leaseLeft > 0)) return
    step('the next run is registered', next => this.#tables.register(next))
  }

  /** `resolve --not-created`, by somebody who has looked. */
  #resolve(state: State, step: Step): void {
    for (const [at, { line, isOpen, heldLeft, made }] of state.keys.entries()) {
      const isHeld = heldLeft > 0 && !this.#tables.makes('a doubt is resolved at once')
      if (line !== 'in doubt' || isOpen || isHeld || made > 0) continue
      step('a person says: not created', next => put(next.keys, at, { line: 'refused', heldLeft: 0 }))
    }
  }

  #work(turn: Turn): void {
    const { claim, call } = turn.worker
    this.#claim(turn)
    if (claim !== undefined && claim.run === turn.state.run) {
      this.#hold(turn, claim)
      this.#leave(turn, claim)
      if (call === undefined) this.#read(turn, claim)
    }
    if (call?.phase === 'ready') this.#insert(turn, call)
    if (call?.phase === 'intent') this.#send(turn, call)
    if (call?.phase === 'out') this.#hear(turn, call)
    if (call?.phase === 'spooled') this.#upload(turn, call)
    if (call?.age !== undefined) this.#serve(turn, call)
    this.#kill(turn)
  }

  #claim({ state, at, worker, step }: Turn): void {
    const claims = state.chunks.reduce((sum, chunk) => sum + chunk.epoch, 0)
    for (const [no, { leaseLeft, isDone }] of state.chunks.entries()) {
      const doubts = this.#tables.doubts(state, no, worker.claim)
      if (doubts.length > 0)
        step(`puts the intents of chunk ${no} in doubt`, next => this.#tables.doubt(next, doubts))
      if (isDone || leaseLeft > 0 || claims === this.#scene.claims || isUnsent(worker.call)) continue
      step(`claims chunk ${no}`, next => this.#tables.claim(next, at, no))
    }
  }

  #hold({ state, at, step }: Turn, claim: Claim): void {
    const { chunk } = claim
    if (this.#tables.isFenced(state, chunk, claim, 'leases are renewed under any epoch'))
      step(`renews the lease of chunk ${chunk}`, next => this.#tables.lease(next, at, claim))
  }

  /** A chunk is freed by a worker that is asked to stop, and ends when all of its rows have their account. */
  #leave({ state, at, worker: { call }, step }: Turn, claim: Claim): void {
    if (isUnsent(call) || call?.phase === 'out') return
    const { chunk } = claim
    const leave = (what: string, isDone: boolean) =>
      step(`${what} chunk ${chunk}`, next => {
        put(next.chunks, chunk, { leaseLeft: 0, isDone })
        put(next.workers, at, { claim: undefined })
      })
    if (this.#tables.isFenced(state, chunk, claim)) leave('frees', false)
    if (!this.#tables.isFenced(state, chunk, claim, 'chunks are ended under any epoch')) return
    if (this.#isAtEnd(state, chunk, call)) leave('ends', true)
  }

  #isAtEnd({ accounts }: State, chunk: number, call: Call | undefined): boolean {
    const spooled = call?.phase === 'spooled' ? call.row : undefined
    if (spooled !== undefined && !this.#tables.makes('a chunk ends before its spool is uploaded'))
      return false
    const isAccounted = (row: number) => accounts[row] !== 'none' || row === spooled
    return this.#scene.rows.every((row, at) => row.chunk !== chunk || isAccounted(at))
  }

  /** Asks what is known of each row. Lines of rows that need no call are fenced too. */
  #read({ state, at, step }: Turn, claim: Claim): void {
    const { run, epoch } = claim
    for (const [row, { chunk }] of this.#scene.rows.entries()) {
      if (chunk !== claim.chunk || !this.#isToDo(state, row)) continue
      const seen = this.#tables.keyOf(state, row).line
      const account = this.#tables.accountOf(state, row)
      const call: Call = { run, epoch, row, seen, phase: 'ready', age: undefined, outcome: undefined }
      if (account === undefined) step(`reads row ${row}`, next => put(next.workers, at, { call }))
      else if (this.#tables.isFenced(state, chunk, claim))
        step(`accounts for row ${row}`, next => {
          next.accounts[row] = account
        })
    }
  }

  #isToDo(state: State, row: number): boolean {
    const isOpenDoubt = state.accounts[row] === 'own' && this.#tables.keyOf(state, row).line === 'in doubt'
    return state.accounts[row] === 'none' || (isOpenDoubt && this.#scene.mode === 'at-least-once')
  }

  #insert({ state, at, step }: Turn, call: Call): void {
    const { row } = call
    if (!this.#tables.mayInsert(state, call))
      step(`may not send row ${row}`, next => put(next.workers, at, { call: undefined }))
    else
      step(`inserts the intent of row ${row}`, next => {
        this.#tables.insert(next, call)
        put(next.workers, at, { call: { ...call, phase: 'intent' } })
      })
  }

  /** Right behind the look at the clock; or not, because it is late, or the worker stops. */
  #send({ at, worker: { claim }, step }: Turn, call: Call): void {
    const { row } = call
    const isInTime = claim !== undefined && claim.left > 0 && this.#isUnder(call, claim)
    if (isInTime || this.#tables.makes('a worker does not look at its clock before a call'))
      step(`sends row ${row}`, next => put(next.workers, at, { call: { ...call, phase: 'out', age: 0 } }))
    step(`withdraws the intent of row ${row}`, next => {
      this.#tables.withdraw(next, call)
      put(next.workers, at, { call: undefined })
    })
  }

  #isUnder({ row, run, epoch }: Call, claim: Claim): boolean {
    return claim.run === run && claim.epoch === epoch && claim.chunk === this.#tables.chunkOf(row)
  }

  /** The service makes a record, or refuses. */
  #serve({ at, step }: Turn, call: Call): void {
    const { row, phase } = call
    const { key } = nth(this.#scene.rows, row)
    for (const outcome of ['created', 'refused'] as const)
      step(`is served: row ${row} ${outcome}`, next => {
        const made = this.#scene.mode === 'at-least-once' ? 1 : nth(next.keys, key).made + 1
        if (outcome === 'created') put(next.keys, key, { made })
        const answered = { ...call, age: undefined, ...(phase === 'out' && { outcome }) }
        put(next.workers, at, { call: phase === 'forgotten' ? undefined : answered })
      })
  }

  /** An answer comes or is lost, and is recorded or, while the database is away, spooled. After a refusal a call may start again. */
  #hear({ at, step }: Turn, call: Call): void {
    const { row, outcome: answer } = call
    for (const outcome of new Set<Outcome>(['in doubt', answer ?? 'in doubt'])) {
      step(`records row ${row}: ${outcome}`, next => {
        this.#tables.settle(next, call, outcome)
        put(next.workers, at, { call: forgotten(call) })
      })
      step(`spools row ${row}: ${outcome}`, next =>
        put(next.workers, at, { call: { ...call, phase: 'spooled', outcome } }),
      )
    }
    if (answer !== 'refused') return
    const isBlind = this.#tables.makes('a refused call starts again as it is')
    step(`tries row ${row} again`, next => {
      if (!isBlind) this.#tables.withdraw(next, call)
      const again = isBlind ? { age: 0 } : { phase: 'ready' as const }
      put(next.workers, at, { call: { ...call, outcome: undefined, ...again } })
    })
  }

  /** Perhaps twice: it may be killed before the spool is gone. */
  #upload({ at, step }: Turn, call: Call): void {
    const { row, outcome } = call
    if (outcome === undefined) return
    step(`uploads row ${row}`, next => {
      this.#tables.settle(next, call, outcome)
      put(next.workers, at, { call: forgotten(call) })
    })
    step(`uploads row ${row}, and has it still`, next => this.#tables.settle(next, call, outcome))
  }

  /** A new worker takes the place of a killed one, and finds its spool, or nothing. */
  #kill({ at, worker: { claim, call }, step }: Turn): void {
    const isIdle = call === undefined || call.phase === 'forgotten'
    if (claim === undefined && isIdle) return
    if (call?.phase === 'spooled') step('is killed', next => put(next.workers, at, { claim: undefined }))
    const left = call && forgotten(call)
    step('is killed, without a spool', next => put(next.workers, at, { claim: undefined, call: left }))
  }
}

function tick(next: State, missing: readonly number[]): void {
  for (const [at, { leaseLeft }] of next.chunks.entries())
    if (leaseLeft > 0) put(next.chunks, at, { leaseLeft: leaseLeft - 1 })
  for (const [at, { heldLeft }] of next.keys.entries())
    if (heldLeft > 0) put(next.keys, at, { heldLeft: heldLeft - 1 })
  for (const [at, { claim, call }] of next.workers.entries())
    put(next.workers, at, {
      claim: claim && countDown(claim, missing.includes(at)),
      call: call?.age === undefined ? call : { ...call, age: call.age + 1 },
    })
}

function countDown(claim: Claim, isMissed: boolean): Claim {
  return isMissed ? { ...claim, hasMissed: true } : { ...claim, left: Math.max(0, claim.left - 1) }
}

/** A call whose answer nobody waits for is with the service as long as it takes. */
const forgotten = (call: Call): Call | undefined =>
  call.age === undefined ? undefined : { ...call, phase: 'forgotten' }
