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
    if (from === lockPath && !isDead(from, deadAfterMs)) throw failedWith('ENOENT') // another run was faster
    fs.renameSync(from, to)
  }
  return {
    ...fs,
    mkdir: (path: string, done: Done) => told(() => makeWhole(path, holder), done),
    rename: (from: string, to: string, done: Done) => told(() => moveDead(from, to), done),
    rmdir: (path: string, done: Done) =>
      told(() => (path === lockPath ? removeOurs() : fs.rmSync(path, { recursive: true })), done),
    rmdirSync: removeOurs,
  }
}

/** Makes a lock aside and gives it its name when it is whole: nobody ever sees a lock without its holder. */
function makeWhole(path: string, holder: Holder): void {
  const aside = `${path}.${holder.id}`
  fs.mkdirSync(aside)
  try {
    fs.writeFileSync(join(aside, holder.id), JSON.stringify(holder))
    fs.renameSync(aside, path)
  } catch (error) {
    fs.rmSync(aside, { recursive: true, force: true })
    throw wasThere.has((error as NodeJS.ErrnoException).code) ? failedWith('EEXIST') : error
  }
}

/** What renaming a folder meets where another lock is, or where ours was taken for the remains of a dead run. */
const wasThere = new Set<string | undefined>(['ENOTEMPTY', 'EEXIST', 'ENOENT'])

const failedWith = (code: string) => Object.assign(new Error(code), { code })

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

/** What the library and makeWhole name a lock for a moment; holders' ids are ULIDs. */
const isOurs = /^(reclaim-.+|[0-9A-Z]{26})$/

/** Removes what runs left behind that were killed while they took a lock: dead ones, and those that were to be theirs. */
export async function removeRemains(lockPath: string, deadAfterMs: number): Promise<void> {
  const prefix = `${basename(lockPath)}.`
  const names = await readdir(dirname(lockPath)).catch(() => [])
  for (const name of names.filter(
    each => each.startsWith(prefix) && isOurs.test(each.slice(prefix.length)),
  )) {
    const remains = join(dirname(lockPath), name)
    if (isDead(remains, deadAfterMs)) await rm(remains, { recursive: true, force: true }).catch(() => {})
  }
}
