import { isUtf8 } from 'node:buffer'
import { addAbortSignal, pipeline } from 'node:stream'
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
const mostNameBytes = 50_000_000
/** Up to here a file may be packed as tightly as it can be. */
const harmlessBytes = 100_000_000
const mostTimes = 200

/** Reads the directory of an archive; the signal closes it. `onRead` gets the packed bytes that are read. Throws a SourceError. */
export async function openZip(
  path: string,
  onRead: (bytes: Buffer) => void = () => {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ZipFile> {
  let zip: Reader | undefined
  const close = async () => {
    signal.removeEventListener('abort', close)
    zip?.close()
  }
  const fault = (error: unknown, entry?: string) => {
    if (error instanceof SourceError) return error
    const reason = signal.aborted ? 'ABORT_ERR' : reasonOf(error)
    return /^(E[A-Z]+|ABORT_ERR)$/.test(reason)
      ? new SourceError('source_unreadable', { source: path, reason })
      : new SourceError('bad_zip', { source: path, entry, reason })
  }
  try {
    zip = await openPromise(path, { autoClose: false, decodeStrings: false })
    signal.throwIfAborted()
    signal.addEventListener('abort', close)
    const entries = await entriesOf(zip, path)
    async function* packedBytes({ packed }: ZipEntry): AsyncGenerator<Buffer> {
      const stream = await zip?.openReadStreamPromise(packed, { decodeFileData: false })
      for await (const bytes of stream ? addAbortSignal(signal, stream) : []) {
        onRead(bytes)
        yield bytes
      }
    }
    async function* read(entry: ZipEntry) {
      checkReadable(path, entry)
      try {
        for await (const bytes of unpacked(entry, packedBytes(entry))) {
          signal.throwIfAborted()
          yield bytes
        }
      } catch (error) {
        throw fault(error, entry.name)
      }
    }
    return { entries, read, close }
  } catch (error) {
    await close()
    throw fault(error)
  }
}

async function entriesOf(zip: Reader, path: string): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = []
  let nameBytes = 0
  if (zip.entryCount > mostFiles) throw new SourceError('unreadable_zip', { source: path, why: 'many_files' })
  for await (const packed of zip.eachEntry()) {
    nameBytes += packed.fileNameLength + packed.extraFieldLength + packed.fileCommentLength
    if (nameBytes > mostNameBytes) throw new Error('names of over 50 MB')
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
  let end = 0
  for (const { packed } of entries.toSorted((a, b) => startOf(a) - startOf(b))) {
    if (packed.relativeOffsetOfLocalHeader < end) throw new Error('files overlap')
    end = packed.relativeOffsetOfLocalHeader + localHeaderBytes + packed.compressedSize
  }
  if (new Set(entries.map(({ name }) => name)).size < entries.length) throw new Error('two files of one name')
}

const localHeaderBytes = 30
const startOf = ({ packed }: ZipEntry) => packed.relativeOffsetOfLocalHeader

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
  if (left !== 0) throw new Error(`not of ${size} bytes`)
  if (sum !== packed.crc32) throw new Error('wrong checksum')
}
