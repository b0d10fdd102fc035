import type { Effort, Outcome } from '../model/outcome.ts'
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
export type RowEffort = Effort

type Of<Status extends Outcome['status']> = Extract<Outcome, { readonly status: Status }>
/** Fields of an outcome that are for the run itself, or that a program gets in another form. */
const inner = ['identity', 'before', 'fault', 'byRule', 'errors', 'body', 'isLogged'] as const
type Shown<Status extends Outcome['status']> = RowName & Omit<Of<Status>, (typeof inner)[number]>
type Failing = { readonly errors: readonly OutcomeError[] }
type Sent = { readonly body: Readonly<Record<string, unknown>> }

/** The service created the record, or returned one that existed before. */
export type CreatedRow = Shown<'created' | 'existing'>
/** The service returned the record of another row of this import: this row's values are nowhere in the service. */
export type MergedRow = Shown<'merged'>
/** Another row of this import has the same key; nothing was sent. With `differs` it is a conflict: these paths of its body differ. */
export type DuplicateRow = Shown<'duplicate'> & Partial<Failing>
/** The row failed the checks of the mapping; nothing was sent. The next run tries it again. */
export type InvalidRow = Shown<'invalid'> & Failing
/** The service refused the row, or was never reached: no record exists. The next run tries it again. */
export type FailedRow = Omit<Shown<'failed'>, 'omitted' | 'kept'> & Failing
/** A call was sent, and it is unknown whether the record exists; `body` is what was sent. */
export type InDoubtRow = Omit<Shown<'in_doubt'>, 'omitted' | 'kept'> & Failing & Sent
/** An earlier run created its record; nothing was sent. There is no call to update a record that `changed`; `body` is what it would be now. */
export type DoneRow = Shown<'done'> & Partial<Sent>
/** An earlier run left it in doubt, and this one does not resend it (`inDoubt: 'hold'`); with `errors` it may be known under another name. */
export type HeldRow = Shown<'held'> & Partial<Failing>
/** A row that would be sent, in a dry run. */
export type ValidRow = Shown<'valid'> & Sent
/** A value that a rule with `omit` left out of the record, or that one with `keep` sent as it is, with its place in the body. */
export type OmittedValue = NonNullable<CreatedRow['omitted']>[number]

const describe = (problem: Problem) => describeProblem(problem, libraryDialect)

export function rowOutcome(outcome: Outcome): RowOutcome {
  const { source, row, line, key, hash } = outcome.identity
  const hidden: readonly string[] = 'fault' in outcome ? [...inner, 'omitted', 'kept'] : inner
  const shown = Object.entries(outcome).filter(([name]) => !hidden.includes(name))
  return {
    ...{ source, row, line, key, hash, ...Object.fromEntries(shown) },
    ...('errors' in outcome && outcome.errors && { errors: lineErrors(outcome.errors, describe) }),
    ...('body' in outcome && outcome.body && { body: copyOf(outcome.body) }),
  } as RowOutcome
}

const copyOf = (body: string | object) => JSON.parse(typeof body === 'string' ? body : JSON.stringify(body))
