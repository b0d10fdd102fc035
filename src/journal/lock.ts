import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Clock, every, sleep } from '../model/clock.ts'
import { cannotWrite, LockError, UsageError } from '../model/errors.ts'
import type { Holder } from '../model/holder.ts'
import { type Here, isDeadProcess } from './process-identity.ts'

/** A result log that is held: nobody else writes it. */
export interface Lock {
  /**
   * Throws a LockError once another run has taken the log over. It looks at the disk and lets nothing else run
   * meanwhile: what removes or replaces a file follows it in the same turn.
   */
  check(): void
  release(): Promise<void>
}

/** What a lock is looked at with. */
export interface Watching {
  readonly clock: Clock
  /** A lock that stands still for so long is dead, unless its holder named a longer time. */
  readonly timeoutMs: number
  /** Who looks. */
  readonly here: Here
}

/** What a lock is taken with. */
export interface Locking extends Omit<Watching, 'here'> {
  readonly holder: Holder
  /** Hears whose lock is there, while it is watched for a sign of life. */
  readonly onWait: (holder: Holder | undefined) => void
  /** Hears when another run took ours, as it may after this machine was asleep. */
  readonly onLost: (error: LockError) => void
}

/** No holder may ask others to watch for longer; what a file says of that need not be true. */
export const longestLockTimeoutS = 3_600

/** A holder shows so often that it lives, in the time after which it is dead. */
const beatsInTimeout = 5
const mostPollMs = 100

/**
 * Holds a result log for one run by the folder `<results>.lock`. A lock without a sign of life is taken over, and that of a
 * dead process of this machine at once. Throws a LockError that names the holder, or a LogError.
 */
export async function lockLog(results: string, locking: Locking): Promise<Lock> {
  const { holder, clock, timeoutMs, onWait, onLost } = locking
  const path = pathOf(results)
  const ours = join(path, holder.id)
  for (let isOurs = false; !isOurs; ) {
    const state = await stateOf(path, { clock, timeoutMs, here: holder }, onWait)
    if (state.is === 'held') throw new LockError('log_locked', { log: results, holder: state.by })
    isOurs = taken(path, state, holder, timeoutMs) // else another run was faster
  }
  const stop = beating(ours, locking, () => onLost(new LockError('lock_lost', { log: results })))
  await removeRemains(path, clock.now().getTime() - timeoutMs)
  return {
    check() {
      if (!existsSync(ours)) throw new LockError('lock_lost', { log: results })
    },
    async release() {
      stop()
      letGo(path, holder.id)
    },
  }
}

/**
 * Whether a run holds a result log now; where a lock is there it is watched for a sign of life, and left as it is. False
 * where the lock cannot be read.
 */
export async function isHeld(results: string, watching: Watching): Promise<boolean> {
  const state = await stateOf(pathOf(results), watching, () => {}).catch(() => undefined)
  return state?.is === 'held'
}

const pathOf = (results: string) => `${results}.lock`

/** A lock as it stands. */
interface Sight {
  /** Names the holder. */
  readonly id: string
  /** Changes whenever the holder shows that it lives; those of earlier versions renew the folder. */
  readonly beat: string
  /** Undefined where the file in it is not its holder's own: a takeover was left half done. */
  readonly holder: (Holder & { readonly lock_timeout_ms?: unknown }) | undefined
}

type State = { is: 'free' } | { is: 'held'; by: Holder | undefined } | { is: 'dead'; sight: Sight }

/**
 * Watches a lock until it is known whether somebody holds it. Time is counted in looks: whoever was asleep meanwhile has
 * not watched. Throws what reading the lock throws.
 */
async function stateOf(path: string, watching: Watching, onWait: Locking['onWait']): Promise<State> {
  const { clock, timeoutMs, here } = watching
  const pollMs = Math.min(mostPollMs, timeoutMs / beatsInTimeout / 2)
  let before: Sight | undefined
  let patienceMs = timeoutMs
  for (let stillMs = 0; ; stillMs += pollMs) {
    const sight = look(path)
    if (sight === undefined) return { is: 'free' }
    const { id, beat, holder } = sight
    if (holder !== undefined && isDeadProcess(holder, here)) return { is: 'dead', sight }
    if (id !== before?.id) {
      onWait(holder)
      stillMs = 0
      patienceMs = timeoutMs
    } else if (beat !== before.beat) return { is: 'held', by: holder }
    patienceMs = Math.max(patienceMs, namedTimeoutMs(holder)) // its file may be unreadable for a moment
    if (stillMs >= patienceMs) return { is: 'dead', sight }
    before = sight
    await sleep(clock, pollMs)
  }
}

const namedTimeoutMs = (holder: Sight['holder']) =>
  typeof holder?.lock_timeout_ms === 'number'
    ? Math.min(holder.lock_timeout_ms, longestLockTimeoutS * 1000)
    : 0

