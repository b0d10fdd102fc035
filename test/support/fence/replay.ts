import { ulid } from 'ulid'
import type { Database } from '../../../src/features/ledger/database.ts'
import { doubtFacts, settleDoubts } from '../../../src/features/ledger/resolve.ts'
import type { RowIdentity } from '../../../src/model/row.ts'
import { turns } from '../clock.ts'
import { askedRun } from '../ledger.ts'
import type { TestDatabase } from '../postgres.ts'
import { type Random, randomOf } from '../random.ts'
import { Actor, Process } from './actor.ts'
import type { DatabaseClock } from './database-clock.ts'
import type { Gates, Patch } from './gated.ts'
import { Fence } from './model.ts'
import { type Claim, copy, nth, type Outcome, put, type State } from './state.ts'
import type { Scene } from './statements.ts'
import { differences, entryOf, keyText, readTables, type Tables, tickS } from './tables.ts'

/** Where traces are replayed. */
export interface Theatre {
  readonly test: TestDatabase
  /** For all workers; its connections see the clock of the test. */
  readonly database: Database
  readonly clock: DatabaseClock
}

export interface Trace {
  readonly scene: Scene
  /** The same seed gives the same order of the same statements. */
  readonly seed: number
  readonly moves: number
  /** The two are lanes of one process, which sleeps and wakes up as a whole, and is not killed. */
  readonly isOneProcess?: boolean
  /** What comes five times as seldom as otherwise. */
  readonly seldom?: RegExp
}

/** The statements of a trace, and in what the ledger is not as the model has it, if it is not. */
export interface Replayed {
  readonly statements: number
  readonly moves: readonly string[]
  readonly wrong?: string
}

class Divergence extends Error {}

/**
 * Plays a random trace of the model with real statements, each of which waits at a gate. A move opens one gate, or is a step of the model
 * without a statement; what a statement came to is the model's next step. After each the tables are compared with the model.
 */
export async function replay(theatre: Theatre, trace: Trace, patch: Patch = sql => sql): Promise<Replayed> {
  const player = new Replay(theatre, trace, patch)
  let wrong: string | undefined
  try {
    await player.play()
  } catch (error) {
    if (!(error instanceof Divergence)) throw error
    wrong = error.message
  } finally {
    await player.end()
  }
  return { statements: player.statements, moves: player.moves, ...(wrong !== undefined && { wrong }) }
}

/** Something that an actor does with statements, until it is over. */
interface Act {
  readonly what: string
  readonly gates: Gates
  /** Called when a statement has its answer. */
  readonly onAnswer: (act: Act) => void
  /** The number of the run in which it was begun. */
  readonly run: number | undefined
  /** The last statement that went through. */
  sql: string
  /** How many ticks of its own clock it took so far. */
  ticks: number
  isSettled: boolean
  result?: unknown
  error?: unknown
  /** Of a claim: a chunk is free. Of an intent: it was not decided yet. */
  isDue: boolean
  /** Another actor was in the middle of a transaction. */
  isDisturbed: boolean
}

interface Candidate {
  readonly what: string
  readonly weight: number
  readonly play: () => Promise<void>
}

/** How often a step is taken, by how its name begins; 1 if none of them fits. */
const weights: readonly (readonly [RegExp, number])[] = [
  [/tick/, 0.6],
  [/claims/, 1.5],
  [/records .*refused/, 0.6],
  [/is served: row \d created/, 1.2],
  [/is served/, 0.8],
  [/is killed/, 0.1],
  [/records .*in doubt/, 0.4],
  [/spools .*in doubt/, 0.2],
  [/spools/, 0.5],
  [/has it still/, 0.4],
  [/renews/, 0.5],
  [/frees/, 0.3],
  [/reads/, 2],
  [/inserts|may not/, 2],
  [/sends/, 2.5],
  [/withdraws/, 0.6],
  [/registered/, 0.2],
  [/jumps/, 0.4],
]
/** How often a worker is suspended before the first statement of a step, and how often before each other one. */
const suspendedShare = 0.45

const intentStatement = 'INSERT INTO rowlift.entry AS e (import, name, run'
const renewal = 'WITH beat AS'
const letters = ['A', 'B']
let imports = 0

