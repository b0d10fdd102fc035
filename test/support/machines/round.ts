import { readdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FaultyService, startFaultyService } from '../fault-injection.ts'
import { deckOf, type Random, randomFor } from '../random.ts'
import { type Line, linesOf } from '../rowlift.ts'
import type { Ended } from '../running.ts'
import type { ArrivedCall } from '../service.ts'
import type { CallHistory, DoubtSeen } from './call-history.ts'
import { databaseFor, type RoundDatabase, type ServerKind } from './database.ts'
import { faults, faultsOfServer, type World } from './faults.ts'
import { Machine, patienceMs } from './machine.ts'
import { contactMapping, csvOf, type MachineRow, type Mode, machineRows, taskMapping } from './source.ts'

export interface RoundSettings {
  readonly name: string
  readonly mode: Mode
  readonly rows: number
  /** How many faults it meets, unless the import ends before. */
  readonly faults: number
  /** The names of the faults that it meets; all but those of a certain server, if there are none. */
  readonly only?: readonly string[]
  readonly server?: ServerKind
  /** The service answers every call, so that no doubt comes from it. */
  readonly isServiceCalm?: boolean
}

/** What a round came to: what the ledger says, and what the service really made. */
export interface Round {
  readonly mode: Mode
  readonly rows: readonly MachineRow[]
  /** The log that was exported, without opening and closing lines. */
  readonly lines: readonly Line[]
  readonly made: FaultyService['made']
  /** How each call ended, in order of arrival. */
  readonly results: FaultyService['results']
  /** That of the last worker, which was alone. */
  readonly exitCode: number | null
  readonly met: readonly string[]
  /** Workers that ended as they never should, and other processes that did not end as they should. */
  readonly wrong: readonly string[]
  readonly history: CallHistory
  /** How often a chunk was claimed again, from a worker that was gone or seemed so. */
  readonly takeovers: number
  /** Files that no worker should leave. */
  readonly left: readonly string[]
}

const machineCount = 3
/** Calls that a worker has under way at most. */
export const concurrency = 4
const importName = 'people'

export const playRound = async (settings: RoundSettings): Promise<Round> => (await Stage.set(settings)).play()

const listEnd = ({ exitCode, stderr }: Ended) => `ended with ${exitCode}: ${stderr.slice(-2_000)}`

class Stage {
  readonly #settings: RoundSettings
  readonly #random: Random
  readonly #rows: readonly MachineRow[]
  readonly #service: FaultyService
  readonly #world: World
  readonly #machines: readonly Machine[]
  readonly #database: RoundDatabase
  /** What the ledger said of doubts, each when so many things had happened to calls. */
  readonly #doubts: { at: number; seen: DoubtSeen }[] = []
  readonly #wrong: string[] = []
  readonly #met: string[] = []
  readonly #busy = new Set<Machine>()
  #isFinished = false

