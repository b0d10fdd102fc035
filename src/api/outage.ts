import type { Clock } from '../model/clock.ts'
import type { LimiterEvent } from '../model/events.ts'
import type { Problem } from '../model/problem.ts'
import type { Stop } from '../model/stop.ts'
import type { Limiter } from './limiter.ts'
import type { Failure } from './response.ts'

export interface OutageSettings {
  /** Time for which a run waits for a service that is down; 0 if it does not. */
  readonly waitMs: number
  readonly concurrency: number
  readonly retries: number
  readonly limiter: Limiter
  readonly stop: Stop
  readonly clock: Clock
  readonly emit: (event: LimiterEvent) => void
}

/** Fewer calls in a row without an answer say nothing. */
const fewestUnanswered = 10

const firstPauseMs = 5_000
const longestPauseMs = 300_000

/**
 * Decides when the service is down, and then stops the run or waits: after each pause one attempt shows whether it is back, so a pause
 * costs at most one row its certainty. The time counts from the first failure since the service last took an attempt.
 */
export function outageOf({ waitMs, concurrency, retries, limiter, stop, clock, emit }: OutageSettings) {
  /** Attempts that failed in a row, and calls that ended without an answer. */
  let attempts = 0
  let calls = 0
  let sinceMs = 0
  /** When the last pause began, and how long it is; 0 while the service is not known to be down. */
  let pausedMs = 0
  let pauseMs = 0

  const leftMs = () => (attempts === 0 ? waitMs : sinceMs + waitMs - clock.elapsedMs())

  function pause(nowMs: number, last: Problem): void {
    const forMs = leftMs()
    if (pauseMs === 0)
      emit({ type: 'service_down', last, forMs, until: new Date(clock.now().getTime() + forMs) })
    pausedMs = nowMs
    pauseMs = Math.min(pauseMs * 2 || firstPauseMs, longestPauseMs)
    limiter.pause(Math.min(pauseMs, forMs))
  }

  return {
    leftMs,

    /** Notes that the service accepted an attempt. */
    end(): void {
      if (pauseMs > 0) emit({ type: 'service_back', forMs: clock.elapsedMs() - sinceMs })
      attempts = 0
      calls = 0
      pauseMs = 0
    },

    /**
     * Notes a failed attempt, the last of its call or not. Returns whether the run waits for the service: it is down after so many calls
     * in a row without an answer, or once a call that may be repeated has used up its retries while nothing else was accepted either.
     */
    noteFailure({ fault, error }: Failure, startedMs: number, isLast: boolean, isRepeatable: boolean) {
      const nowMs = clock.elapsedMs()
      if (attempts === 0) sinceMs = nowMs
      attempts += 1
      if (isLast) calls = fault === 'throttled' ? 0 : calls + 1
      const hasRetried = waitMs > 0 && isRepeatable && attempts > retries
      const isUnanswered = calls >= Math.max(fewestUnanswered, 2 * concurrency)
      if (pauseMs === 0 && !(isLast && (hasRetried || isUnanswered))) return false
      if (pauseMs > 0 && startedMs <= pausedMs) return true // it began before the pause, and says nothing new
      if (leftMs() > 0) pause(nowMs, error)
      else {
        const inARow = waitMs === 0 ? calls : attempts
        const params = { inARow, last: error, ...(waitMs > 0 && { waitedMs: waitMs }) }
        stop.request({ code: 'not_answering', params })
      }
      return stop.reason === undefined
    },
  }
}
