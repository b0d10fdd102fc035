import type { RequestError } from 'got'
import { problem } from '../model/problem.ts'
import type { Attempt, Fault, RowError } from '../model/row.ts'
import { ProxyRefusal } from './connections.ts'
import { BadAnswer } from './response.ts'

/** What an undocumented answer means (interface 7), as the user says under `responses:` in the settings file. */
export interface ResponseRule {
  /** The statuses it applies to; undefined for all. */
  readonly statuses?: readonly number[] | undefined
  /** A part of the answer's text, in lower case; undefined for any text. */
  readonly part?: string | undefined
  readonly means: Fault
}

/** Only this many characters of an answer are searched. */
const longestSearched = 100_000

/**
 * The first rule that applies to an answer; undefined for an attempt without one. `text` is undefined where the answer broke
 * off: one that would have been a success stays what it is, and a rule that calls for caution applies whatever it might have held.
 */
export function findRule(
  rules: readonly ResponseRule[],
  httpStatus: number | undefined,
  text: string | undefined,
): ResponseRule | undefined {
  if (httpStatus === undefined || (text === undefined && httpStatus < 300)) return undefined
  const ofStatus = rules.filter(({ statuses }) => statuses?.includes(httpStatus) ?? true)
  if (ofStatus.length === 0) return undefined
  const searched = text?.slice(0, longestSearched).toLowerCase()
  return ofStatus.find(
    ({ part, means }) => part === undefined || (searched?.includes(part) ?? means === 'ambiguous'),
  )
}

/** By definition not processed. */
const throttled = new Set([408, 429, 503])
/** Before the first success of a run these say that nothing can succeed: a wrong address, organization or permission. */
const wrongAddress = new Set([403, 404, 405])

/**
 * What a failed attempt means. The service documents no errors (interface 7), so only what HTTP itself promises counts, after
 * the rule that applies to the answer, if there is one. `hadSuccess`: an earlier call of this run succeeded.
 */
export function classify({ sent, httpStatus }: Attempt, hadSuccess: boolean, rule?: ResponseRule): Fault {
  if (httpStatus === undefined) return sent ? 'ambiguous' : 'never_reached'
  if (rule !== undefined) return rule.means
  if (httpStatus === 401) return 'unauthorized'
  if (throttled.has(httpStatus)) return 'throttled'
  const isRedirect = httpStatus >= 300 && httpStatus < 400
  if (!hadSuccess && (isRedirect || wrongAddress.has(httpStatus))) return 'unauthorized'
  return httpStatus >= 400 && httpStatus < 500 ? 'refused' : 'ambiguous'
}

/** Why an attempt failed. */
export interface Failure {
  readonly fault: Fault
  readonly error: RowError
  readonly httpStatus: number | undefined
  /** The rule that decided the fault. */
  readonly rule: ResponseRule | undefined
}

/** What our side knows of a failed attempt: the token it carried, whether a byte may have left, what was read of the answer. */
interface FailedAttempt {
  readonly token: string
  readonly sent: boolean
  readonly text: string
}

/** Reads what got reports of a failed attempt. */
export function readFailure(
  requestError: RequestError,
  attempt: FailedAttempt,
  rules: readonly ResponseRule[],
  hadSuccess: boolean,
): Failure {
  const httpStatus = requestError.response?.statusCode
  const rule = findRule(rules, httpStatus, isWhole(requestError) ? attempt.text : undefined)
  const { sent } = attempt
  const fault = classify({ sent, ...(httpStatus !== undefined && { httpStatus }) }, hadSuccess, rule)
  const plain = explain(requestError, attempt)
  const error =
    rule === undefined ? plain : { ...plain, ...problem('by_rule', { problem: plain, means: rule.means }) }
  return { fault, httpStatus, rule, error }
}

const longestQuote = 500

function explain(error: RequestError, { sent, token, text }: FailedAttempt): RowError {
  const { response, code } = error
  if (error.cause instanceof ProxyRefusal)
    return { ...problem('proxy_refused', { status: error.cause.httpStatus }) }
  if (response === undefined) return problem(sent ? 'no_answer' : 'never_reached', { reason: code })
  const status = response.statusCode
  const quote = text === '' ? {} : { body: mask(text, token).slice(0, longestQuote) }
  if (status >= 300) return { ...problem('answered', { status }), ...quote }
  return { ...(isWhole(error) ? problem('no_record_id') : problem('cut_answer', { reason: code })), ...quote }
}

const isWhole = ({ cause }: RequestError) => cause instanceof BadAnswer

/** The text without the token, be it as it is or as JSON writes it. */
const mask = (text: string, token: string) =>
  text.replaceAll(token, '[token]').replaceAll(JSON.stringify(token).slice(1, -1), '[token]')
