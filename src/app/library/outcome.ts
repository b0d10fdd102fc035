import { lineErrors } from '../../journal/lines.ts'
import type { Effort, Outcome } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'
import { describeProblem, libraryFace } from '../../report/words.ts'

/** What became of a row; `status` says which of them it is. */
export type RowOutcome =
  | CreatedRow
  | DuplicateRow
  | InvalidRow
  | FailedRow
  | InDoubtRow
  | DoneRow
  | HeldRow
  | ValidRow

/** Which row it is. */
export interface RowName {
  /** The source as you gave it; `-` for `rows`. */
  readonly source: string
  /** The number of the data row in its source, from 1. */
  readonly row: number
  /** The line on which it starts, from 1. */
  readonly line: number
  /** What names the row from run to run. */
  readonly key: string
  /** Of what stands in the row: 16 hex digits. */
  readonly hash: string
}

/** What the calls for a row took. */
export interface RowEffort {
  /** The status of the last answer; undefined where none came. */
  readonly httpStatus?: number
  /** How often the call went out. */
  readonly attempts: number
  /** How many of those the service asked to make later. */
  readonly throttled?: number
  /** From the first attempt to the end of the last, waiting times included, in milliseconds. */
  readonly durationMs: number
}

/** One thing that is wrong with a row. */
export interface OutcomeError {
  /** Where in the body, such as `emails.0.email`. */
  readonly path?: string | undefined
  /** The column that it came from. */
  readonly column?: string | undefined
  readonly value?: unknown
  /** What is wrong, for programs; docs/usage/errors.md lists all codes. Stable once released. */
  readonly code?: string | undefined
  /** The same for people; its words may change. */
  readonly message?: string | undefined
  /** The start of the service's answer. */
  readonly body?: string | undefined
}

/** The service made the record (`created`), or returned one that was there before (`existing`). */
export interface CreatedRow extends RowName, RowEffort {
  readonly status: 'created' | 'existing'
  /** The id of the record, a UUID. */
  readonly recordId: string
}

/** Another row of this import has the same key; nothing was sent. */
export interface DuplicateRow extends RowName {
  readonly status: 'duplicate'
  readonly sameAs: { readonly source: string; readonly row: number }
}

/** The row does not pass the mapping; nothing was sent. The next run tries it again. */
export interface InvalidRow extends RowName {
  readonly status: 'invalid'
  readonly errors: readonly OutcomeError[]
}

/** The service refused the row, or was never reached: there is no record. The next run tries it again. */
export interface FailedRow extends RowName, RowEffort {
  readonly status: 'failed'
  readonly errors: readonly OutcomeError[]
}

/** A call went out, and no answer tells whether the record exists. */
export interface InDoubtRow extends RowName, RowEffort {
  readonly status: 'in_doubt'
  readonly errors: readonly OutcomeError[]
  /** What was sent. */
  readonly body: Readonly<Record<string, unknown>>
}

/** An earlier run made its record; nothing was sent. */
export interface DoneRow extends RowName {
  readonly status: 'done'
  /** Whether the row reads otherwise now; there is no call to update a record. */
  readonly changed: boolean
}

/** An earlier run left it in doubt, and this one does not send it again (`inDoubt: 'hold'`). */
export interface HeldRow extends RowName {
  readonly status: 'held'
}

/** In a dry run: the row would be sent. */
export interface ValidRow extends RowName {
  readonly status: 'valid'
  /** What would be sent. */
  readonly body: Readonly<Record<string, unknown>>
}

const describe = (problem: Problem) => describeProblem(problem, libraryFace)

/** An outcome as a program takes it. */
export function rowOutcome(outcome: Outcome): RowOutcome {
  const { source, row, line, key, hash } = outcome.identity
  const name = { source, row, line, key, hash }
  switch (outcome.status) {
    case 'created':
    case 'existing':
      return { ...name, status: outcome.status, recordId: outcome.recordId, ...effortOf(outcome) }
    case 'duplicate':
      return {
        ...name,
        status: outcome.status,
        sameAs: { source: outcome.sameAs.source, row: outcome.sameAs.row },
      }
    case 'invalid':
      return { ...name, status: outcome.status, errors: lineErrors(outcome.errors, describe) }
    case 'failed':
      return {
        ...name,
        status: outcome.status,
        ...effortOf(outcome),
        errors: lineErrors(outcome.errors, describe),
      }
    case 'in_doubt':
      return {
        ...name,
        status: outcome.status,
        ...effortOf(outcome),
        errors: lineErrors(outcome.errors, describe),
        body: JSON.parse(outcome.body),
      }
    case 'done':
      return { ...name, status: outcome.status, changed: outcome.changed }
    case 'held':
      return { ...name, status: outcome.status }
    case 'valid':
      return { ...name, status: outcome.status, body: JSON.parse(outcome.body) }
  }
}

const effortOf = ({ httpStatus, attempts, throttled, durationMs }: Effort): RowEffort => ({
  ...(httpStatus !== undefined && { httpStatus }),
  attempts,
  ...(throttled !== undefined && { throttled }),
  durationMs,
})
