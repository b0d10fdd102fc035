import type { FoundEncoding } from '../../../input/sniff/encoding.ts'
import type { OpenSource, SourceSettings } from '../../../input/source.ts'
import type { FoundHeader, OddQuotes } from './header.ts'

/** Settings of the command line; they are not sniffed. */
export type GivenSettings = Pick<SourceSettings, 'format' | 'sheet' | 'rows' | 'delimiter' | 'encoding'>

/** How to read a source, as its content tells. */
export interface Sniffed {
  readonly settings: SourceSettings
  readonly encoding: FoundEncoding
  /** Undefined for NDJSON. */
  readonly header: FoundHeader | undefined
  /** Undefined for quotes as in CSV. */
  readonly quotes: OddQuotes | undefined
  readonly sheet?: { readonly name: string; readonly isFirst: boolean; readonly others: readonly string[] }
  /** Settings that an import would use by default. */
  readonly usual: { readonly format: boolean; readonly delimiter: boolean; readonly encoding: boolean }
  /** Starts at the first byte; may be called once. */
  open(): Promise<OpenSource>
}
