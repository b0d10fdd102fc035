import type { Fault } from '../model/outcome.ts'
import type { ResponseRule } from '../settings/response-rules.ts'

/** Only this many characters of an answer are searched. */
const longestSearched = 100_000

/**
 * The first rule that applies to an answer; undefined for an attempt without one. `text` is undefined if the answer broke
 * off: one that would have been a success stays what it is, and a rule that calls for caution applies whatever it might have held.
 */
export function findRule(
  rules: readonly ResponseRule[],
  httpStatus: number | undefined,
  text: string | undefined,
): ResponseRule | undefined {
  if (httpStatus === undefined || (text === undefined && httpStatus < 300)) return undefined
  const searched = text?.slice(0, longestSearched).toLowerCase()
  return rules.find(
    ({ statuses, part, means }) =>
      (statuses?.includes(httpStatus) ?? true) &&
      (part === undefined || (searched?.includes(part) ?? means === 'ambiguous')),
  )
}

/** By definition not processed. */
const throttled = new Set([408, 429, 503])
/** Before the first success of a run these say that nothing can succeed: a wrong address, organization or permission. */
const wrongAddress = new Set([403, 404, 405])

/** Facts that HTTP has of a failed attempt. */
interface HttpFailure {
  /** False only when it is certain that no byte of the request left. */
  readonly sent: boolean
  /** The status of the answer, as soon as its head was read. */
  readonly httpStatus?: number | undefined
}

/**
 * What a failed attempt means. The service documents no errors (interface 7), so only what HTTP itself promises counts, after
 * the rule that applies to the answer, if there is one. `hadSuccess`: an earlier call of this run succeeded.
 */
export function classify({ sent, httpStatus }: HttpFailure, hadSuccess: boolean, rule?: ResponseRule): Fault {
  if (httpStatus === undefined) return sent ? 'ambiguous' : 'never_reached'
  if (rule !== undefined) return rule.means
  if (httpStatus === 401) return 'unauthorized'
  if (throttled.has(httpStatus)) return 'throttled'
  const isRedirect = httpStatus >= 300 && httpStatus < 400
  if (!hadSuccess && (isRedirect || wrongAddress.has(httpStatus))) return 'unauthorized'
  return httpStatus >= 400 && httpStatus < 500 ? 'refused' : 'ambiguous'
}
