import type { RecordType } from '../../records/kinds.ts'
import type { Columns } from './columns/column.ts'
import type { RowFacts } from './columns/survey.ts'
import type { Line } from './lines.ts'
import type { Sniffed } from './sniff/sniff.ts'

/** The way a source is read; its name is as on the command line. */
export type SourceFacts = Omit<Sniffed, 'open'> & { readonly name: string }

/** Tables have a header and cells; a row of any other format is an object, like a line of NDJSON. */
export const hasTable = ({ settings: { format = 'csv' } }: SourceFacts) =>
  format === 'csv' || format === 'xlsx'

export interface FileFacts {
  readonly source: SourceFacts
  readonly rows: RowFacts
  readonly columns: Columns
  readonly record: RecordType | undefined
  readonly headerLine: number | undefined
  readonly preset?: string | undefined
  /** The country of phone numbers without one. */
  readonly country?: string | undefined
  /** Links to other files: the columns that they take, and what puts them into the lines of a mapping. */
  readonly links?: {
    readonly columns: readonly string[]
    /** Lines of the key, if the file itself has none. */
    readonly key?: readonly Line[] | undefined
    readonly into: (lines: readonly Line[]) => readonly Line[]
  }
}
