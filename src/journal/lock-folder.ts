import fs from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Holder } from '../model/holder.ts'

type Done = (error: Error | null) => void

/**
 * The file system as the lock library is to see it: the folder that is the lock holds a file that says whose it is, and
 * only a dead lock is moved out of the way, only an own one removed.
 */
export function holdersFiles(lockPath: string, holder: Holder, deadAfterMs: number): object {
  const ours = join(lockPath, holder.id)
  const removeOurs = () => {
    fs.rmSync(ours, { force: true })
    fs.rmdirSync(lockPath) // fails, and leaves the folder, when another holder is in it
  }
  const moveDead = (from: string, to: string) => {
    if (from === lockPath && !isDead(from, deadAfterMs)) throw gone() // another run has taken it over meanwhile
    fs.renameSync(from, to)
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
    rename: (from: string, to: string, done: Done) => told(() => moveDead(from, to), done),
    rmdir: (path: string, done: Done) =>
      told(() => (path === lockPath ? removeOurs() : fs.rmSync(path, { recursive: true })), done),
    rmdirSync: removeOurs,
  }
}

/** Does something at once, and tells how it ended as the library expects it. */
function told(action: () => void, done: Done): void {
  let failure: unknown = null
  try {
    action()
  } catch (error) {
    failure = error
  }
  done(failure as Error | null)
}

const gone = () => Object.assign(new Error('gone'), { code: 'ENOENT' })

const isDead = (path: string, deadAfterMs: number) =>
  (fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY) <
  Date.now() - deadAfterMs

/** Who holds a lock; undefined while its holder has not said so. */
export async function holderIn(lockPath: string): Promise<Holder | undefined> {
  try {
    const [id = ''] = await readdir(lockPath)
    return JSON.parse(await readFile(join(lockPath, id), 'utf8'))
  } catch {
    return undefined
  }
}

/** Removes what runs left behind that were killed while they took a dead lock over: that lock under another name. */
export async function removeRemains(lockPath: string, deadAfterMs: number): Promise<void> {
  const names = await readdir(dirname(lockPath)).catch(() => [])
  for (const name of names.filter(each => each.startsWith(`${basename(lockPath)}.reclaim-`))) {
    const remains = join(dirname(lockPath), name)
    if (isDead(remains, deadAfterMs)) await rm(remains, { recursive: true, force: true })
  }
}
