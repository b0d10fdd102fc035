// The bytes of a source on disk or in a pipe, unpacked, and whether a file is still what it was.
import { type BigIntStats, createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { addAbortSignal, pipeline, type Readable } from 'node:stream'
import { reasonOf, SourceError } from '../model/errors.ts'
import { isGzip, standardInput } from './source.ts'

export interface ReadContext {
  readonly stdin: Readable
  /** Ends the reading at once. */
  readonly signal: AbortSignal
  /** Called with each chunk of bytes, before unpacking. */
  readonly onRead: (bytes: Buffer) => void
  /** Counts the columns of a header that are looked for. */
  readonly countKnown?: (header: readonly string[]) => number
}

/** What differs between a regular file and the same name later, if something wrote or replaced it. */
export type Version = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>

/** Undefined for a pipe or a device. Throws a SourceError. */
export async function versionOf(path: string): Promise<Version | undefined> {
  if (path === standardInput) return undefined
  const found = await stat(path, { bigint: true }).catch(error => {
    throw new SourceError('source_unreadable', { source: path, reason: reasonOf(error) })
  })
  if (found.isDirectory()) throw new SourceError('source_unreadable', { source: path, reason: 'EISDIR' })
  return found.isFile() ? found : undefined
}

export function checkVersion(source: string, before: Version, now: Version): void {
  const isReplaced = before.dev !== now.dev || before.ino !== now.ino
  if (!isReplaced && before.mtimeNs === now.mtimeNs && before.size === now.size) return
  throw new SourceError('source_changed', {
    source,
    isReplaced,
    sizes: [Number(before.size), Number(now.size)],
  })
}

/** The bytes of a source, unpacked if its name ends in .gz. Throws a SourceError, also where a file is not of the version. */
export async function* readBytes(
  path: string,
  context: ReadContext,
  version?: Version,
  start = 0,
): AsyncGenerator<Buffer> {
  const raw = readRaw(path, context, version, start)
  try {
    if (!isGzip(path)) return yield* raw
    const { createGunzip } = await import('node:zlib') // few files are packed
    yield* pipeline(raw, createGunzip(), () => {}) as AsyncIterable<Buffer>
  } catch (error) {
    if (error instanceof SourceError) throw error
    const reason = reasonOf(error)
    throw reason.startsWith('Z_')
      ? new SourceError('bad_gzip', { source: path, reason })
      : new SourceError('source_unreadable', { source: path, reason })
  }
}

async function* readRaw(
  path: string,
  { stdin, signal, onRead }: ReadContext,
  version: Version | undefined,
  start: number,
): AsyncGenerator<Buffer> {
  await using file = version && (await open(path))
  if (version && file) checkVersion(path, version, await file.stat({ bigint: true }))
  if (signal.aborted) throw new SourceError('source_unreadable', { source: path, reason: 'ABORT_ERR' }) // a stream that begins aborted throws where nobody catches
  const unversioned = () => (path === standardInput ? stdin : createReadStream(path))
  const stream = file?.createReadStream({ autoClose: false, start }) ?? unversioned()
  let end = start
  for await (const chunk of addAbortSignal(signal, stream)) {
    end += chunk.length
    onRead(chunk)
    yield chunk
  }
  // its handle was of this version, so its name tells of both
  if (version === undefined) return
  const now = await stat(path, { bigint: true })
  for (const size of [now.size, BigInt(end)]) checkVersion(path, version, { ...now, size })
}
