import { SourceError } from '../model/errors.ts'
import type { Format } from '../model/format.ts'
import type { Row } from '../model/row.ts'

export interface SourceSettings {
  readonly format?: Format | undefined
  /** The name or the number of a sheet, from 1; the first one by default. */
  readonly sheet?: string | number | undefined
  /** Path of the list of rows in a JSON document: keys with dots between them. */
  readonly rows?: string | undefined
  readonly delimiter?: string | undefined
  /** Any name that iconv-lite knows; a byte-order mark wins. */
  readonly encoding?: string | undefined
  /** Reads a one-byte encoding as named, though the text is UTF-8. */
  readonly trustEncoding?: boolean | undefined
  readonly header: HeaderRule
  /** Policy for rows with more or fewer cells than the header. */
  readonly ragged: 'invalid' | 'pad'
  /** Rows that are objects keep their text as NDJSON. */
  readonly keepsLines?: boolean
}

/** Place of the names of a table's columns. */
export type HeaderRule =
  | { readonly type: 'first_line' }
  | { readonly type: 'starts_with'; readonly cell: string }
  | { readonly type: 'columns'; readonly columns: readonly string[] }

/** The first row of a text that begins in the middle of a source. */
export interface Start {
  readonly firstRow: number
  readonly firstLine: number
}

/** The parts of a workbook that are hidden; columns by their letters, from the first row on. */
interface HiddenParts {
  readonly sheets: readonly string[]
  readonly columns: () => readonly string[]
}

/** A source that was read up to the end of its header. */
export interface OpenSource {
  /** The header's columns; undefined if rows are objects. */
  readonly columns: readonly string[] | undefined
  readonly sheet?: string
  readonly sheets?: readonly string[]
  readonly hidden?: HiddenParts
  readonly headerLine: number | undefined
  /** Rows from the first one on, in batches of one chunk. Throws a SourceError. */
  readonly rows: AsyncIterable<Row[]>
  /** Reads text that begins in the middle of the source, with a row; undefined if the format needs what is before. */
  readonly rowsFrom?: (text: AsyncIterable<Buffer>, start: Start) => AsyncIterable<Row[]>
  close(): Promise<unknown>
}

/** A file in an archive. */
export interface ArchiveEntry {
  /** The name as written there: it can be absolute or hold `..`. */
  readonly name: string
  /** Bytes when unpacked, as the archive says. */
  readonly size: number
  readonly packedSize: number
}

/** Unpackers of files, by the ends of their names; `features.ts` fills it in. They are loaded if a source needs them. */
export const unpackers = {} as {
  zip(): Promise<{
    /** Finds the file of an archive that a path means, and its whole path. Throws a SourceError. */
    findEntry(path: string, archive: string): Promise<[ArchiveEntry, string]>
    /** Reads the unpacked bytes of an entry. Throws a SourceError. */
    readEntry(
      archive: string,
      entry: ArchiveEntry,
      context: { readonly onRead: (bytes: Buffer) => void; readonly signal: AbortSignal },
    ): AsyncGenerator<Buffer>
  }>
  zst(): Promise<{ unpackZstd(raw: AsyncGenerator<Buffer>, source: string): AsyncGenerator<Buffer> }>
}

/** A file up to this size may be packed as tightly as it can be. */
const harmlessBytes = 100_000_000
const mostTimes = 200

/** Checks whether bytes were packed so tightly that they are no rows. */
export const isBomb = (unpackedBytes: number, packedBytes: number): boolean =>
  unpackedBytes > Math.max(harmlessBytes, mostTimes * packedBytes)

/** The longest row that is read, in bytes of UTF-8. */
export const maxRowBytes = 10_000_000

export const tooLong = (source: string, line: number): SourceError =>
  new SourceError('row_too_long', { source, line, megabytes: maxRowBytes / 1_000_000 })

/** The most columns of a header, and cells of a row that has more than its header. */
export const mostCells = 10_000

export const standardInput = '-'

/** Words for the way a source is read; the same if it is read the same way. */
export function readingOf(path: string, settings: SourceSettings): string {
  const { delimiter = delimiterOf(path), encoding = 'utf-8', sheet = 1, rows = 'its list' } = settings
  const format = formatFor(path, settings)
  if (format === 'xlsx') return `xlsx, sheet ${sheet}`
  const details = { csv: ` by ${JSON.stringify(delimiter)}`, json: ` at ${rows}` }[format as string] ?? ''
  return `${format}${details} in ${encoding}`
}

export const unpackedName = (path: string) => path.replace(/\.(gz|zst)$/i, '')

/** Checks that the bytes on disk are not those that are read. */
export const isPacked = (path: string): boolean => /\.(gz|zst)$|\.zip([/\\]|$)/i.test(path)

const namedFormats: readonly (readonly [RegExp, Format])[] = [
  [/\.(csv|tsv|tab)$/i, 'csv'],
  [/\.(ndjson|jsonl|ldjson)$/i, 'ndjson'],
  [/\.(vcf|vcard)$/i, 'vcard'],
  [/\.json$/i, 'json'],
  [/\.(ics|vcs)$/i, 'icalendar'],
  [/\.xls[xm]$/i, 'xlsx'],
]

/** The format by a file's name; undefined for other names. */
export const formatNamed = (path: string) => namedFormats.find(([name]) => name.test(unpackedName(path)))?.[1]

/** The format in the settings. A name of CSV or NDJSON wins over other formats: so rejected rows are read with the settings of their source. */
export function formatFor(path: string, { format }: Pick<SourceSettings, 'format'>): Format {
  const named = formatNamed(path)
  const isText = (one: Format | undefined) => one === 'csv' || one === 'ndjson'
  return format === undefined || (isText(named) && !isText(format)) ? (named ?? 'csv') : format
}

/** The delimiter by a file's name; a comma by default. */
export const delimiterOf = (path: string): string => (/\.(tsv|tab)$/i.test(unpackedName(path)) ? '\t' : ',')
