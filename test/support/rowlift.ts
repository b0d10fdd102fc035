import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runCli } from '../../src/cli/cli.ts'
import { processContext } from '../../src/cli/context.ts'
import { type Clock, systemClock } from '../../src/model/clock.ts'
import { atEnd, tempFolder } from './cleanup.ts'
import { inFolder } from './in-folder.ts'
import type { Ended, Running, RunOptions } from './running.ts'
import { startUnderWine, windowsNode } from './wine.ts'

const main = fileURLToPath(new URL('../../dist/bin/rowlift.cjs', import.meta.url))

/** What a run in the process of its test takes besides. */
export interface RunHere extends RunOptions {
  /** That of the machine where there is none. */
  readonly clock?: Clock
  /** Sends the run a signal once it resolves. */
  readonly interrupted?: Promise<'SIGTERM' | 'SIGINT'>
  /** Standard output is a terminal. */
  readonly onTerminal?: boolean
  /** Standard error is a terminal, and both show colours. */
  readonly hasColors?: boolean
}

/** Starts the built command, in tests of Windows there; it is ended with the test at the latest. */
export function start(args: readonly string[], options: RunOptions): Running {
  if (windowsNode !== undefined) return startUnderWine([main, ...args], options)
  const { cwd, stdin, env = {} } = options
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ROWLIFT_TOKEN: 'a-secret-token', ...env },
  })
  atEnd(() => child.kill('SIGKILL'))
  child.stdin.on('error', () => {}) // the command may end before it has read all
  if (stdin !== undefined) child.stdin.end(stdin)
  const texts = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    texts.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    texts.stderr += text
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', exitCode => resolve({ exitCode, ...texts }))
  })
  const said = (words: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (texts.stderr.includes(words)) resolve()
      }
      look()
      child.stderr.on('data', look)
      child.once('close', () => reject(new Error(`it ended without ${words}: ${texts.stderr}`)))
    })
  return { process: child, ended, said }
}

/** What only a whole process takes from its environment. */
const ofProcesses = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS']

/** Runs the command to its end: in this process, unless it needs one of its own. */
export const rowlift = (args: readonly string[], options: RunHere): Promise<Ended> =>
  ofProcesses.some(name => options.env?.[name] !== undefined)
    ? start(args, { stdin: '', ...options }).ended
    : inFolder(options.cwd, () => runHere(args, options))

async function runHere(
  args: readonly string[],
  { stdin = '', env = {}, clock = systemClock, interrupted, onTerminal = false, hasColors = false }: RunHere,
): Promise<Ended> {
  const said = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof said) =>
    new Writable({
      decodeStrings: false,
      write(text, encoding, done) {
        said[name] += typeof text === 'string' ? text : Buffer.from(text, encoding as BufferEncoding)
        done()
      },
    })
  const exitCode = await runCli(args, {
    ...processContext(),
    stdin: Readable.from([Buffer.from(stdin)], { objectMode: false }),
    stdout: stream('stdout'),
    stdoutIsTerminal: onTerminal,
    stdoutHasColors: hasColors,
    stderr: stream('stderr'),
    stderrIsTerminal: hasColors,
    stderrHasColors: hasColors,
    environment: { ROWLIFT_TOKEN: 'a-secret-token', ...env },
    clock,
    interrupts: {
      onSignal(listener) {
        void interrupted?.then(listener)
        return () => {}
      },
      onUncaught: () => () => {},
      exit: () => {},
    },
  })
  return { exitCode, ...said }
}

/** A folder of its own with the given files in it. */
export async function folderWith(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await tempFolder()
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return folder
}

/** One line of a result log or preview, looked into freely: what it holds is what the test asserts. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Line = any

/** The lines of NDJSON text. */
export const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

/** The outcomes in a result log, in the order of their rows; opening lines are left out. */
export async function outcomesIn(file: string): Promise<Line[]> {
  const lines = linesOf(await readFile(file, 'utf8'))
  return lines.filter(line => line.status !== undefined).sort((a, b) => a.row - b.row)
}

/** The flags that every import into a service needs. */
export const into = (url: string, results = 'results.ndjson'): string[] => [
  ...['--base-url', url, '--organization-id', '7'],
  ...['-o', results],
]

/** The summary that a run without a terminal logs. */
export const summaryOf = ({ stderr }: Ended): Line => linesOf(stderr).find(line => line.msg === 'summary')
