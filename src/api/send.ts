// Sends one call and returns its outcome: permit, intent, attempt, answer, then retry or settle. got drives the attempts: it awaits
// `#beforeAttempt` before each of them and `#mayRetry` after each that failed. Begin at `Sender.send`.
import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { RequestError } from 'got'
import { sleep } from '../model/clock.ts'
import type { StopReason } from '../model/errors.ts'
import type { LimiterEvent } from '../model/events.ts'
import type { CallOutcome, Duplicate, Fault } from '../model/outcome.ts'
import { type Problem, problem } from '../model/problem.ts'
import type { Call, RowIdentity, RowPlace } from '../model/row.ts'
import { stopReasonOf } from '../model/stop.ts'
import type { Denial, Intents } from '../model/store.ts'
import type { RecordType } from '../records/kinds.ts'
import { type Attempt, type Failure, followAttempt, readFailure, type Success } from './attempt.ts'
import { CallState } from './call-state.ts'
import type { ResponseRule } from './classify.ts'
import { type ClientSettings, createPost, type Post } from './client.ts'
import { type Connections, proofMs } from './connections.ts'
import { Outage, type OutageSettings } from './outage.ts'
import { type CreateAnswer, isFresh, readAnswer } from './response.ts'
import { type DeliveryMode, delayBeforeRetry, longestWaitMs, mayTryAgain, readRetryAfter } from './retry.ts'
import type { Token } from './token.ts'

export interface SendDependencies extends OutageSettings {
  readonly client: ClientSettings
  readonly connections: Connections
  readonly intentLog: Intents
  readonly token: Token
  readonly record: RecordType
  /** What the service was asked: whether to answer with a similar record that was there before (interface 4.1). */
  readonly useCreated: boolean | undefined
  /** Gives a record to a row, in one step; returns the row that has it already, if one does. */
  readonly claimRecord: (recordId: string, row: RowIdentity) => RowPlace | undefined
  readonly mode: DeliveryMode
  /** What undocumented answers mean; the first that applies counts. */
  readonly rules: readonly ResponseRule[]
  readonly random: () => number
  readonly emit: (event: SendEvent) => void
}

export type SendEvent =
  | { readonly type: 'retry'; readonly fault: Fault; readonly delayMs: number; readonly problem: Problem }
  | { readonly type: 'answer_differs'; readonly differences: readonly string[] }
  | LimiterEvent

/**
 * With all its attempts; undefined when it was not sent, or an attempt is no longer this run's to tell of. Never throws for what
 * the service does.
 */
export type Send = (call: Call) => Promise<CallOutcome | Duplicate | undefined>

export function createSend(dependencies: SendDependencies): Send {
  const sender = new Sender(dependencies)
  return call => sender.send(call)
}

class Sender {
  readonly #dependencies: SendDependencies
  readonly #post: Post
  readonly #outage: Outage
  #hadSuccess = false

