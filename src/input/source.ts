/** How the first lines of a CSV source name its columns (DESIGN 2). */
export type HeaderRule =
  | { readonly is: 'first_line' }
  | { readonly is: 'starts_with'; readonly cell: string }
  | { readonly is: 'columns'; readonly columns: readonly string[] }

/** How a source is to be read. */
export interface SourceSettings {
  readonly format?: 'csv' | 'ndjson' | undefined
  readonly delimiter?: string | undefined
  /** Any name that iconv-lite knows; a byte-order mark wins. */
  readonly encoding?: string | undefined
  readonly header: HeaderRule
  /** What becomes of rows with more or fewer cells than the header. */
  readonly ragged: 'invalid' | 'pad'
  /** Whether rows of NDJSON keep the line that they were read from. */
  readonly keepsLines?: boolean
}

/** How a CSV source is to be read. */
export interface CsvSettings {
  readonly source: string
  readonly delimiter: string
  readonly header: HeaderRule
  readonly ragged: 'invalid' | 'pad'
}

/** The most that one row may take, in bytes of UTF-8. */
export const maxRowBytes = 10_000_000

/** The name that stands for standard input. */
export const standardInput = '-'

/** A file's name without the ending that says it is packed. */
export const withoutGz = (path: string) => path.replace(/\.gz$/i, '')

/** Whether a file is unpacked on the fly. */
export const isGzip = (path: string): boolean => /\.gz$/i.test(path)

/** The format that a file's name tells; CSV when it tells none. */
export function formatOf(path: string): 'csv' | 'ndjson' {
  return /\.(ndjson|jsonl|ldjson)$/i.test(withoutGz(path)) ? 'ndjson' : 'csv'
}

/** The delimiter that a file's name tells; a comma when it tells none. */
export function delimiterOf(path: string): string {
  return /\.(tsv|tab)$/i.test(withoutGz(path)) ? '\t' : ','
}
