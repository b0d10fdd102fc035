import { closeSync, constants, openSync } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { reasonOf, UsageError, type UsageProblems } from './errors.ts'

type UserFile = UsageProblems['file_unreadable']['what']

/** Limit in bytes of a mapping, plan or settings file. */
export const largestDocument = 500_000
const largestToken = 64_000

/**
 * Reads a file, device or pipe; `name` is for errors. Throws a UsageError, also for one that is too large, and for a pipe that nobody
 * opens to write for `patienceMs`.
 */
export async function readUserFile(
  what: UserFile,
  path: string,
  name = path,
  patienceMs = 10_000,
): Promise<Buffer> {
  const most = what === 'token file' ? largestToken : largestDocument
  const bytes = await readUpTo(most + 1, path, patienceMs).catch(error => {
    throw new UsageError('file_unreadable', { what, path: name, reason: reasonOf(error) })
  })
  if (bytes.length <= most) return bytes
  throw new UsageError('file_too_large', { what, path: name, kilobytes: most / 1000 })
}

async function readUpTo(most: number, path: string, patienceMs: number): Promise<Buffer> {
  await using file = await openInTime(path, patienceMs)
  return Buffer.concat(await file.createReadStream({ end: most - 1, autoClose: false }).toArray())
}

async function openInTime(path: string, patienceMs: number): Promise<FileHandle> {
  let isSilent = false
  const giveUp = () => {
    isSilent = true
    closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK)) // a writer, for which `open` waits
  }
  const timer = (await stat(path)).isFIFO() ? setTimeout(giveUp, patienceMs) : undefined
  const file = await open(path).finally(() => clearTimeout(timer))
  if (!isSilent) return file
  await file.close()
  throw Object.assign(new Error(), { code: 'no_writer' })
}
