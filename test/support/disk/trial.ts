import fc from 'fast-check'
import type { JournalCode } from './journal-code.ts'
import { Broken, Ledger, type Mode } from './ledger.ts'
import { chanceOf, losing, Machine } from './machine.ts'
import { type Answer, log, Resolving, Run, type Session, type World } from './sessions.ts'

/** What happens next; then the machine does so many steps. */
export interface Command {
  readonly type: 'rows' | 'wait' | 'close' | 'resolve' | 'kill' | 'cut power' | 'suspend' | 'wake'
  readonly rows?: readonly { readonly row: number; readonly answer: Answer }[]
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
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('rows' as const),
      rows: fc.array(fc.record({ row: fc.integer({ min: 1, max: rowCount }), answer }), {
        minLength: 1,
        maxLength: 4,
      }),
      steps: fc.nat(30),
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
)

export const sequence: fc.Arbitrary<Sequence> = fc.record({
  mode: fc.constantFrom<Mode[]>('at-most-once', 'at-least-once'),
  seed: fc.nat(),
  commands: fc.array(command, { minLength: 2, maxLength: 10, size: 'max' }),
})

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
    if (!player.isLateWrite(error)) throw error // else a person has to look, and nothing was sent
  }
}

const mostSteps = 3_000

class Player {
  readonly #world: World
  readonly #sessions: Session[] = []
  /** The one that was started last, unless it is over or sleeps. */
  #front: Session | undefined
  #hasSlept = false

  constructor(world: World) {
    this.#world = world
  }

  /** A run that slept had a write under way, and left half a line where its successor wrote: damage, for all that is known. */
  isLateWrite(error: unknown): boolean {
    const { problem } = error as { readonly problem?: { readonly code: string } }
    return this.#hasSlept && this.#world.machine.processes.length > 2 && problem?.code === 'bad_log_line'
  }

  async play({ type, rows = [], steps }: Command): Promise<void> {
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
      case 'wait':
    }
    await machine.settle()
    for (let step = 0; step < steps; step += 1) if (!(await this.#step())) return
  }

  /** After a last crash everything can be imported, and nothing of that is lost. */
  async finish(): Promise<void> {
    const { machine } = this.#world
    await this.play({ type: machine.chance.below(2) === 0 ? 'kill' : 'cut power', steps: 0 })
    for (const process of machine.processes) if (process.isAlive) machine.kill(process)
    const rows = Array.from({ length: rowCount }, (_, at) => ({ row: at + 1, answer: 'created' as const }))
    await this.#offer(rows)
    await this.#close()
    machine.cutPower()
    await this.#offer([])
    await this.#close()
  }

  async #offer(rows: Command['rows'] & object): Promise<void> {
    if (!(this.#front instanceof Run)) await this.#close()
    this.#front ??= this.#start(Run)
    if (this.#front instanceof Run) this.#front.offer(rows)
  }

  #start<Kind extends Session>(kind: new (world: World) => Kind): Kind {
    const session = new kind(this.#world).start()
    this.#sessions.push(session)
    return session
  }

  #startTool(kind: new (world: World) => Session): void {
    if (this.#world.machine.root.names.has(log.slice(1))) this.#front = this.#start(kind)
  }

  /** Lets the session end by itself. */
  async #close(): Promise<void> {
    const session = this.#front
    if (session instanceof Run) session.close()
    await this.#world.machine.settle()
    for (let step = 0; session !== undefined && !session.isOver; step += 1)
      if (step === mostSteps || !(await this.#step())) throw new Broken('a process does not end')
    this.#front = undefined
  }

  /** False where every process waits for something else than the machine. */
  async #step(): Promise<boolean> {
    const goesOn = await this.#world.machine.step()
    for (const [at, { error, process }] of this.#sessions.entries()) {
      if (error === undefined) continue
      const { pid, isAlive } = process
      const hadRival = this.#sessions.some(
        other => other.process.pid > pid || (other.process.isAlive && other.process !== process),
      )
      const isOfRival = /^Lo(ck|g)Error$/.test((error as Error).constructor.name) && hadRival
      if (!isOfRival) throw error
      if (!isAlive) this.#sessions.splice(at, 1)
    }
    if (this.#front?.isOver) this.#front = undefined
    return goesOn
  }
}
