import type { CallOutcome } from '../model/outcome.ts'
import { problem } from '../model/problem.ts'
import type { Call } from '../model/row.ts'
import type { Denial } from '../model/store.ts'
import type { HttpAnswer } from './http-client.ts'
import { type CreateAnswer, type Failure, isFresh } from './response.ts'

/** A call over its attempts: what is known of it so far, and the outcomes that this may come to. */
export class CallState {
  readonly call: Call
  /** When the first attempt began: a wait for the call's turn is no part of it. */
  #startedMs = 0
  attempts = 0
  /** How many of them do not count against the retries: the run waited for the service then. */
  uncounted = 0
  /** How many of them the service asked to make later. */
  #throttled = 0
  failure: Failure | undefined
  /** The outcome, once the call has its record. */
  created: CallOutcome | undefined
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

  beginAttempt(nowMs: number): void {
    if (this.attempts === 0) this.#startedMs = nowMs
    this.attempts += 1
  }

  /** Throws, which ends the call, if it is denied. */
  allow(denial: Denial | undefined): void {
    this.denial = denial
    if (denial !== undefined) throw new Error('denied')
  }

  noteFailure(failure: Failure): void {
    this.failure = failure
    if (failure.fault === 'ambiguous') this.possiblyCreated = true
    if (failure.fault === 'throttled') this.#throttled += 1
  }

  /** Keeps the outcome of a call that has its record. */
  noteCreated(
    answer: CreateAnswer,
    { status, headers }: HttpAnswer,
    useCreated: boolean,
    nowMs: number,
  ): void {
    const { recordId, createdAt, sameAs, missing } = answer
    const fields = { ...this.#fields(nowMs), recordId, httpStatus: status }
    const isOld = useCreated && !isFresh(createdAt, headers.date, fields.durationMs)
    const notInAnswer = missing.length > 0 && { notInAnswer: missing }
    this.created =
      sameAs === undefined
        ? { ...fields, status: isOld ? 'existing' : 'created', ...notInAnswer }
        : { ...fields, status: 'merged', sameAs }
  }

  /** Once an attempt was ambiguous, in this run or before, only a record_id or a person settles the row. */
  failed({ fault, rule, httpStatus, error }: Failure, nowMs: number): CallOutcome {
    const result = {
      fault,
      ...(rule !== undefined && { byRule: true as const }),
      ...(httpStatus !== undefined && { httpStatus }),
      ...this.#fields(nowMs),
    }
    const isInDoubt = this.possiblyCreated || this.call.before === 'in_doubt'
    if (!isInDoubt) return { status: 'failed', ...result, errors: [error] }
    const doubt =
      fault === 'ambiguous' ? error : { ...error, ...problem('still_in_doubt', { problem: error }) }
    return { status: 'in_doubt', ...result, errors: [doubt], body: this.call.json }
  }

  /** Which row it is for, and what it took so far. */
  #fields(nowMs: number) {
    const { identity, before, omitted } = this.call
    return {
      identity,
      before,
      omitted,
      attempts: this.attempts,
      ...(this.#throttled > 0 && { throttled: this.#throttled }),
      durationMs: nowMs - this.#startedMs,
    }
  }
}
