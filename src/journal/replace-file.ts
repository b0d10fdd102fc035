import { chownSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { cannotWrite } from '../model/errors.ts'
import { DurableFile } from './durable-file.ts'
import type { Lock } from './lock.ts'

/**
 * Replaces a file by a new one in one step, unless it is another run's by now. The unfinished file has a name of this run's own: a
 * run that slept while another took the lock must not write into that one's file. Returns the new file, open.
 */
export async function replaceFile(
  path: string,
  run: string,
  texts: Iterable<string> | AsyncIterable<string | Uint8Array>,
  lock: Pick<Lock, 'check'>,
): Promise<DurableFile> {
  lock.check()
  const unfinished = `${path}.${run}.new`
  let file: DurableFile | undefined
  try {
    file = await DurableFile.open(unfinished, 'wx')
    for await (const text of texts) await file.appendFile(text)
    await file.datasync()
    lock.check()
    await file.renameTo(path)
    return file
  } catch (error) {
    await file?.close()
    rmSync(unfinished, { force: true })
    return throwFirst(lock, error)
  }
}

/** Rewrites one of the two logs of a result log; its owner, whose next run has to read it, stays the same. Returns its sizes. Throws a LogError or LockError. */
export async function rewriteLog(
  { path, log }: { readonly path: string; readonly log: string },
  run: string,
  texts: AsyncIterable<Uint8Array>,
  lock: Lock,
): Promise<Record<'before' | 'after', number>> {
  try {
    const { uid, gid, size } = statSync(path)
    removeUnfinished(log, lock)
    const file = await replaceFile(path, run, texts, lock)
    await file.close()
    const now = statSync(path)
    if (uid !== now.uid) chownSync(path, uid, gid)
    return { before: size, after: now.size }
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** A lost lock is the cause of whatever else failed: the files belong to the run that took it. */
export function throwFirst(lock: Pick<Lock, 'check'>, error: unknown): never {
  lock.check()
  throw error
}

const unfinishedNames = /^(inflight(\..+)?|[0-9A-Z]{26})\.new$/

/** Removes the unfinished files of a log that runs left which were killed, or lost the lock, during a rewrite. */
export function removeUnfinished(results: string, lock: Lock): void {
  const prefix = `${basename(results)}.`
  const names = readdirSync(dirname(results)).filter(
    name => name.startsWith(prefix) && unfinishedNames.test(name.slice(prefix.length)),
  )
  lock.check()
  for (const name of names) rmSync(join(dirname(results), name), { force: true })
}
