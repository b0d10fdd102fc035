// Opens sources (files, packed files, standard input) and reads them as rows. Begin with `checkSources`. The steps are bytes (bytes.ts),
// UTF-8 (decode.ts), rows (readers.ts): tables (table.ts with csv.ts) and objects (ndjson.ts, json-list.ts); features read more formats.
// objects.ts makes rows of a program's objects, sniff/ finds out what a file is.
import { SourceError } from '../model/errors.ts'
import type { Row } from '../model/row.ts'
import { checkFound, findFile, firstOf, type ReadContext, readBytes } from './bytes.ts'
import { checkEncoding, type LineCounter } from './decode.ts'
import type { SourceBytes } from './reader.ts'
import { completeSettings, openSource, readerFor } from './readers.ts'
import { checkReading } from './sniff/reading.ts'
import { formatFor, type OpenSource, type SourceSettings } from './source.ts'

/** A source that exists and whose header was read. */
export interface CheckedSource {
  /** With that of the file in it, if it is an archive. */
  readonly path: string
  /** The name of the sheet, if it is one. */
  readonly sheet?: string
  /** The header's columns; undefined if rows are objects. */
  readonly columns: readonly string[] | undefined
  /** Packed bytes; undefined for a pipe, which can be read only once. */
  readonly size: number | undefined
  /** In batches of one chunk. Throws a SourceError. `onRead` replaces that of the context, `lines` gets the text; a pipe ignores both. */
  rows(onRead?: ReadContext['onRead'], lines?: LineCounter): AsyncIterable<Row[]>
  /** Access that is needed to read a part of it; undefined for a pipe. */
  readonly file?: SeekableSource
  /** Throws a SourceError if its file is not what was found any more; a pipe has none. */
  readonly check?: () => Promise<void>
}

/** A file that can be read from any byte on. */
export interface SeekableSource {
  /** Undefined if the format needs what is before a row. */
  readonly rowsFrom: OpenSource['rowsFrom']
  readonly encoding: string | undefined
  readonly bytesFrom: (start: number) => AsyncGenerator<Buffer>
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
  requested: SourceSettings,
  context: ReadContext,
): Promise<CheckedSource> {
  const found = await findFile(given)
  const path = found?.path ?? given
  const bytesFrom = (start: number, onRead: ReadContext['onRead'] = () => {}) =>
    readBytes(path, { ...context, onRead }, found, start)
  const sourceOf = (onRead?: ReadContext['onRead'], lines?: LineCounter): SourceBytes => ({
    path,
    bytes: bytesFrom(0, onRead),
    lines,
    file: found && { found, context: { ...context, onRead: onRead ?? (() => {}) } },
  })
  const settings = found ? await completeSettings(sourceOf(), requested) : requested
  const first = await openSource(sourceOf(found ? undefined : context.onRead), settings).catch(
    async error => {
      throw found ? await withGuess(error, bytesFrom(0)) : error
    },
  )
  const { columns, rowsFrom, sheet } = first
  if (found) await first.close()
  if (columns !== undefined && context.countKnown !== undefined && formatFor(path, settings) === 'csv')
    await checkReading(path, columns, settings, context.countKnown)
  if (found === undefined) return { path, columns, size: undefined, rows: () => first.rows }
  const isText = (await readerFor(path, settings)).opensFiles === undefined
  if (isText) await checkEncoding(bytesFrom(0), settings, path)
  async function* rows(onRead = context.onRead, lines?: LineCounter) {
    const again = await openSource(sourceOf(onRead, lines), settings)
    try {
      yield* again.rows
    } finally {
      await again.close()
    }
  }
  const check = () => checkFound(found)
  return {
    path,
    ...(sheet !== undefined && { sheet }),
    columns,
    size: found.entry?.packedSize ?? Number(found.version.size),
    rows,
    file: { encoding: settings.encoding, bytesFrom, rowsFrom },
    check,
  }
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
