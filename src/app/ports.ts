import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { devNull, hostname, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Token } from '../api/token.ts'
import type { LockWatch } from '../journal/lock.ts'
import { processIdentity } from '../journal/process-identity.ts'
import { type Clock, systemClock } from '../model/clock.ts'
import { cannotWrite, LogError, reasonOf, type StopReasons } from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import type { LockOwner } from '../model/lock-owner.ts'
import { packageRoot } from '../model/package.ts'
import type { Stop } from '../model/stop.ts'

export interface ProcessInfo {
  readonly environment: Environment
  /** Relative paths start here; undefined for the folder of the process. */
  readonly cwd: string | undefined
  readonly version: string
  /** The version of Node. */
  readonly node: string
  readonly pid: number
  readonly host: string
  readonly clock: Clock
  readonly random: () => number
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface Ports extends ProcessInfo {
  /** Undefined where a file holds the token. */
  readonly token: string | undefined
  /** The result log has a default name only where a person watches. */
  readonly isInteractive: boolean
  /** Undefined in a program that uses the library. */
  readonly streams: Streams | undefined
  /** Ends programs that were started; returns the way to stop listening. */
  readonly onSignal?: (listener: (signal: StopReasons['signal']['signal']) => void) => () => void
  /** Receives lines that the result log could not take. */
  readonly onUnwritten: (line: string) => void
}

export interface Streams {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly isTerminal: boolean
}

/** The streams of the command; only it takes `-` for a path. */
export function streamsOf({ streams }: Ports): Streams {
  if (streams === undefined) throw new Error('a program has no standard streams to read or write')
  return streams
}

/** Throws a LogError where this process may not open a file for each of so many calls, and 16 for itself. */
export function checkOpenFiles(calls: number): void {
  const count = calls + 16
  const files: number[] = []
  try {
    while (files.length < count) files.push(openSync(devNull, 'r'))
  } catch (error) {
    if (/^E[MN]FILE$/.test(reasonOf(error)))
      throw new LogError('too_few_open_files', { more: count - files.length })
  } finally {
    for (const file of files) closeSync(file)
  }
}

/** Standard output as the only place of outcomes. Throws a LogError where it keeps none. */
export function outcomeStream(ports: Ports): Writable {
  const { stdout } = streamsOf(ports)
  const { fd } = stdout as Writable & { readonly fd?: number }
  const nowhere = statSync('/dev/null', { throwIfNoEntry: false }) // Node opens it in the place of a closed stream
  if (fd !== undefined && fstatSync(fd).rdev === nowhere?.rdev) throw new LogError('stdout_keeps_nothing')
  return stdout
}

export interface ImportPorts extends Ports {
  readonly emit: (event: RunEvent) => void
  /** Those of commands, which the steps of a plan share. */
  readonly tokens?: Map<string, Token>
  /** Stops the import, also while it is prepared. */
  readonly stop?: Stop
}

export const processInfo = ({ env, pid, versions }: NodeJS.Process): ProcessInfo => ({
  node: versions.node,
  environment: env,
  cwd: undefined,
  version: JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')).version,
  pid,
  host: hostname(),
  clock: systemClock,
  random: Math.random,
})

/** A container may run as a user without a name. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}

export const holderOf = (run: string, { pid, host, clock }: ProcessInfo): LockOwner => ({
  id: run,
  pid,
  host,
  since: clock.now().toISOString(),
  process: processIdentity(pid),
})

export const watchingOf = (
  { pid, host, clock }: Pick<ProcessInfo, 'pid' | 'host' | 'clock'>,
  lockTimeoutS: number,
): LockWatch => ({
  clock,
  timeoutMs: lockTimeoutS * 1000,
  here: { host, process: processIdentity(pid) },
})

/** A path as this process finds the file; `-`, presets and nothing are no paths. */
export function pathIn({ cwd }: Pick<ProcessInfo, 'cwd'>, path: string): string {
  if (cwd === undefined || isAbsolute(path) || /^(-?$|preset:)/.test(path)) return path
  return join(cwd, path).replace(/^-$/, './-') // a file of that name
}

/** Writes texts to standard output; ends quietly when the reader goes away. Throws a LogError. */
export async function writeTexts(
  texts: Iterable<string> | (() => AsyncIterable<string>),
  stdout: Writable,
): Promise<void> {
  await pipeline(texts, stdout, { end: false }).catch(error => {
    if (!isReaderGone(error)) throw cannotWrite('standard output', error)
  })
}

const endings = new Set<unknown>(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'])

export const isReaderGone = (error: unknown): boolean => endings.has((error as NodeJS.ErrnoException).code)
