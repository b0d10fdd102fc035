import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { LockWatch } from '../journal/lock.ts'
import { processIdentity } from '../journal/process-identity.ts'
import { type Clock, systemClock } from '../model/clock.ts'
import type { RunEvent } from '../model/events.ts'
import type { LockOwner } from '../model/lock-owner.ts'
import { packageRoot } from '../model/package.ts'
import type { Stop } from '../model/stop.ts'

/** The process in which rowlift runs, and its machine. */
export interface ProcessInfo {
  /** Variables. */
  readonly environment: Environment
  /** The folder that relative paths are in; undefined for that of the process. */
  readonly cwd: string | undefined
  /** The version of this package. */
  readonly version: string
  readonly pid: number
  readonly host: string
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
}

export type Environment = Readonly<Record<string, string | undefined>>

/** What an import uses of the world outside. */
export interface Ports extends ProcessInfo {
  /** The bearer token, where no file holds it. */
  readonly token: string | undefined
  /** Whether a person watches, so that the result log can have a default name. */
  readonly isInteractive: boolean
  /** Undefined in a program that uses the library: its streams are its own. */
  readonly streams: Streams | undefined
  /** Receives lines that the result log could not take. */
  readonly onUnwritten: (line: string) => void
}

export interface Streams {
  readonly stdin: Readable
  readonly stdout: Writable
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean
}

/** The streams of the command, which alone takes `-` for a path. */
export function streamsOf({ streams }: Ports): Streams {
  if (streams === undefined) throw new Error('a program has no standard streams to read or write')
  return streams
}

/** The ports of one import. */
export interface ImportPorts extends Ports {
  readonly emit: (event: RunEvent) => void
  /** Stops the import, also while it is prepared. */
  readonly stop?: Stop
}

export const processInfo = ({ env, pid }: Pick<NodeJS.Process, 'env' | 'pid'>): ProcessInfo => ({
  environment: env,
  cwd: undefined,
  version: JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')).version,
  pid,
  host: hostname(),
  clock: systemClock,
  random: Math.random,
})

/** This process as the holder of a result log, from now on. */
export const holderOf = (run: string, { pid, host, clock }: ProcessInfo): LockOwner => ({
  id: run,
  pid,
  host,
  since: clock.now().toISOString(),
  process: processIdentity(pid),
})

/** How this process finds out whether another one holds a result log. */
export const watchingOf = (
  { pid, host, clock }: Pick<ProcessInfo, 'pid' | 'host' | 'clock'>,
  lockTimeoutS: number,
): LockWatch => ({
  clock,
  timeoutMs: lockTimeoutS * 1000,
  here: { host, process: processIdentity(pid) },
})

/** A path as this process finds the file; `-` and presets are no paths. */
export const pathIn = ({ cwd }: Pick<ProcessInfo, 'cwd'>, path: string): string =>
  cwd === undefined || isAbsolute(path) || /^(-$|preset:)/.test(path) ? path : join(cwd, path)
