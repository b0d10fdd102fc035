import { isKnown, type Outcome } from '../model/outcome.ts'
import type { Problem } from '../model/problem.ts'
import type { RowIdentity } from '../model/row.ts'
import { describeProblem, libraryDialect } from '../output/words.ts'
import { lineErrors, type DescribedError as OutcomeError } from '../store/files/lines.ts'

export type { DescribedError as OutcomeError } from '../store/files/lines.ts'

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

/** The identity of a row: its source as you gave it (`-` for `rows`), its number and line, and its key from run to run. */
export type RowName = Pick<RowIdentity, 'source' | 'row' | 'line' | 'key' | 'hash'>

/** The calls for a row, from the first attempt to the end of the last, waiting times included. */
export type RowEffort = Pick<FailedOutcome, 'httpStatus' | 'attempts' | 'throttled' | 'durationMs'>

type Of<Status extends Outcome['status']> = Extract<Outcome, { readonly status: Status }>
type FailedOutcome = Of<'failed'>
type Inner = 'identity' | 'before' | 'fault' | 'byRule' | 'errors' | 'body' | 'isLogged'
type Shown<Status extends Outcome['status']> = RowName & Omit<Of<Status>, Inner>
type Failing = { readonly errors: readonly OutcomeError[] }
type Sent = { readonly body: Readonly<Record<string, unknown>> }

/** The service created the record, or returned one that existed before. */
export type CreatedRow = Shown<'created' | 'existing'>
/** The service returned the record of another row of this import: this row's values are nowhere in the service. */
export type MergedRow = Shown<'merged'>
/** Another row of this import has the same key; nothing was sent. */
export type DuplicateRow = Shown<'duplicate'>
/** The row failed the checks of the mapping; nothing was sent. The next run tries it again. */
export type InvalidRow = Shown<'invalid'> & Failing
/** The service refused the row, or was never reached: no record exists. The next run tries it again. */
export type FailedRow = Omit<Shown<'failed'>, 'omitted'> & Failing
/** A call was sent, and it is unknown whether the record exists; `body` is what was sent. */
export type InDoubtRow = Omit<Shown<'in_doubt'>, 'omitted'> & Failing & Sent
/** An earlier run created its record; nothing was sent. There is no call to update a record that `changed`. */
export type DoneRow = Shown<'done'>
/** An earlier run left it in doubt, and this one does not resend it (`inDoubt: 'hold'`). */
export type HeldRow = Shown<'held'>
/** In a dry run: the row would be sent. */
export type ValidRow = Shown<'valid'> & Sent
/** A value that a rule with `omit` left out of the record, with its place in the body. */
export type OmittedValue = NonNullable<CreatedRow['omitted']>[number]

const describe = (problem: Problem) => describeProblem(problem, libraryDialect)

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
