import type { Format } from '../model/format.ts'
import type { Row } from '../model/row.ts'
import type { ReadContext, RegularFile } from './bytes.ts'
import type { LineCounter } from './decode.ts'
import type { OpenSource, SourceSettings } from './source.ts'

/** A source from its first byte on. */
export interface SourceBytes {
  readonly path: string
  /** Unpacked bytes, which may have been read before. */
  readonly bytes: AsyncGenerator<Buffer>
  /** Gets the text that is read. */
  readonly lines?: LineCounter | undefined
  /** It is a file that changed in the last seconds: it may still be written. */
  readonly mayGrow?: boolean | undefined
  /** The file, for a reader that opens it itself; undefined if the source can be read only once. */
  readonly file?: { readonly file: RegularFile; readonly context: ReadContext } | undefined
}

/** Reads the rows of a format. */
export interface Reader {
  /** Reads a source up to its header. Throws a SourceError. */
  open(source: SourceBytes, settings: SourceSettings): Promise<OpenSource>
  /** Returns the settings with those that depend on the whole source. Throws a SourceError. */
  complete?(source: SourceBytes, settings: SourceSettings): Promise<SourceSettings>
  /** Set if the format is no text: the reader opens the file itself. */
  readonly opensFiles?: true
}

/** Readers of formats that features add; `features.ts` fills it in. They are loaded if a source needs them. */
export const featureReaders: Partial<Record<Format, () => Promise<Reader>>> = {}

/** A source whose rows are objects; it ends with `bytes`. */
export const openObjects = (bytes: AsyncGenerator<Buffer>, rows: AsyncIterable<Row[]>): OpenSource => ({
  columns: undefined,
  headerLine: undefined,
  rows,
  close: () => bytes.return(undefined),
})

/** Reads a second chunk with rows, if there is one: what is broken at the beginning, or short, ends before its first row. */
export async function primed(rows: AsyncGenerator<Row[]>): Promise<AsyncGenerator<Row[]>> {
  const first: Row[][] = []
  for (let next = await rows.next(); !next.done; next = await rows.next())
    if (next.value.length > 0 && first.push(next.value) > 1) break
  return (async function* () {
    yield* first
    yield* rows
  })()
}
