// The bytes of a source on disk or in a pipe, unpacked, and whether a file is still what it was.
import { createHash } from 'node:crypto'
import { type BigIntStats, createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { addAbortSignal, pipeline, Readable } from 'node:stream'
import type { Clock } from '../model/clock.ts'
import { reasonOf, SourceError } from '../model/errors.ts'
import { isSameFile } from '../platform/file-identity.ts'
import { nothing } from './decoders.ts'
import { type ArchiveEntry, isBomb, standardInput, unpackers } from './source.ts'

export interface ReadContext {
  readonly stdin: Readable
  /** Ends the reading at once. */
  readonly signal: AbortSignal
  /** Called with each chunk of bytes, before unpacking. */
  readonly onRead: (bytes: Buffer) => void
  /** The time; without it, no file counts as one that may still be written. */
  readonly clock?: Pick<Clock, 'now'> | undefined
  /** Counts the columns of a header that are looked for. */
  readonly countKnown?: (header: readonly string[]) => number
}

/** The context of what is always a file. */
export const fileContext = (signal: AbortSignal) => ({ stdin: Readable.from([]), signal, onRead() {} })

/** A regular file, or one in a zip archive. */
export interface RegularFile {
  /** The path of the source: after that of an archive follows that of the file in it. */
  readonly path: string
  readonly file: string
  /** Differs from that of the same name later, if something wrote or replaced the file. */
  readonly version: Version
  readonly entry?: ArchiveEntry
}
type Version = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>

/** Undefined for a pipe or a device. Throws a SourceError. */
export async function findFile(path: string): Promise<RegularFile | undefined> {
  if (path === standardInput) return undefined
  const file = await fileOnDisk(path)
  const version = await statOf(path, file)
  if (version.isDirectory()) throw new SourceError('source_unreadable', { source: path, reason: 'EISDIR' })
  if (!version.isFile()) return undefined
  if (!/\.zip$/i.test(file)) return { path, file, version }
  const { findEntry } = await unpackers.zip()
  const [entry, whole] = await findEntry(path, file)
  return { path: whole, file, version, entry }
}

/** The file that a path leads to: the archive, if the path goes on after one. */
export async function fileOnDisk(path: string): Promise<string> {
  for (const { index } of path.matchAll(/\.zip(?=[/\\])/gi)) {
    const archive = path.slice(0, index + '.zip'.length)
    if ((await stat(archive).catch(() => undefined))?.isFile()) return archive
  }
  return path
}

const statOf = (source: string, file: string): Promise<BigIntStats> =>
  stat(file, { bigint: true }).catch(error => {
    throw new SourceError('source_unreadable', { source, reason: reasonOf(error) })
  })

/** Throws a SourceError if a file has changed since it was looked up. */
export async function checkUnchanged({ path, file, version }: RegularFile, now?: Version): Promise<void> {
  const { size, mtimeNs, ...identity } = now ?? (await statOf(path, file))
  const isReplaced = !isSameFile(identity, version)
  if (!isReplaced && mtimeNs === version.mtimeNs && size === version.size) return
  const sizes = [Number(version.size), Number(size)]
  throw new SourceError('source_changed', { source: path, isReplaced, sizes })
}

/** Hash of the bytes on disk, behind those that it has. One buffer takes them all: those of a stream are freed late. */
export async function hashFile(path: string, hash = createHash('sha256')) {
  await using file = await open(path)
  const buffer = Buffer.allocUnsafe(262_144)
  for (let bytes = 0; ; ) {
    const { bytesRead } = await file.read(buffer)
    if (bytesRead === 0) return { bytes, sha256: hash.copy().digest('hex') }
    hash.update(buffer.subarray(0, bytesRead))
    bytes += bytesRead
  }
}

/** The bytes of a source, unpacked as its name says. Throws a SourceError, also if a file has changed since it was looked up. */
export async function* readBytes(
  path: string,
  context: ReadContext,
  file?: RegularFile,
  start = 0,
): AsyncGenerator<Buffer> {
  let packedBytes = 0
  let unpackedBytes = 0
  const onRead = (bytes: Buffer) => {
    packedBytes += bytes.length
    context.onRead(bytes)
  }
  const raw = file ? readFile(file, { ...context, onRead }, start) : readStream(path, { ...context, onRead })
  try {
    if (!/\.(gz|zst)$/i.test(path)) return yield* raw
    for await (const bytes of unpacked(raw, path)) {
      unpackedBytes += bytes.length
      if (isBomb(unpackedBytes, packedBytes)) throw new SourceError('packed_bomb', { source: path })
      yield bytes
    }
  } catch (error) {
    if (error instanceof SourceError) throw error
    const reason = reasonOf(error)
    throw new SourceError(/^Z(STD)?_/.test(reason) ? 'bad_gzip' : 'source_unreadable', {
      source: path,
      reason,
    })
  }
}

async function* unpacked(raw: AsyncGenerator<Buffer>, path: string): AsyncGenerator<Buffer> {
  if (/\.zst$/i.test(path)) return yield* (await unpackers.zst()).unpackZstd(raw, path)
  const { createGunzip } = await import('node:zlib') // few files are packed
  yield* pipeline(raw, createGunzip(), () => {}) as AsyncIterable<Buffer>
}

async function* readFile(file: RegularFile, context: ReadContext, start: number): AsyncGenerator<Buffer> {
  if (file.entry) {
    await checkUnchanged(file)
    yield* (await unpackers.zip()).readEntry(file.file, file.entry, context)
    return checkUnchanged(file)
  }
  await using handle = await open(file.path)
  await checkUnchanged(file, await handle.stat({ bigint: true }))
  let end = start
  for await (const chunk of readStream(file.path, context, () =>
    handle.createReadStream({ autoClose: false, start }),
  )) {
    end += chunk.length
    yield chunk
  }
  // the handle was of this version, so its name answers for both
  const now = await stat(file.path, { bigint: true })
  for (const size of [now.size, BigInt(end)]) await checkUnchanged(file, { ...now, size })
}

async function* readStream(
  path: string,
  { stdin, signal, onRead }: ReadContext,
  open = (): Readable => (path === standardInput ? stdin : createReadStream(path)),
): AsyncGenerator<Buffer> {
  // nobody catches what a stream throws that begins aborted
  if (signal.aborted) throw new SourceError('source_unreadable', { source: path, reason: 'ABORT_ERR' })
  for await (const chunk of addAbortSignal(signal, open())) {
    onRead(chunk)
    yield chunk
  }
}

/** Yields what was read ahead in parts: a reader keeps all rows of a part at a time. */
export async function* startingWith(start: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (let at = 0; at < start.length; at += 65_536) yield start.subarray(at, at + 65_536)
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
