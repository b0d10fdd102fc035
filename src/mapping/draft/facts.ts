import type { Row } from '../../model/row.ts'
import type { RecordType } from '../../records/kinds.ts'

/** How a header names its columns, as `source.header` says it. */
type HeaderFact =
  | { readonly type: 'first_line' }
  | { readonly type: 'starts_with'; readonly cell: string }
  | { readonly type: 'columns'; readonly columns: readonly string[] }

/** What was found of the source itself. */
export interface SourceFacts {
  /** As it was named on the command line. */
  readonly name: string
  readonly format: 'csv' | 'ndjson'
  readonly delimiter: string | undefined
  readonly encoding: string
  /** Which of these an import would take by itself. */
  readonly usual: { readonly format: boolean; readonly delimiter: boolean; readonly encoding: boolean }
  readonly header: HeaderFact
  readonly oddities: Oddities
}

/** What is odd in a file, as far as its bytes and its first lines tell. */
export interface Oddities {
  /** How quotes were used that CSV does not know: around whole records, or single ones around cells. */
  readonly quotes?: 'around_records' | 'single' | undefined
  /** The first line with bytes that are not valid in UTF-8, of a file that is UTF-8 otherwise. */
  readonly damagedLine?: number | undefined
  readonly isEncodingGuessed: boolean
  /** Whether no first cell tells the header from the lines around it. */
  readonly isHeaderUnnameable: boolean
  /** The first cell of a line that may be a header or a row. */
  readonly unsureHeader?: string | undefined
}

/** Where a value was seen. */
export interface Seen {
  readonly text: string
  readonly line: number
}

/** Rows that are longer or shorter than their header. */
export interface RaggedRows {
  readonly short: readonly number[]
  readonly shortCount: number
  /** Rows that are longer by empty cells only. */
  readonly padded: number
  /** Rows that seem so because a delimiter with a backslash before it has taken a cell apart. */
  readonly torn: number
  readonly long: readonly number[]
  readonly longCount: number
  readonly broken: number
}

/** What was found in the rows. */
export interface RowFacts {
  readonly rows: number
  /** Whether these are all rows of the source. */
  readonly isAll: boolean
  readonly ragged: RaggedRows
  /** Lines of rows that say what the header says. */
  readonly headers: readonly number[]
  /** The first rows, to try the draft with. */
  readonly kept: readonly Row[]
}

/** What the person decides instead of the guess. */
export interface Wishes {
  readonly record: RecordType | undefined
}
