import { open } from 'node:fs/promises'
import { reasonOf, UsageError, type UsageProblems } from './errors.ts'

type UserFile = UsageProblems['file_unreadable']['what']

/** Limit in bytes of a mapping, plan or settings file. */
export const largestDocument = 500_000
const largestToken = 64_000

/** Reads a file, device or pipe; `name` is for errors. Throws a UsageError, also for one that is too large. */
export async function readUserFile(what: UserFile, path: string, name = path): Promise<Buffer> {
  const most = what === 'token file' ? largestToken : largestDocument
  const bytes = await readUpTo(most + 1, path).catch(error => {
    throw new UsageError('file_unreadable', { what, path: name, reason: reasonOf(error) })
  })
  if (bytes.length <= most) return bytes
  throw new UsageError('file_too_large', { what, path: name, kilobytes: most / 1000 })
}

async function readUpTo(most: number, path: string): Promise<Buffer> {
  await using file = await open(path)
  return Buffer.concat(await file.createReadStream({ end: most - 1, autoClose: false }).toArray())
}
