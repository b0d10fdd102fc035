import type { Attempt, Fault } from '../model/row.ts'
import type { AnswerRule } from './answer-rules.ts'

/** By their definition not processed (DESIGN 5). */
const throttled = new Set([408, 429, 503])
/** Before the first success of a run these say that nothing can succeed: a wrong address, organization or right. */
const wrongAddress = new Set([403, 404, 405])

/**
 * What a failed attempt means (DESIGN 5): the service says nothing about its errors (interface 7), so only what HTTP
 * itself promises counts, and before that the rule that speaks of the answer, if there is one. `hadSuccess` says whether a
 * call of this run succeeded before.
 */
export function classify({ sent, httpStatus }: Attempt, hadSuccess: boolean, rule?: AnswerRule): Fault {
  if (httpStatus === undefined) return sent ? 'ambiguous' : 'never_reached'
  if (rule !== undefined) return rule.means
  if (httpStatus === 401) return 'unauthorized'
  if (throttled.has(httpStatus)) return 'throttled'
  const isRedirect = httpStatus >= 300 && httpStatus < 400
  if (!hadSuccess && (isRedirect || wrongAddress.has(httpStatus))) return 'unauthorized'
  return httpStatus >= 400 && httpStatus < 500 ? 'refused' : 'ambiguous'
}
