import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { reasonOf, UsageError, type UserFile } from './errors.ts'

/** In bytes of a mapping, plan or settings file. */
export const largestDocument = 2_000_000
const largestToken = 64_000

const pauseMs = 20
const mostPauses = 150

/** Reads a file, device or pipe; `name` is for errors. Throws a UsageError, also for one that is too large or that nobody writes. */
export async function readUserFile(what: UserFile, path: string, name = path): Promise<Buffer> {
  const most = what === 'token file' ? largestToken : largestDocument
  const bytes = await readUpTo(most + 1, path).catch(error => {
    throw new UsageError('file_unreadable', { what, path: name, reason: reasonOf(error) })
  })
  if (bytes.length <= most) return bytes
  throw new UsageError('file_too_large', { what, path: name, kilobytes: most / 1000 })
}

async function readUpTo(most: number, path: string): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(most)
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK) // else a pipe without a writer blocks
  try {
    const isPipe = (await file.stat()).isFIFO()
    let length = 0
    for (let pauses = 0; length < most; pauses += 1) {
      const read = await readSome(file, buffer, length)
      length += read ?? 0
      if (read === 0 && (length > 0 || !isPipe)) break
      if (read === 0 && pauses > mostPauses) throw new Error('no_writer')
      if (!read) await setTimeout(pauseMs)
    }
    return buffer.subarray(0, length)
  } finally {
    await file.close()
  }
}

/** Undefined where a pipe has a writer and nothing to read yet. */
const readSome = (file: FileHandle, buffer: Buffer, at: number): Promise<number | undefined> =>
  file.read(buffer, at).then(
    ({ bytesRead }) => bytesRead,
    error => (error.code === 'EAGAIN' ? undefined : Promise.reject(error)),
  )
