import type { Problem } from './problem.ts'

/** Where a row stands: the source as it was named on the command line, the data row from 1, the line it starts on. */
export interface Place {
  readonly source: string
  readonly row: number
  readonly line: number
}

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
  /** It stands in a file of rejected rows, which somebody may have repaired. */
  readonly repaired?: boolean
  /** Nobody knows under which of the columns its cells belong. */
  readonly isRagged?: boolean
  /** Why the row cannot be trusted; such a row is invalid whatever the mapping says. */
  readonly fault?: Problem
}

/**
 * By what other rows may name a row (DESIGN 2.3): the value of the column that lookups go by, or those of several by their
 * names.
 */
export type Refs = string | Readonly<Record<string, string>>

/** What names a row across runs (DESIGN 3), and where it stands now. */
export interface Origin extends Place {
  readonly key: string
  /** The first 16 hex digits of the SHA-256 of what the row holds, the columns of rowlift's own left aside. */
  readonly hash: string
  readonly ref?: Refs | undefined
  /** Of a rejected row that comes back: the hash of the row that was refused, with `#2` for the second of equal rows, and so on. */
  readonly replaces?: string | undefined
}

/** That a row cannot be mapped before another row of the import has its end; and which value says so. */
export interface Waits {
  /** The number that stands for the other row. */
  readonly on: number
  readonly path: string
  readonly column?: string | undefined
  readonly value?: unknown
}

/** What rows wait for that may name any row, while the sources are not read to their end. */
export const endOfSources = -1

/** The JSON object that a create call carries. */
export type Body = Readonly<Record<string, unknown>>

/** One planned create. */
export interface Call {
  readonly origin: Origin
  readonly body: Body
  readonly before: Before | undefined
}

/** What an earlier run made of a row that is tried again: it never learned what became of it, or it was refused. */
export type Before = 'in_doubt' | 'refused'

/** What a failed attempt means for the row (DESIGN 5). */
export const faults = ['never_reached', 'throttled', 'refused', 'unauthorized', 'ambiguous'] as const
export type Fault = (typeof faults)[number]

/** One thing that is wrong with a row, as the result log tells it. */
export type RowError = Problem & {
  readonly path?: string
  readonly column?: string
  readonly value?: unknown
  /** The start of the service's answer. */
  readonly body?: string
}

/** What every outcome of a call tells of the calls. */
export interface Effort {
  readonly httpStatus?: number
  readonly attempts: number
  /** How many of the attempts the service asked to make later. */
  readonly throttled?: number
  readonly durationMs: number
}

interface Unsettled extends Effort {
  readonly fault: Fault
  /** A rule of the settings file says so. */
  readonly byRule?: true
  readonly errors: readonly RowError[]
}

export interface Created extends Effort {
  readonly status: 'created' | 'existing'
  readonly recordId: string
}
export interface Failed extends Unsettled {
  readonly status: 'failed'
  /** What was sent. */
  readonly body?: Body
}
export interface InDoubt extends Unsettled {
  readonly status: 'in_doubt'
  readonly body: Body
}
interface Duplicate {
  readonly status: 'duplicate'
  readonly sameAs: Pick<Place, 'source' | 'row'>
  /** An earlier run's log has told of it. */
  readonly told: boolean
}
interface Invalid {
  readonly status: 'invalid'
  readonly errors: readonly RowError[]
}
/** An earlier run made the record; `changed` says that the row reads otherwise now. */
interface Done {
  readonly status: 'done'
  readonly changed: boolean
}
/** An earlier run left the row in doubt, and this one holds it. */
interface Held {
  readonly status: 'held'
}
/** A dry run would send it. */
export interface Valid {
  readonly status: 'valid'
  readonly body: Body
}

/** What a delivery makes of a call; `unsent` when the run stopped before its first attempt. */
export type Delivered = Created | Failed | InDoubt | Valid | { readonly status: 'unsent' }

/** A row's end. */
export type Ending = Created | Failed | InDoubt | Duplicate | Invalid | Done | Held | Valid

/** A row's end, and which row it was. */
export interface Outcome {
  readonly origin: Origin
  readonly end: Ending
}
