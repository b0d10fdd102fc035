import type { Row } from '../model/row.ts'

/** How the first lines of a CSV source name its columns. */
export type HeaderRule =
  | { readonly type: 'first_line' }
  | { readonly type: 'starts_with'; readonly cell: string }
  | { readonly type: 'columns'; readonly columns: readonly string[] }

/** How a source is to be read. */
export interface SourceSettings {
  readonly format?: 'csv' | 'ndjson' | undefined
  readonly delimiter?: string | undefined
  /** Any name that iconv-lite knows; a byte-order mark wins. */
  readonly encoding?: string | undefined
  readonly header: HeaderRule
  /** What to do with rows that have more or fewer cells than the header. */
  readonly ragged: 'invalid' | 'pad'
  /** Whether rows of NDJSON keep the text of their line. */
  readonly keepsLines?: boolean
}

/** A source that was read up to the end of its header. */
export interface OpenSource {
  /** The header's columns; undefined for NDJSON, which has no header. */
  readonly columns: readonly string[] | undefined
  /** The line of the header; undefined where there is none. */
  readonly headerLine: number | undefined
  /** From the first row, in batches of one chunk. Throws a SourceError. */
  readonly rows: AsyncIterable<Row[]>
  /** Closes the file. */
  close(): Promise<unknown>
}

/** The longest row that is read, in bytes of UTF-8. */
export const maxRowBytes = 10_000_000

/** The name that stands for standard input. */
export const standardInput = '-'

/** A file's name without `.gz`. */
export const withoutGz = (path: string) => path.replace(/\.gz$/i, '')

/** Whether a file is unpacked while it is read. */
export const isGzip = (path: string): boolean => /\.gz$/i.test(path)

/** The format by the file's name; CSV if the name says nothing. */
export const formatOf = (path: string): 'csv' | 'ndjson' =>
  /\.(ndjson|jsonl|ldjson)$/i.test(withoutGz(path)) ? 'ndjson' : 'csv'

/** The delimiter by the file's name; a comma if the name says nothing. */
export const delimiterOf = (path: string): string => (/\.(tsv|tab)$/i.test(withoutGz(path)) ? '\t' : ',')
