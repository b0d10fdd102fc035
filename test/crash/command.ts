import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { runCli as Run } from '../../src/cli/cli.ts'
import type { CliContext, processContext as ProcessContext } from '../../src/cli/context.ts'
import { fastClock } from '../support/clock.ts'

/** The folder of the project: this file runs from `test` or, compiled, from `build`. */
const root = process.cwd()
const layerFile = join(root, 'test/crash/fault-layer.cjs')
const main = join(root, 'dist/bin/rowlift.cjs')

/** A fault at a call, by the number of the call among those that the fault counts. */
export interface Point {
  readonly fault: string
  readonly at: number
}

interface Plan {
  /** The call that met the fault. */
  readonly hit: string | undefined
}

const layer: {
  arm(asked: Point & { readonly folder: string }): Plan
  disarm(): void
  readonly faults: readonly string[]
} = createRequire(import.meta.url)(layerFile)

/** The built command as modules, which read node:fs through the layer. */
const dist = (module: string) => import(/* @vite-ignore */ pathToFileURL(join(root, 'dist', module)).href)
const { runCli: run }: { readonly runCli: typeof Run } = await dist('cli/cli.js')
const { processContext }: { readonly processContext: typeof ProcessContext } = await dist('cli/context.js')

/** How a command ended. */
export interface Ended {
  /** Undefined where it was killed. */
  readonly exitCode: number | undefined
  readonly stderr: string
  /** The call that met the fault; undefined where the command ended before it came to that. */
  readonly hit: string | undefined
}

/** Faults that end the process, each of which needs one of its own. */
export const kills = ['kill', 'killed', 'torn', 'power']
/** Faults that a call reports. */
export const errors = layer.faults.filter(fault => !kills.includes(fault))

/** The calls of the system on the files of the results that strace makes fail, or kills the command at: by a name for each kind. */
const systemCalls: Readonly<Record<string, string>> = {
  open: 'openat',
  write: 'write,pwrite64',
  sync: 'fdatasync,fsync',
  rename: '?rename,?renameat,renameat2',
  remove: '?unlink,unlinkat',
}
const injections: Readonly<Record<string, string>> = { EIO: 'error=EIO', kill: 'signal=SIGKILL' }

/** Faults that strace puts in below Node; none where it is missing or not allowed. */
export const traces: readonly string[] =
  spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
    ? Object.keys(systemCalls).flatMap(call => Object.keys(injections).map(what => `${call}=${what}`))
    : []

const environment = { ROWLIFT_TOKEN: 'a-secret-token' }

/** Runs the built command in a process of its own, which is killed at a point, or once something is so. */
export async function runAlone(
  words: readonly string[],
  folder: string,
  { point, isOver }: { readonly point?: Point; readonly isOver?: () => boolean },
): Promise<Ended> {
  const { exitCode, stderr } = await endOf(process.execPath, ['--require', layerFile, main, ...words], {
    folder,
    ...(isOver && { isOver }),
    more: { ROWLIFT_FAULT: JSON.stringify({ ...point, folder }) },
  })
  return { exitCode, stderr, hit: /^\w+ at (.+)$/m.exec(stderr)?.[1] }
}

const traced = ['results.ndjson', 'results.ndjson.inflight', 'rejects.csv', 'rejects.csv.part']

/** Runs the built command as it is, under strace. */
export async function runTraced(
  words: readonly string[],
  folder: string,
  { fault, at }: Point,
): Promise<Ended> {
  const [call = '', what = ''] = fault.split('=')
  const trace = join(folder, '..', 'strace.txt')
  const isOfOthersToo = call === 'open' || call === 'write'
  const paths = isOfOthersToo ? traced.flatMap(name => ['-P', name, '-P', join(folder, name)]) : []
  const inject = `inject=${systemCalls[call]}:${injections[what]}:when=${at}`
  const flags = ['-f', '-qq', '-o', trace, ...paths, '-e', `trace=${systemCalls[call]}`, '-e', inject]
  const { exitCode, stderr } = await endOf('strace', [...flags, process.execPath, main, ...words], {
    folder,
    more: { UV_THREADPOOL_SIZE: '1', PATH: process.env.PATH ?? '' }, // strace counts the calls of each thread
  })
  const isHit = exitCode === undefined || readFileSync(trace, 'utf8').includes('(INJECTED)')
  return { exitCode, stderr, hit: isHit ? call : undefined }
}

/** How a process ended; it is killed once something is so. */
async function endOf(
  program: string,
  args: readonly string[],
  asked: { readonly folder: string; readonly more: Record<string, string>; readonly isOver?: () => boolean },
): Promise<Pick<Ended, 'exitCode' | 'stderr'>> {
  const { folder, more, isOver = () => false } = asked
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...environment, ...more },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const watch = setInterval(() => isOver() && child.kill('SIGKILL'), 5)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  const [exitCode] = await once(child, 'close').finally(() => clearInterval(watch))
  return { exitCode: exitCode ?? undefined, stderr }
}

/** Runs the command in this process, whose working directory is its folder; nobody waits for its clock. */
export async function runHere(words: readonly string[], folder: string, point?: Point): Promise<Ended> {
  let stderr = ''
  const plan = point && layer.arm({ ...point, folder })
  const uncaught: unknown[] = []
  const note = (error: unknown) => void uncaught.push(error)
  process.on('uncaughtException', note).on('unhandledRejection', note)
  try {
    const exitCode = await run(
      words,
      contextWith(text => {
        stderr += text
      }),
    )
    await new Promise(resolve => setImmediate(resolve))
    if (uncaught.length > 0) return { exitCode: 70, stderr: uncaught.map(String).join('\n'), hit: plan?.hit }
    return { exitCode, stderr, hit: plan?.hit }
  } finally {
    layer.disarm()
    process.off('uncaughtException', note).off('unhandledRejection', note)
  }
}

const contextWith = (take: (text: string) => void): CliContext => ({
  ...processContext(),
  stdin: Readable.from([]),
  stdout: new Writable({ write: (_, __, done) => done() }),
  stdoutIsTerminal: false,
  stderr: new Writable({
    write(text, _, done) {
      take(String(text))
      done()
    },
  }),
  stderrIsTerminal: false,
  environment,
  random: () => 0,
  clock: fastClock(new Date()),
  interrupts: { onSignal: () => () => {}, onUncaught: () => () => {}, exit: () => {} },
})
