import type { CliContext } from '../../../src/cli/context.ts'
import { UsageError } from '../../../src/model/errors.ts'
import type { Outcome } from '../../../src/model/outcome.ts'
import { type Problem, problem } from '../../../src/model/problem.ts'
import type { Call } from '../../../src/model/row.ts'
import type { Checkpoint } from '../../../src/store/files/checkpoint.ts'
import type { Journal } from '../../../src/store/files/journal.ts'
import type { Opening } from '../../../src/store/files/lines.ts'
import type { Lock } from '../../../src/store/files/lock.ts'
import { intentLogPath } from '../../../src/store/files/whole-lines.ts'
import { openingLine } from '../log-files.ts'
import { File } from './disk.ts'
import type { JournalCode } from './journal-code.ts'
import { isHeld, type Ledger, type Mode } from './ledger.ts'
import type { Machine, Process } from './machine.ts'

// What a process does with the journal, in the order of src/app and src/engine: an import and `rowlift resolve`.

export const log = '/results.ndjson'

export type Answer = 'created' | 'refused' | 'invalid' | 'throttled' | 'lost, made' | 'lost, not made'

export interface Row {
  readonly row: number
  readonly answer: Answer
}

export interface World {
  readonly machine: Machine
  readonly ledger: Ledger
  readonly mode: Mode
  readonly code: JournalCode
}

const noName = { path: 'name', ...problem('settled_not_created') } // any problem does
const describe = ({ code }: Problem) => code
const keyOf = (row: number) => `k${row}`
const hashOf = (row: number) => `${row}`.padStart(16, 'abcdef')
const recordOf = (key: string) => `00000000-0000-4000-8000-${key.slice(1).padStart(12, '0')}`

/** One process at work. */
export abstract class Session {
  readonly world: World
  readonly process: Process
  readonly code: ReturnType<JournalCode>
  /** It waits for rows. */
  isIdle = false
  isOver = false
  error: unknown
  /** The lock is gone. */
  isLost = false

  constructor(world: World) {
    this.world = world
    this.process = world.machine.start()
    this.code = world.code(this.process)
  }

  start(): this {
    this.#run()
      .catch(error => {
        if (this.process.isAlive) this.error = error // a dead one goes on here until its next wait
      })
      .finally(() => {
        this.isOver = true
        this.world.machine.kill(this.process)
      })
    return this
  }

  async #run(): Promise<void> {
    const { machine, ledger } = this.world
    const { id, pid, clock } = this.process
    const lock = await this.code.lockLog(log, {
      holder: {
        ...{ id, pid, host: 'h', since: '' },
        process: { boot: String(machine.boot), pid_namespace: 'n', started: String(pid) },
      },
      clock,
      timeoutMs: 1000,
      onWait() {},
      onLost: () => {
        this.isLost = true
      },
    })
    try {
      lock.check()
      ledger.hold(this.process)
      await this.work(lock)
    } finally {
      await lock.release()
    }
  }

  protected abstract work(lock: Lock): Promise<void>
}

/** An import. It takes rows until it is closed, several at once. */
export class Run extends Session {
  readonly #rows: Row[] = []
  #isClosed = false
  #goOn = () => {}

  offer(rows: readonly Row[]): void {
    this.#rows.push(...rows)
    this.#goOn()
  }

  close(): void {
    this.#isClosed = true
    this.#goOn()
  }

  protected override async work(lock: Lock): Promise<void> {
    const { ledger, mode } = this.world
    const { id, clock } = this.process
    const checkpoint = await this.code.replay(log, { records: true })
    ledger.check(this.process, checkpoint)
    await this.process.turn() // an import looks at its sources and the service
    const journal = await this.code.openJournal(log, checkpoint, lock, {
      opening: openingLine(id, { delivery: mode }) as Opening,
      now: clock.now,
      describe,
      onUnwritten() {},
    })
    const delivery = new Delivery(this, checkpoint, journal)
    const inHand: Promise<void>[] = []
    for await (const row of this.#offered()) inHand.push(delivery.take(row).catch(error => this.#stop(error)))
    await Promise.all(inHand)
    await journal.close({ ended: { rows: 1 }, ...(this.error !== undefined && { stopped: 'error' }) })
    if (this.error !== undefined) throw this.error
  }

  #stop(error: unknown): void {
    this.error ??= error
    this.close()
  }

  async *#offered(): AsyncGenerator<Row> {
    for (;;) {
      if (this.error === undefined) yield* this.#rows.splice(0)
      if (this.#isClosed) return
      await new Promise<void>(resolve => {
        this.#goOn = resolve
      })
    }
  }
}

