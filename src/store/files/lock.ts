import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Clock, every, sleep } from '../../model/clock.ts'
import { cannotWrite, LockError, reasonOf, UsageError } from '../../model/errors.ts'
import type { LockOwner } from '../../model/lock-owner.ts'
import { longestBusyMs, type Patience, whenFree } from '../../platform/busy-files.ts'
import { isDeadProcess, type ProcessHost } from '../../platform/process-info.ts'

/** A result log that is held: no other run writes it. */
export interface Lock {
  /** Throws a LockError once it is taken over. Synchronous: code that removes or replaces a file calls it in the same turn. */
  check(): void
  /** The longest wait to change a file that another program has open: a late change could be of another run's file. */
  readonly busyMs: number
  release(): Promise<void>
}

export interface LockWatch {
  readonly clock: Clock
  /** A lock without a heartbeat for so long is stale, unless its owner named a longer time. */
  readonly timeoutMs: number
  readonly host: ProcessHost
}

export interface LockOptions extends Omit<LockWatch, 'host'> {
  readonly holder: LockOwner
  /** Called with the owner of an existing lock, while it is watched for a heartbeat. */
  readonly onWait: (holder: LockOwner | undefined) => void
  /** Called when another run has taken the lock, as it may after this machine slept. */
  readonly onLost: (error: LockError) => void
}

/** No owner can make others wait for longer: a lock file may be damaged. */
const longestLockTimeoutS = 3_600

const beatsInTimeout = 5
const longestPollMs = 100

/**
 * Takes a stale lock over, that of a dead process of this machine at once. Throws a LockError that names the owner, a LogError, or
 * a UsageError for a log with several names: each name would have its own lock.
 */
export async function lockLog(results: string, options: LockOptions): Promise<Lock> {
  const { holder, clock, timeoutMs, onWait, onLost } = options
  const path = lockPath(results)
  const ownFile = join(path, holder.id)
  for (let isAcquired = false; !isAcquired; ) {
    const state = await watchLock(path, { clock, timeoutMs, host: holder }, onWait)
    if (state.isHeld) throw new LockError('log_locked', { log: results, holder: state.lock?.holder })
    checkNames(results)
    isAcquired = await acquire(path, state.lock, options) // else another run was faster
  }
  const lost = () => new LockError('lock_lost', { log: results })
  const stop = startHeartbeat(ownFile, options, () => onLost(lost()))
  await removeRemains(path, clock.now().getTime() - timeoutMs, holder)
  return {
    check() {
      if (!existsSync(ownFile)) throw lost()
    },
    busyMs: busyMsIn(timeoutMs),
    async release() {
      stop()
      await remove(path, holder.id)
    },
  }
}

/** Checks whether a run holds a result log now; false if its lock cannot be read. */
export const isHeld = async (results: string, watch: LockWatch): Promise<boolean> =>
  (await lockOf(results, watch).catch(() => undefined))?.isHeld === true

/** The lock of a result log. An existing one is watched for a heartbeat and left alone. Throws what `readLock` throws. */
export const lockOf = (results: string, watch: LockWatch) => watchLock(lockPath(results), watch, () => {})

const busyMsIn = (timeoutMs: number) => Math.min(longestBusyMs, 0.4 * timeoutMs)

const lockPath = (results: string) => `${results}.lock`

interface LockView {
  /** The id of the owner, which is the name of the one file in the folder. */
  readonly id: string
  readonly beatMs: number
  /** Undefined if the file is not the owner's own: a takeover was interrupted. */
  readonly holder: (LockOwner & { readonly lock_timeout_ms?: unknown }) | undefined
}

/**
 * Watches a lock, and counts time in polls, not by the clock: a machine that slept has not watched. A lock that nobody holds is stale;
 * it is undefined if there is none. Throws what `readLock` throws.
 */
async function watchLock(path: string, watch: LockWatch, onWait: LockOptions['onWait']) {
  const { clock, timeoutMs, host } = watch
  const pollMs = Math.min(longestPollMs, timeoutMs / beatsInTimeout / 2)
  let before: LockView | undefined
  let patienceMs = timeoutMs
  for (let stillMs = 0; ; stillMs += pollMs) {
    const view = await whenFree(() => readLock(path), { clock, busyMs: busyMsIn(timeoutMs) }).catch(error =>
      Promise.reject(cannotWrite(path, error)),
    )
    if (view === undefined) return { isHeld: false, lock: view }
    const { id, beatMs, holder } = view
    if (holder !== undefined && isDeadProcess(holder, host)) return { isHeld: false, lock: view }
    if (id !== before?.id) {
      onWait(holder)
      stillMs = 0
      patienceMs = timeoutMs
    } else if (beatMs !== before.beatMs) return { isHeld: true, lock: view }
    patienceMs = Math.max(patienceMs, ownTimeoutMs(holder)) // its file may be unreadable for a moment
    if (stillMs >= patienceMs) return { isHeld: false, lock: view }
    before = view
    await sleep(clock, pollMs)
  }
}

const ownTimeoutMs = (holder: LockView['holder']) =>
  typeof holder?.lock_timeout_ms === 'number'
    ? Math.min(holder.lock_timeout_ms, longestLockTimeoutS * 1000)
    : 0

