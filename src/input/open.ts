import { sourceErrors } from '../model/errors.ts'
import type { Row } from '../model/row.ts'
import { inspect, type Reading, readBytes } from './bytes.ts'
import { openCsv } from './csv.ts'
import { decode } from './decode.ts'
import { ndjsonRows } from './ndjson.ts'
import { delimiterOfRejects } from './rejects-text.ts'
import { delimiterOf, formatOf, type SourceSettings } from './source.ts'

/** A source that was looked at, and whose header was read. */
export interface CheckedSource {
  readonly path: string
  /** The header's columns; undefined for NDJSON, whose keys are known only when all is read. */
  readonly columns: readonly string[] | undefined
  /** Bytes on disk; undefined for a pipe. */
  readonly size: number | undefined
  /** Whether its rows can be read again from the first. */
  readonly rereadable: boolean
  /**
   * Its rows, from the first, in batches of one chunk; a fault of the source is thrown as a SourceError. `onRead` hears of the
   * bytes instead of the one that was given at first.
   */
  rows(onRead?: Reading['onRead']): AsyncIterable<Row[]>
}

/** A source whose header was read, and its rows from there on. */
export interface OpenSource {
  readonly columns: readonly string[] | undefined
  /** The line on which the header stands; undefined where there is none. */
  readonly headerLine: number | undefined
  readonly rows: AsyncIterable<Row[]>
  /** Lets go of the file, wherever its reading stands. */
  close(): Promise<unknown>
}

const open = (path: string, settings: SourceSettings, reading: Reading): Promise<OpenSource> =>
  openBytes(path, readBytes(path, reading), settings)

/** Reads a source whose bytes are at hand up to its header. Throws a SourceError. */
export async function openBytes(
  path: string,
  raw: AsyncIterable<Buffer>,
  settings: SourceSettings,
): Promise<OpenSource> {
  const bytes = decode(raw, settings.encoding, path)
  const close = () => bytes.return(undefined)
  if ((settings.format ?? formatOf(path)) === 'ndjson')
    return {
      columns: undefined,
      headerLine: undefined,
      rows: ndjsonRows(bytes, path, settings.keepsLines),
      close,
    }
  const { header, ragged } = settings
  const { start, all } = await begun(bytes)
  const delimiter = delimiterOfRejects(start) ?? settings.delimiter ?? delimiterOf(path)
  return { ...(await openCsv(all, { source: path, delimiter, header, ragged })), close }
}

/** The first chunk that holds something, and all of them. */
async function begun(
  chunks: AsyncGenerator<Buffer>,
): Promise<{ readonly start: Buffer; readonly all: AsyncGenerator<Buffer> }> {
  let start: Buffer = Buffer.alloc(0)
  while (start.length === 0) {
    const next = await chunks.next()
    if (next.done) break
    start = next.value
  }
  const all = async function* () {
    yield start
    yield* chunks
  }
  return { start, all: all() }
}

/**
 * Looks at every source and reads its header, so that a fault is told before anything is sent. A regular file is
 * closed again until its turn comes; a pipe stays open, for it cannot be read twice. Throws a SourceError.
 */
export async function checkSources(
  paths: readonly string[],
  settings: SourceSettings,
  reading: Reading,
): Promise<CheckedSource[]> {
  const sources: CheckedSource[] = []
  for (const path of paths) sources.push(await checkSource(path, settings, reading))
  return sources
}

async function checkSource(path: string, settings: SourceSettings, reading: Reading): Promise<CheckedSource> {
  const { size, rereadable } = await inspect(path)
  const first = await open(path, settings, rereadable ? { ...reading, onRead: () => {} } : reading)
  const { columns } = first
  if (!rereadable) return { path, columns, size, rereadable, rows: () => first.rows }
  await first.close()
  return {
    path,
    columns,
    size,
    rereadable,
    rows: (onRead = reading.onRead) => reopened(path, settings, { ...reading, onRead }, columns),
  }
}

async function* reopened(
  path: string,
  settings: SourceSettings,
  reading: Reading,
  columns: readonly string[] | undefined,
): AsyncGenerator<Row[]> {
  const again = await open(path, settings, reading)
  try {
    if (again.columns?.join('\0') !== columns?.join('\0')) throw sourceErrors.headerChanged(path)
    yield* again.rows
  } finally {
    await again.close()
  }
}

/** The rows of all sources, one source after the other, in batches of one chunk. */
export async function* rowsOfAll(
  sources: readonly CheckedSource[],
  onRead?: Reading['onRead'],
): AsyncGenerator<Row[]> {
  for (const source of sources) yield* source.rows(onRead)
}
