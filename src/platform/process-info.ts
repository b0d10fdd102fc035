import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, platform } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { kill } from 'node:process'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../model/clock.ts'
import type { LockOwner, ProcessIdentity } from '../model/lock-owner.ts'
import { isProgram, packageFile, packageRoot } from '../model/package.ts'

export type ProcessInfo = Readonly<ReturnType<typeof processInfo>>

export const processInfo = ({ env, pid, versions, execPath }: NodeJS.Process) => ({
  node: versions.node,
  /** The words that start the command, wherever it is started. */
  program: isProgram ? [execPath] : [execPath, fileURLToPath(new URL('dist/bin/rowlift.cjs', packageRoot))],
  environment: env as Readonly<Record<string, string | undefined>>,
  /** Relative paths start here; undefined for the folder of the process. */
  cwd: undefined as string | undefined,
  version: JSON.parse(packageFile('package.json')).version as string,
  pid,
  host: hostname(),
  clock: systemClock,
  random: Math.random,
})

/** A path as this process finds the file; `-`, presets and nothing are no paths. */
export function pathIn({ cwd }: Pick<ProcessInfo, 'cwd'>, path: string): string {
  if (cwd === undefined || isAbsolute(path) || /^(-?$|preset:)/.test(path)) return path
  return join(cwd, path).replace(/^-$/, './-') // a file of that name
}

/** The host of a process, which sees whether others there are dead. */
export type ProcessHost = Pick<LockOwner, 'host' | 'process'>

/**
 * The identity of this process, whose pid is `pid`; undefined if the system does not say. Windows has none: it numbers no boots, and a
 * Linux beside it (WSL) has the same host. So no process is called dead there, and a lock ends by its heartbeat alone.
 */
export function processIdentity(pid: number, proc = '/proc', system = platform()) {
  return system === 'win32' ? undefined : identityIn(proc, pid)
}

function identityIn(proc: string, pid: number): ProcessIdentity | undefined {
  try {
    const own = statOf(proc, 'self')
    if (own.pid !== pid) return undefined // these are the pids of another container
    return {
      boot: readFileSync(join(proc, 'sys/kernel/random/boot_id'), 'utf8').trim(),
      pid_namespace: readlinkSync(join(proc, 'self/ns/pid')),
      started: own.started,
    }
  } catch {
    return undefined
  }
}

/** Checks that a process of this boot and pid namespace no longer exists. False if nobody can know. The fields may have any type. */
export function isDeadProcess({ host, pid, process: identity }: LockOwner, own: ProcessHost, proc = '/proc') {
  if (own.process === undefined || host !== own.host) return false
  const { boot, pid_namespace } = own.process
  if (identity?.boot !== boot || identity.pid_namespace !== pid_namespace) return false
  if (typeof identity.started !== 'string' || !Number.isSafeInteger(pid) || pid < 1) return false
  try {
    const { started, state, threads } = statOf(proc, String(pid))
    return started !== identity.started || (/[ZX]/.test(state) && threads <= 1)
  } catch {
    return !isThere(pid) // it may only be hidden
  }
}

/** Parses a process's `stat` (proc_pid_stat(5)); its name may contain blanks and parentheses. Throws if it is malformed. */
function statOf(proc: string, name: string) {
  const text = readFileSync(join(proc, name, 'stat'), 'utf8')
  const [state = '', ...more] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [threads, started] = [Number(more[16]), more[18]] // fields 20 and 22, and state is the third
  if (!/^\d+$/.test(started ?? '') || Number.isNaN(threads)) throw new Error('not a stat of a process')
  return { pid: Number.parseInt(text, 10), state, threads, started: String(started) }
}

/** Checks whether any process has this pid. */
function isThere(pid: number): boolean {
  try {
    return kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** The time for which this process was running, on all its threads. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
