import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inFolder } from '../support/in-folder.ts'
import { type Ended, kills, type Point, runAlone, runHere, runTraced, traces } from './command.ts'
import type { Scenario } from './scenarios.ts'
import type { Memory, TrialService } from './service.ts'

/** A scenario set up: before each trial folder and service are as the command may find them. */
export interface Stage {
  readonly scenario: Scenario
  readonly folder: string
  readonly service: TrialService
  reset(): void
  /** Whether nothing has happened since: no file differs, and no call arrived. */
  isUntouched(): boolean
  /** Runs the scenario's command to its end, or to a point. */
  meet(point: Point): Promise<Ended>
  /** Runs words as a person would the next day: whoever ran before is gone. */
  run(words: readonly string[]): Promise<Ended>
}

/** Longer than any trial, so that no heartbeat is among the calls that are counted. */
const quietLock = ['--lock-timeout', '60']
const impatient = ['--lock-timeout', '0.2']

export async function setStage(scenario: Scenario, place: string, service: TrialService): Promise<Stage> {
  const [folder, template] = [join(place, 'run'), join(place, 'template')]
  rmSync(place, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(scenario.files)) writeFileSync(join(folder, name), text)
  const memory = await memoryBefore(scenario, folder, service)
  for (const [name, [from, to]] of Object.entries(scenario.damage ?? {})) {
    const text = readFileSync(join(folder, name), 'utf8')
    if (!text.includes(from)) throw new Error(`${name} has no ${from} to damage`)
    writeFileSync(join(folder, name), text.replace(from, to))
  }
  cpSync(folder, template, { recursive: true, preserveTimestamps: true })
  const moved = service.url + (scenario.movesTo ?? '')
  const words = scenario.words
    .map(word => (word === 'LOST' ? idOfLost(memory) : word))
    .map(word => (word === 'MOVED' ? moved : word))
  const full = (some: readonly string[], more: readonly string[]) => wordsFor(some, moved, more)
  return {
    scenario: { ...scenario, words },
    folder,
    service,
    reset() {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
      cpSync(template, folder, { recursive: true, preserveTimestamps: true })
      service.begin(memory)
    },
    isUntouched: () => service.arrived().length === 0 && printOf(folder) === printOf(template),
    async meet(point) {
      const meeting = full(words, quietLock)
      if (traces.includes(point.fault)) return runTraced(meeting, folder, point)
      if (kills.includes(point.fault)) return runAlone(meeting, folder, { point })
      return inFolder(folder, () => runHere(meeting, folder, point)).finally(() => endHolders(folder))
    },
    run(some) {
      age(folder)
      return inFolder(folder, () =>
        runHere(full(some, some[1] === 'results.ndjson' && some.length === 2 ? [] : impatient), folder),
      )
    },
  }
}

function wordsFor(words: readonly string[], url: string, more: readonly string[]): string[] {
  const target = words[0] === 'import' ? ['--base-url', url, '--organization-id', '7'] : []
  return [...words, ...target, ...more]
}

const idOfLost = (memory: Memory | undefined) =>
  memory?.made.find(({ name }) => name === 'Lost')?.recordId ?? 'nothing was made of it'

/** What the service knows by what ran before the command, if anything did. */
async function memoryBefore(
  scenario: Scenario,
  folder: string,
  service: TrialService,
): Promise<Memory | undefined> {
  const { words, before = [], isResumed } = scenario
  if (!isResumed && before.length === 0) return undefined
  service.begin(undefined, words.includes('--not-created') ? 'loser' : 'killer')
  if (isResumed) await killBefore(scenario, folder, service)
  for (const each of before)
    await inFolder(folder, () => runHere(wordsFor(each, service.url, quietLock), folder))
  return (await service.truth()).memory
}

/** Leaves a log with a row in doubt, and two calls under way. */
async function killBefore(scenario: Scenario, folder: string, service: TrialService): Promise<void> {
  const words = wordsFor(scenario.importBefore ?? scenario.import ?? scenario.words, service.url, quietLock)
  const isOver = () => service.arrived().filter(name => name.startsWith('Hangs')).length === 2
  const { exitCode, stderr } = await runAlone(words, folder, { isOver })
  if (exitCode !== undefined) throw new Error(`the run before was to be killed, but ended: ${stderr}`)
}

/** All names in a folder, and what the files hold. */
const printOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(each => `${each.name} ${each.isFile() ? readFileSync(join(each.path, each.name), 'utf8') : ''}`)
    .sort()
    .join()

const deadPid = 2 ** 22 + 1 // greater than any

/** A run in this process that is over counts as a process that is: what it left of its lock names one. */
function endHolders(folder: string): void {
  for (const lock of readdirSync(folder).filter(name => name.endsWith('.lock')))
    for (const name of readdirSync(join(folder, lock))) {
      const file = join(folder, lock, name)
      writeFileSync(file, readFileSync(file, 'utf8').replace(/"pid":\d+/, `"pid":${deadPid}`))
    }
}

const longAgo = new Date('2026-01-01')

/** What a run left beside its log is older than a moment when the next one begins. */
function age(folder: string): void {
  for (const name of readdirSync(folder))
    if (/\.lock\..|\.new$/.test(name)) utimesSync(join(folder, name), longAgo, longAgo)
}
