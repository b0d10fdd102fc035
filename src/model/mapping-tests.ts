import type { Problem } from './problem.ts'

/** Where what came out differs from what a test expects; undefined is a field that is not there. */
export interface FieldDifference {
  readonly path: string
  readonly expected: unknown
  readonly received: unknown
  /** What was wrong with the row there, where it was refused. */
  readonly problem?: Problem | undefined
}

/** What a test of a mapping file came to. */
export interface TestResult {
  /** The name that the file gives it. */
  readonly name: string | undefined
  /** The first cells of its row, for one without a name. */
  readonly start: string
  /** Its place among the tests of the file, from 1. */
  readonly number: number
  /** The line of the file on which it begins. */
  readonly line: number
  /** Empty where it holds. */
  readonly differences: readonly FieldDifference[]
}

/** The tests of one mapping file. */
export interface TestedFile {
  readonly file: string
  readonly results: readonly TestResult[]
}