/** Throws a UsageError for a log with two names, which would have two locks, or a LogError. */
export function checkNames(path: string): void {
  try {
    const file = statSync(path, { throwIfNoEntry: false })
    if (file?.isFile() && file.nlink > 1) throw new UsageError('log_linked', { path, names: file.nlink })
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** Returns undefined if there is no lock, or an empty folder, which is half released. Throws a UsageError for what is no lock, or the system's error. */
function readLock(path: string): LockView | undefined {
  try {
    const names = readdirSync(path).sort()
    const id = names.find(name => !name.startsWith('.')) ?? names[0] // some systems add files of their own
    if (id === undefined) return undefined
    const file = lstatSync(join(path, id))
    if (!file.isFile()) throw new UsageError('not_a_lock', { path })
    return { id, beatMs: file.mtimeMs, holder: readHolder(path, id) }
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return undefined
    if (reasonOf(error) === 'ENOTDIR' && existsSync(path)) throw new UsageError('not_a_lock', { path })
    throw error
  }
}

function readHolder(path: string, id: string): LockView['holder'] {
  try {
    const holder = JSON.parse(readFileSync(join(path, id), 'utf8'))
    return holder.id === id ? holder : undefined
  } catch {
    return undefined
  }
}

/** Acquires a free or stale lock; false if another run was faster. Throws a LogError. */
async function acquire(path: string, stale: LockView | undefined, options: LockOptions): Promise<boolean> {
  const { holder, clock, timeoutMs } = options
  const text = JSON.stringify({ ...holder, lock_timeout_ms: timeoutMs })
  const patience = { clock, busyMs: busyMsIn(timeoutMs) }
  try {
    if (stale === undefined) return await create(path, holder.id, text, patience)
    return await takeOver(path, stale, { id: holder.id, text }, patience)
  } catch (error) {
    await remove(path, holder.id)
    throw cannotWrite(path, error)
  }
}

/** Creates a lock under another name and renames it when it is complete: nobody ever sees a lock without its owner. */
async function create(path: string, id: string, text: string, patience: Patience): Promise<boolean> {
  const unfinished = `${path}.${id}`
  mkdirSync(unfinished)
  try {
    writeFileSync(join(unfinished, id), text)
    await whenFree(() => {
      removeEmpty(path) // not every system renames over an empty folder
      if (readLock(path) === undefined) renameSync(unfinished, path)
    }, patience)
  } catch (error) {
    if (!tooLate.has(reasonOf(error)) && readLock(path) === undefined) throw error
  } finally {
    await whenFree(() => rmSync(unfinished, { recursive: true, force: true }), patience)
  }
  return existsSync(join(path, id))
}

/** The errors of a rename if another lock is there, or if the unfinished one was taken for the remains of a dead run. */
const tooLate = new Set(['ENOTEMPTY', 'EEXIST', 'ENOENT'])

/**
 * Renames the file of a dead owner to the id of this run: of several takers one succeeds, and the lock is never free meanwhile. The
 * file is then overwritten in place, so that none is created in a lock that another run has taken by now.
 */
async function takeOver(
  path: string,
  stale: LockView,
  own: { id: string; text: string },
  patience: Patience,
) {
  const ownFile = join(path, own.id)
  const rename = () => {
    const now = readLock(path)
    if (now?.id !== stale.id || now.beatMs !== stale.beatMs) return false
    renameSync(join(path, stale.id), ownFile)
    return true
  }
  try {
    if (!(await whenFree(rename, patience))) return false
    await whenFree(() => {
      truncateSync(ownFile)
      writeFileSync(ownFile, own.text, { flag: 'r+' }) // fails if the file is gone
    }, patience)
    return true
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return false
    throw error
  }
}

/**
 * Renews the time of the file, until the returned function is called. A file that is gone belongs to another run now, and one that
 * cannot be renewed for the whole timeout may: then `onLost` is called once.
 */
function startHeartbeat(ownFile: string, { clock, timeoutMs }: LockOptions, onLost: () => void): () => void {
  let lastBeatMs = clock.elapsedMs()
  const beat = () => {
    try {
      utimesSync(ownFile, clock.now(), clock.now())
      lastBeatMs = clock.elapsedMs()
    } catch (error) {
      if (reasonOf(error) !== 'ENOENT' && clock.elapsedMs() - lastBeatMs < timeoutMs) return
      stop()
      onLost()
    }
  }
  const stop = every(clock, timeoutMs / beatsInTimeout, beat)
  return stop
}

/** Removes the file of this run, if it is still there, and the folder with it; another run's stays. */
async function remove(path: string, id: string): Promise<void> {
  await whenFree(() => rmSync(join(path, id))).catch(() => {}) // it is gone, or has no heartbeat any more
  removeEmpty(path)
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch {} // it is gone, or not empty
}

const unfinishedName = /^[0-9A-Z]{26}$/

/** Removes the unfinished locks of dead processes, and all that are older than `beforeMs`. */
async function removeRemains(path: string, beforeMs: number, host: ProcessHost): Promise<void> {
  const prefix = `${basename(path)}.`
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    if (!name.startsWith(prefix) || !unfinishedName.test(name.slice(prefix.length))) continue
    const remains = join(dirname(path), name)
    const changedMs = statSync(remains, { throwIfNoEntry: false })?.mtimeMs
    const holder = readHolder(remains, name.slice(prefix.length))
    const isDead = holder === undefined || isDeadProcess(holder, host) // a live run whose folder is gone begins again
    if (changedMs !== undefined && (isDead || changedMs < beforeMs))
      await rm(remains, { recursive: true }).catch(() => {})
  }
}