class Replay {
  statements = 0
  readonly moves: string[] = []
  readonly #theatre: Theatre
  readonly #trace: Trace
  readonly #patch: Patch
  readonly #random: Random
  readonly #fence: Fence
  readonly #name: string
  readonly #actors = [new Actor(), new Actor()]
  readonly #acts: (Act | undefined)[] = [undefined, undefined]
  readonly #runs: number[] = []
  readonly #rows: readonly RowIdentity[]
  #state: State
  #steps = new Map<string, State>()
  #importId = 0
  #tables: Tables = { chunks: [], entries: [], duplicates: [], twice: [] }
  /** The actor whose statement waits for a lock of the other one. */
  #blocked: number | undefined

  constructor(theatre: Theatre, trace: Trace, patch: Patch) {
    this.#theatre = theatre
    this.#trace = trace
    this.#patch = patch
    this.#random = randomOf(`fence ${trace.seed}`)
    this.#fence = new Fence(trace.scene)
    this.#state = this.#fence.start
    imports += 1
    this.#name = `replay ${imports}`
    this.#rows = trace.scene.rows.map(({ key }, at) => ({
      ...{ source: 'a.csv', row: at + 1, line: at + 2 },
      ...{ key: keyText(key), hash: `${at}`.repeat(16) },
    }))
  }

  async play(): Promise<void> {
    await this.#register(false)
    await this.#look()
    while (this.moves.length < this.#trace.moves) {
      const next = this.#choose(this.#candidates())
      if (next === undefined) return
      this.moves.push(next.what)
      await next.play()
    }
  }

  /** Ends everything that is under way. */
  async end(): Promise<void> {
    for (const act of this.#acts) act?.gates.refuse()
    await Promise.all(this.#acts.map(act => act?.gates.idle()))
    for (const act of this.#acts) act?.gates.refuse()
    await this.#rolledBack()
  }

  #choose(candidates: readonly Candidate[]): Candidate | undefined {
    let left = this.#random() * candidates.reduce((sum, { weight }) => sum + weight, 0)
    return candidates.find(({ weight }) => {
      left -= weight
      return left < 0
    })
  }

  // What may come next

  #candidates(): Candidate[] {
    const opened = this.#acts.flatMap((act, at) =>
      act === undefined || at === this.#blocked ? [] : [this.#opening(at, act)],
    )
    if (this.#blocked !== undefined) return opened
    const steps = [...this.#steps.keys()].flatMap(what => {
      const play = this.#playOf(what)
      const usual = weights.find(([name]) => name.test(what))?.[1] ?? 1
      const weight = this.#trace.seldom?.test(what) ? usual / 5 : usual
      return play === undefined ? [] : [{ what, weight, play }]
    })
    return [...opened, ...steps]
  }

  #opening(at: number, act: Act): Candidate {
    const what = `${letters[at]} goes on with: ${act.what}`
    return { what, weight: 1.5, play: () => this.#goOn(at, act, suspendedShare) }
  }

  get #isMidway(): boolean {
    return this.#acts.some(act => act?.gates.isInTransaction)
  }

  /** How a step of the model is played; undefined if it cannot be at this moment. */
  #playOf(what: string): (() => Promise<void>) | undefined {
    const at = letters.indexOf(what[0] as string)
    if (!/^[AB] /.test(what)) return this.#isMidway ? undefined : this.#playOfWorld(what)
    const verb = what.slice(2)
    if (/^is served/.test(verb)) return this.#stepping(what)
    if (/^is killed/.test(verb)) return this.#trace.isOneProcess ? undefined : () => this.#kill(at, what)
    if (this.#acts[at] !== undefined) return undefined
    if (this.#trace.isOneProcess && this.#acts.some(act => act !== undefined)) return undefined
    return this.#playOfActor(at, what, verb)
  }

  #playOfWorld(what: string): (() => Promise<void>) | undefined {
    if (/tick/.test(what)) return this.#tickOf(what)
    if (/jumps/.test(what)) return this.#jumpOf(what)
    if (/registered/.test(what))
      return async () => {
        await this.#register(true)
        this.#step(what)
        await this.#look()
      }
    return () => this.#resolve(what)
  }

  /** Without a statement the tables stay as they are. */
  #stepping = (what: string) => async () => {
    this.#step(what)
    this.#lookAtClocks()
  }

  /** The model says by their claims whose clocks have missed it. */
  #tickOf(what: string): (() => Promise<void>) | undefined {
    const next = nth(
      [...this.#steps].filter(([each]) => each === what),
      0,
    )[1]
    const isMissed = this.#state.workers.map(({ claim }, at) => {
      const after = nth(next.workers, at).claim
      return after?.hasMissed === true && !claim?.hasMissed
    })
    const both = this.#actors[0]?.process === this.#actors[1]?.process
    if (both && isMissed[0] !== isMissed[1]) return undefined
    return async () => {
      const passed = new Set(
        this.#actors.flatMap(({ process }, at) => (isMissed[at] || !process ? [] : [process])),
      )
      for (const process of passed) process.passTime(tickS)
      for (const act of this.#acts)
        if (act !== undefined && [...passed].some(({ gates }) => gates === act.gates)) act.ticks += 1
      await this.#theatre.clock.advance(tickS)
      this.#step(what)
      this.#lookAtClocks()
    }
  }

  /** The model does not know that a lease which was over may live again. */
  #jumpOf(what: string): (() => Promise<void>) | undefined {
    const isBack = /back/.test(what)
    return async () => {
      await this.#look()
      const isOver = this.#tables.chunks.some(({ left, isDone }) => !isDone && left !== null && left <= 0)
      if (isBack && isOver) return void this.moves.push('some lease would live again')
      await this.#theatre.clock.advance(isBack ? -tickS : 10 * tickS)
      this.#step(what)
      await this.#look()
    }
  }

  #playOfActor(at: number, what: string, verb: string): (() => Promise<void>) | undefined {
    const actor = nth(this.#actors, at)
    const [number = ''] = /\d+/.exec(verb) ?? []
    const row = { ...this.#rows[Number(number)] } as RowIdentity
    const ending = /: (.*?)(,|$)/.exec(verb)?.[1] as Outcome
    const isWhole = (act: Act) => {
      if (isOver(act)) this.#step(what)
    }
    const ofCall = (run: () => Promise<unknown>, onAnswer: Act['onAnswer'] = isWhole) => {
      const gates = actor.inHand?.process.gates
      return () => this.#begin(at, what, gates, run, onAnswer)
    }
    const own = (run: () => Promise<unknown>, onAnswer: Act['onAnswer']) => () =>
      this.#begin(at, what, actor.process?.gates, run, onAnswer)
    /** A statement that comes late does nothing. */
    const ifStill =
      (then = () => {}) =>
      (act: Act) => {
        if (!isOver(act) || !this.#steps.has(what)) return
        this.#step(what)
        then()
      }
    if (/^claims/.test(verb)) return this.#claimOf(at, Number(number), what)
    if (/^renews/.test(verb))
      return own(
        async () => actor.process?.beat(),
        act => this.#noteRenewal(act, actor.process),
      )
    if (/^(frees|ends)/.test(verb))
      return own(
        () => actor.leaveChunk(/^ends/.test(verb)),
        ifStill(() => {
          actor.claim = undefined
        }),
      )
    if (/^reads/.test(verb))
      return own(
        () => actor.read(row),
        act => this.#noteRead(at, act),
      )
    if (/^accounts/.test(verb)) {
      const isDuplicate = this.#steps.get(what)?.accounts[Number(number)] === 'duplicate'
      if (!isDuplicate) return this.#stepping(what)
      return own(
        () => actor.recordDuplicate(row),
        act => this.#noteDuplicate(at, act, Number(number)),
      )
    }
    if (/^(inserts|may not)/.test(verb))
      return ofCall(
        () => actor.addIntent(),
        act => this.#noteIntent(at, act),
      )
    if (/^(withdraws|tries)/.test(verb)) return ofCall(() => actor.withdraw())
    if (/^records/.test(verb)) return ofCall(() => actor.record(ending))
    if (/^uploads/.test(verb)) return ofCall(() => actor.upload(this.#spooled(at)))
    return this.#stepping(what) // it sends, or spools
  }

  #spooled(at: number): Outcome {
    return nth(this.#state.workers, at).call?.outcome ?? 'in doubt'
  }

  /** The first chunk that is free is taken. A worker that leaves a chunk behind is another process from then on. */
  #claimOf(at: number, no: number, what: string): (() => Promise<void>) | undefined {
    const actor = nth(this.#actors, at)
    const { claim } = nth(this.#state.workers, at)
    const isBehind = claim !== undefined && claim.run === this.#state.run
    const { isOneProcess } = this.#trace
    if (this.#state.chunks.findIndex(isFree) !== no) return undefined
    if (isOneProcess && this.#steps.has(`${letters[at]} frees chunk ${claim?.chunk}`)) return undefined
    return async () => {
      const isOther = actor.process?.ledger.run.id !== this.#runs.at(-1)
      const isNew = (isBehind && !isOneProcess) || isOther || actor.process === undefined
      const process = isNew ? await this.#processOf(actor) : (actor.process as Process)
      await this.#begin(
        at,
        what,
        process.gates,
        () => actor.takeChunk(process),
        act => this.#noteClaim(at, act),
      )
    }
  }

  /** The first free chunk that no other lane of its process has. */
  #firstFree(actor: Actor): number {
    const lanes = this.#actors.filter(each => this.#trace.isOneProcess && each !== actor)
    return this.#state.chunks.findIndex(
      (chunk, no) => isFree(chunk) && lanes.every(({ holds }) => holds !== no),
    )
  }

  async #processOf(actor: Actor): Promise<Process> {
    const other = this.#actors.find(each => each !== actor)
    if (this.#trace.isOneProcess && other?.process !== undefined) return other.process
    const { database } = this.#theatre
    return Process.start(database, { name: this.#name, asked: this.#asked(), patch: this.#patch })
  }

  #asked() {
    const { rows, mode } = this.#trace.scene
    const sizes = this.#fence.start.chunks.map((_, no) => rows.filter(({ chunk }) => chunk === no).length)
    return askedRun(sizes, { delivery: mode })
  }

  // How it goes on

  async #begin(
    at: number,
    what: string,
    gates: Gates | undefined,
    run: () => Promise<unknown>,
    onAnswer: Act['onAnswer'],
  ): Promise<void> {
    if (gates === undefined) throw new Error(`nobody is there for: ${what}`)
    const flags = { isSettled: false, isDue: true, isDisturbed: false }
    const act: Act = { what, gates, onAnswer, run: this.#runs.at(-1), sql: '', ticks: 0, ...flags }
    this.#acts[at] = act
    run().then(
      result => Object.assign(act, { isSettled: true, result }),
      error => Object.assign(act, { isSettled: true, error }),
    )
    await turns()
    if (isOver(act)) await this.#note(at, act)
    else if (this.#random() >= suspendedShare) await this.#goOn(at, act, suspendedShare / 3)
  }

  /** Opens the gate of one statement, and of those behind it until the worker is suspended. */
  async #goOn(at: number, act: Act, share: number): Promise<void> {
    do {
      act.sql = act.gates.next?.sql ?? ''
      if (this.#acts[1 - at]?.gates.isInTransaction) act.isDisturbed = true
      act.gates.open()
      this.statements += 1
      if (!(await this.#answered(at, act))) {
        this.#blocked = at
        this.moves.push(`${letters[at]} waits for a lock`)
        return
      }
      await this.#note(at, act)
      await this.#unblock()
    } while (this.#acts[at] === act && this.#blocked === undefined && this.#random() >= share)
  }

  /** Whether a statement that went through has its answer; false if it waits for a transaction of the other actor. */
  async #answered(at: number, act: Act): Promise<boolean> {
    const idle = act.gates.idle().then(() => true)
    if (!this.#acts[1 - at]?.gates.isInTransaction) return idle
    for (;;) {
      const later = new Promise<false>(resolve => setTimeout(resolve, 2, false))
      if (await Promise.race([idle, later])) return true
      if (await this.#isWaiting()) return false
    }
  }

  async #isWaiting(): Promise<boolean> {
    const waiting = await this.#theatre.test.query(
      `SELECT FROM pg_stat_activity a JOIN pg_stat_activity b ON b.pid = ANY (pg_blocking_pids(a.pid))
         WHERE a.datname = current_database() AND b.backend_type = 'client backend'`, // a vacuum waits and is waited for, too
    )
    return waiting.length > 0
  }

  /** What waited for a lock may have it by now. */
  async #unblock(): Promise<void> {
    const at = this.#blocked
    const act = at === undefined ? undefined : this.#acts[at]
    if (at === undefined || act === undefined || !(await this.#answered(at, act))) return
    this.#blocked = undefined
    await this.#note(at, act)
  }

  async #note(at: number, act: Act): Promise<void> {
    if (isOver(act)) this.#acts[at] = undefined
    const isLate = (act.error as { code?: string } | undefined)?.code === 'ledger_run_over'
    if (act.error !== undefined && !isLate) throw act.error
    act.onAnswer(act)
    // what waited for a lock may be in the tables already, and is noted next
    if (this.#blocked === undefined) await this.#look()
  }

  #noteRenewal(act: Act, process: Process | undefined): void {
    if (!act.sql.includes(renewal)) return
    for (const [at, actor] of this.#actors.entries()) {
      const what = [...this.#steps.keys()].find(each => each.startsWith(`${letters[at]} renews`))
      if (actor.process !== process || what === undefined) continue
      this.#step(what)
      this.#spend(at, act.ticks)
    }
  }

  /** A lease is counted from before the worker asked for it; in the model it asks and has it at once. */
  #spend(at: number, ticks: number): void {
    const { claim } = nth(this.#state.workers, at)
    if (claim === undefined || ticks === 0) return
    const next = copy(this.#state)
    put(next.workers, at, { claim: { ...claim, left: Math.max(0, claim.left - ticks) } })
    this.#enter(next)
  }

  /** It looks for a chunk when it begins; behind the commit it has one, or goes on to ask whether all are done. */
  #noteClaim(at: number, act: Act): void {
    if (act.sql === 'BEGIN')
      act.isDue =
        act.run === this.#runs.at(-1) && !act.isDisturbed && this.#firstFree(nth(this.#actors, at)) >= 0
    if (isOver(act) && act.result !== undefined) {
      this.#step(`${letters[at]} claims chunk ${act.result}`)
      this.#spend(at, act.ticks)
    } else if (act.isDue && act.sql === 'COMMIT') throw new Divergence(`${act.what}: no chunk is free`)
  }

  #noteRead(at: number, act: Act): void {
    if (!isOver(act)) return
    const actor = nth(this.#actors, at)
    if (!this.#steps.has(act.what)) {
      actor.inHand = undefined
      return
    }
    this.#step(act.what)
    const { seen } = nth(this.#state.workers, at).call ?? {}
    const before = { none: undefined, refused: 'refused', 'in doubt': 'in_doubt', created: 'settled' }[
      seen ?? 'none'
    ]
    const { call } = actor.inHand ?? {}
    if (call?.before !== before) throw new Divergence(`${act.what}: ${call?.before} is known, not ${before}`)
  }

  /** The line of a duplicate is written though the key has become free meanwhile: the other row is still to be sent. */
  #noteDuplicate(at: number, act: Act, row: number): void {
    if (!isOver(act)) return
    const { claim } = nth(this.#state.workers, at)
    if (this.#steps.has(act.what)) this.#step(act.what)
    else if (claim !== undefined && this.#isFenced(claim)) {
      const next = copy(this.#state)
      next.accounts[row] = 'duplicate'
      this.#enter(next)
    }
  }

  #isFenced({ run, epoch, chunk }: Claim): boolean {
    return run === this.#state.run && epoch === nth(this.#state.chunks, chunk).epoch
  }

  #noteIntent(at: number, act: Act): void {
    const actor = nth(this.#actors, at)
    this.#noteRenewal(act, actor.inHand?.process)
    if (!act.isDue || !(isOver(act) || act.sql.includes(intentStatement))) return
    act.isDue = false
    const { row } = nth(this.#state.workers, at).call ?? { row: 0 }
    const isGranted = isOver(act) && act.result === undefined
    const granted = `${letters[at]} inserts the intent of row ${row}`
    const denied = `${letters[at]} may not send row ${row}`
    const isSeen = this.#isSeen(actor, row)
    if (isGranted && !isSeen) throw new Divergence(`${granted}: its line is another`)
    if (isGranted || isSeen || this.#steps.has(denied)) this.#step(isGranted ? granted : denied)
    else this.#drop(at)
  }

  /** Another line of the same words is not what the worker has seen; the model only has the words. */
  #isSeen({ inHand }: Actor, row: number): boolean {
    if (inHand === undefined) return false
    const { seq } = inHand.process.ledger.known.of(inHand.call.identity)
    return seq === (entryOf(this.#tables, nth(this.#trace.scene.rows, row).key)?.line ?? null)
  }

  #drop(at: number): void {
    const next = copy(this.#state)
    put(next.workers, at, { call: undefined })
    this.#enter(next)
  }

  // The world

  async #register(isNewRun: boolean): Promise<void> {
    const { database } = this.#theatre
    const asked = { ...this.#asked(), isNewRun }
    const { ledger } = await Process.start(database, { name: this.#name, asked, patch: this.#patch })
    this.#importId = ledger.run.importId
    this.#runs.push(ledger.run.id)
    if (!isNewRun) this.#enter(this.#state)
  }

  async #resolve(what: string): Promise<void> {
    const { database } = this.#theatre
    const next = this.#steps.get(what)
    const at = this.#state.keys.findIndex((key, each) => key !== next?.keys[each])
    const imported = { database, importId: this.#importId, name: this.#name, opening: this.#asked().opening }
    const key = keyText(at)
    const facts = await doubtFacts(imported, key)
    if (facts.heldMs > 0) return void this.moves.push('it is held for longer')
    await settleDoubts(imported, facts, { key, recordId: undefined }, { run: ulid(), now: () => new Date() })
    this.#step(what)
    await this.#look()
  }

  /** Ends what a worker has under way; a transaction is rolled back. */
  async #kill(at: number, what: string): Promise<void> {
    const actor = nth(this.#actors, at)
    this.#acts[at]?.gates.refuse()
    this.#acts[at] = undefined
    await turns()
    await this.#rolledBack(at)
    actor.process = undefined
    actor.claim = undefined
    actor.holds = undefined
    this.#step(what)
    await this.#look()
  }

  async #rolledBack(at?: number): Promise<void> {
    const others = this.#acts.filter((act, each) => each !== at && act?.gates.isInTransaction).length
    for (;;) {
      const open = await this.#theatre.test.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
      )
      if (at === undefined ? open.length === 0 : open.length <= others) return
    }
  }

  // The model

  #step(what: string): void {
    const next = this.#steps.get(what)
    if (next === undefined) throw new Divergence(`the model does not have: ${what}`)
    this.#enter(next)
  }

  #enter(next: State): void {
    const wrong = this.#fence.wrong(next)
    if (wrong !== undefined) throw new Divergence(wrong)
    this.#state = next
    this.#steps = new Map()
    this.#fence.next(next, (what, state) => this.#addStep(what, state))
  }

  /** Steps of one name differ in whose clocks have missed a tick. */
  #addStep(what: string, state: State): void {
    let name = what
    while (this.#steps.has(name)) name += ' too'
    this.#steps.set(name, state)
  }

  /** Compares the tables with the model. */
  async #look(): Promise<void> {
    const run = this.#runs.at(-1) ?? 0
    this.#tables = await readTables(this.#theatre.test, { importId: this.#importId, run })
    const wrong = differences(this.#tables, this.#state, { scene: this.#trace.scene, runs: this.#runs })
    if (wrong.length > 0) throw new Divergence(wrong.join('\n'))
    this.#lookAtClocks()
  }

  /** Compares what workers would do by their own clocks with the model. */
  #lookAtClocks(): void {
    for (const at of this.#actors.keys()) this.#noteLoss(at)
    for (const [at, { call }] of this.#state.workers.entries()) {
      if (call?.phase !== 'intent' || this.#acts[at] !== undefined) continue
      const may = this.#steps.has(`${letters[at]} sends row ${call.row}`)
      if (nth(this.#actors, at).maySend() !== may)
        throw new Divergence(`${letters[at]} ${may ? 'may not' : 'may'} send row ${call.row} by its clocks`)
    }
  }

  /** A worker that knows that its chunk is lost sends nothing; in the model only its clock tells it. */
  #noteLoss(at: number): void {
    const { claim } = nth(this.#state.workers, at)
    if (claim === undefined || !this.#actors[at]?.claim?.isLost) return
    if (this.#isFenced(claim))
      throw new Divergence(`${letters[at]} has lost chunk ${claim.chunk}, which nobody took`)
    this.#spend(at, claim.left)
  }
}

const isOver = (act: Act): boolean => act.isSettled && act.gates.next === undefined

const isFree = ({ isDone, leaseLeft }: State['chunks'][number]) => !isDone && leaseLeft === 0
