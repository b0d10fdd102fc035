// Opens sources (files, packed files, standard input) and reads them as rows. Begin with `checkSources`. The steps are bytes (bytes.ts),
// UTF-8 (decode.ts), rows: tables (table.ts with csv.ts) and objects (ndjson.ts); features read more formats (reader.ts).
// objects.ts makes rows of a program's objects, sniff/ finds out what a file is.
import { SourceError } from '../model/errors.ts'
import type { Format } from '../model/format.ts'
import type { Row } from '../model/row.ts'
import { checkUnchanged, findFile, firstOf, type ReadContext, type RegularFile, readBytes } from './bytes.ts'
import { csvReader } from './csv.ts'
import { checkEncoding, type LineCounter } from './decode.ts'
import { ndjsonReader } from './ndjson.ts'
import { featureReaders, type Reader, type SourceBytes } from './reader.ts'
import { formatIn, unsupported } from './sniff/format.ts'
import { checkReading } from './sniff/misread-header.ts'
import { formatFor, isPacked, type OpenSource, type SourceSettings } from './source.ts'

/** A source that exists and whose header was read. */
export interface CheckedSource {
  /** The path, with that of the file in it for an archive. */
  readonly path: string
  readonly sheet?: string
  /** The header's columns; undefined if rows are objects. */
  readonly columns: readonly string[] | undefined
  /** Packed bytes; undefined for a pipe, which can be read only once. */
  readonly size: number | undefined
  /** Rows in batches of one chunk. Throws a SourceError. `onRead` replaces that of the context, `lines` gets the text; a pipe ignores both. */
  rows(onRead?: ReadContext['onRead'], lines?: LineCounter): AsyncIterable<Row[]>
  /** Access to a file, to read it from any byte on; undefined for a pipe. */
  readonly file?: {
    /** Undefined if the format needs what is before a row. */
    readonly rowsFrom: OpenSource['rowsFrom']
    readonly encoding: string | undefined
    readonly bytesFrom: (start: number) => AsyncGenerator<Buffer>
  }
  /** Throws a SourceError if its file has changed since it was looked up; a pipe has none. */
  readonly check?: () => Promise<void>
}

/** Reads the headers of all sources. Files are closed until their turn comes, pipes stay open. Throws a SourceError. */
export async function checkSources(
  paths: readonly string[],
  settings: SourceSettings,
  context: ReadContext,
): Promise<CheckedSource[]> {
  const sources: CheckedSource[] = []
  for (const path of paths) {
    const file = await findFile(path)
    sources.push(await (file ? checkFile(file, settings, context) : checkPipe(path, settings, context)))
  }
  return sources
}

async function checkPipe(path: string, settings: SourceSettings, context: ReadContext) {
  const { columns, rows } = await openSource({ path, bytes: readBytes(path, context) }, settings)
  await checkReading(path, columns, settings, context.countKnown)
  return { path, columns, size: undefined, rows: () => rows }
}

async function checkFile(file: RegularFile, requested: SourceSettings, context: ReadContext) {
  const { path } = file
  const bytesFrom = (start: number, onRead: ReadContext['onRead'] = () => {}) =>
    readBytes(path, { ...context, onRead }, file, start)
  const sourceOf = (onRead: ReadContext['onRead'] = () => {}, lines?: LineCounter): SourceBytes => ({
    path,
    bytes: bytesFrom(0, onRead),
    lines,
    mayGrow: mayGrow(file, context.clock),
    file: { file, context: { ...context, onRead } },
  })
  const reader = await readerFor(path, requested)
  const settings = (await reader.complete?.(checked(sourceOf(), requested), requested)) ?? requested
  const first = await openSource(sourceOf(), settings).catch(async error => {
    throw await withGuess(error, bytesFrom(0))
  })
  const { columns, rowsFrom, sheet } = first
  await first.close()
  await checkReading(path, columns, settings, context.countKnown)
  if (!reader.opensFiles) await checkEncoding(bytesFrom(0), settings, path)
  return {
    path,
    ...(sheet !== undefined && { sheet }),
    columns,
    size: file.entry?.packedSize ?? Number(file.version.size),
    async *rows(onRead = context.onRead, lines?: LineCounter) {
      const again = await openSource(sourceOf(onRead, lines), settings)
      try {
        yield* again.rows
      } finally {
        await again.close()
      }
    },
    file: { encoding: settings.encoding, bytesFrom, rowsFrom },
    check: () => checkUnchanged(file),
  }
}

const restMs = 5_000

/** Checks whether a file changed in the last seconds. One in an archive, or packed, is whole or cannot be read. */
function mayGrow({ path, version }: RegularFile, clock: ReadContext['clock']): boolean {
  if (clock === undefined || isPacked(path)) return false
  const changedMs = Number(version.mtimeNs / 1_000_000n)
  return Math.abs(clock.now().getTime() - changedMs) < restMs // the clock of a server may be ahead
}

/** The error with the encoding that the first bytes of a file seem to be in. */
async function withGuess(error: unknown, bytes: AsyncGenerator<Buffer>): Promise<unknown> {
  if (!(error instanceof SourceError) || error.problem.code !== 'bad_bytes') return error
  const { sniffEncoding } = await import('./sniff/encoding.ts') // few runs need it
  const { name, by } = await sniffEncoding([await firstOf(bytes)])
  return new SourceError('bad_bytes', { ...error.problem.params, guess: by === 'guess' ? name : undefined })
}

/** The rows of all sources, one source after the other, in batches of one chunk. */
export async function* rowsOfAll(sources: readonly CheckedSource[], onRead?: ReadContext['onRead']) {
  for (const source of sources) yield* source.rows(onRead)
}

/** Reads a source up to its header. Throws a SourceError, also if its first bytes are no rows of the format. */
export async function openSource(source: SourceBytes, settings: SourceSettings): Promise<OpenSource> {
  const reader = await readerFor(source.path, settings)
  return reader.open(checked(source, settings), settings)
}

/** Another format is one more entry. */
const readers: Partial<Record<Format, Reader>> = { csv: csvReader, ndjson: ndjsonReader }

export async function readerFor(path: string, settings: Pick<SourceSettings, 'format'>): Promise<Reader> {
  const format = formatFor(path, settings)
  const reader = readers[format] ?? (await featureReaders[format]?.())
  if (reader === undefined) throw new Error(`no feature reads ${format}`)
  return reader
}

/** The source, whose bytes end with a SourceError if the first ones are no rows of the format. */
function checked(source: SourceBytes, settings: SourceSettings): SourceBytes {
  const { path, bytes } = source
  async function* checkFormat() {
    let isFirst = true
    for await (const chunk of bytes) {
      const looksLike = isFirst ? formatIn(path, chunk, settings) : 'csv'
      if (looksLike !== 'csv' && looksLike !== 'empty' && looksLike !== formatFor(path, settings))
        throw unsupported(path, looksLike)
      isFirst = false
      yield chunk
    }
  }
  return { ...source, bytes: checkFormat() }
}
