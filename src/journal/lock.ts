import { existsSync, statSync, utimesSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import lockfile from '@bybrave/proper-lockfile2'
import { type LockError, lockErrors, logErrors } from '../model/errors.ts'
import type { Holder } from '../model/holder.ts'
import { holderIn, holdersFiles, removeRemains } from './lock-folder.ts'

/** A result log that is held: nobody else writes it. */
export interface Lock {
  /**
   * Throws a LockError once another run has taken the log over. It looks at the disk and lets nothing else run
   * meanwhile: what removes or replaces a file follows it in the same turn.
   */
  check(): void
  release(): Promise<void>
}

/** What a lock is taken with. */
export interface Locking {
  readonly holder: Holder
  /** Hears whose lock is there, while it is watched for a sign of life. */
  readonly onWait: (holder: Holder | undefined) => void
  /** Hears when another run took ours, as it may after this machine was asleep. */
  readonly onLost: (error: LockError) => void
}

/** A holder shows each second that it lives. */
const heartbeatMs = 1_000
/** One that is seen to do nothing for this long is dead, whatever its pid and its clock say. */
const deadAfterMs = 5_000
const pollMs = 100

/**
 * Holds a result log for one run by the folder `<results>.lock`. A lock without a sign of life is taken over. Throws a
 * LockError that names the holder, or a LogError.
 */
export async function lockLog(results: string, locking: Locking): Promise<Lock> {
  const path = `${results}.lock`
  const lost = () => lockErrors.lost(results)
  for (;;) {
    if (await isAlive(path, locking.onWait)) throw lockErrors.held(results, await holderIn(path))
    const release = await taken(results, path, locking.holder, () => locking.onLost(lost()))
    if (release === undefined) continue // another run was faster
    await removeRemains(path, deadAfterMs)
    return {
      check() {
        if (!existsSync(join(path, locking.holder.id))) throw lost()
      },
      release: () => release().catch(() => {}), // what is not ours any more is not ours to remove
    }
  }
}

/** Watches a lock that is there until its heart beats, or until it is dead. */
async function isAlive(path: string, onWait: Locking['onWait']): Promise<boolean> {
  const first = await beatOf(path)
  if (first === undefined) return false
  onWait(await holderIn(path))
  const beats = await beatsOn(path, first)
  if (beats === undefined) letAge(path, first)
  return beats === true
}

/** Whether a run holds a result log now; where a lock is there it is watched for a sign of life, and left as it is. */
export async function isHeld(results: string): Promise<boolean> {
  const path = `${results}.lock`
  const first = await beatOf(path)
  return first !== undefined && (await beatsOn(path, first)) === true
}

/** Whether the heart of a lock beats; false when the lock goes away, undefined when nothing happens for long. */
async function beatsOn(path: string, first: number): Promise<boolean | undefined> {
  for (let watchedMs = 0; watchedMs < deadAfterMs; watchedMs += pollMs) {
    await sleep(pollMs)
    const beat = await beatOf(path)
    if (beat !== first) return beat !== undefined
  }
  return undefined
}

const beatOf = async (path: string) => (await stat(path).catch(() => undefined))?.mtimeMs

/** The library goes by the time of the lock, which says nothing where clocks differ or were put back. */
function letAge(path: string, beat: number): void {
  if (beat < Date.now() - deadAfterMs) return
  try {
    if (statSync(path, { throwIfNoEntry: false })?.mtimeMs === beat) utimesSync(path, 0, 0)
  } catch (error) {
    throw logErrors.cannotWrite(path, error) // another user's
  }
}

/** Takes a lock that is free or dead; gives the way to let it go, undefined when another holds it. */
async function taken(
  results: string,
  path: string,
  holder: Holder,
  onCompromised: () => void,
): Promise<(() => Promise<void>) | undefined> {
  try {
    return await lockfile.lock(results, {
      lockfilePath: path,
      realpath: false,
      stale: deadAfterMs,
      update: heartbeatMs,
      fs: holdersFiles(path, holder, deadAfterMs),
      onCompromised,
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED') return undefined
    throw logErrors.cannotWrite(path, error)
  }
}
