// Decisions about a failed attempt: what it means for its row, and whether and when the call is tried again. All of them are pure.
import type { Fault } from '../model/outcome.ts'
import type { ResponseRule } from '../settings/response-rules.ts'
import type { AttemptEnd } from './http-client.ts'

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

/** Statuses that mean, by definition, that nothing was processed. */
const throttled = new Set([408, 429, 503])
/** Before the first success of a run these say that nothing can succeed: a wrong address, organization or permission. */
const wrongAddress = new Set([403, 404, 405])

/**
 * Returns the meaning of a failed attempt. The service documents no errors (interface 7), so only what HTTP itself promises counts, after
 * the rule that applies to the answer, if there is one. `hadSuccess`: an earlier call of this run succeeded.
 */
export function classify(
  { sent, httpStatus }: Pick<AttemptEnd, 'sent'> & { readonly httpStatus?: number | undefined },
  hadSuccess: boolean,
  rule?: ResponseRule,
): Fault {
  if (httpStatus === undefined) return sent ? 'ambiguous' : 'never_reached'
  if (rule !== undefined) return rule.means
  if (httpStatus === 401) return 'unauthorized'
  if (throttled.has(httpStatus)) return 'throttled'
  const isRedirect = httpStatus >= 300 && httpStatus < 400
  if (!hadSuccess && (isRedirect || wrongAddress.has(httpStatus))) return 'unauthorized'
  return httpStatus >= 400 && httpStatus < 500 ? 'refused' : 'ambiguous'
}

/** Permission to try a call again if a second try could create a second record. */
export type DeliveryMode = 'at-most-once' | 'at-least-once'

/** An attempt that failed, and what decides whether and when the next one starts. */
export interface Try {
  readonly fault: Fault
  /** The number of attempts that were made, this one included. */
  readonly attempts: number
  /** Further attempts allowed after the first. */
  readonly retries: number
  readonly mode: DeliveryMode
  readonly useCreated?: boolean
  /** Wait that the service requested with Retry-After. */
  readonly retryAfterMs: number | undefined
  /** A longer time is not waited for; ten minutes by default. */
  readonly longestMs?: number
}

const firstDelayMs = 500
const longestDelayMs = 30_000

/** Longest wait of a run without an option for more: else it stops and says when to come back, if that is known. */
export const longestWaitMs = 600_000

/** By then the service can find the record of an unclear attempt, and its age shows that the next one did not make it. */
const findableAfterMs = 3_000

/** Milliseconds until the next attempt; undefined if there is none. Exponential backoff with full jitter, on top of what the service asks for. */
export function delayBeforeRetry(attempt: Try, random: () => number): number | undefined {
  const { fault, useCreated, attempts, retries, longestMs = longestWaitMs } = attempt
  const { retryAfterMs = useCreated && fault === 'ambiguous' ? findableAfterMs : 0 } = attempt
  if (attempts > retries || !mayTryAgain(attempt) || retryAfterMs > longestMs) return undefined
  return Math.ceil(retryAfterMs + 1 + random() * ceilingMs(attempts))
}

/** Milliseconds; less than the call itself waits, because the other calls had fewer attempts. */
export const holdOfRun = (attempts: number, random: () => number): number =>
  (ceilingMs(attempts) * (1 + random())) / 4

const ceilingMs = (times: number) => Math.min(longestDelayMs, firstDelayMs * 2 ** (times - 1))

/** The first attempt made no record, or the mode allows that there are two. */
export const mayTryAgain = ({ fault, mode }: Pick<Try, 'fault' | 'mode'>): boolean =>
  fault === 'never_reached' || fault === 'throttled' || (fault === 'ambiguous' && mode === 'at-least-once')

/** Ten years: enough to stop for, and still a valid date. */
const longestReadMs = 315_360_000_000

/** The milliseconds that a Retry-After header asks for, in seconds or as a date; undefined if it says neither. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, longestReadMs)
  const at = Date.parse(/:\d\d:\d\d/.test(text) ? text.replace(/ \d{4}$/, '$& GMT') : '') // or a number is a year
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}
