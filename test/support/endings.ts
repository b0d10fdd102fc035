import { problem } from '../../src/model/problem.ts'
import type { Failed } from '../../src/model/row.ts'

/** The end of a row whose call the service refused with that answer. */
export const refused = (httpStatus: number, body: string): Failed => ({
  status: 'failed',
  fault: 'refused',
  httpStatus,
  attempts: 1,
  durationMs: 1,
  errors: [{ ...problem('answered', { status: httpStatus }), body }],
})
