import fc from 'fast-check'
import { sectorBytes } from './disk.ts'
import type { JournalCode } from './journal-code.ts'
import { Broken, Ledger, type Mode } from './ledger.ts'
import { chanceOf, losing, Machine } from './machine.ts'
import { type Change, Past } from './past.ts'
import { type Answer, log, Repairing, Resolving, Run, type Session, type World } from './sessions.ts'

/** What happens next; then the machine does so many steps. */
export interface Command {
  readonly type: 'rows' | 'wait' | 'close' | 'resolve' | 'kill' | 'cut power' | 'suspend' | 'wake' | 'change'
  readonly rows?: readonly { readonly row: number; readonly answer: Answer }[]
  /** What the world does to a file. */
  readonly change?: Change
  readonly steps: number
}

export interface Sequence {
  readonly mode: Mode
  /** Of the machine's chance, or what every crash loses. */
  readonly seed: number | 'everything' | 'bytes'
  readonly commands: readonly Command[]
}

const rowCount = 6

const answer = fc.constantFrom<Answer[]>(
  ...(['created', 'created', 'refused', 'invalid', 'throttled', 'lost, made', 'lost, not made'] as const),
)
const commands: readonly fc.WeightedArbitrary<Command>[] = [
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('rows' as const),
      rows: fc.array(fc.record({ row: fc.integer({ min: 1, max: rowCount }), answer }), {
        minLength: 1,
        maxLength: 4,
      }),
      steps: fc.nat(60),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constantFrom(
        ...(['wait', 'close', 'resolve', 'kill', 'cut power', 'cut power', 'suspend', 'wake'] as const),
      ),
      steps: fc.nat(20),
    }),
  },
]
const change: fc.WeightedArbitrary<Command> = {
  weight: 6,
  arbitrary: fc.record({
    type: fc.constant('change' as const),
    change: fc.record({
      file: fc.constantFrom('log', 'log', 'intents'),
      move: fc.constantFrom(
        ...([
          'earlier',
          'earlier',
          'cut',
          'cut at a line',
          'zero',
          'remove lines',
          'remove lines',
          'remove',
        ] as const),
      ),
      at: fc.nat(999),
      length: fc.constantFrom(1, 2, 30, sectorBytes),
      isInPlace: fc.boolean(),
    }),
    steps: fc.constant(0),
  }),
}

/** In half of all sequences the world leaves the files alone, so none of them may be refused. */
export const sequence: fc.Arbitrary<Sequence> = fc.record({
  mode: fc.constantFrom<Mode[]>('at-most-once', 'at-least-once'),
  seed: fc.nat(),
  commands: fc.oneof(
    ...[commands, [...commands, change]].map(each =>
      fc.array(fc.oneof(...each), { minLength: 2, maxLength: 10, size: 'max' }),
    ),
  ),
})

/** How often the files were changed, refused, repaired and put back, for those who want to know what a trial was worth. */
export const counts = { changed: 0, refused: 0, repaired: 0, 'put back': 0, 'given up': 0, forgotten: 0 }

/** Throws where a sequence breaks the promise. */
export async function play({ mode, seed, commands }: Sequence, code: JournalCode): Promise<void> {
  const player = new Player({
    machine: new Machine(typeof seed === 'number' ? chanceOf(seed) : losing(seed)),
    ledger: new Ledger(mode),
    mode,
    code,
  })
  try {
    for (const each of commands) await player.play(each)
    await player.finish()
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error
    counts['given up'] += 1
  }
}

/** A person can do no more about changed files, and nothing was sent. */
class GivenUp extends Error {}

const mostSteps = 3_000
const mostAttempts = 20

class Player {
  readonly #world: World
  readonly #past: Past
  readonly #sessions: Session[] = []
  /** The one that was started last, unless it is over or sleeps. */
  #front: Session | undefined
  #hasSlept = false
  /** A session ended early: the files were refused, or the disk failed. */
  #hasFailed = false

  constructor(world: World) {
    this.#world = world
    this.#past = new Past(world.machine)
  }

