// Opens sources (files, packed files, standard input) and reads them as rows. Begin with `checkSources`. The steps are bytes (bytes.ts,
// packed/), UTF-8 (decode.ts), rows: tables (table.ts with csv.ts and xlsx/) and objects (ndjson.ts, json-list.ts, vcard.ts, calendar/).
// objects.ts makes rows of a program's objects, chunks.ts divides sources for several workers, sniff/ finds out how to read a file.
import { SourceError } from '../model/errors.ts'
import type { Chunk, Row } from '../model/row.ts'
import { checkFound, findFile, type ReadContext, readBytes } from './bytes.ts'
import { icalendarRows } from './calendar/icalendar.ts'
import { openCsv } from './csv.ts'
import { checkEncoding, decode, findMark, type LineCounter } from './decode.ts'
import { ForwardReaders } from './forward.ts'
import { jsonRows, onlyList } from './json-list.ts'
import { ndjsonRows } from './ndjson.ts'
import { formatIn, unsupported } from './sniff/format.ts'
import { checkReading } from './sniff/reading.ts'
import { delimiterOf, formatFor, isPacked, type OpenSource, type SourceSettings } from './source.ts'
import { firstOf, textFrom } from './text-from.ts'
import { vcardRows } from './vcard.ts'

/** A source that exists and whose header was read. */
export interface CheckedSource {
  /** With that of the file in it, where it is an archive. */
  readonly path: string
  /** The name of the sheet, where it is one. */
  readonly sheet?: string
  /** The header's columns; undefined where rows are objects. */
  readonly columns: readonly string[] | undefined
  /** Packed bytes; undefined for a pipe, which can be read only once. */
  readonly size: number | undefined
  /** In batches of one chunk. Throws a SourceError. `onRead` replaces that of the context, `lines` gets the text; a pipe ignores both. */
  rows(onRead?: ReadContext['onRead'], lines?: LineCounter): AsyncIterable<Row[]>
  /** The rows of one chunk; undefined for what can be read only once. Throws a SourceError. */
  readonly readChunk?: (chunk: Chunk) => AsyncIterable<Row[]>
  /** The byte at which its text begins; undefined where it cannot be read from a row in its middle on. */
  readonly startOfText?: () => Promise<number | undefined>
  /** Throws a SourceError where its file is not what was found any more; a pipe has none. */
  readonly check?: () => Promise<void>
  /** Closes what reads its chunks. */
  readonly close?: () => Promise<void>
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
  given: string,
  asked: SourceSettings,
  context: ReadContext,
): Promise<CheckedSource> {
  const found = await findFile(given)
  const path = found?.path ?? given
  const read = (onRead: ReadContext['onRead'], start = 0) =>
    readBytes(path, { ...context, onRead }, found, start)
  const uncounted = () => {}
  const isWorkbook = formatFor(path, asked) === 'xlsx'
  const settings = found && !isWorkbook ? await withRows(path, asked, read(uncounted)) : asked
  const open = async (onRead: ReadContext['onRead'], lines?: LineCounter) => {
    if (!isWorkbook) return openBytes(path, read(onRead), settings, lines)
    return (await import('./xlsx/open-sheet.ts')).openSheet(path, settings, { ...context, onRead }, found)
  }
  const first = await open(found ? uncounted : context.onRead).catch(async error => {
    throw found ? await withGuess(error, read(uncounted)) : error
  })
  const { columns, rowsFrom, sheet } = first
  if (found) await first.close()
  if (columns !== undefined && context.countKnown !== undefined && formatFor(path, settings) === 'csv')
    await checkReading(path, columns, settings, context.countKnown)
  if (found === undefined) return { path, columns, size: undefined, rows: () => first.rows }
  const { version, entry } = found
  if (!isWorkbook) await checkEncoding(read(uncounted), settings, path)
  async function* rows(onRead = context.onRead, lines?: LineCounter) {
    const again = await open(onRead, lines)
    try {
      yield* again.rows
    } finally {
      await again.close()
    }
  }
  const forward = new ForwardReaders(() => rows(uncounted))
  const findStart = async () => {
    if (rowsFrom === undefined || isPacked(path)) return undefined
    const mark = findMark(await firstOf(read(uncounted)))
    return /^utf-?8$/i.test((mark ?? settings).encoding ?? 'utf-8') ? (mark?.length ?? 0) : undefined
  }
  let start: ReturnType<typeof findStart> | undefined
  const startOfText = () => {
    start ??= findStart() // only chunks need it
    return start
  }
  const readChunk = async function* (chunk: Chunk) {
    const from = await startOfText()
    const batches =
      rowsFrom === undefined || from === undefined
        ? forward.read(chunk)
        : rowsFrom(textFrom(read(uncounted, from + chunk.at), path), chunk)
    let left = chunk.rows
    for await (const batch of batches) {
      yield batch.slice(0, left)
      left -= batch.length
      if (left <= 0) return checkFound(found)
    }
    throw new Error(`${path}: ${left} rows less from row ${chunk.firstRow} on than were divided`)
  }
  return {
    path,
    ...(sheet !== undefined && { sheet }),
    columns,
    size: entry?.packedSize ?? Number(version.size),
    rows,
    readChunk,
    startOfText,
    check: () => checkFound(found),
    close: () => forward.close(),
  }
}

/** With the path of the list in a JSON document that has one. Throws a SourceError. */
async function withRows(
  path: string,
  settings: SourceSettings,
  raw: AsyncIterable<Buffer>,
): Promise<SourceSettings> {
  if (formatFor(path, settings) !== 'json' || settings.rows !== undefined) return settings
  const bytes = decode(checkFormat(path, raw, settings), settings, path)
  return { ...settings, rows: await onlyList(bytes, path) }
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
  const checked = checkFormat(path, raw, settings)
  const bytes = decode(checked, settings, path, lines)
  const close = () => bytes.return(undefined)
  const { header, ragged, delimiter = delimiterOf(path), keepsLines } = settings
  const objects = { columns: undefined, headerLine: undefined, close }
  const own = { ...objects, close: () => checked.return(undefined) } // they decode line by line
  const format = formatFor(path, settings)
  switch (format) {
    case 'csv':
      return { ...(await openCsv(bytes, { source: path, delimiter, header, ragged })), close }
    case 'ndjson':
      return {
        ...objects,
        rows: ndjsonRows(bytes, path, keepsLines),
        rowsFrom: (text, start) => ndjsonRows(text, path, keepsLines, start),
      }
    case 'vcard':
      return { ...own, rows: await begun(vcardRows(checked, path, settings)) }
    case 'json':
      return { ...objects, rows: await begun(jsonRows(bytes, path, settings)) }
    case 'icalendar':
      return { ...own, rows: await begun(icalendarRows(checked, path, settings)) }
    default:
      throw new Error(`no reader of ${format}`)
  }
}

/** Reads a second chunk with rows, if there is one: what is broken at the beginning, or short, ends before its first row. */
async function begun(rows: AsyncGenerator<Row[]>): Promise<AsyncGenerator<Row[]>> {
  const first: Row[][] = []
  for (let next = await rows.next(); !next.done; next = await rows.next())
    if (next.value.length > 0 && first.push(next.value) > 1) break
  return (async function* () {
    yield* first
    yield* rows
  })()
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
    if (found !== 'csv' && found !== 'empty' && found !== formatFor(path, settings))
      throw unsupported(path, found)
    isFirst = false
    yield chunk
  }
}
