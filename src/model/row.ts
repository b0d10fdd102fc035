import type { Problem, ProblemCode } from './problem.ts'

/** The source as named on the command line, the data row from 1, the line it starts on. */
export interface Place {
  readonly source: string
  readonly row: number
  readonly line: number
}

export type RowPlace = Pick<Place, 'source' | 'row'>

export interface Row extends Place {
  /** Text, a list if the header repeats the name, or any JSON value; undefined if the row has none. */
  value(column: string): unknown
  /** Cells in the order of the source; repeated columns come one by one. */
  cells(): Iterable<readonly [column: string, value: unknown]>
  /** The text of a line that could not be read as a row. */
  readonly text?: string
  /** The line of an NDJSON row, if it is kept. */
  readonly asWritten?: string
  /** Set for a row of a file of rejected rows, which may be repaired. */
  readonly repaired?: boolean
  /** Its cells may be under wrong columns. */
  readonly isRagged?: boolean
  /** It repeats the names of its columns; invalid, unless `where` leaves it out. */
  readonly isHeader?: boolean
  /** Hidden or filtered out in its sheet. */
  readonly isHidden?: boolean
  /** A row with a fault is invalid whatever the mapping says. */
  readonly fault?: Problem | undefined
}

/** The values by which other rows may name a row: that of the one column that lookups go by, or those of several by column. */
export type Refs = string | Readonly<Record<string, string>>

export interface RowIdentity extends Place {
  readonly key: string
  /** The first 16 hex digits of the SHA-256 of the row's content, without reserved columns. */
  readonly hash: string
  /** The same over the columns that earlier runs had, if the row has more. */
  readonly alike?: readonly string[] | undefined
  readonly ref?: Refs | undefined
  /** Hash of what is sent, once the row has passed the mapping. */
  body_hash?: string | undefined
  /** Hash of the refused row, for a rejected row that comes back; with `#2` for the second of equal rows, and so on. */
  readonly replaces?: string | undefined
}

/** The columns by which rows were named and compared so far, as an opening line keeps them. */
export interface ColumnHistory {
  /** The columns that name rows without a key, by shapes of header: those that the first run with it had; none for all. Paths for objects. */
  readonly columns?: readonly (readonly string[])[]
  /** Other sets of columns that the hashes of runs were made of. */
  readonly columns_read?: readonly (readonly string[])[]
  /** Columns that are no part of a row's identity, sorted. */
  readonly without?: readonly string[]
  /** New names of columns by their old ones. */
  readonly renamed?: Readonly<Record<string, string>>
}

/** A value that needs the outcome of another row of the import. */
export interface Dependency {
  readonly on: number
  readonly path: string
  readonly column?: string | undefined
  readonly value?: unknown
}

/** The number for rows that depend on any later row, while the sources are not read to their end. */
export const endOfSources = -1

export type Body = Readonly<Record<string, unknown>>

/** A value that a rule could not read. */
export interface UnreadValue {
  readonly path: string
  readonly column?: string
  readonly value?: unknown
  readonly code: ProblemCode
}

export interface UnreadValues {
  /** Values that `otherwise: omit` or `missing: omit` left out. */
  readonly omitted?: readonly UnreadValue[] | undefined
  /** Values that `otherwise: keep` sends as they are. */
  readonly kept?: readonly UnreadValue[] | undefined
}

export interface PlannedCall extends UnreadValues {
  readonly identity: RowIdentity
  readonly body: Body
  readonly before: Before | undefined
  readonly json?: string | undefined
}

/** A planned call with its body as JSON too, as it is sent. */
export interface Call extends PlannedCall {
  readonly json: string
}

/** The state of a row that is tried again: it may have a record, or it was refused. */
export type Before = 'in_doubt' | 'refused'
