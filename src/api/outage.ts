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
export class Outage {
  readonly #settings: OutageSettings
  /** Attempts that failed in a row, and calls that ended without an answer. */
  attempts = 0
  #calls = 0
  #sinceMs = 0
  /** When the last pause began, and how long it is; 0 while the service is not known to be down. */
  #pausedMs = 0
  #pauseMs = 0

  constructor(settings: OutageSettings) {
    this.#settings = settings
  }

  get leftMs(): number {
    const { waitMs, clock } = this.#settings
    return this.attempts === 0 ? waitMs : this.#sinceMs + waitMs - clock.elapsedMs()
  }

  /** Notes that the service accepted an attempt. */
  end(): void {
    const { clock, emit } = this.#settings
    if (this.#pauseMs > 0) emit({ type: 'service_back', forMs: clock.elapsedMs() - this.#sinceMs })
    this.attempts = 0
    this.#calls = 0
    this.#pauseMs = 0
  }

  /**
   * Notes a failed attempt, the last of its call or not. Returns whether the run waits for the service: it is down after so many calls
   * in a row without an answer, or once a call that may be repeated has used up its retries while nothing else was accepted either.
   */
  noteFailure({ fault, error }: Failure, startedMs: number, isLast: boolean, isRepeatable: boolean): boolean {
    const { waitMs, concurrency, retries, stop, clock } = this.#settings
    const nowMs = clock.elapsedMs()
    if (this.attempts === 0) this.#sinceMs = nowMs
    this.attempts += 1
    if (isLast) this.#calls = fault === 'throttled' ? 0 : this.#calls + 1
    const hasRetried = waitMs > 0 && isRepeatable && this.attempts > retries
    const isUnanswered = this.#calls >= Math.max(fewestUnanswered, 2 * concurrency)
    if (this.#pauseMs === 0 && !(isLast && (hasRetried || isUnanswered))) return false
    if (this.#pauseMs > 0 && startedMs <= this.#pausedMs) return true // it began before the pause, and says nothing new
    if (this.leftMs > 0) this.#pause(nowMs, error)
    else {
      const inARow = waitMs === 0 ? this.#calls : this.attempts
      const params = { inARow, last: error, ...(waitMs > 0 && { waitedMs: waitMs }) }
      stop.request({ code: 'not_answering', params })
    }
    return stop.reason === undefined
  }

  #pause(nowMs: number, last: Problem): void {
    const { clock, limiter, emit } = this.#settings
    const { leftMs } = this
    if (this.#pauseMs === 0)
      emit({ type: 'service_down', last, forMs: leftMs, until: new Date(clock.now().getTime() + leftMs) })
    this.#pausedMs = nowMs
    this.#pauseMs = Math.min(this.#pauseMs * 2 || firstPauseMs, longestPauseMs)
    limiter.pause(Math.min(this.#pauseMs, leftMs))
  }
}
