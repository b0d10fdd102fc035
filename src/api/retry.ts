import type { Fault } from '../model/outcome.ts'
import { unreachable } from '../model/values.ts'

/** Whether a call may be tried again when a second try could create a second record. */
export type DeliveryMode = 'at-most-once' | 'at-least-once'

/** An attempt that failed, and what decides whether and when the next one starts. */
export interface Try {
  readonly fault: Fault
  /** How many attempts were made, this one included. */
  readonly attempts: number
  /** Further attempts allowed after the first. */
  readonly retries: number
  readonly mode: DeliveryMode
  /** Wait that the service requested with Retry-After. */
  readonly retryAfterMs: number | undefined
  /** A longer time is not waited for; ten minutes by default. */
  readonly longestMs?: number
}

const firstDelayMs = 500
const longestDelayMs = 30_000

/** Longest wait of a run without an option for more: else it stops and says when to come back, if that is known. */
export const longestWaitMs = 600_000

/** Milliseconds; undefined when there is no next attempt. Exponential backoff with full jitter, on top of what the service asks for. */
export function delayBeforeRetry(attempt: Try, random: () => number): number | undefined {
  const { attempts, retries, retryAfterMs = 0, longestMs = longestWaitMs } = attempt
  if (attempts > retries || !mayTryAgain(attempt) || retryAfterMs > longestMs) return undefined
  return Math.ceil(retryAfterMs + 1 + random() * ceilingMs(attempts))
}

/** Milliseconds; less than the call itself waits, because the other calls had fewer attempts. */
export const holdOfRun = (attempts: number, random: () => number): number =>
  (ceilingMs(attempts) * (1 + random())) / 4

const ceilingMs = (times: number) => Math.min(longestDelayMs, firstDelayMs * 2 ** (times - 1))

/** A second attempt makes no second record, or the service recognizes the first. */
export function mayTryAgain({ fault, mode }: Pick<Try, 'fault' | 'mode'>): boolean {
  switch (fault) {
    case 'never_reached':
    case 'throttled':
      return true
    case 'ambiguous':
      return mode === 'at-least-once'
    case 'refused':
    case 'unauthorized':
      return false
    default:
      return unreachable(fault)
  }
}

/** Ten years: enough to stop for, and still a valid date. */
const longestReadMs = 315_360_000_000

/** The milliseconds that a Retry-After header asks for, in seconds or as a date; undefined if it says neither. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, longestReadMs)
  const at = Date.parse(/:\d\d:\d\d/.test(text) ? text.replace(/ \d{4}$/, '$& GMT') : '') // or a number is a year
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}
