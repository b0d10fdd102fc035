import { lineErrors, type DescribedError as OutcomeError } from '../../journal/lines.ts'
import { isKnown, type Outcome } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'
import { describeProblem, libraryFace } from '../../report/words.ts'

export type { DescribedError as OutcomeError } from '../../journal/lines.ts'

/** The outcome of a row; `status` says which. */
export type RowOutcome =
  | CreatedRow
  | MergedRow
  | DuplicateRow
  | InvalidRow
  | FailedRow
  | InDoubtRow
  | DoneRow
  | HeldRow
  | ValidRow

/** The identity of a row. */
export interface RowName {
  /** The source as you gave it; `-` for `rows`. */
  readonly source: string
  /** The number of the data row in its source, from 1. */
  readonly row: number
  /** The line on which it starts, from 1. */
  readonly line: number
  /** Identifies the row from run to run. */
  readonly key: string
  /** 16 hex digits, made of the row's content. */
  readonly hash: string
}

/** The calls for a row. */
export interface RowEffort {
  /** The status of the last answer, if any. */
  readonly httpStatus?: number
  /** The number of attempts. */
  readonly attempts: number
  /** The number of attempts that the service asked to repeat later. */
  readonly throttled?: number
  /** From the first attempt to the end of the last, waiting times included, in milliseconds. */
  readonly durationMs: number
}

/** The service created the record, or returned one that existed before. */
export interface CreatedRow extends RowName, RowEffort {
  readonly status: 'created' | 'existing'
  /** The id of the record, a UUID. */
  readonly recordId: string
  readonly omitted?: readonly OmittedValue[] | undefined
  /** The paths of fields that were sent and that the answer lacks. */
  readonly notInAnswer?: readonly string[]
}

/** The service returned the record of another row of this import: this row's values are nowhere in the service. */
export interface MergedRow extends RowName, RowEffort {
  readonly status: 'merged'
  /** The id of the other row's record, a UUID. */
  readonly recordId: string
  readonly sameAs: { readonly source: string; readonly row: number }
  readonly omitted?: readonly OmittedValue[] | undefined
}

/** A value that a rule with `omit` left out of the record. */
export interface OmittedValue {
  /** The place in the body, such as `assigned_user_id`. */
  readonly path: string
  readonly column?: string | undefined
  readonly value?: unknown
  readonly code: string
}

/** Another row of this import has the same key; nothing was sent. */
export interface DuplicateRow extends RowName {
  readonly status: 'duplicate'
  readonly sameAs: { readonly source: string; readonly row: number }
}

/** The row failed the checks of the mapping; nothing was sent. The next run tries it again. */
export interface InvalidRow extends RowName {
  readonly status: 'invalid'
  /** An earlier run refused it in the same way, and it reads the same. */
  readonly known?: true
  readonly errors: readonly OutcomeError[]
}

/** The service refused the row, or was never reached: no record exists. The next run tries it again. */
export interface FailedRow extends RowName, RowEffort {
  readonly status: 'failed'
  /** An earlier run was refused in the same way, and the row reads the same. */
  readonly known?: true
  readonly errors: readonly OutcomeError[]
}

/** A call was sent, and it is unknown whether the record exists. */
export interface InDoubtRow extends RowName, RowEffort {
  readonly status: 'in_doubt'
  readonly errors: readonly OutcomeError[]
  /** The body that was sent. */
  readonly body: Readonly<Record<string, unknown>>
}

/** An earlier run created its record; nothing was sent. */
export interface DoneRow extends RowName {
  readonly status: 'done'
  /** The row has other content now; there is no call to update a record. */
  readonly changed: boolean
}

/** An earlier run left it in doubt, and this one does not resend it (`inDoubt: 'hold'`). */
export interface HeldRow extends RowName {
  readonly status: 'held'
}

/** In a dry run: the row would be sent. */
export interface ValidRow extends RowName {
  readonly status: 'valid'
  readonly body: Readonly<Record<string, unknown>>
  readonly omitted?: readonly OmittedValue[] | undefined
}

const describe = (problem: Problem) => describeProblem(problem, libraryFace)

export function rowOutcome(outcome: Outcome): RowOutcome {
  const { identity, before, ...own } = outcome
  const { source, row, line, key, hash } = identity
  const name = { source, row, line, key, hash }
  const known = isKnown(outcome) ? { known: true as const } : {}
  switch (own.status) {
    case 'created':
    case 'existing':
    case 'merged':
    case 'done':
    case 'held':
      return { ...name, ...own }
    case 'duplicate': {
      const { isLogged, ...shown } = own
      return { ...name, ...shown }
    }
    case 'invalid':
      return { ...name, ...own, ...known, errors: lineErrors(own.errors, describe) }
    case 'failed': {
      const { fault, byRule, omitted, errors, ...shown } = own
      return { ...name, ...shown, ...known, errors: lineErrors(errors, describe) }
    }
    case 'in_doubt': {
      const { fault, byRule, omitted, errors, body, ...shown } = own
      return { ...name, ...shown, errors: lineErrors(errors, describe), body: JSON.parse(body) }
    }
    case 'valid':
      return { ...name, ...own, body: JSON.parse(JSON.stringify(own.body)) }
  }
}
