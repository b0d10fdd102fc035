import type { Row } from '../../model/row.ts'
import type { RecordType } from '../../records/kinds.ts'
import type { Column } from './column.ts'

/** What was found of the source itself. */
export interface SourceFacts {
  /** As it was named on the command line. */
  readonly name: string
  readonly format: 'csv' | 'ndjson'
  readonly delimiter: string | undefined
  readonly encoding: string
  /** Which of these an import would take by itself. */
  readonly usual: { readonly format: boolean; readonly delimiter: boolean; readonly encoding: boolean }
  /** How a header names its columns, as `source.header` says it. */
  readonly header:
    | { readonly type: 'first_line' }
    | { readonly type: 'starts_with'; readonly cell: string }
    | { readonly type: 'columns'; readonly columns: readonly string[] }
  readonly oddities: Oddities
}

/** What is odd in a file, as far as its bytes and its first lines tell. */
export interface Oddities {
  /** Quotes that CSV does not know: around whole records, or single ones around cells. */
  readonly quotes?: 'around_records' | 'single' | undefined
  /** The first line with bytes that are not valid in UTF-8, of a file that is UTF-8 otherwise. */
  readonly damagedLine?: number | undefined
  readonly isEncodingGuessed: boolean
  /** Whether no first cell tells the header from the lines around it. */
  readonly isHeaderUnnameable: boolean
  /** The first cell of a line that may be a header or a row. */
  readonly unsureHeader?: string | undefined
}

/** What was found in the rows; lists of rows hold their lines. */
export interface RowFacts {
  readonly rows: number
  /** Whether these are all rows of the source. */
  readonly isAll: boolean
  /** Rows with fewer and with more cells than the header. */
  readonly short: readonly number[]
  readonly long: readonly number[]
  /** How many rows are longer by empty cells only, or shorter where the header ends in empty names. */
  readonly padded: number
  /** How many rows seem padded because a delimiter behind a backslash split a cell. */
  readonly torn: number
  /** How many lines of NDJSON are no objects. */
  readonly broken: number
  /** Rows that repeat the header. */
  readonly headers: readonly number[]
  /** The first rows, to try the draft with. */
  readonly kept: readonly Row[]
}

/** Everything that was found of a source. */
export interface Found {
  readonly source: SourceFacts
  readonly rows: RowFacts
  readonly columns: readonly Column[]
  /** The record that the person asks for. */
  readonly record: RecordType | undefined
  /** Undefined where there is no header. */
  readonly headerLine: number | undefined
}
