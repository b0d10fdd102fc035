// Sends one call and returns its outcome: permit, intent, attempt, answer, then retry or settle. The HTTP client makes the attempts:
// it awaits `#begin` before each of them and `#end` after each. Begin at `Sender.send`.
import { sleep } from '../model/clock.ts'
import type { StopReason } from '../model/errors.ts'
import type { LimiterEvent } from '../model/events.ts'
import type { CallOutcome, Duplicate, Fault } from '../model/outcome.ts'
import { type Problem, problem } from '../model/problem.ts'
import type { Call, RowIdentity, RowPlace } from '../model/row.ts'
import { stopReasonOf } from '../model/stop.ts'
import type { Denial, Intents } from '../model/store.ts'
import type { RecordType } from '../records/kinds.ts'
import type { ResponseRule } from '../settings/response-rules.ts'
import { CallState } from './call-state.ts'
import type { AttemptEnd, HttpClient, StartedAttempt } from './http-client.ts'
import type { Permit } from './limiter.ts'
import { Outage, type OutageSettings } from './outage.ts'
import { type CreateAnswer, type Failure, isSuccess, readAnswer, readFailure } from './response.ts'
import { type DeliveryMode, delayBeforeRetry, longestWaitMs, mayTryAgain, readRetryAfter } from './retry.ts'
import type { Token } from './token.ts'

export interface SendDependencies extends OutageSettings {
  readonly client: HttpClient
  readonly intentLog: Intents
  readonly token: Token
  readonly record: RecordType
  /** What the service was asked: whether to answer with a similar record that was there before (interface 4.1). */
  readonly useCreated: boolean | undefined
  /** Gives a record to a row, in one step; returns the row that has it already, if one does. */
  readonly claimRecord: (recordId: string, row: RowIdentity) => RowPlace | undefined
  readonly mode: DeliveryMode
  /** Rules for undocumented answers; the first that applies counts. */
  readonly rules: readonly ResponseRule[]
  readonly random: () => number
  readonly emit: (event: SendEvent) => void
}

export type SendEvent =
  | { readonly type: 'retry'; readonly fault: Fault; readonly delayMs: number; readonly problem: Problem }
  | { readonly type: 'answer_differs'; readonly differences: readonly string[] }
  | LimiterEvent

/**
 * Sends a call with all its attempts; undefined when it was not sent, or an attempt is no longer this run's to tell of. Never throws
 * for what the service does.
 */
export type Send = (call: Call) => Promise<CallOutcome | Duplicate | undefined>

export function createSend(dependencies: SendDependencies): Send {
  const sender = new Sender(dependencies)
  return call => sender.send(call)
}

/** How an attempt was begun. */
interface Begun {
  readonly state: CallState
  readonly permit: Permit
  readonly token: string
}

class Sender {
  readonly #dependencies: SendDependencies
  readonly #outage: Outage
  #hadSuccess = false

  constructor(dependencies: SendDependencies) {
    this.#dependencies = dependencies
    this.#outage = new Outage(dependencies)
  }

  async send(call: Call): ReturnType<Send> {
    const { client, stop, clock } = this.#dependencies
    if (stop.reason !== undefined) return undefined
    const state = new CallState(call)
    await client
      .post(call.json, () => this.#begin(state))
      .catch(error => {
        if (stop.reason === undefined && state.denial === undefined) throw error
      })
    if (state.created !== undefined) return state.created
    if (state.denial !== undefined) return this.#settleDenied(state, state.denial)
    if (state.failure !== undefined) return state.failed(state.failure, clock.now().getTime())
    this.#removeIntent(state)
    return undefined
  }

  /** Acquires a permit and writes the intent; only then may a connection be opened. */
  async #begin(state: CallState): Promise<StartedAttempt> {
    const { limiter, client, token, stop, clock, intentLog } = this.#dependencies
    const permit = await limiter.acquire()
    try {
      await this.#addIntent(state)
      await client.ready()
      stop.signal.throwIfAborted()
      state.allow(intentLog.check?.(state.call))
    } catch (error) {
      permit.release()
      throw error
    }
    state.beginAttempt(clock.now().getTime())
    const begun = { state, permit, token: token.value }
    const isAllowed = () => {
      state.denial = intentLog.check?.(state.call)
      return state.denial === undefined
    }
    return { token: begun.token, isAllowed, end: end => this.#end(begun, end) }
  }

  /** Adds the intent of a call. A run that cannot write its intents stops. */
  async #addIntent(state: CallState): Promise<void> {
    const { intentLog, stop } = this.#dependencies
    state.hasIntent = true
    const denial = await intentLog.add(state.call).catch(error => {
      stop.request(stopReasonOf(error))
      throw error
    })
    if (denial !== undefined) state.hasIntent = false
    state.allow(denial)
  }

