/** What a run found out about the columns of its sources and those that the mapping names. */
export interface ColumnFacts {
  /** What the mapping names and no row of an NDJSON source had. */
  readonly unseen: readonly string[]
  /** Columns of a header that the mapping does not name: what stands in them goes nowhere. */
  readonly unused: readonly string[]
  /** The columns of `key:` where the sources have none of them, so that rows are named by their content. */
  readonly missingKey: readonly string[]
}
