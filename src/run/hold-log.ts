import { ulid } from 'ulid'
import type { LockOwner } from '../model/lock-owner.ts'
import type { ProcessInfo } from '../platform/process-info.ts'
import { type Lock, lockLog } from '../store/files/lock.ts'
import { checkLogExists } from './paths.ts'
import { holderOf } from './ports.ts'

export interface LockWait {
  readonly lockTimeoutS: number
  /** Called when another run may hold the log. */
  readonly onWait: (holder: LockOwner | undefined) => void
}

/** Works on an existing result log under its lock, as a run of its own. Throws a UsageError, LockError or LogError. */
export async function holdingLog<T>(
  path: string,
  { lockTimeoutS, onWait }: LockWait,
  info: ProcessInfo,
  work: (lock: Lock, run: string) => Promise<T>,
): Promise<T> {
  await checkLogExists(path)
  const run = ulid()
  const lock = await lockLog(path, {
    holder: holderOf(run, info),
    clock: info.clock,
    timeoutMs: lockTimeoutS * 1000,
    onWait,
    onLost: () => {}, // it is checked before anything is written
  })
  return work(lock, run).finally(lock.release)
}
