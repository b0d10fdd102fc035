import { ulid } from 'ulid'
import type { LockOwner } from '../model/lock-owner.ts'
import { type ProcessInfo, processIdentity } from '../platform/process-info.ts'
import type { Lock, LockOptions, LockWatch } from '../store/files/lock.ts'
import type { Log } from '../store/files/whole-lines.ts'
import { checkLogExists } from './paths.ts'
import type { PreparedImport, StorePlace } from './prepared-import.ts'

type LogPlace = StorePlace & Pick<PreparedImport, 'store'> & { readonly results?: string | undefined }

/** Reads the log of an import in its store or file; returns undefined if there is none. Throws a UsageError or a LogError. */
export async function readLogOf<T>(place: LogPlace, info: ProcessInfo, read: (log: Log) => Promise<T>) {
  const { store, results } = place
  if (store !== undefined) return store.withLog(place, info, read)
  return results === undefined ? undefined : read(results)
}

/** Without `onLost` nobody is told that another run took the lock; it is also checked before anything is written. */
export type LockWait = Pick<LockOptions, 'timeoutMs' | 'onWait'> & Partial<Pick<LockOptions, 'onLost'>>

/** Takes the lock of a result log for a run. Throws a UsageError, LockError or LogError. */
export async function holdLog(path: string, run: string, wait: LockWait, info: ProcessInfo) {
  const { lockLog } = await import('../store/files/lock.ts') // a dry run needs none
  const holder = holderOf(run, info)
  const lock = await lockLog(path, { holder, clock: info.clock, onLost: () => {}, ...wait })
  return { ...lock, [Symbol.asyncDispose]: lock.release }
}

/** Works on an existing result log under its lock, as a run of its own. Throws a UsageError, LockError or LogError. */
export async function holdingLog<T>(
  path: string,
  wait: LockWait,
  info: ProcessInfo,
  work: (lock: Lock, run: string) => Promise<T>,
): Promise<T> {
  await checkLogExists(path)
  const run = ulid()
  await using lock = await holdLog(path, run, wait, info)
  return await work(lock, run)
}

export const holderOf = (run: string, { pid, host, clock }: ProcessInfo): LockOwner => ({
  id: run,
  pid,
  host,
  since: clock.now().toISOString(),
  process: processIdentity(pid),
})

export const watchingOf = ({ pid, host, clock }: ProcessInfo, lockTimeoutS: number): LockWatch => ({
  clock,
  timeoutMs: lockTimeoutS * 1000,
  host: { host, process: processIdentity(pid) },
})
