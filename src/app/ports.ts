import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Watching } from '../journal/lock.ts'
import { processIdentity } from '../journal/process-identity.ts'
import { type Clock, systemClock } from '../model/clock.ts'
import type { Holder } from '../model/holder.ts'
import { packageRoot } from '../model/package.ts'

/** What an import needs of the process in which it runs. */
export interface Ports {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stdoutIsTerminal: boolean
  /** Whether colours are wanted there: it is a terminal that shows them, and nobody said otherwise. */
  readonly stdoutHasColors: boolean
  readonly stderr: Writable
  readonly stderrIsTerminal: boolean
  readonly stderrHasColors: boolean
  /** The environment's variables: options, the token, proxies. */
  readonly environment: Environment
  /** The working directory: where paths begin that are not absolute. */
  readonly cwd: string
  /** The version of this package. */
  readonly version: string
  readonly pid: number
  readonly host: string
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
}

export type Environment = Readonly<Record<string, string | undefined>>

/** This process as the holder of a result log, from now on. */
export const holderOf = (run: string, { pid, host, clock }: Ports): Holder => ({
  id: run,
  pid,
  host,
  since: clock.now().toISOString(),
  process: processIdentity(pid),
})

/** How this process finds out whether a result log is held that it does not hold itself. */
export const watchingOf = (
  { pid, host, clock }: Pick<Ports, 'pid' | 'host' | 'clock'>,
  lockTimeoutS: number,
): Watching => ({
  clock,
  timeoutMs: lockTimeoutS * 1000,
  here: { host, process: processIdentity(pid) },
})

/**
 * How the system finds a file that was named from the working directory of a command. What it finds by that name anyway keeps it, and
 * so does what is no path: `-`, and mappings that ship.
 */
export const pathIn = ({ cwd }: Pick<Ports, 'cwd'>, path: string): string =>
  cwd === workingDirectory() || isAbsolute(path) || /^(-$|preset:)/.test(path) ? path : join(cwd, path)

/** There is none where the folder was removed under this process; then files are not found in it either. */
function workingDirectory(): string {
  try {
    return process.cwd()
  } catch {
    return '.'
  }
}

/** The version of this package. */
const packageVersion = (): string =>
  JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')).version

/** The parts of the context that an import by a program shares with the command; streams and signals are for the command alone. */
export const processPorts = (): Pick<
  Ports,
  'environment' | 'cwd' | 'version' | 'pid' | 'host' | 'clock' | 'random'
> => ({
  environment: process.env,
  cwd: workingDirectory(),
  version: packageVersion(),
  pid: process.pid,
  host: hostname(),
  clock: systemClock,
  random: Math.random,
})
