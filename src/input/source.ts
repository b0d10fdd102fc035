import type { Chunk, Row } from '../model/row.ts'

export type HeaderRule =
  | { readonly type: 'first_line' }
  | { readonly type: 'starts_with'; readonly cell: string }
  | { readonly type: 'columns'; readonly columns: readonly string[] }

export interface SourceSettings {
  readonly format?: 'csv' | 'ndjson' | undefined
  readonly delimiter?: string | undefined
  /** Any name that iconv-lite knows; a byte-order mark wins. */
  readonly encoding?: string | undefined
  /** Reads a one-byte encoding as given, though the text is UTF-8. */
  readonly trustEncoding?: boolean | undefined
  readonly header: HeaderRule
  /** For rows with more or fewer cells than the header. */
  readonly ragged: 'invalid' | 'pad'
  /** Rows of NDJSON keep the text of their line. */
  readonly keepsLines?: boolean
}

export type Start = Pick<Chunk, 'firstRow' | 'firstLine'>

/** A source that was read up to the end of its header. */
export interface OpenSource {
  /** The header's columns; undefined for NDJSON, which has no header. */
  readonly columns: readonly string[] | undefined
  /** Undefined where there is none. */
  readonly headerLine: number | undefined
  /** From the first row, in batches of one chunk. Throws a SourceError. */
  readonly rows: AsyncIterable<Row[]>
  /** Reads text that begins in the middle of the source, with a row. */
  rowsFrom(text: AsyncIterable<Buffer>, start: Start): AsyncIterable<Row[]>
  close(): Promise<unknown>
}

/** The longest row that is read, in bytes of UTF-8. */
export const maxRowBytes = 10_000_000

/** The most columns of a header, and cells of a row that has more than its header. */
export const mostCells = 10_000

export const standardInput = '-'

/** How the text of a source is read, in words that are the same wherever it is read the same way. */
export function readingOf(
  path: string,
  { format = formatOf(path), delimiter, encoding }: SourceSettings,
): string {
  const cells = format === 'csv' ? ` by ${JSON.stringify(delimiter ?? delimiterOf(path))}` : ''
  return `${format}${cells} in ${encoding ?? 'utf-8'}`
}

export const withoutGz = (path: string) => path.replace(/\.gz$/i, '')

export const isGzip = (path: string): boolean => /\.gz$/i.test(path)

/** By the file's name; CSV by default. */
export const formatOf = (path: string): 'csv' | 'ndjson' =>
  /\.(ndjson|jsonl|ldjson)$/i.test(withoutGz(path)) ? 'ndjson' : 'csv'

/** By the file's name; a comma by default. */
export const delimiterOf = (path: string): string => (/\.(tsv|tab)$/i.test(withoutGz(path)) ? '\t' : ',')
