import type { Clock } from '../model/clock.ts'
import type { LimiterEvent } from '../model/events.ts'
import type { Problem } from '../model/problem.ts'
import type { Stop } from '../model/stop.ts'
import type { Limiter } from './limiter.ts'

export interface OutageSettings {
  /** For how long a run waits for a service that is down; 0 where it does not. */
  readonly waitMs: number
  readonly limiter: Limiter
  readonly stop: Stop
  readonly clock: Clock
  readonly emit: (event: LimiterEvent) => void
}

const firstPauseMs = 5_000
const longestPauseMs = 300_000

/**
 * Waits for a service that is down: after each pause one attempt shows whether it is back, so each pause costs at most one row
 * its certainty. The time counts from the first failure since the service last took an attempt.
 */
export class Outage {
  readonly #settings: OutageSettings
  #inARow = 0
  #sinceMs = 0
  /** When the last pause began, and how long it is; 0 while the service is not known to be down. */
  #pausedMs = 0
  #pauseMs = 0

  constructor(settings: OutageSettings) {
    this.#settings = settings
  }

  /** For how long the run would still wait. */
  get leftMs(): number {
    const { waitMs, clock } = this.#settings
    return this.#inARow === 0 ? waitMs : this.#sinceMs + waitMs - clock.elapsedMs()
  }

  /** After the service took an attempt, whatever it answered. */
  noteAnswer(): void {
    const { limiter, clock, emit } = this.#settings
    limiter.speedUp()
    if (this.#pauseMs > 0) emit({ type: 'service_back', forMs: clock.elapsedMs() - this.#sinceMs })
    this.#inARow = 0
    this.#pauseMs = 0
  }

  /**
   * After an attempt that the service did not take; more than `most` in a row mean that it is down. Returns whether the run waits
   * for it; once it has waited for long enough, it stops.
   */
  noteFailure(startedMs: number, last: Problem, most: number): boolean {
    const { waitMs, stop, clock } = this.#settings
    const nowMs = clock.elapsedMs()
    if (this.#inARow === 0) this.#sinceMs = nowMs
    this.#inARow += 1
    if (waitMs === 0 || (this.#pauseMs === 0 && this.#inARow <= most)) return false
    if (this.#pauseMs > 0 && startedMs <= this.#pausedMs) return true // it began before the pause, and says nothing new
    if (this.leftMs > 0) this.#pause(nowMs, last)
    else stop.request({ code: 'not_answering', params: { inARow: this.#inARow, last, waitedMs: waitMs } })
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
