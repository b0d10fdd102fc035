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
}

/** A way to read a source, found in its content. */
export interface Sniffed {
  readonly settings: SourceSettings
  readonly encoding: SniffedEncoding
  /** Undefined for NDJSON. */
  readonly header: SniffedHeader | undefined
  /** Undefined for quotes as in CSV. */
  readonly quotes: OddQuotes | undefined
  readonly sheet?: { readonly name: string; readonly isFirst: boolean; readonly others: readonly string[] }
  /** The lists of a JSON document, the one that is read first. */
  readonly lists?: readonly ListFacts[]
  /** Settings that an import would use by default. */
  readonly usual: { readonly format: boolean; readonly delimiter: boolean; readonly encoding: boolean }
  /** Starts at the first byte; may be called once. */
  open(): ReturnType<Reader['open']>
}