/**
 * Looks at a lock; undefined where none is there, or an empty one, which is half released. Throws a UsageError for what is no lock,
 * and a LogError.
 */
function look(path: string): Sight | undefined {
  try {
    const names = readdirSync(path).sort()
    const id = names.find(name => !name.startsWith('.')) ?? names[0] // some systems add files of their own
    if (id === undefined) return undefined
    const file = lstatSync(join(path, id))
    if (!file.isFile()) throw new UsageError('not_a_lock', { path })
    return { id, beat: [file.mtimeMs, lstatSync(path).mtimeMs].join(), holder: holderIn(path, id) }
  } catch (error) {
    if (error instanceof UsageError) throw error
    if (codeOf(error) === 'ENOENT') return undefined
    if (codeOf(error) === 'ENOTDIR' && existsSync(path)) throw new UsageError('not_a_lock', { path })
    throw cannotWrite(path, error)
  }
}

function holderIn(path: string, id: string): Sight['holder'] {
  try {
    const holder = JSON.parse(readFileSync(join(path, id), 'utf8'))
    return holder?.id === id ? holder : undefined
  } catch {
    return undefined
  }
}

/** Takes a lock that is free or dead; false when another run was faster. Throws a LogError. */
function taken(
  path: string,
  state: Exclude<State, { is: 'held' }>,
  holder: Holder,
  timeoutMs: number,
): boolean {
  const text = JSON.stringify({ ...holder, lock_timeout_ms: timeoutMs })
  try {
    return state.is === 'free'
      ? isMade(path, holder.id, text)
      : isTakenOver(path, state.sight, holder.id, text)
  } catch (error) {
    letGo(path, holder.id)
    throw cannotWrite(path, error)
  }
}

/** Makes a lock aside and gives it its name when it is whole: nobody ever sees a lock without its holder. */
function isMade(path: string, id: string, text: string): boolean {
  const aside = `${path}.${id}`
  mkdirSync(aside)
  try {
    writeFileSync(join(aside, id), text)
    removeEmpty(path) // not every system renames over an empty folder
    renameSync(aside, path)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    if (!wasThere.has(codeOf(error)) && look(path) === undefined) throw error
  }
  return existsSync(join(path, id))
}

/** What renaming a folder meets where another lock is, or where ours was taken for the remains of a dead run. */
const wasThere = new Set<unknown>(['ENOTEMPTY', 'EEXIST', 'ENOENT'])

/**
 * Gives the file of a dead holder our name: of several takers one succeeds, and the lock is never free meanwhile. What
 * stands in it is then written over in place, so that nothing comes into a lock that has been taken from us already.
 */
function isTakenOver(path: string, stale: Sight, id: string, text: string): boolean {
  const now = look(path)
  if (now?.id !== stale.id || now.beat !== stale.beat) return false
  const ours = join(path, id)
  try {
    renameSync(join(path, stale.id), ours)
    writeOver(ours, text)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/** Writes over a file that is there; a new one is never made. */
function writeOver(file: string, text: string): void {
  const open = openSync(file, constants.O_WRONLY | constants.O_TRUNC)
  try {
    writeFileSync(open, text)
  } finally {
    closeSync(open)
  }
}

/**
 * Renews the time of our file, until the returned function is called. One that is gone is another's now, and one that
 * cannot be renewed for the whole timeout may be: `onLost` is called once.
 */
function beating(ours: string, { clock, timeoutMs }: Locking, onLost: () => void): () => void {
  let beatenMs = clock.elapsedMs()
  const beat = () => {
    try {
      utimesSync(ours, clock.now(), clock.now())
      beatenMs = clock.elapsedMs()
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && clock.elapsedMs() - beatenMs < timeoutMs) return
      stop()
      onLost()
    }
  }
  const stop = every(clock, timeoutMs / beatsInTimeout, beat, 'background')
  return stop
}

/** Removes our file, if it is there still, and the lock with it; another's stays. */
function letGo(path: string, id: string): void {
  try {
    rmSync(join(path, id), { force: true })
  } catch {} // it stands still from now on
  removeEmpty(path)
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch {} // it is gone, or somebody is in it
}

/** What a lock is named for a moment, here and in earlier versions; holders' ids are ULIDs. */
const isOurs = /^(reclaim-.+|[0-9A-Z]{26})$/

/** Removes what runs left behind that were killed while they took a lock, unless it is younger than `beforeMs`. */
async function removeRemains(path: string, beforeMs: number): Promise<void> {
  const prefix = `${basename(path)}.`
  const names = await readdir(dirname(path)).catch(() => [])
  for (const name of names.filter(
    each => each.startsWith(prefix) && isOurs.test(each.slice(prefix.length)),
  )) {
    const remains = join(dirname(path), name)
    const { mtimeMs } = statSync(remains, { throwIfNoEntry: false }) ?? { mtimeMs: beforeMs }
    if (mtimeMs < beforeMs) await rm(remains, { recursive: true, force: true }).catch(() => {})
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code
