export interface ColumnFacts {
  /** Columns that the mapping names and no row of an NDJSON source has. */
  readonly unseen: readonly string[]
  /** Columns of a header that the mapping does not name: their cells are not sent. */
  readonly unused: readonly string[]
  /** Columns of `key:` that no source has, so that content identifies the rows. */
  readonly missingKey: readonly string[]
  readonly fallbacks: readonly Fallbacks[]
  readonly lookups: readonly LookupFacts[]
}

/** Counts rows with a body: the values of a column that went through a rule with `omit` or `keep`, and how many of them it could not read. */
export interface Fallbacks {
  /** A path if the value is of no column. */
  readonly column: string
  readonly values: number
  readonly omitted: number
  readonly kept: number
}

export interface LookupFacts {
  readonly name: string
  readonly values: number
  readonly hits: number
  /** The first text that it did not find. */
  readonly missed?: string | undefined
  /** The table or log that was searched, and its column; undefined for the keys of a log. */
  readonly table?: string
  readonly column?: string
  readonly key?: string | undefined
}

/** A question that a draft left in a mapping. */
export interface OpenQuestion {
  /** FILE:LINE */
  readonly place: string
  /** May quote a cell of the first rows. */
  readonly text: string
}
