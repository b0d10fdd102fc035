// The bytes of a source on disk or in a pipe, unpacked, and whether a file is still what it was.
import { createHash } from 'node:crypto'
import { type BigIntStats, createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { addAbortSignal, pipeline, type Readable } from 'node:stream'
import { reasonOf, SourceError } from '../model/errors.ts'
import { nothing } from './decoders.ts'
import { type ArchiveEntry, standardInput } from './source.ts'
import { unpackers } from './unpackers.ts'

export interface ReadContext {
  readonly stdin: Readable
  /** Ends the reading at once. */
  readonly signal: AbortSignal
  /** Called with each chunk of bytes, before unpacking. */
  readonly onRead: (bytes: Buffer) => void
  /** Counts the columns of a header that are looked for. */
  readonly countKnown?: (header: readonly string[]) => number
}

/** Facts that differ between a regular file and the same name later, if something wrote or replaced it. */
type Version = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>

/** A regular file, or one in a zip archive. */
export interface FoundFile {
  /** The path of the source: it goes on behind that of an archive. */
  readonly path: string
  readonly file: string
  readonly version: Version
  readonly entry?: ArchiveEntry
}

/** Undefined for a pipe or a device. Throws a SourceError. */
export async function findFile(path: string): Promise<FoundFile | undefined> {
  if (path === standardInput) return undefined
  const file = await fileBehind(path)
  const version = await versionOf(path, file)
  if (version.isDirectory()) throw new SourceError('source_unreadable', { source: path, reason: 'EISDIR' })
  if (!version.isFile()) return undefined
  if (!/\.zip$/i.test(file)) return { path, file, version }
  const { findEntry } = await unpackers.zip()
  const [entry, whole] = await findEntry(path, file)
  return { path: whole, file, version, entry }
}

/** Returns the file that a path leads to: the archive, if the path goes on behind one. */
export async function fileBehind(path: string): Promise<string> {
  for (const { index } of path.matchAll(/\.zip(?=[/\\])/gi)) {
    const archive = path.slice(0, index + '.zip'.length)
    const found = await stat(archive).catch(() => undefined)
    if (found?.isFile()) return archive
  }
  return path
}

const versionOf = (source: string, file: string): Promise<BigIntStats> =>
  stat(file, { bigint: true }).catch(error => {
    throw new SourceError('source_unreadable', { source, reason: reasonOf(error) })
  })

/** Throws a SourceError if a file is not what was found any more. */
export const checkFound = async ({ path, file, version }: FoundFile): Promise<void> =>
  checkVersion(path, version, await versionOf(path, file))

function checkVersion(source: string, before: Version, now: Version): void {
  const isReplaced = before.dev !== now.dev || before.ino !== now.ino
  if (!isReplaced && before.mtimeNs === now.mtimeNs && before.size === now.size) return
  throw new SourceError('source_changed', {
    source,
    isReplaced,
    sizes: [Number(before.size), Number(now.size)],
  })
}

/** Hash of the bytes on disk. */
export async function hashFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1_000_000 })) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** The bytes of a source, unpacked as its name says. Throws a SourceError, also if a file is not what was found. */
export async function* readBytes(
  path: string,
  context: ReadContext,
  found?: FoundFile,
  start = 0,
): AsyncGenerator<Buffer> {
  const raw = found?.entry ? readPacked(found.entry, context, found) : readRaw(path, context, found, start)
  try {
    if (/\.zst$/i.test(path)) return yield* (await unpackers.zst()).unpackZstd(raw, path)
    if (!/\.gz$/i.test(path)) return yield* raw
    const { createGunzip } = await import('node:zlib') // few files are packed
    yield* pipeline(raw, createGunzip(), () => {}) as AsyncIterable<Buffer>
  } catch (error) {
    if (error instanceof SourceError) throw error
    const reason = reasonOf(error)
    throw /^Z(STD)?_/.test(reason)
      ? new SourceError('bad_gzip', { source: path, reason })
      : new SourceError('source_unreadable', { source: path, reason })
  }
}

async function* readPacked(
  entry: ArchiveEntry,
  { signal, onRead }: ReadContext,
  found: FoundFile,
): AsyncGenerator<Buffer> {
  await checkFound(found)
  const { readEntry } = await unpackers.zip()
  yield* readEntry(found.file, entry, onRead, signal)
  await checkFound(found)
}

async function* readRaw(
  path: string,
  { stdin, signal, onRead }: ReadContext,
  found: FoundFile | undefined,
  start: number,
): AsyncGenerator<Buffer> {
  const version = found?.version
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

export async function* startingWith(start: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield start
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

export async function firstOf(bytes: AsyncGenerator<Buffer>): Promise<Buffer> {
  const { value = nothing } = await bytes.next()
  await bytes.return(undefined)
  return value
}