  private constructor(parts: {
    settings: RoundSettings
    rows: readonly MachineRow[]
    service: FaultyService
    random: Random
    machines: readonly Machine[]
    world: Omit<World, 'machines' | 'random' | 'startOther'>
    database: RoundDatabase
  }) {
    this.#database = parts.database
    this.#settings = parts.settings
    this.#random = parts.random
    this.#rows = parts.rows
    this.#service = parts.service
    this.#machines = parts.machines
    const { machines, random } = parts
    this.#world = {
      ...parts.world,
      machines,
      random,
      startOther: (machine, what) => this.#startOther(machine, what),
    }
  }

  static async set(settings: RoundSettings): Promise<Stage> {
    const { name, mode } = settings
    const random = randomFor(`${name}: faults`)
    const rows = machineRows(settings.rows)
    const waiting = new Map<string, () => void>()
    const service = await startFaultyService({
      fails: settings.isServiceCalm !== true,
      random: randomFor(`${name}: service`),
      slowestMs: 250,
      ...(mode === 'use_created' && { similar: emailIn }),
      holds({ headers }) {
        waiting.get(String(headers['x-machine']))?.()
        return undefined
      },
    })
    const database = await databaseFor(settings.server)
    const args = ['import', 'rows.csv', '-m', 'map.yaml', ...commandOf(mode, service.url)]
    let stage: Stage | undefined
    const machines = await Promise.all(
      Array.from({ length: machineCount }, (_, at) =>
        Machine.build({
          name: `m${at + 1}`,
          ledgerUrl: database.url,
          files: filesOf(mode, rows),
          args,
          onEnd: end => stage?.noteEnd(end),
        }),
      ),
    )
    const nextCall = ({ name }: Machine) =>
      new Promise<boolean>(resolve => {
        const done = (isMet: boolean) => {
          waiting.delete(name)
          resolve(isMet)
        }
        waiting.set(name, () => done(true))
        setTimeout(done, patienceMs, false)
      })
    const held = async ({ pid }: Machine) => {
      const sql =
        'SELECT c.no, c.epoch FROM rowlift.chunk c JOIN rowlift.worker w ON w.id = c.worker WHERE w.name LIKE $1'
      const rows = await database.query(sql, [`%-${pid}`]).catch(() => [])
      return rows.length
    }
    const takenOver = async (machine: Machine) => {
      const before = await held(machine)
      for (let waited = 0; waited < 80 && (await held(machine)) >= before; waited += 1) await sleep(100)
    }
    stage = new Stage({
      ...{ settings, rows, service, random, machines },
      world: { nextCall, takenOver, database: database.faultsOn(machines.map(({ cable }) => cable)) },
      database,
    })
    return stage
  }

  async play(): Promise<Round> {
    try {
      return await this.#play()
    } finally {
      await this.#database.close()
    }
  }

  async #play(): Promise<Round> {
    const stopWatching = this.#watchDoubts()
    await this.#meetFaults()
    this.#service.stopFaults()
    await this.#finish()
    await stopWatching()
    const exitCode = await this.#finishAlone()
    await this.#service.settled()
    const left = await Promise.all(this.#machines.map(({ folder }) => readdir(folder)))
    const lines = await this.#export()
    const [{ takeovers }] = await this.#database.query(
      'SELECT coalesce(sum(epoch - 1), 0)::int AS takeovers FROM rowlift.chunk WHERE epoch > 0',
    )
    return {
      takeovers,
      mode: this.#settings.mode,
      rows: this.#rows,
      lines,
      made: this.#service.made,
      results: this.#service.results,
      exitCode,
      met: this.#met,
      history: await this.#history(lines),
      wrong: this.#wrong,
      left: left.flat().filter(name => /spool|lock/.test(name)),
    }
  }

  async #history(lines: readonly Line[]): Promise<CallHistory> {
    const keys = this.#rows.map(({ key }, at) => key || `row ${at + 1}`)
    const byName = new Map(this.#rows.map(({ name }, at) => [name, keys[at] ?? '']))
    const heard = await Promise.all(
      this.#machines.map(async machine =>
        (await machine.heard()).map(({ life, ...each }) => {
          return { ...each, isDisturbed: machine.disturbed.has(life) }
        }),
      ),
    )
    const { events } = this.#service
    const seen = [...this.#doubts]
    const all = [...events.keys(), events.length].flatMap(at => {
      const here = []
      while (seen[0] && seen[0].at <= at) here.push(...seen.splice(0, 1).map(doubt => doubt.seen))
      return [...here, ...events.slice(at, at + 1)]
    })
    const keyOf = (name: string) => byName.get(name) ?? name
    return { mode: this.#settings.mode, events: all, heard: heard.flat(), lines, keyOf, keys }
  }

  /** A worker may end the import, be asked to leave, give up a service that fails too often, or find another run at work. */
  noteEnd(end: Ended): void {
    if (end.exitCode === 0 || end.exitCode === 1) this.#isFinished = true
    else if (end.exitCode !== 3 && end.exitCode !== 143) this.#wrong.push(`a worker ${listEnd(end)}`)
  }

  /** Notes again and again which rows are in doubt, as long as there is a database. */
  #watchDoubts(): () => Promise<void> {
    let isOver = false
    const look = async () => {
      const rows = await this.#database.query("SELECT row FROM rowlift.line WHERE status = 'in_doubt'")
      const seen = { type: 'in doubt', rows: rows.map(({ row }) => row) } as const
      this.#doubts.push({ at: this.#service.events.length, seen })
    }
    const watch = async () => {
      while (!isOver) {
        await look().catch(() => {})
        await sleep(200)
      }
    }
    const watching = watch()
    return () => {
      isOver = true
      return watching
    }
  }

  /** Faults of up to two machines at a time, so that one of three is whole. */
  async #meetFaults(): Promise<void> {
    const next = deckOf(this.#settings.only ?? Object.keys(faults), this.#random)
    const going = new Set<Promise<void>>()
    const isOver = () => this.#isFinished || this.#met.length + going.size >= this.#settings.faults
    for (const machine of this.#machines) machine.start()
    while (!isOver() || going.size > 0) {
      if (isOver() || going.size >= machineCount - 1) await Promise.race(going)
      else await sleep(100 + 500 * this.#random())
      for (const machine of this.#machines) if (!this.#busy.has(machine) && !this.#isFinished) machine.start()
      const free = this.#machines.filter(machine => machine.isRunning && !this.#busy.has(machine))
      const machine = free[Math.floor(this.#random() * free.length)]
      if (machine === undefined || isOver() || going.size >= machineCount - 1) continue
      const fault = this.#meet(next(), machine).finally(() => going.delete(fault))
      going.add(fault)
    }
  }

  async #meet(name: string, machine: Machine): Promise<void> {
    this.#busy.add(machine)
    try {
      const isMet = await { ...faults, ...faultsOfServer }[name]?.(machine, this.#world)
      if (isMet) this.#met.push(name)
    } finally {
      this.#busy.delete(machine)
    }
  }

  /** An import of the same name that is not the same ends with 2, while there is a run: before and after, it would be the one. */
  async #startOther(machine: Machine, what: 'source' | 'mapping'): Promise<boolean> {
    const { length } = this.#service.calls
    if (length === 0 || length > this.#rows.length / 3) return false
    const { mode } = this.#settings
    const files = what === 'source' ? ['other.csv', 'map.yaml'] : ['rows.csv', 'other.yaml']
    const [source = '', map = ''] = files
    const args = ['import', source, '-m', map, ...commandOf(mode, this.#service.url)]
    const end = await machine.run(args).ended
    if (end.exitCode !== 2) this.#wrong.push(`an import of another ${what} ${listEnd(end)}`)
    return true
  }

  /** Starts workers until one has ended the run, and waits for all. */
  async #finish(): Promise<void> {
    for (let tries = 0; tries === 0 || !this.#isFinished; tries += 1) {
      if (tries > mostTries) throw new Error(`no worker ends the import: ${this.#wrong.join('\n')}`)
      for (const machine of this.#machines) machine.start()
      const isOver = Promise.all(this.#machines.map(machine => machine.ended()))
      await Promise.race([isOver, sleep(patienceAtEndMs, undefined, { ref: false })])
      if (this.#machines.some(({ isRunning }) => isRunning)) throw new Error('workers do not end')
    }
  }

  /** On each machine that holds answers which the database does not have, and on one that does not. */
  async #finishAlone(): Promise<number | null> {
    let last: Ended | undefined
    const [first, ...others] = this.#machines as [Machine, ...Machine[]]
    const holders = others.filter(({ folder }) => readdirSync(folder).some(name => name.includes('.spool')))
    for (const machine of [...holders, first]) {
      for (let tries = 0; tries <= mostTries; tries += 1) {
        last = await machine.run(['import', 'rows.csv', '-m', 'map.yaml', ...this.#command()]).ended
        if (last.exitCode !== 3) break
      }
      this.noteEnd(last as Ended)
    }
    return last?.exitCode ?? null
  }

  #command = () => commandOf(this.#settings.mode, this.#service.url)

  async #export(): Promise<Line[]> {
    const [machine] = this.#machines as [Machine]
    const end = await machine.run(['export', '--import', importName, '-o', 'export.ndjson']).ended
    if (end.exitCode !== 0) throw new Error(`the export ${listEnd(end)}`)
    const read = await machine.run(['log', 'export.ndjson']).ended
    if (read.exitCode !== 0) this.#wrong.push(`the log of the export ${listEnd(read)}`)
    const lines = linesOf(await readFile(join(machine.folder, 'export.ndjson'), 'utf8'))
    return lines.filter(line => line.status !== undefined && line.row !== undefined)
  }
}

const mostTries = 20
const patienceAtEndMs = 240_000

const emailIn = ({ body }: ArrivedCall) => (body as { emails: { email: string }[] }).emails[0]?.email ?? ''

const commandOf = (mode: Mode, url: string): string[] => [
  ...['--import', importName, '--lease', '2', '-c', String(concurrency)],
  ...['--base-url', url, '--organization-id', '7', '--timeout', '2'],
  ...(mode === 'use_created' ? ['--expect-merged', '100%'] : ['--delivery', mode]),
  ...['--expect-unclear', '100%'],
]

/** The other source has one more row, the other mapping another name. */
function filesOf(mode: Mode, rows: readonly MachineRow[]): Record<string, string> {
  const mapping = mode === 'use_created' ? contactMapping : taskMapping
  const csv = csvOf(rows)
  return {
    'rows.csv': csv,
    'map.yaml': mapping,
    'other.csv': `${csv},no key and no name,\n`,
    'other.yaml': mapping.replace('from: Name', 'from: Id'),
  }
}
