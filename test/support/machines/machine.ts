import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Cable, layCable, through } from '../cable.ts'
import { folderWith, start } from '../rowlift.ts'
import type { Ended, Running } from '../running.ts'

/** The shortest that is allowed, in seconds. */
export const leaseS = 2

export interface MachineSettings {
  readonly name: string
  /** Of the database itself. */
  readonly ledgerUrl: string
  readonly files: Readonly<Record<string, string>>
  /** The command, but for its ledger. */
  readonly args: readonly string[]
  /** Called when a worker has ended, not when it was killed. */
  readonly onEnd: (end: Ended) => void
}

const heardFile = 'heard.ndjson'
const preload = fileURLToPath(new URL('./preload.cjs', import.meta.url))

/** A machine with a folder and a way to the database of its own, on which at most one worker runs. */
export class Machine {
  readonly name: string
  readonly folder: string
  readonly cable: Cable
  /** Processes that were killed or stopped, which need not have written what they heard. */
  readonly disturbed = new Set<string>()
  readonly #settings: MachineSettings
  #running: Running | undefined
  #lives = 0

  private constructor(settings: MachineSettings, folder: string, cable: Cable) {
    this.name = settings.name
    this.folder = folder
    this.cable = cable
    this.#settings = settings
  }

  static async build(settings: MachineSettings): Promise<Machine> {
    const folder = await folderWith(settings.files)
    const cable = await layCable(Number(new URL(settings.ledgerUrl).port || 5432))
    return new Machine(settings, folder, cable)
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** How the ledger calls its worker ends with this. */
  get pid(): number | undefined {
    return this.#running?.process.pid
  }

  /** Starts a worker. Its wall clock is wrong by so much. */
  start(clockMs = 0): void {
    if (this.#running !== undefined) return
    const running = this.run(this.#settings.args, clockMs)
    this.#running = running
    void running.ended.then(end => {
      this.#running = undefined
      if (end.exitCode !== null) this.#settings.onEnd(end)
    })
  }

  /** Starts another process here: it is not the worker of this machine. */
  run(args: readonly string[], clockMs = 0): Running {
    this.#lives += 1
    const env = {
      MACHINE_HEARD: join(this.folder, heardFile),
      MACHINE_LIFE: this.#life,
      ROWLIFT_LEDGER: through(this.cable, this.#settings.ledgerUrl),
      NODE_OPTIONS: `--require ${preload}`,
      MACHINE_NAME: this.name,
      MACHINE_CLOCK_MS: String(clockMs),
    }
    return start(args, { cwd: this.folder, stdin: '', env })
  }

  get #life(): string {
    return `${this.name} ${this.#lives}`
  }

  /** The records that its processes have heard of, each with the process. */
  async heard(): Promise<{ readonly life: string; readonly name: string; readonly recordId: string }[]> {
    const text = await readFile(join(this.folder, heardFile), 'utf8').catch(() => '')
    const lines = text.split('\n').filter(line => line.endsWith('}')) // it may be killed while it writes one
    return lines.map(line => JSON.parse(line))
  }

  signal(signal: NodeJS.Signals): void {
    for (let life = 1; life <= this.#lives; life += 1) this.disturbed.add(`${this.name} ${life}`)
    this.#running?.process.kill(signal)
  }

  /** Resolves with whether the worker has stopped itself in time, as it was asked to. */
  async stopsItself(): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 10) {
      const stat = await readFile(`/proc/${this.#running?.process.pid}/stat`, 'utf8').catch(() => '')
      if (/\) T /.test(stat)) return true
      await sleep(10)
    }
    return false
  }

  /** Resolves when the worker is no more. */
  async ended(): Promise<void> {
    await this.#running?.ended
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.ended()
  }

  /** Meets the next statement that looks like this, or its answer, on its way; resolves with whether there was one in time. */
  meet(
    statement: RegExp,
    at: 'statement' | 'answer',
    act: () => Promise<'cut' | undefined>,
  ): Promise<boolean> {
    return new Promise(resolve => {
      let connection: object | undefined
      const over = setTimeout(() => {
        this.cable.onTraffic = undefined
        resolve(false)
      }, patienceMs)
      this.cable.onTraffic = traffic => {
        if (connection === undefined && !traffic.isAnswer && statement.test(traffic.text))
          connection = traffic.connection
        if (traffic.connection !== connection || traffic.isAnswer !== (at === 'answer')) return undefined
        clearTimeout(over)
        this.cable.onTraffic = undefined
        return act().finally(() => resolve(true))
      }
    })
  }
}

/** How long it waits for the moment of a fault. */
export const patienceMs = 3_000