  constructor(dependencies: SendDependencies) {
    this.#dependencies = dependencies
    this.#outage = new Outage(dependencies)
    this.#post = createPost(dependencies.client, {
      beforeAttempt: state => this.#beforeAttempt(state),
      mayRetry: (state, error) => this.#mayRetry(state, error),
    })
  }

  async send(call: Call): ReturnType<Send> {
    const { stop } = this.#dependencies
    if (stop.reason !== undefined) return undefined
    const state = new CallState(call)
    const read = (text: string) => this.#read(text, state)
    let end = await followAttempt(this.#post(state), state, read)
    while (end.type === 'retry') end = await followAttempt(end.next, state, read)
    if (end.type === 'created') return this.#settleCreated(state, end)
    if (state.denial !== undefined) return this.#settleDenied(state, state.denial)
    if (state.failure === undefined && stop.reason === undefined) throw end.error
    return this.#settleFailed(state)
  }

  /** A record is that of one row, unless the service was asked for similar ones. A connection that mixes up rows is not used again. */
  #read(text: string, { call, attempt }: CallState): CreateAnswer | Problem {
    const { record, useCreated = false, claimRecord, connections } = this.#dependencies
    let answer = readAnswer(text, record, call.body, useCreated)
    if ('recordId' in answer) {
      const { recordId } = answer
      const sameAs = claimRecord(recordId, call.identity)
      if (sameAs === undefined || useCreated) return { ...answer, sameAs }
      answer = problem('record_id_taken', { recordId, ...sameAs })
    }
    if (answer.code !== 'no_record_id') connections.distrust(attempt?.connection.request?.socket)
    return answer
  }

  /** Acquires a permit and writes the intent; only then does got open a connection. */
  async #beforeAttempt(state: CallState): Promise<Attempt> {
    const { limiter, connections, token, stop, clock, intentLog } = this.#dependencies
    state.attempt = undefined
    const permit = await limiter.acquire()
    try {
      await this.#addIntent(state)
      await afterPolling()
      stop.signal.throwIfAborted()
      state.allow(intentLog.check?.(state.call))
    } catch (error) {
      permit.release()
      throw error
    }
    const connection = connections.choose()
    const isAllowed = () => {
      state.denial = intentLog.check?.(state.call)
      return state.denial === undefined
    }
    return state.beginAttempt({ permit, token: token.value, connection, isAllowed }, clock.now().getTime())
  }

  /** A run that cannot write its intents stops. */
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

  /** Classifies a failed attempt, and waits until the next one may start; false where there is none. */
  async #mayRetry(state: CallState, error: RequestError): Promise<boolean> {
    const { clock, stop } = this.#dependencies
    const { attempt } = state
    if (attempt === undefined) return false // it did not start: the run stops
    const delayMs = await this.#delayAfter(attempt, state, error).finally(attempt.permit.release)
    if (delayMs === undefined || stop.reason !== undefined) return false
    this.#removeIntent(state)
    if (delayMs > 0) await sleep(clock, delayMs, stop.signal).catch(() => {}) // the run stops
    return stop.reason === undefined
  }

  async #delayAfter(attempt: Attempt, state: CallState, error: RequestError): Promise<number | undefined> {
    const { rules, stop, connections } = this.#dependencies
    if (state.denial !== undefined) return undefined
    const failure = readFailure(error, attempt, rules, this.#hadSuccess)
    state.noteFailure(failure)
    if (error.response?.complete) connections.noteAnswer(attempt.connection)
    else connections.noteFailure(attempt.connection, isBroken(error))
    if (failure.fault === 'refused') this.#outage.noteAnswer()
    if (stop.reason !== undefined) return undefined
    if (await this.#hasNewToken(failure, attempt, state)) return 0
    if (failure.fault === 'unauthorized') stop.request(unauthorized(failure, error))
    const delayMs = this.#backOff(failure, attempt, state, error)
    if (delayMs === undefined || stop.reason !== undefined) return undefined
    this.#dependencies.emit({ type: 'retry', fault: failure.fault, delayMs, problem: failure.error })
    return delayMs
  }

  async #hasNewToken(failure: Failure, { token }: Attempt, state: CallState): Promise<boolean> {
    const { fault, httpStatus, rule } = failure
    const isTokenRefused = fault === 'unauthorized' && (httpStatus === 401 || rule !== undefined)
    if (!isTokenRefused || state.hasRenewedToken) return false
    state.hasRenewedToken = true
    return this.#dependencies.token.renew(token, this.#dependencies.stop.signal)
  }

  #backOff(
    failure: Failure,
    { permit }: Attempt,
    state: CallState,
    { response }: RequestError,
  ): number | undefined {
    const { stop, limiter, retries, mode, random, clock } = this.#dependencies
    const { fault } = failure
    const now = clock.now()
    const retryAfterMs =
      fault === 'throttled' ? readRetryAfter(response?.headers['retry-after'], now) : undefined
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

  #settleCreated(state: CallState, { answer, httpStatus, date }: Success): CallOutcome {
    const { connections, useCreated, clock, emit } = this.#dependencies
    this.#hadSuccess = true
    this.#outage.noteAnswer()
    if (state.attempt) {
      state.attempt.permit.release()
      connections.noteAnswer(state.attempt.connection)
    }
    if (answer.differences.length > 0) emit({ type: 'answer_differs', differences: answer.differences })
    const { recordId, sameAs } = answer
    const fields = { ...state.outcomeFields(clock.now().getTime()), recordId, httpStatus }
    if (sameAs !== undefined) return { ...fields, status: 'merged', sameAs }
    const isOld = useCreated === true && !isFresh(answer.createdAt, date, fields.durationMs)
    return {
      ...fields,
      status: isOld ? 'existing' : 'created',
      ...(answer.missing.length > 0 && { notInAnswer: answer.missing }),
    }
  }

  /** Not sent, so the row is a duplicate or left. After an ambiguous attempt whoever denied it has the row in doubt. */
  #settleDenied(state: CallState, { sameAs }: Denial): Duplicate | undefined {
    const { identity, before } = state.call
    this.#removeIntent(state)
    if (sameAs === undefined || state.possiblyCreated) return undefined
    return { identity, before, status: 'duplicate', sameAs, isLogged: false }
  }

  #settleFailed(state: CallState): CallOutcome | undefined {
    const { failure, call } = state
    if (failure === undefined) {
      this.#removeIntent(state)
      return undefined
    }
    const { fault, rule, httpStatus, error } = failure
    const result = {
      fault,
      ...(rule !== undefined && { byRule: true as const }),
      ...(httpStatus !== undefined && { httpStatus }),
      ...state.outcomeFields(this.#dependencies.clock.now().getTime()),
    }
    if (!state.isInDoubt) return { status: 'failed', ...result, errors: [error] }
    const doubt =
      fault === 'ambiguous' ? error : { ...error, ...problem('still_in_doubt', { problem: error }) }
    return { status: 'in_doubt', ...result, errors: [doubt], body: call.body }
  }
}

/** A connection that broke before an answer began. */
const isBroken = ({ response, code }: RequestError): boolean =>
  response === undefined && (code === 'ECONNRESET' || code === 'EPIPE')

function unauthorized({ httpStatus = 0, rule }: Failure, { response }: RequestError): StopReason {
  const location = response?.headers.location
  const params = { httpStatus, ...(location && { location }), ...(rule && { byRule: true as const }) }
  return { code: 'unauthorized', params }
}

/** A quarter of the time for which the service was seen to keep a connection. */
const longestBlindMs = proofMs / 4
/** How long the event loop had been busy in all before the last call. */
let busyMs = 0
let polling: Promise<void> | undefined

/**
 * Lets the event loop learn of connections that the service has closed, before one of them is used again. At the end of the turn in
 * which an intent is safe it knows of them, unless it was busy for long since the last call.
 */
function afterPolling(): Promise<void> | undefined {
  const { active } = performance.eventLoopUtilization()
  if (active - busyMs > longestBlindMs)
    polling ??= endOfTurn().then(() => {
      polling = undefined
    })
  busyMs = active
  return polling
}
