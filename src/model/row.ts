import type { Problem } from './problem.ts'

/** Where a row is: the source as named on the command line, the data row from 1, the line it starts on. */
export interface Place {
  readonly source: string
  readonly row: number
  readonly line: number
}

/** What names a row within a run. */
export type RowPlace = Pick<Place, 'source' | 'row'>

/** What was read: one data row of a source. */
export interface Row extends Place {
  /** The cell under a column: text, a list where the header repeats the name, or any JSON value; undefined where the row has none. */
  value(column: string): unknown
  /** Every cell with its column, in the order of the source; repeated columns come one by one. */
  cells(): Iterable<readonly [column: string, value: unknown]>
  /** The same in the order of the columns' names, where that is known in advance. */
  cellsByName?(): Iterable<readonly [column: string, value: unknown]>
  /** The text of a line that could not be read as a row. */
  readonly text?: string
  /** The line of an NDJSON row as it was written, where that is kept. */
  readonly asWritten?: string
  /** It comes from a file of rejected rows, and may be repaired. */
  readonly repaired?: boolean
  /** Its cells may be under wrong columns. */
  readonly isRagged?: boolean
  /** Why the row cannot be trusted; such a row is invalid whatever the mapping says. */
  readonly fault?: Problem
}

/** The values by which other rows may name a row: that of the one column that lookups go by, or those of several by column. */
export type Refs = string | Readonly<Record<string, string>>

/** What identifies a row across runs, and its place in this one. */
export interface RowIdentity extends Place {
  readonly key: string
  /** The first 16 hex digits of the SHA-256 of what the row holds, the columns of rowlift's own left aside. */
  readonly hash: string
  readonly ref?: Refs | undefined
  /** Of a rejected row that comes back: the hash of the row that was refused, with `#2` for the second of equal rows, and so on. */
  readonly replaces?: string | undefined
}

/** A value of a row that needs another row of the import to be settled first. */
export interface Dependency {
  /** The number of the other row. */
  readonly on: number
  readonly path: string
  readonly column?: string | undefined
  readonly value?: unknown
}

/** The number that rows depend on which may name any row, while the sources are not read to their end. */
export const endOfSources = -1

/** The JSON object that a create call sends. */
export type Body = Readonly<Record<string, unknown>>

/** One planned create. */
export interface Call {
  readonly identity: RowIdentity
  /** The JSON text of the body, as it is sent and logged. */
  readonly body: string
  readonly before: Before | undefined
}

/** What earlier runs made of a row that is tried again: it may have its record, or it was refused. */
export type Before = 'in_doubt' | 'refused'
