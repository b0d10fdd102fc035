import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from './random.ts'
import { start } from './rowlift.ts'
import type { Ended, Running } from './running.ts'
import type { Service } from './service.ts'
import { tearLastLine } from './torn-write.ts'

/** The part of a run's life in which it is killed. */
type Phase = 'loading' | 'starting' | 'taking over' | 'handing over' | 'sending' | 'logging' | 'ending'

/** In such an order that what is left by a kill while calls are under way meets a kill while it is taken over. */
const cycle: readonly Phase[] = ['sending', 'handing over', 'logging', 'taking over', 'starting']

/** A command that is killed and run again until it finishes. */
export interface KilledCommand {
  readonly args: readonly string[]
  /** The folder it runs in; its result log there is `results.ndjson`. */
  readonly cwd: string
  readonly service: Service
  /** The rows of its source. */
  readonly rowCount: number
  /** How often it is killed. */
  readonly kills: number
  readonly random: Random
}

/** Kills a run the given number of times, at different moments, and runs it again until it finishes. */
export async function killAndResume(doomed: KilledCommand): Promise<Ended> {
  const firstPhase = Math.floor(doomed.random() * cycle.length)
  const mostRuns = 3 * doomed.kills + doomed.rowCount / fewestRows + 20
  let killed = 0
  let hasFinished = false
  for (let run = 1; run <= mostRuns; run++) {
    const isLast = killed === doomed.kills - 1
    const next = cycle[(firstPhase + killed) % cycle.length] as Phase
    const phase: Phase = hasFinished ? 'loading' : isLast ? 'ending' : next
    const end: Ended = await (killed < doomed.kills ? killIn(phase, doomed) : startOf(doomed).ended)
    if (end.exitCode === null) {
      killed += 1
      if (doomed.random() < shareOfTornLines) await tearLastLine(doomed.cwd, doomed.random)
    } else {
      checkExit(end)
      hasFinished = end.exitCode !== 3
      if (hasFinished && killed === doomed.kills) return end
    }
  }
  throw new Error(`${mostRuns} runs, of which ${killed} were killed, were not enough to finish`)
}

const shareOfTornLines = 0.5

/** A run that stops early because the service does not answer has settled at least this many rows. */
const fewestRows = 10

const startOf = ({ args, cwd }: KilledCommand) => start(args, { cwd, stdin: '' })

/** Finished (0, 1), or stopped because too many calls in a row came to nothing (3): whatever else there is, is wrong. */
function checkExit({ exitCode, stderr }: Ended): void {
  if (exitCode !== 0 && exitCode !== 1 && exitCode !== 3)
    throw new Error(`a run ended with ${exitCode} and said: ${stderr}`)
}

/** Starts a run and kills it in a phase; one that is over before is let be. */
async function killIn(phase: Phase, doomed: KilledCommand): Promise<Ended> {
  const holderBefore = await holderIn(doomed.cwd)
  const traces = await tracesIn(doomed.cwd)
  const running = startOf(doomed)
  if (phase === 'loading' || phase === 'starting') await sleepUpTo(mostMs[phase], doomed.random)
  else {
    await until(running, async () => {
      const holder = await holderIn(doomed.cwd)
      return holder !== undefined && holder !== holderBefore
    })
    await instantOf(phase, running, doomed, traces)
  }
  running.process.kill('SIGKILL')
  return running.ended
}

/** From the first instruction to somewhere in its work; a run with nothing to do is soon over. */
const mostMs = { loading: 200, starting: 1_200 }

/** Waits for a chance instant in a phase of a run that holds the lock. */
async function instantOf(
  phase: Exclude<Phase, 'loading' | 'starting'>,
  running: Running,
  { cwd, service, rowCount, kills, random }: KilledCommand,
  tracesBefore: Traces,
): Promise<void> {
  const share = (random() * rowCount) / kills // so that some rows are left for every kill
  const log = join(cwd, 'results.ndjson')
  switch (phase) {
    case 'taking over':
      return sleepUpTo(60, random)
    case 'handing over': {
      const trace = random() < 0.5 ? 'log' : 'inFlight'
      await until(running, async () => (await tracesIn(cwd))[trace] !== tracesBefore[trace])
      return sleepUpTo(4, random)
    }
    case 'sending': {
      const before = service.calls.length
      await until(running, () => service.calls.length > before + share)
      return sleepUpTo(40, random)
    }
    case 'logging': {
      const bytesBefore = await bytesOf(log)
      await until(running, async () => (await bytesOf(log)) > bytesBefore + share * bytesOfLine)
      return sleepUpTo(5, random)
    }
    case 'ending': {
      const left = Math.floor(random() * 4)
      await until(running, async () => (await rowsIn(log)) >= rowCount - left)
      return sleepUpTo(40, random)
    }
  }
}

const bytesOfLine = 300
const pollMs = 1

const sleepUpTo = (ms: number, random: Random) => sleep(random() * ms)

/** Waits until something is so, or the run is over. */
async function until({ process }: Running, isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (process.exitCode === null && process.signalCode === null && !(await isSo())) await sleep(pollMs)
}

/** Which run the lock of the result log names. */
async function holderIn(cwd: string): Promise<string | undefined> {
  const names = await readdir(join(cwd, 'results.ndjson.lock')).catch(() => [])
  return names[0]
}

/** What changes when a run has read what the one before it left: first its log, then the calls under way. */
interface Traces {
  readonly log: string
  readonly inFlight: string
}

const tracesIn = async (cwd: string): Promise<Traces> => ({
  log: await traceOf(join(cwd, 'results.ndjson')),
  inFlight: await traceOf(join(cwd, 'results.ndjson.inflight')),
})

const traceOf = (file: string) =>
  stat(file).then(
    ({ ino, size }) => `${ino} ${size}`,
    () => 'none',
  )

const bytesOf = async (file: string) => (await stat(file).catch(() => undefined))?.size ?? 0

/** How many rows the log tells of. */
async function rowsIn(log: string): Promise<number> {
  const text = await readFile(log, 'utf8').catch(() => '')
  return new Set(text.match(/"row":\d+/g)).size
}
