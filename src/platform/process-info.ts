import { readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { type Clock, systemClock } from '../model/clock.ts'
import { packageRoot } from '../model/package.ts'

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

/** A path as this process finds the file; `-`, presets and nothing are no paths. */
export function pathIn({ cwd }: Pick<ProcessInfo, 'cwd'>, path: string): string {
  if (cwd === undefined || isAbsolute(path) || /^(-?$|preset:)/.test(path)) return path
  return join(cwd, path).replace(/^-$/, './-') // a file of that name
}
