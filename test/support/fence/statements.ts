import type { Mistake } from './mistakes.ts'
import {
  type Call,
  type Claim,
  type Epoch,
  type Key,
  newChunk,
  nth,
  type Outcome,
  put,
  type State,
} from './state.ts'

/** What is explored, and how far. */
export interface Scene {
  /** Of each row its chunk and its key. */
  readonly rows: readonly { readonly chunk: number; readonly key: number }[]
  /** How often chunks are claimed in a run, in all. */
  readonly claims: number
  readonly runs: number
  /** `at-least-once`: doubts are sent again, to a service that finds its own records. */
  readonly mode: 'at-most-once' | 'at-least-once'
  /** Whether somebody resolves doubts. */
  readonly person: boolean
  /** Whether somebody sets the clock of the database. Nothing holds a doubt then, so that no person may resolve it. */
  readonly jumps?: boolean
}

export const leaseTicks = 2
/** By how much the clock of a worker may be behind at the end of a lease. */
const marginTicks = 1
/** How many ticks a call may go through. */
export const attemptTicks = 1

/** What statements make of the tables, each in one step. */
export class Statements {
  readonly #scene: Scene
  readonly #mistake: Mistake | undefined

  constructor(scene: Scene, mistake: Mistake | undefined) {
    this.#scene = scene
    this.#mistake = mistake
  }

  makes(mistake: Mistake): boolean {
    return this.#mistake === mistake
  }

