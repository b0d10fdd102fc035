import type { Reader } from '../../../input/reader.ts'
import type { SniffedEncoding } from '../../../input/sniff/encoding.ts'
import type { SourceSettings } from '../../../input/source.ts'
import type { OddQuotes, SniffedHeader } from './header.ts'

/** A list that a document may be about, with an item to know it by. */
export interface ListFacts {
  readonly path: string
  readonly items: number
  readonly example: string | undefined
  /** It is called as parts of rows are, such as labels. */
  readonly isOfParts: boolean
  /** It stands beside the one that is read first, and its items have the same keys. */
  readonly isAlike: boolean
}

/** The sheet of a workbook that is read. */
export interface SheetFacts {
  readonly name: string
  readonly isFirst: boolean
  /** Letters of columns. */
  readonly hidden: readonly string[]
  /** The number of rows is undefined for a sheet that was not looked at. */
  readonly others: readonly {
    readonly name: string
    readonly rows: number | undefined
    readonly isHidden: boolean
  }[]
}

/** A way to read a source, found in its content. */
export interface Sniffed {
  readonly settings: SourceSettings
  readonly encoding: SniffedEncoding
  /** Undefined for NDJSON. */
  readonly header: SniffedHeader | undefined
  /** Undefined for quotes as in CSV. */
  readonly quotes: OddQuotes | undefined
  readonly sheet?: SheetFacts
  /** The lists of a JSON document, the one that is read first. */
  readonly lists?: readonly ListFacts[]
  /** Settings that an import would use by default. */
  readonly usual: { readonly format: boolean; readonly delimiter: boolean; readonly encoding: boolean }
  /** Starts at the first byte; may be called once. */
  open(): ReturnType<Reader['open']>
}