  async play({ type, rows = [], change, steps }: Command): Promise<void> {
    const { machine } = this.#world
    switch (type) {
      case 'rows':
        await this.#offer(rows)
        break
      case 'close':
        await this.#close()
        break
      case 'resolve':
        await this.#close()
        this.#startTool(Resolving)
        break
      case 'kill':
        if (this.#front) machine.kill(this.#front.process)
        this.#front = undefined
        break
      case 'cut power':
        machine.cutPower()
        this.#front = undefined
        break
      case 'suspend':
        if (this.#front) this.#front.process.isAwake = false
        this.#hasSlept = true
        this.#front = undefined
        break
      case 'wake':
        for (const process of machine.processes) process.isAwake = process.isAlive
        break
      case 'change':
        if (change !== undefined) this.#change(change)
        break
      case 'wait':
    }
    await machine.settle()
    this.#past.note()
    for (let step = 0; step < steps; step += 1) if (!(await this.#step())) return
  }

  /** After a last crash everything can be imported, and nothing of that is lost. */
  async finish(): Promise<void> {
    const { machine } = this.#world
    await this.play({ type: machine.chance.below(2) === 0 ? 'kill' : 'cut power', steps: 0 })
    for (const process of machine.processes) if (process.isAlive) machine.kill(process)
    await this.#import(
      Array.from({ length: rowCount }, (_, at) => ({ row: at + 1, answer: 'created' as const })),
    )
    machine.cutPower()
    await this.#import([])
  }

  async #import(rows: Command['rows'] & object): Promise<void> {
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      this.#hasFailed = false
      await this.#offer(rows)
      await this.#close()
      if (!this.#hasFailed) return
    }
    throw new Broken('an import comes to no end')
  }

  async #offer(rows: Command['rows'] & object): Promise<void> {
    if (!(this.#front instanceof Run)) await this.#close()
    this.#front ??= this.#start(Run)
    if (this.#front instanceof Run) this.#front.offer(rows)
  }

  /** The world changes a file between two runs: whoever holds the log is killed first. */
  #change(change: Change): void {
    const { machine, ledger } = this.#world
    for (const process of [this.#front?.process, ledger.holder]) if (process?.isAlive) machine.kill(process)
    this.#front = undefined
    this.#past.change(change)
    this.#expectChange()
    counts.changed += 1
  }

  #expectChange(): void {
    this.#world.ledger.change({
      mayForget: () => this.#past.mayForget(),
      onRead: forgotten => {
        this.#past.accept()
        counts.forgotten += forgotten
      },
    })
  }

  #start<Kind extends Session>(kind: new (world: World) => Kind): Kind {
    const session = new kind(this.#world).start()
    this.#sessions.push(session)
    return session
  }

  #startTool(kind: new (world: World) => Session): void {
    if (this.#world.machine.root.names.has(log.slice(1))) this.#front = this.#start(kind)
  }

  /** Lets the session end by itself, and a repair after it. */
  async #close(): Promise<void> {
    for (let step = 0; this.#front !== undefined; step += 1) {
      if (this.#front instanceof Run) this.#front.close()
      await this.#world.machine.settle()
      if (this.#front.isOver) this.#front = undefined
      else if (step === mostSteps || (!(await this.#step()) && this.#front !== undefined))
        throw new Broken('a process does not end')
    }
  }

  /** False where every process waits for something else than the machine. */
  async #step(): Promise<boolean> {
    const goesOn = await this.#world.machine.step()
    this.#past.note()
    for (const session of [...this.#sessions]) {
      const { error, process } = session
      if (error === undefined) continue
      this.#judge(session, error as Error)
      if (!process.isAlive) this.#sessions.splice(this.#sessions.indexOf(session), 1)
    }
    if (this.#front?.isOver) this.#front = undefined
    return goesOn
  }

  /** Throws an error that has no good reason. */
  #judge(session: Session, error: Error): void {
    const { process } = session
    const { pid, hadFailedSync } = process
    const hadRival = process.machine.processes.some(
      other => other.pid > pid || (other.isAlive && other !== process),
    )
    if (/^Lo(ck|g)Error$/.test(error.constructor.name) && (hadRival || hadFailedSync)) {
      this.#hasFailed ||= hadFailedSync
      return
    }
    if (error.constructor.name !== 'UsageError') throw error
    if (!this.#past.isChanged && !this.#isLateWrite(error)) throw error
    if (session === this.#front) this.#seePerson(session, error)
  }

  /** A run that slept had a write under way, and left half a line where its successor wrote: damage, for all that is known. */
  #isLateWrite(error: Error): boolean {
    const { problem } = error as { readonly problem?: { readonly code: string } }
    return this.#hasSlept && this.#world.machine.processes.length > 2 && problem?.code === 'bad_log_line'
  }

  /** A person puts the right files back, if they are still right, or repairs the log. */
  #seePerson(session: Session, error: Error): void {
    const { machine, ledger } = this.#world
    this.#hasFailed = true
    counts.refused += 1
    const hasNoRepair = session instanceof Repairing
    if (this.#past.canPutBack && (hasNoRepair || machine.chance.below(2) === 0)) {
      this.#past.putBack()
      ledger.putBack()
      this.#front = undefined
      counts['put back'] += 1
    } else {
      if (hasNoRepair) throw this.#past.isChanged ? new GivenUp() : error
      this.#past.refuse()
      this.#expectChange()
      this.#front = this.#start(Repairing)
      counts.repaired += 1
    }
  }
}
