import type { Outcome } from '../../src/model/outcome.ts'
import { problem } from '../../src/model/problem.ts'
import type { RowIdentity } from '../../src/model/row.ts'

/** An outcome without the row that it is of. */
export type OutcomeFields = Outcome extends infer Each
  ? Each extends Outcome
    ? Omit<Each, 'identity' | 'before'>
    : never
  : never

export const identityOf = (row = 1, key = `k${row}`): RowIdentity => ({
  source: 'a.csv',
  row,
  line: row + 1,
  key,
  hash: '0',
})

export const outcomeOf = (fields: OutcomeFields, identity = identityOf()): Outcome =>
  ({ ...fields, identity }) as Outcome

/** The outcome of a call that the service refused with that answer. */
export const refused = (httpStatus: number, body: string, identity = identityOf()) =>
  outcomeOf(
    {
      status: 'failed',
      fault: 'refused',
      httpStatus,
      attempts: 1,
      durationMs: 1,
      errors: [{ ...problem('http_error', { status: httpStatus }), body }],
    },
    identity,
  )