  /** While a call waits, and when it is given up, unless an attempt of it may have made a record. */
  #removeIntent(state: CallState): void {
    if (!state.hasIntent || state.possiblyCreated) return
    state.hasIntent = false
    this.#dependencies.intentLog.remove(state.call.identity.key)
  }

  /** Takes how an attempt ended, and waits until the next one may start; resolves with whether there is one. */
  async #end(begun: Begun, end: AttemptEnd): Promise<boolean> {
    const { clock, stop } = this.#dependencies
    const delayMs = await this.#delayAfter(begun, end).finally(begun.permit.release)
    if (delayMs === undefined || stop.reason !== undefined) return false
    this.#removeIntent(begun.state)
    if (delayMs > 0) await sleep(clock, delayMs, stop.signal).catch(() => {}) // the run stops
    return stop.reason === undefined
  }

  async #delayAfter(begun: Begun, end: AttemptEnd): Promise<number | undefined> {
    const { rules, stop, emit } = this.#dependencies
    const { state } = begun
    if (state.denial !== undefined) return undefined
    const read = this.#read(end, state.call)
    if (read !== undefined && 'recordId' in read) return this.#noteCreated(read, end, state)
    const failure = readFailure(end, read, rules, this.#hadSuccess)
    state.noteFailure(failure)
    if (failure.fault === 'refused') this.#outage.noteAnswer()
    if (stop.reason !== undefined) return undefined
    if (await this.#hasNewToken(failure, begun)) return 0
    if (failure.fault === 'unauthorized') stop.request(unauthorized(failure, end))
    const delayMs = this.#backOff(failure, begun, end)
    if (delayMs === undefined || stop.reason !== undefined) return undefined
    emit({ type: 'retry', fault: failure.fault, delayMs, problem: failure.error })
    return delayMs
  }

  /**
   * Reads a whole answer whose status says success; undefined for any other. A record is that of one row, unless the service was
   * asked for similar ones. A connection that mixes up rows is not used again.
   */
  #read({ answer }: AttemptEnd, { body, identity }: Call): CreateAnswer | Problem | undefined {
    const { record, useCreated = false, claimRecord, client } = this.#dependencies
    if (!answer?.isWhole || !isSuccess(answer.status)) return undefined
    let read = readAnswer(answer.text, record, body, useCreated)
    if ('recordId' in read) {
      const { recordId } = read
      const sameAs = claimRecord(recordId, identity)
      if (sameAs === undefined || useCreated) return { ...read, sameAs }
      read = problem('record_id_taken', { recordId, ...sameAs })
    }
    if (read.code !== 'no_record_id') client.distrustConnections()
    return read
  }

  #noteCreated(created: CreateAnswer, { answer }: AttemptEnd, state: CallState): undefined {
    const { useCreated = false, clock, emit } = this.#dependencies
    this.#hadSuccess = true
    this.#outage.noteAnswer()
    if (created.differences.length > 0) emit({ type: 'answer_differs', differences: created.differences })
    if (answer) state.noteCreated(created, answer, useCreated, clock.now().getTime())
  }

  async #hasNewToken(failure: Failure, { state, token }: Begun): Promise<boolean> {
    const { fault, httpStatus, rule } = failure
    const isTokenRefused = fault === 'unauthorized' && (httpStatus === 401 || rule !== undefined)
    if (!isTokenRefused || state.hasRenewedToken) return false
    state.hasRenewedToken = true
    return this.#dependencies.token.renew(token, this.#dependencies.stop.signal)
  }

  #backOff(failure: Failure, { state, permit }: Begun, { answer }: AttemptEnd): number | undefined {
    const { stop, limiter, retries, mode, random, clock } = this.#dependencies
    const { fault } = failure
    const now = clock.now()
    const retryAfterMs =
      fault === 'throttled' ? readRetryAfter(answer?.headers['retry-after'], now) : undefined
    const longestMs = Math.max(longestWaitMs, this.#outage.leftMs)
    if (retryAfterMs !== undefined && retryAfterMs > longestMs)
      stop.request({ code: 'asked_to_wait', params: { until: new Date(now.getTime() + retryAfterMs) } })
    const attempts = state.attempts - state.uncounted
    const tried = { fault, attempts, retries, mode, retryAfterMs, longestMs }
    const delayMs = delayBeforeRetry(tried, random)
    const isRepeatable = mayTryAgain(tried)
    const isDown =
      fault !== 'refused' &&
      stop.reason === undefined &&
      this.#outage.noteFailure(failure, permit.startedMs, delayMs === undefined, isRepeatable)
    if (isDown) limiter.pause(retryAfterMs ?? 0)
    else if (fault === 'throttled') limiter.backOff(permit, attempts, retryAfterMs)
    if (!isDown || !isRepeatable) return delayMs
    state.uncounted = state.attempts
    return 0
  }

  /** The call was not sent, so its row is a duplicate or left. After an ambiguous attempt whoever denied it has the row in doubt. */
  #settleDenied(state: CallState, { sameAs }: Denial): Duplicate | undefined {
    const { identity, before } = state.call
    this.#removeIntent(state)
    if (sameAs === undefined || state.possiblyCreated) return undefined
    return { identity, before, status: 'duplicate', sameAs, isLogged: false }
  }
}

function unauthorized({ httpStatus = 0, rule }: Failure, { answer }: AttemptEnd): StopReason {
  const location = answer?.headers.location
  const params = { httpStatus, ...(location && { location }), ...(rule && { byRule: true as const }) }
  return { code: 'unauthorized', params }
}
