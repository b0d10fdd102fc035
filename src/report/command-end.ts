import type { RecordType } from '../records/kinds.ts'
import type { NextStep } from './command-line.ts'
import type { RunFacts } from './summary.ts'
import type { Tally } from './tally.ts'

/** What an import is, as far as it is known once everything was checked. */
export interface About {
  /** Names this run in the result log. */
  readonly run: string
  readonly baseUrl: string | undefined
  readonly organizationId: number | undefined
  readonly record: RecordType
  readonly delivery: string
}

/** One import of a command, and what it came to. */
export interface ImportPart {
  /** The step of a plan; undefined for an import that stands for itself. */
  readonly name: string | undefined
  /** What it was asked to do, so that it can be named although it could not begin. */
  readonly asked: {
    readonly sources: readonly string[]
    readonly mapping: string | undefined
    /** The result log; undefined where none was named. */
    readonly results: string | undefined
  }
  /** Undefined when it could not begin, or was not come to. */
  readonly end: (Omit<RunFacts, 'next'> & { readonly exitCode: number; readonly about: About }) | undefined
}

/** What a command came to, as the files tell that are written at its end. */
export interface CommandEnd {
  /** Of rowlift. */
  readonly version: string
  readonly startedAt: Date
  readonly endedAt: Date
  readonly dryRun: boolean
  readonly exitCode: number
  /** Why it could not begin, or what went wrong after its last row. */
  readonly error: string | undefined
  /** One without a name, or every step of a plan, those that were not come to among them. */
  readonly imports: readonly ImportPart[]
  /** What to do next; any of these will do. */
  readonly next: readonly NextStep[]
}

/** An import of its own ends as its command does. */
export const exitCodeOfPart = ({ exitCode }: CommandEnd, { name, end }: ImportPart): number =>
  name === undefined ? exitCode : (end?.exitCode ?? exitCode)

/** Rows by their end in this run; the sum is all rows. */
export const rowCounts = ({ ends: { done, ...ends }, leftOut }: Tally) => ({
  ...ends,
  left_alone: done,
  left_out: leftOut,
})
