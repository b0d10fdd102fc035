import fs from 'node:fs'
import { lstat, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import lockfile from '@bybrave/proper-lockfile2'
import { type LockError, lockErrors, logErrors } from '../model/errors.ts'
import type { Holder } from '../model/holder.ts'

/** A result log that is held: nobody else writes it. */
export interface Lock {
  /**
   * Throws a LockError once another run has taken the log over. It looks at the disk and lets nothing else run
   * meanwhile: what removes or replaces a file follows it in the same turn.
   */
  check(): void
  release(): Promise<void>
}

/** A holder shows each second that it lives. */
const heartbeatMs = 1_000
/** One that has not done so for this long is dead, whatever its pid says: in containers every pid is alive. */
const staleMs = 5_000
const pollMs = 100

/**
 * Holds a result log for one run by the folder `<results>.lock`. A lock whose heartbeat stands still is taken over;
 * `onWait` hears that it is being watched. `onLost` hears when another run took ours, as it may after this machine was
 * asleep. Throws a LockError that names the holder, or a LogError.
 */
export async function lockLog(
  results: string,
  holder: Holder,
  onWait: (holder: Holder | undefined) => void,
  onLost: (error: LockError) => void,
): Promise<Lock> {
  const path = `${results}.lock`
  const lost = () => lockErrors.lost(results)
  let firstBeat: number | undefined
  for (;;) {
    try {
      const release = await lockfile.lock(results, {
        lockfilePath: path,
        realpath: false,
        stale: staleMs,
        update: heartbeatMs,
        fs: holding(path, holder),
        onCompromised: () => onLost(lost()),
      })
      await removeRemains(path)
      return {
        check() {
          if (!fs.existsSync(join(path, holder.id))) throw lost()
        },
        release: () => release().catch(() => {}), // what is not ours any more is not ours to remove
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw logErrors.cannotWrite(path, error)
    }
    const beat = await beatOf(path)
    if (beat !== undefined && firstBeat !== undefined && beat !== firstBeat)
      throw lockErrors.held(results, await holderOf(path))
    if (firstBeat === undefined) onWait(await holderOf(path))
    firstBeat = beat
    await sleep(pollMs)
  }
}

/** A run that was killed while it took a dead lock over leaves that lock under another name. */
async function removeRemains(path: string): Promise<void> {
  const names = await readdir(dirname(path)).catch(() => [])
  for (const name of names.filter(each => each.startsWith(`${basename(path)}.reclaim-`))) {
    const remains = join(dirname(path), name)
    if (isDead(remains)) await rm(remains, { recursive: true, force: true })
  }
}

const beatOf = async (path: string) => (await stat(path).catch(() => undefined))?.mtimeMs

async function holderOf(path: string): Promise<Holder | undefined> {
  try {
    const [id = ''] = await readdir(path)
    return JSON.parse(await readFile(join(path, id), 'utf8'))
  } catch {
    return undefined
  }
}

const isDead = (path: string) =>
  (fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY) < Date.now() - staleMs
const gone = () => Object.assign(new Error('gone'), { code: 'ENOENT' })

type Done = (error: Error | null) => void

/** The file system as the lock library sees it: the folder that is the lock holds a file that says whose it is. */
function holding(lockPath: string, holder: Holder): object {
  const ours = join(lockPath, holder.id)
  const removeOurs = () => {
    fs.rmSync(ours, { force: true })
    fs.rmdirSync(lockPath) // fails, and leaves the folder, when another holder is in it
  }
  const promised = (action: () => void, done: Done) => {
    try {
      action()
      done(null)
    } catch (error) {
      done(error as Error)
    }
  }
  return {
    ...fs,
    mkdir: (path: string, done: Done) =>
      fs.mkdir(path, error => {
        if (error) return done(error)
        fs.writeFile(ours, JSON.stringify(holder), failure => {
          if (failure) fs.rmSync(path, { recursive: true, force: true })
          done(failure)
        })
      }),
    rename: (from: string, to: string, done: Done) =>
      promised(() => {
        if (from === lockPath && !isDead(from)) throw gone() // another run has taken it over meanwhile
        fs.renameSync(from, to)
      }, done),
    rmdir: (path: string, done: Done) =>
      promised(() => (path === lockPath ? removeOurs() : fs.rmSync(path, { recursive: true })), done),
    rmdirSync: removeOurs,
  }
}

/** What a link to a result log stands for, so that two names of one log are one lock. */
export async function trueName(path: string | undefined): Promise<string | undefined> {
  const isLink = path !== undefined && (await lstat(path).catch(() => undefined))?.isSymbolicLink()
  return isLink ? realpath(path).catch(() => path) : path
}
