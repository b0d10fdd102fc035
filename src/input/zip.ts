import { isUtf8 } from 'node:buffer'
import { pipeline } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile as Reader } from 'yauzl'
import { reasonOf, SourceError } from '../model/errors.ts'

/** A file in an archive. */
export interface ZipEntry {
  /** As it stands there: it can be absolute or hold `..`. */
  readonly name: string
  /** Unpacked, as is said there. */
  readonly size: number
  readonly packed: Entry
}

export interface ZipFile {
  /** Without folders. */
  readonly entries: readonly ZipEntry[]
  /** Unpacks an entry; several can be read at once. Throws a SourceError. */
  read(entry: ZipEntry): AsyncGenerator<Buffer>
  close(): Promise<void>
}

const mostFiles = 100_000
const mostDirectoryBytes = 50_000_000
/** Up to here a file may be packed as tightly as it can be. */
const harmlessBytes = 100_000_000
const mostTimes = 200

/** Reads the directory of an archive. `onRead` gets the packed bytes that are read, and the signal ends it. Throws a SourceError. */
export async function openZip(
  path: string,
  onRead: (bytes: Buffer) => void = () => {},
  signal?: AbortSignal,
): Promise<ZipFile> {
  const fault = (error: unknown, entry?: string) => {
    const reason = signal?.aborted ? 'ABORT_ERR' : reasonOf(error)
    if (error instanceof SourceError) return error
    return /^(E[A-Z]+|ABORT_ERR)$/.test(reason)
      ? new SourceError('source_unreadable', { source: path, reason })
      : new SourceError('bad_zip', { source: path, entry, reason })
  }
  const zip = await openPromise(path, { autoClose: false, decodeStrings: false }).catch(error => {
    throw fault(error)
  })
  const entries = await entriesOf(zip, path).catch(error => {
    zip.close()
    throw fault(error)
  })
  async function* packedBytes({ packed }: ZipEntry): AsyncGenerator<Buffer> {
    for await (const bytes of await zip.openReadStreamPromise(packed, { decodeFileData: false })) {
      onRead(bytes)
      yield bytes
    }
  }
  async function* read(entry: ZipEntry) {
    checkReadable(path, entry)
    try {
      for await (const bytes of unpacked(entry, packedBytes(entry))) {
        signal?.throwIfAborted()
        yield bytes
      }
    } catch (error) {
      throw fault(error, entry.name)
    }
  }
  return { entries, read, close: async () => zip.close() }
}

async function entriesOf(zip: Reader, path: string): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = []
  if (zip.entryCount > mostFiles || zip.fileSize - Number(zip.readEntryCursor) > mostDirectoryBytes)
    throw new SourceError('unreadable_zip', { source: path, why: 'many_files' })
  for await (const packed of zip.eachEntry()) {
    const name = nameOf(packed)
    if (!name.endsWith('/')) entries.push({ name, size: packed.uncompressedSize, packed })
  }
  checkTricks(entries)
  return entries
}

/** Many programs write UTF-8 and do not say so; other names are in CP437. */
function nameOf({ fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  const flags = isUtf8(fileNameRaw) ? 0x800 : generalPurposeBitFlag
  return getFileNameLowLevel(flags, fileNameRaw, extraFields, false)
}

/** The same bytes unpacked again and again, or two files of one name, of which readers choose differently. */
function checkTricks(entries: readonly ZipEntry[]): void {
  const places = entries.map(
    ({ packed }) => [packed.relativeOffsetOfLocalHeader, packed.compressedSize] as const,
  )
  let end = 0
  for (const [start, size] of places.sort(([a], [b]) => a - b)) {
    if (start < end) throw new Error('files overlap')
    end = start + size + localHeaderBytes
  }
  if (new Set(entries.map(({ name }) => name)).size < entries.length) throw new Error('two files of one name')
}

const localHeaderBytes = 30

function checkReadable(source: string, { name: entry, size, packed }: ZipEntry): void {
  const isKnown = packed.compressionMethod === 0 || packed.compressionMethod === 8
  const isBomb = size > Math.max(harmlessBytes, mostTimes * packed.compressedSize)
  const why = packed.isEncrypted() ? 'encrypted' : !isKnown ? 'method' : isBomb ? 'bomb' : undefined
  if (why) throw new SourceError('unreadable_zip', { source, entry, why })
}

/** Throws an error where an entry is not what the directory says; no byte more than that is yielded. */
async function* unpacked({ size, packed }: ZipEntry, bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const inflate = () => pipeline(bytes, createInflateRaw({ chunkSize: 65_536 }), () => {})
  let [left, sum] = [size, 0]
  for await (const chunk of packed.compressionMethod === 0 ? bytes : (inflate() as AsyncIterable<Buffer>)) {
    left -= chunk.length
    if (left < 0) break
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (left !== 0 || sum !== packed.crc32) throw new Error('wrong size or checksum')
}
