import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'
import { leaseS, type Machine } from './machine.ts'

/** What faults are done to, besides a machine. */
export interface World {
  readonly machines: readonly Machine[]
  readonly random: Random
  /** Resolves when the next call of a machine has arrived, before it is answered; false where none comes. */
  nextCall(machine: Machine): Promise<boolean>
  /** Resolves when another worker has a chunk of this one, or none takes it for some time. */
  takenOver(machine: Machine): Promise<void>
  /** What is done to the database itself; each resolves with whether that is ours to do. */
  readonly database: DatabaseFaults
  /** Starts an import of the same name that is not the same, and resolves with whether it happened. */
  startOther(machine: Machine, what: 'source' | 'mapping'): Promise<boolean>
}

export interface DatabaseFaults {
  /** Ends the server and starts it again after some time. */
  restart(how: 'kill' | 'fast' | 'immediate', forMs: number): Promise<boolean>
  /** Lets the server end all connections of workers. */
  terminate(): Promise<boolean>
  /** Another program keeps a transaction open that has locked rows of the ledger, and keeps vacuum back. */
  lockRows(forMs: number): Promise<boolean>
  /** Fills the disk of the server; false if it has none of its own. */
  fillDisk(forMs: number): Promise<boolean>
  /** Kills the server, and makes its standby the server; once. */
  failOver(): Promise<boolean>
}

/** Does something to a machine, and mends it; resolves with whether it happened. */
export type Fault = (machine: Machine, world: World) => Promise<boolean>

