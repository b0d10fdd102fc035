// Files in zip archives: `archive.zip/people.csv`, or `archive.zip` if it holds one file of rows.
import { isUtf8 } from 'node:buffer'
import { open } from 'node:fs/promises'
import { posix } from 'node:path'
import { PassThrough, pipeline } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, getFileNameLowLevel, openPromise } from 'yauzl'
import type { ReadContext } from '../../input/bytes.ts'
import { type ArchiveEntry, formatNamed, isBomb } from '../../input/source.ts'
import { reasonOf, SourceError } from '../../model/errors.ts'

/** Finds the file of an archive that a path means, and its whole path. Throws a SourceError. */
export async function findEntry(path: string, archive: string): Promise<[ArchiveEntry, string]> {
  const { entries, close } = await openZip(archive)
  await close()
  const rows = entries.filter(({ name }) => formatNamed(name) !== undefined && !litter.test(name))
  const requested = inside(path.slice(archive.length).replaceAll('\\', '/'))
  const meant = requested === '/' ? rows : entries.filter(({ name }) => inside(name) === requested)
  const [entry, another] = meant
  const listed = (rows.length > 0 ? rows : entries).map(({ name }) => `${archive}${inside(name)}`)
  if (entry === undefined || another) throw new SourceError('no_file_in_zip', { source: path, files: listed })
  return [entry, `${archive}${inside(entry.name)}`]
}

/** Files that programs for archives and folders add. */
const litter = /(^|\/)(__MACOSX\/|\.[^./]|~\$)/

/** The path as people write it: without `..`, and with letters and their accents in one. */
const inside = (name: string) => posix.join('/', name).normalize('NFC')

/** The unpacked bytes of an entry. `onRead` gets the packed bytes that are read, and the signal ends it. Throws a SourceError. */
export async function* readEntry(archive: string, entry: ArchiveEntry, context: Partial<ReadContext>) {
  const zip = await openZip(archive, context)
  try {
    yield* zip.read(entry)
  } finally {
    await zip.close()
  }
}

interface Packed extends ArchiveEntry {
  readonly packed: Entry
}

/** Entries are files, without folders; several can be read at once. */
export type ZipFile = Awaited<ReturnType<typeof openZip>>

const mostFiles = 100_000
const mostDirectoryBytes = 50_000_000

/** Reads the directory of an archive. `onRead` gets the packed bytes that are read, and the signal ends it. Throws a SourceError. */
export async function openZip(path: string, { onRead = () => {}, signal }: Partial<ReadContext> = {}) {
  const fault = (error: unknown, entry?: string) => {
    const reason = signal?.aborted ? 'ABORT_ERR' : reasonOf(error)
    return /^(E[A-Z]+|ABORT_ERR)$/.test(reason)
      ? new SourceError('source_unreadable', { source: path, reason })
      : new SourceError('bad_zip', { source: path, entry, reason })
  }
  const zip = await openPromise(path, { autoClose: false, decodeStrings: false }).catch(error => {
    throw fault(error)
  })
  /** Reads by a handle of its own: if a stream of yauzl is left while another reads, nobody catches what it throws. */
  async function* packedBytes({ packed }: Packed) {
    const { fileDataStart: start } = await zip.readLocalFileHeaderPromise(packed, { minimal: true })
    if (packed.compressedSize === 0) return
    await using file = await open(path)
    const end = start + packed.compressedSize - 1
    for await (const bytes of file.createReadStream({ start, end, autoClose: false })) {
      onRead(bytes)
      yield bytes
    }
  }
  /** Throws an error if a file differs from its directory entry; no byte more than its size is yielded. */
  async function* unpacked(file: Packed): AsyncGenerator<Buffer> {
    const { size, packed } = file
    const isStored = packed.compressionMethod === 0
    const unpack = isStored ? new PassThrough() : createInflateRaw({ chunkSize: 65_536 })
    let [left, sum] = [size, 0]
    for await (const bytes of pipeline(packedBytes(file), unpack, () => {})) {
      signal?.throwIfAborted()
      left -= bytes.length
      if (left < 0) break
      sum = crc32(bytes, sum)
      yield bytes
    }
    if (left !== 0 || sum !== packed.crc32) throw new Error('wrong size or checksum')
  }
  async function* read(entry: ArchiveEntry) {
    const own = entry as Packed // others make none
    const { name, size, packedSize, packed } = own
    const isKnown = packed.compressionMethod === 0 || packed.compressionMethod === 8
    const isTooTight = isBomb(size, packedSize)
    const why = packed.isEncrypted() ? 'encrypted' : !isKnown ? 'method' : isTooTight ? 'bomb' : undefined
    if (why) throw new SourceError('unreadable_zip', { source: path, entry: name, why })
    try {
      yield* unpacked(own)
    } catch (error) {
      throw fault(error, name)
    }
  }
  try {
    const directoryBytes = zip.fileSize - Number(zip.readEntryCursor)
    if (zip.entryCount > mostFiles || directoryBytes > mostDirectoryBytes)
      throw new Error('more than 100,000 files')
    return { entries: await filesOf(zip.eachEntry()), read, close: async () => zip.close() }
  } catch (error) {
    zip.close()
    throw fault(error)
  }
}

/** Throws an error if files overlap, to unpack the same bytes many times, or two have one name, of which readers choose differently. */
async function filesOf(entries: AsyncIterable<Entry>): Promise<Packed[]> {
  const files: Packed[] = []
  for await (const packed of entries) {
    const { fileNameRaw, generalPurposeBitFlag: flags, extraFields, uncompressedSize: size } = packed
    // many programs write UTF-8 without its flag; other names are in CP437
    const name = getFileNameLowLevel(isUtf8(fileNameRaw) ? 0x800 : flags, fileNameRaw, extraFields, false)
    if (!name.endsWith('/')) files.push({ name, size, packedSize: packed.compressedSize, packed })
  }
  let end = 0
  for (const { packed } of files.toSorted((a, b) => startOf(a) - startOf(b))) {
    if (packed.relativeOffsetOfLocalHeader < end) throw new Error('files overlap')
    end = packed.relativeOffsetOfLocalHeader + 30 + packed.compressedSize
  }
  if (new Set(files.map(({ name }) => name)).size < files.length) throw new Error('two files of one name')
  return files
}

const startOf = ({ packed }: Packed) => packed.relativeOffsetOfLocalHeader
