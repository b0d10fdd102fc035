// Opens sources (files, gzip files, standard input) and reads them as rows. Begin with `checkSources`. The steps are bytes (here),
// UTF-8 (decode.ts), rows (csv.ts, ndjson.ts). objects.ts makes rows of a program's objects, chunks.ts divides
// sources for several workers, sniff/ finds out how to read a file.
import { type BigIntStats, createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { addAbortSignal, pipeline, type Readable } from 'node:stream'
import { reasonOf, SourceError } from '../model/errors.ts'
import type { Chunk, Row } from '../model/row.ts'
import { openCsv } from './csv.ts'
import { checkEncoding, decode, type LineCounter } from './decode.ts'
import { ndjsonRows } from './ndjson.ts'
import { formatIn, unsupported } from './sniff/format.ts'
import { checkReading } from './sniff/reading.ts'
import {
  delimiterOf,
  formatOf,
  isGzip,
  type OpenSource,
  type SourceSettings,
  standardInput,
} from './source.ts'
import { firstOf, textFrom } from './text-from.ts'

export interface ReadContext {
  readonly stdin: Readable
  /** Ends the reading at once. */
  readonly signal: AbortSignal
  /** Called with each chunk of bytes, before unpacking. */
  readonly onRead: (bytes: Buffer) => void
  /** Counts the columns of a header that are looked for. */
  readonly countKnown?: (header: readonly string[]) => number
}

/** A source that exists and whose header was read. */
export interface CheckedSource {
  readonly path: string
  /** The header's columns; undefined for NDJSON, which has no header. */
  readonly columns: readonly string[] | undefined
  /** Bytes on disk; undefined for a pipe, which can be read only once. */
  readonly size: number | undefined
  /** In batches of one chunk. Throws a SourceError. `onRead` replaces that of the context, `lines` gets the text; a pipe ignores both. */
  rows(onRead?: ReadContext['onRead'], lines?: LineCounter): AsyncIterable<Row[]>
  /** The rows of one chunk; undefined for what can be read only once. Throws a SourceError. */
  readonly readChunk?: (chunk: Chunk) => AsyncIterable<Row[]>
}

/** Reads the headers of all sources. Files are closed until their turn comes, pipes stay open. Throws a SourceError. */
export async function checkSources(
  paths: readonly string[],
  settings: SourceSettings,
  context: ReadContext,
): Promise<CheckedSource[]> {
  const sources: CheckedSource[] = []
  for (const path of paths) sources.push(await checkSource(path, settings, context))
  return sources
}

async function checkSource(
  path: string,
  settings: SourceSettings,
  context: ReadContext,
): Promise<CheckedSource> {
  const version = await versionOf(path)
  const read = (onRead: ReadContext['onRead'], start = 0) =>
    readBytes(path, { ...context, onRead }, version, start)
  const open = (onRead: ReadContext['onRead'], lines?: LineCounter) =>
    openBytes(path, read(onRead), settings, lines)
  const uncounted = () => {}
  const first = await open(version ? uncounted : context.onRead).catch(async error => {
    throw version ? await withGuess(error, read(uncounted)) : error
  })
  const { columns, rowsFrom } = first
  if (version) await first.close()
  if (columns !== undefined && context.countKnown !== undefined)
    await checkReading(path, columns, settings, context.countKnown)
  if (version === undefined) return { path, columns, size: undefined, rows: () => first.rows }
  await checkEncoding(read(uncounted), settings, path)
  async function* rows(onRead = context.onRead, lines?: LineCounter) {
    const again = await open(onRead, lines)
    try {
      yield* again.rows
    } finally {
      await again.close()
    }
  }
  const readChunk = async function* (chunk: Chunk) {
    const text = textFrom(chunk.at, path, settings, start => read(uncounted, start))
    let left = chunk.rows
    for await (const batch of rowsFrom(text, chunk)) {
      yield batch.slice(0, left)
      left -= batch.length
      if (left <= 0) return checkVersion(path, version, await stat(path, { bigint: true }))
    }
    throw new Error(`${path}: ${left} rows less from row ${chunk.firstRow} on than were divided`)
  }
  return { path, columns, size: Number(version.size), rows, readChunk }
}

/** With the encoding that the first bytes of a file seem to be in. */
async function withGuess(error: unknown, bytes: AsyncGenerator<Buffer>): Promise<unknown> {
  if (!(error instanceof SourceError) || error.problem.code !== 'bad_bytes') return error
  const { sniffEncoding } = await import('./sniff/encoding.ts') // few runs need it
  const { name, by } = await sniffEncoding([await firstOf(bytes)])
  return new SourceError('bad_bytes', { ...error.problem.params, guess: by === 'guess' ? name : undefined })
}

/** The rows of all sources, one source after the other, in batches of one chunk. */
export async function* rowsOfAll(
  sources: readonly CheckedSource[],
  onRead?: ReadContext['onRead'],
): AsyncGenerator<Row[]> {
  for (const source of sources) yield* source.rows(onRead)
}

/** Reads up to the header, from bytes that may have been read before. Throws a SourceError. */
export async function openBytes(
  path: string,
  raw: AsyncIterable<Buffer>,
  settings: SourceSettings,
  lines?: LineCounter,
): Promise<OpenSource> {
  const bytes = decode(checkFormat(path, raw, settings), settings, path, lines)
  const close = () => bytes.return(undefined)
  const { format = formatOf(path), header, ragged, delimiter = delimiterOf(path), keepsLines } = settings
  return format === 'ndjson'
    ? {
        columns: undefined,
        headerLine: undefined,
        rows: ndjsonRows(bytes, path, keepsLines),
        rowsFrom: (text, start) => ndjsonRows(text, path, keepsLines, start),
        close,
      }
    : { ...(await openCsv(bytes, { source: path, delimiter, header, ragged })), close }
}

/** Throws a SourceError where the first bytes are no rows of the format. */
async function* checkFormat(
  path: string,
  raw: AsyncIterable<Buffer>,
  settings: SourceSettings,
): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const chunk of raw) {
    const found = isFirst ? formatIn(path, chunk, settings) : 'csv'
    if (found !== 'csv' && found !== 'empty' && found !== (settings.format ?? formatOf(path)))
      throw unsupported(path, found, chunk)
    isFirst = false
    yield chunk
  }
}

/** What differs between a regular file and the same name later, if something wrote or replaced it. */
type Version = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>

/** Undefined for a pipe or a device. Throws a SourceError. */
export async function versionOf(path: string): Promise<Version | undefined> {
  if (path === standardInput) return undefined
  const found = await stat(path, { bigint: true }).catch(error => {
    throw new SourceError('source_unreadable', { source: path, reason: reasonOf(error) })
  })
  if (found.isDirectory()) throw new SourceError('source_unreadable', { source: path, reason: 'EISDIR' })
  return found.isFile() ? found : undefined
}

function checkVersion(source: string, before: Version, now: Version): void {
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