const intent = /INSERT INTO rowlift\.entry AS e \(import, name, run/
const outcome = /INSERT INTO rowlift\.line/
const claim = /UPDATE rowlift\.chunk SET epoch/

async function pastLease(machine: Machine, world: World): Promise<void> {
  const isShort = world.random() < 0.5
  const slept = sleep(1000 * (leaseS + 0.3 + 1.5 * world.random()))
  await Promise.all([slept, isShort ? undefined : world.takenOver(machine)])
}
const awayMs = ({ random }: World) => 300 + 3_500 * random()

/** Stops a worker until its leases are over, unless it was killed. */
async function sleepPastLease(machine: Machine, world: World): Promise<undefined> {
  machine.signal('SIGSTOP')
  await pastLease(machine, world)
}

async function stopped(machine: Machine, world: World): Promise<true> {
  await sleepPastLease(machine, world)
  machine.signal('SIGCONT')
  return true
}

/** Stops a worker at a statement or its answer, which reaches its end while the worker sleeps, or when it wakes. */
const stoppedAt =
  (statement: RegExp, at: 'statement' | 'answer', isLate: boolean): Fault =>
  async (machine, world) => {
    let asleep: Promise<unknown> | undefined
    const isMet = await machine.meet(statement, at, async () => {
      asleep = sleepPastLease(machine, world)
      if (isLate) await asleep
      return undefined
    })
    await asleep
    machine.signal('SIGCONT')
    return isMet
  }

const cutAt =
  (statement: RegExp, at: 'statement' | 'answer'): Fault =>
  machine =>
    machine.meet(statement, at, async () => 'cut')

const killedAt =
  (statement: RegExp, at: 'statement' | 'answer'): Fault =>
  machine =>
    machine.meet(statement, at, async () => {
      await machine.kill()
      return undefined
    })

/** The way to the database is gone for one machine or for all. */
const away =
  (state: 'refusing' | 'hanging'): Fault =>
  async (machine, world) => {
    const cut = world.random() < 0.5 ? [machine] : world.machines
    for (const { cable } of cut) cable.set(state)
    await sleep(awayMs(world))
    for (const { cable } of cut) cable.set('whole')
    return true
  }

/** Does something to the world while a call of a machine is under way. */
const duringCall =
  (act: (world: World) => Promise<boolean>): Fault =>
  async (machine, world) =>
    (await world.nextCall(machine)) && act(world)

const withClock =
  (clockMs: number): Fault =>
  async machine => {
    await machine.kill()
    machine.start(clockMs)
    return true
  }

const hourMs = 3_600_000

/** Every fault that any machine and database can meet, by its name. */
export const faults: Readonly<Record<string, Fault>> = {
  killed: async machine => {
    await machine.kill()
    return true
  },
  'killed during a call': async (machine, { nextCall }) => {
    const isMet = await nextCall(machine)
    if (isMet) await machine.kill()
    return isMet
  },
  'killed before an intent': killedAt(intent, 'statement'),
  'killed between intent and call': killedAt(intent, 'answer'),
  'killed before an outcome': killedAt(outcome, 'statement'),
  'killed after an outcome': killedAt(outcome, 'answer'),
  'killed while the database is away': async (machine, { random }) => {
    machine.cable.set(random() < 0.5 ? 'refusing' : 'hanging')
    await sleep(1_500 * random())
    await machine.kill()
    machine.cable.set('whole')
    return true
  },
  stopped,
  'stopped for a moment': async (machine, { random }) => {
    machine.signal('SIGSTOP')
    await sleep(leaseS * 1000 * random())
    machine.signal('SIGCONT')
    return true
  },
  'stopped before an intent, which comes late': stoppedAt(intent, 'statement', true),
  'stopped before an intent, which comes in time': stoppedAt(intent, 'statement', false),
  'stopped between intent and call': stoppedAt(intent, 'answer', false),
  'stopped before it knows of an intent': stoppedAt(intent, 'answer', true),
  'stopped while it connects to the service': async (machine, world) => {
    machine.signal('SIGWINCH')
    const isMet = await machine.stopsItself()
    if (isMet) await pastLease(machine, world)
    machine.signal('SIGCONT')
    return isMet
  },
  'stopped during a call': async (machine, world) =>
    (await world.nextCall(machine)) && stopped(machine, world),
  'stopped before an outcome, which comes late': stoppedAt(outcome, 'statement', true),
  'stopped after an outcome': stoppedAt(outcome, 'answer', false),
  'stopped after a claim': stoppedAt(claim, 'answer', false),
  'cut off': async ({ cable }) => {
    cable.cut()
    return true
  },
  'cut off before an intent': cutAt(intent, 'statement'),
  'cut off after an intent': cutAt(intent, 'answer'),
  'cut off after an outcome': cutAt(outcome, 'answer'),
  'cut off after a claim': cutAt(claim, 'answer'),
  'without a database, which refuses': away('refusing'),
  'without a database, which hangs': away('hanging'),
  'before a slow database': async (machine, { random }) => {
    machine.cable.onTraffic = async () => {
      await sleep(100 * random())
      return undefined
    }
    await sleep(2_000)
    machine.cable.onTraffic = undefined
    return true
  },
  'before a database that is killed': duringCall(world => world.database.restart('kill', awayMs(world) / 2)),
  'before a database that is restarted': duringCall(world =>
    world.database.restart('fast', awayMs(world) / 2),
  ),
  'before a database that is ended at once': duringCall(world =>
    world.database.restart('immediate', awayMs(world) / 2),
  ),
  'before a database that ends all connections': duringCall(({ database }) => database.terminate()),
  'beside a long transaction that has locked its rows': duringCall(world =>
    world.database.lockRows(2 * awayMs(world)),
  ),
  'an hour ahead': withClock(hourMs),
  'an hour behind': withClock(-hourMs),
  'set an hour ahead': async machine => {
    machine.signal('SIGUSR2')
    return true
  },
  'asked to leave': async machine => {
    machine.signal('SIGTERM')
    await machine.ended()
    return true
  },
  'beside another source': (machine, { startOther }) => startOther(machine, 'source'),
  'beside another mapping': (machine, { startOther }) => startOther(machine, 'mapping'),
}

/** Those for which the server needs a disk of its own, or a standby. */
export const faultsOfServer: Readonly<Record<string, Fault>> = {
  'before a database without room on its disk': duringCall(world => world.database.fillDisk(awayMs(world))),
  'before a database that fails over to its standby': duringCall(({ database }) => database.failOver()),
}