/** What an import does with each row. */
class Delivery {
  readonly #run: Run
  readonly #checkpoint: Checkpoint
  readonly #journal: Journal
  readonly #taken = new Set<number>()

  constructor(run: Run, checkpoint: Checkpoint, journal: Journal) {
    this.#run = run
    this.#checkpoint = checkpoint
    this.#journal = journal
  }

  async take({ row, answer }: Row): Promise<void> {
    if (this.#taken.has(row)) return
    this.#taken.add(row)
    const { world, process } = this.#run
    const identity = { source: 'a.csv', row, line: row + 1, key: keyOf(row), hash: hashOf(row) }
    const status = this.#checkpoint.get(identity.key, identity.hash)?.status
    if (isHeld(this.#checkpoint, identity.key)) return
    if (status === 'settled' || (status === 'in_doubt' && world.mode === 'at-most-once')) return
    if (answer === 'invalid') return this.#write({ identity, status: 'invalid', errors: [noName] })
    const body = { name: 'x'.repeat((row % 4) * 230) }
    const call: Call = { identity, body, json: JSON.stringify(body), before: status }
    world.ledger.begin(process, identity.key)
    await this.#send(call, answer).finally(() => world.ledger.of(identity.key).underWay.delete(process))
  }

  async #send(call: Call, answer: Answer): Promise<void> {
    const { identity } = call
    const { key } = identity
    const { world, process } = this.#run
    const { ledger } = world
    const { intentLog } = this.#journal
    await intentLog.add(call)
    await process.turn()
    if (this.#run.isLost) return ledger.mayExist(key) ? undefined : intentLog.remove(key)
    ledger.send(process, key)
    if (answer === 'created' || answer === 'lost, made') ledger.make(key)
    await process.turn()
    const of = { identity, attempts: 1, durationMs: 10 }
    switch (answer) {
      case 'created':
        ledger.hear(key)
        return this.#write({ ...of, status: 'created', recordId: recordOf(key), httpStatus: 201 })
      case 'refused':
        ledger.hear(key)
        return this.#write({ ...of, status: 'failed', fault: 'refused', httpStatus: 400, errors: [noName] })
      case 'throttled':
        ledger.takeBack(key)
        intentLog.remove(key)
        await process.turn()
        return this.#send(call, 'created')
      default:
        if (world.mode === 'at-least-once') return this.#send(call, 'created')
        return this.#write({
          ...of,
          status: 'in_doubt',
          fault: 'ambiguous',
          errors: [noName],
          body: call.json,
        })
    }
  }

  async #write(outcome: Outcome & Pick<Call, 'identity'>): Promise<void> {
    const { world, process } = this.#run
    const isKnown = this.#checkpoint.hasRefusal(outcome)
    await this.#journal.record(isKnown ? ({ ...outcome, known: true } as Outcome) : outcome)
    if (!isKnown) world.ledger.promise(process, outcome.identity.key, outcome.status === 'created')
  }
}

/** A person looks into the service and resolves the first row in doubt whose call is not under way. */
export class Resolving extends Session {
  protected override async work(lock: Lock): Promise<void> {
    const { ledger } = this.world
    const { id, clock } = this.process
    const doubts = await this.code.readDoubts(log)
    ledger.check(this.process, doubts.checkpoint)
    for await (const { key } of doubts.each()) {
      const { underWay, isThere: isMade, promised } = ledger.of(key)
      if ([...underWay].some(({ isAlive }) => isAlive)) continue
      if (isMade) ledger.make(key)
      else ledger.ruleOut(key)
      const recordId = isMade ? recordOf(key) : undefined
      await this.code.resolveDoubts(log, lock, doubts.each(key), {
        endOf: () => ({ recordId }),
        ...{ checkpoint: doubts.checkpoint, rowlift: '0', run: id, now: clock.now, describe },
      })
      promised.add(isMade ? 'record' : 'no doubt')
      return
    }
  }
}

/** A person repairs the log. */
export class Repairing extends Session {
  protected override async work(lock: Lock): Promise<void> {
    const { id, clock, machine } = this.process
    const file = machine.root.names.get(log.slice(1))
    // as the command does; it cannot mend that
    if (!(file instanceof File) || file.bytes.length === 0)
      throw new UsageError('log_gone', { path: log, inFlight: intentLogPath(log) })
    await this.code.repairLog(log, lock, id, { version: '0', clock } as CliContext)
  }
}
