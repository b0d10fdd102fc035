import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { LockOwner } from '../../src/model/lock-owner.ts'
import { processIdentity } from '../../src/platform/process-info.ts'
import { atEnd } from './cleanup.ts'
import { windowsNode } from './wine.ts'

/** Whether the system of the command tells a dead process from others. */
export const tellsProcesses = existsSync('/proc/self/stat') && windowsNode === undefined

/** This process, as one that holds locks. */
export const here = { host: hostname(), process: processIdentity(process.pid) }

/** A process that does nothing, and is ended with the test at the latest. */
export interface Idle {
  readonly holder: LockOwner
  stop(): void
  /** Resolves when it is no more. */
  kill(): Promise<void>
}

/** Starts a process that does nothing, and could be the holder `id`. */
export async function idleProcess(id: string, command = 'sleep'): Promise<Idle> {
  const child = spawn(command, ['60'], { argv0: 'sleep', stdio: 'ignore' })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const kill = () => {
    child.kill('SIGKILL')
    return ended
  }
  atEnd(kill)
  await spawned(child)
  return { holder: holderOf(id, child.pid ?? 0), stop: () => child.kill('SIGSTOP'), kill }
}

/** A process of this machine as a holder. */
export const holderOf = (id: string, pid: number): LockOwner => ({
  id,
  pid,
  host: here.host,
  since: '2026-11-21T02:00:00.000Z',
  process: here.process && { ...here.process, started: startOf(pid) },
})

const startOf = (pid: number) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? ''
}

const spawned = (child: ChildProcess) =>
  new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
