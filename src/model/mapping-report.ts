import type { Problem } from './problem.ts'

export interface ColumnFacts {
  /** Named by the mapping, in no row of an NDJSON source. */
  readonly unseen: readonly string[]
  /** In a header, not named by the mapping: their cells are not sent. */
  readonly unused: readonly string[]
  /** Columns of `key:` that no source has, so that content identifies the rows. */
  readonly missingKey: readonly string[]
}

/** Undefined is an absent field. */
export interface FieldDifference {
  readonly path: string
  readonly expected: unknown
  readonly received: unknown
  readonly problem?: Problem | undefined
}

export interface TestResult {
  readonly name: string | undefined
  /** The first cells of the row, for a test without a name. */
  readonly start: string
  /** From 1. */
  readonly number: number
  readonly line: number
  /** Empty when the test passes. */
  readonly differences: readonly FieldDifference[]
}

export interface TestedFile {
  readonly file: string
  readonly results: readonly TestResult[]
}
