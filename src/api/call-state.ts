import type { Call } from '../model/row.ts'
import type { Denial } from '../model/store.ts'
import { Attempt, type AttemptStart, type Failure } from './attempt.ts'

/** A call over its attempts: what is known of it so far. */
export class CallState {
  readonly call: Call
  /** When the first attempt began: a wait for the call's turn is no part of it. */
  #startedMs = 0
  attempts = 0
  /** How many of them do not count against the retries: the run waited for the service then. */
  uncounted = 0
  /** How many of them the service asked to make later. */
  throttled = 0
  /** The attempt under way, or the last one; undefined while the next one waits to start. */
  attempt: Attempt | undefined
  failure: Failure | undefined
  /** The intent log holds the call, or is about to. */
  hasIntent = false
  /** An attempt was ambiguous: the service may have made the record. */
  possiblyCreated = false
  /** Why the call must not be sent. */
  denial: Denial | undefined
  /** A refused token is read again once for each call. */
  hasRenewedToken = false

  constructor(call: Call) {
    this.call = call
  }

  beginAttempt(start: AttemptStart, nowMs: number): Attempt {
    if (this.attempts === 0) this.#startedMs = nowMs
    this.attempts += 1
    this.attempt = new Attempt(start)
    return this.attempt
  }

  /** Throws, which ends the call, where it is denied. */
  allow(denial: Denial | undefined): void {
    this.denial = denial
    if (denial !== undefined) throw new Error('denied')
  }

  noteFailure(failure: Failure): void {
    this.failure = failure
    if (failure.fault === 'ambiguous') this.possiblyCreated = true
    if (failure.fault === 'throttled') this.throttled += 1
  }

  /** Once an attempt was ambiguous, in this run or before, only a record_id or a person settles the row. */
  get isInDoubt(): boolean {
    return this.possiblyCreated || this.call.before === 'in_doubt'
  }

  /** Which row it is for, and what it took so far. */
  outcomeFields(nowMs: number) {
    const { identity, before, omitted } = this.call
    return {
      identity,
      before,
      omitted,
      attempts: this.attempts,
      ...(this.throttled > 0 && { throttled: this.throttled }),
      durationMs: nowMs - this.#startedMs,
    }
  }
}