  chunkOf(row: number): number {
    return nth(this.#scene.rows, row).chunk
  }

  keyOf(state: State, row: number): Key {
    return nth(state.keys, nth(this.#scene.rows, row).key)
  }

  #put(next: State, row: number, fields: Partial<Key>): void {
    put(next.keys, nth(this.#scene.rows, row).key, fields)
  }

  /** Whether a statement finds the chunk under its epoch. A lease that is over, but that nobody took, may still be renewed. */
  isFenced(state: State, chunk: number, { run, epoch }: Epoch, mistake?: Mistake): boolean {
    if (this.makes('nothing asks for the epoch') || (mistake && this.makes(mistake))) return true
    return run === state.run && epoch === nth(state.chunks, chunk).epoch
  }

  /** Gives a worker a chunk; what was under way there comes in doubt. */
  claim(next: State, at: number, chunk: number): void {
    const epoch = nth(next.chunks, chunk).epoch + 1
    put(next.chunks, chunk, { epoch })
    for (const row of this.#intentsOf(next, chunk)) this.#takeOver(next, row)
    this.lease(next, at, { run: next.run, epoch, chunk, left: 0, hasMissed: false })
  }

  /** The worker counts its time from before it asks. */
  lease(next: State, at: number, claim: Claim): void {
    const late = this.makes('a lease is counted from its answer') ? 1 : 0
    const margin = this.makes('a worker keeps no margin') ? 0 : marginTicks
    put(next.chunks, claim.chunk, { leaseLeft: leaseTicks - late })
    put(next.workers, at, { claim: { ...claim, left: leaseTicks - margin, hasMissed: false } })
  }

  #takeOver(next: State, row: number): void {
    const isFreed = this.makes('a takeover frees the intents')
    const isFreedFirst = this.makes('a takeover frees the intents, and puts them in doubt later')
    const isLater = this.makes('a takeover puts the intents in doubt later')
    if (isFreed || isFreedFirst) this.#put(next, row, { isOpen: false, isDue: isFreedFirst })
    else if (isLater) this.#put(next, row, { isDue: true })
    else if (!this.makes('a takeover puts the intents in doubt before')) this.#putInDoubt(next, row)
  }

  /** The rows of a chunk, or of all, that have an open intent. */
  #intentsOf(state: State, chunk?: number): number[] {
    const open = state.keys.filter(key => key.isOpen).map(key => key.row)
    return open.filter(row => chunk === undefined || this.chunkOf(row) === chunk)
  }

  /** What a mistaken takeover does in a transaction of its own. */
  doubts(state: State, chunk: number, claim: Claim | undefined): number[] {
    const isBefore = this.makes('a takeover puts the intents in doubt before')
    if (isBefore) return nth(state.chunks, chunk).leaseLeft === 0 ? this.#intentsOf(state, chunk) : []
    if (claim?.chunk !== chunk || !this.isFenced(state, chunk, claim)) return []
    const due = state.keys.filter(key => key.isDue).map(key => key.row)
    return due.filter(row => this.chunkOf(row) === chunk)
  }

  doubt(next: State, rows: readonly number[]): void {
    for (const row of rows) this.#putInDoubt(next, row)
  }

  /** A doubt is held for as long as a call takes. A call that began before, in this tick, ends before that. */
  #putInDoubt(next: State, row: number, isHeld = true): void {
    const key = this.keyOf(next, row)
    const isYoung = next.workers.some(({ call }) => call?.age === 0 && this.keyOf(next, call.row) === key)
    const heldLeft = Math.max(key.heldLeft, isHeld ? attemptTicks + (isYoung ? 1 : 0) : 0)
    this.#put(next, row, { line: 'in doubt', isOpen: false, isDue: false, heldLeft })
    if (key.run === next.run) next.accounts[key.row] = 'own'
  }

  /** The last run is finished, or is given up. */
  register(next: State): void {
    this.doubt(next, this.#intentsOf(next))
    next.run += 1
    next.chunks.fill(newChunk)
    next.accounts.fill('none')
  }

  /** What a row is that needs no call. */
  accountOf(state: State, row: number): 'own' | 'duplicate' | undefined {
    const { line } = this.keyOf(state, row)
    if (this.#isOfOther(state, row)) return 'duplicate'
    const isHeld = line === 'in doubt' && this.#scene.mode === 'at-most-once'
    return line === 'created' || isHeld ? 'own' : undefined
  }

  /** Whether another row of this run was sent under the key. */
  #isOfOther(state: State, row: number): boolean {
    const key = this.keyOf(state, row)
    return key.run === state.run && key.row !== row
  }

  mayInsert(state: State, call: Call): boolean {
    if (!this.#isLive(state, call)) return false
    if (this.makes('an intent takes the place of another')) return true
    const { line, isOpen } = this.keyOf(state, call.row)
    const isSeen = line === call.seen || this.makes('intents do not ask for the line that was seen')
    return isSeen && !isOpen && line !== 'created' && !this.#isOfOther(state, call.row)
  }

  /** Whether a call is under the epoch of its chunk, with a live lease. */
  #isLive(state: State, call: Call): boolean {
    const isAny =
      this.makes('intents are inserted under any epoch') || this.makes('nothing asks for the epoch')
    const chunk = this.chunkOf(call.row)
    return isAny || (this.isFenced(state, chunk, call) && nth(state.chunks, chunk).leaseLeft > 0)
  }

  insert(next: State, { run, row, epoch }: Call): void {
    this.#put(next, row, { isOpen: true, isDue: false, run, row, epoch })
    if (this.makes('an intent ends the time for which a doubt is held')) this.#put(next, row, { heldLeft: 0 })
  }

  /** Only while no takeover has made a doubt of it. Another row of the run may have the key then. */
  withdraw(next: State, call: Call): void {
    const key = this.keyOf(next, call.row)
    if (!isOf(key, call) || !key.isOpen) return
    this.#put(next, call.row, { isOpen: false, isDue: false, ...(key.line !== 'in doubt' && { run: 0 }) })
    if (this.makes('an intent that is withdrawn takes a doubt with it'))
      this.#put(next, call.row, { line: 'none' })
  }

  /** Outcomes of any epoch are taken: a record always, anything else for the intent it belongs to. */
  settle(next: State, call: Call, outcome: Outcome): void {
    const { row, run } = call
    if (outcome === 'created') this.#put(next, row, { isTold: true })
    const isOld = run !== next.run || call.epoch !== nth(next.chunks, this.chunkOf(row)).epoch
    if (isOld && this.makes('an outcome of an old epoch is refused')) return
    if (!this.#change(next, call, outcome)) return
    if (run === next.run && next.accounts[row] === 'none') next.accounts[row] = 'own'
  }

  #change(next: State, call: Call, outcome: Outcome): boolean {
    const { row } = call
    const key = this.keyOf(next, row)
    const isAny = this.makes('a refusal ends the doubt of another call') && key.line === 'in doubt'
    if (outcome === 'created')
      this.#put(next, row, { ...settled, line: 'created', isKnown: true, heldLeft: 0 })
    else if (outcome === 'in doubt' && isOf(key, call) && key.isOpen)
      this.#putInDoubt(next, row, !this.makes('the doubt of a lost answer is not held'))
    else if (outcome === 'refused' && (isOf(key, call) || isAny))
      this.#put(next, row, { ...settled, line: this.#isInDoubt(call) ? 'in doubt' : 'refused' })
    else return false
    return true
  }

  /** Whether a row was in doubt before this call. */
  #isInDoubt({ seen }: Call): boolean {
    return seen === 'in doubt' && !this.makes('a refusal ends an earlier doubt')
  }
}

const settled = { isOpen: false, isDue: false }

/** Whether the intent of a key, or the doubt that came of it, is of this call. */
const isOf = ({ line, isOpen, run, row, epoch }: Key, call: Call): boolean =>
  (isOpen || line === 'in doubt') && run === call.run && row === call.row && epoch === call.epoch
