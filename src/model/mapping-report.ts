import type { Problem } from './problem.ts'

/** The columns of the sources, compared with those that the mapping names. */
export interface ColumnFacts {
  /** Named by the mapping, in no row of an NDJSON source. */
  readonly unseen: readonly string[]
  /** In a header, not named by the mapping: their cells are not sent. */
  readonly unused: readonly string[]
  /** The columns of `key:` where no source has them, so that rows are named by their content. */
  readonly missingKey: readonly string[]
}

/** A difference between the result of a test and what it expects; undefined is an absent field. */
export interface FieldDifference {
  readonly path: string
  readonly expected: unknown
  readonly received: unknown
  /** Why the row was refused there. */
  readonly problem?: Problem | undefined
}

/** The result of one test of a mapping file. */
export interface TestResult {
  /** The name that the file gives it. */
  readonly name: string | undefined
  /** The first cells of its row, for one without a name. */
  readonly start: string
  /** Its place among the tests of the file, from 1. */
  readonly number: number
  /** The line of the file on which it begins. */
  readonly line: number
  /** Empty when it passes. */
  readonly differences: readonly FieldDifference[]
}

/** The tests of one mapping file. */
export interface TestedFile {
  readonly file: string
  readonly results: readonly TestResult[]
}
