// Sends one call and returns its outcome: permit, intent, attempt, answer, then retry or settle. The HTTP client makes the attempts:
// it awaits `#begin` before each of them and `#end` after each. Begin at `CallSender.send`.
import { sleep } from '../model/clock.ts'
import type { StopReason } from '../model/errors.ts'
import type { LimiterEvent, RunEvent } from '../model/events.ts'
import type { CallOutcome, Duplicate } from '../model/outcome.ts'
import { type Problem, problem } from '../model/problem.ts'
import type { Call, RowIdentity, RowPlace } from '../model/row.ts'
import { stopReasonOf } from '../model/stop.ts'
import type { Denial, Intents } from '../model/store.ts'
import { kinds, type RecordType } from '../records/kinds.ts'
import type { ResponseRule } from '../settings/response-rules.ts'
import type { AttemptEnd, HttpClient, StartedAttempt } from './http-client.ts'
import type { Permit } from './limiter.ts'
import { Outage, type OutageSettings } from './outage.ts'
import { type CreateAnswer, type Failure, isFresh, isSuccess, readAnswer, readFailure } from './response.ts'
import { type DeliveryMode, delayBeforeRetry, longestWaitMs, mayTryAgain, readRetryAfter } from './retry.ts'
import type { Token } from './token.ts'

export interface SendDependencies extends OutageSettings {
  readonly client: HttpClient
  readonly intentLog: Intents
  readonly token: Token
  readonly record: RecordType
  /** Says whether the service may answer with a similar record that was there before (interface 4.1). */
  readonly useCreated: boolean | undefined
  /** Gives a record to a row, in one step; returns the row that has it already, if one does. */
  readonly claimRecord: (recordId: string, row: RowIdentity) => RowPlace | undefined
  readonly mode: DeliveryMode
  /** Rules for undocumented answers; the first that applies counts. */
  readonly rules: readonly ResponseRule[]
  readonly random: () => number
  readonly emit: (event: SendEvent) => void
}

export type SendEvent = Extract<RunEvent, { type: 'retry' | 'answer_differs' }> | LimiterEvent

/**
 * Sends a call with all its attempts. Resolves with undefined if it was not sent, or if another worker answers for its attempts.
 * Never rejects for what the service does.
 */
export type Send = (call: Call) => Promise<CallOutcome | Duplicate | undefined>

export function createSend(dependencies: SendDependencies): Send {
  const run = sharedByCalls(dependencies)
  return call => new CallSender(call, run).send()
}

const sharedByCalls = (dependencies: SendDependencies) => ({
  ...dependencies,
  noteDifferences: kinds[dependencies.record].noteDifferences(),
  outage: new Outage(dependencies),
  hadSuccess: false,
})

class CallSender {
  readonly #call: Call
  readonly #run: ReturnType<typeof sharedByCalls>
  /** When the first attempt began: a wait for the call's turn is no part of its duration. */
  #startedMs = 0
  #attempts = 0
  /** The number of attempts that do not count as retries: the run waited for the service then. */
  #uncounted = 0
  /** The number of attempts that the service wants to be made later. */
  #throttled = 0
  #failure: Failure | undefined
  /** The outcome, once the call has its record. */
  #created: CallOutcome | undefined
  /** The intent log holds the call, or is about to. */
  #hasIntent = false
  /** An attempt was ambiguous: the service may have made the record. */
  #possiblyCreated = false
  /** Why the call must not be sent. */
  #denial: Denial | undefined
  /** A refused token is renewed once for each call. */
  #hasRenewedToken = false

  constructor(call: Call, run: ReturnType<typeof sharedByCalls>) {
    this.#call = call
    this.#run = run
  }

  async send(): ReturnType<Send> {
    const { client, stop } = this.#run
    if (stop.reason !== undefined) return undefined
    try {
      await client.post(this.#call.json, () => this.#begin())
    } catch (error) {
      if (stop.reason === undefined && this.#denial === undefined) throw error
    }
    if (this.#created !== undefined) return this.#created
    if (this.#denial !== undefined) return this.#settleDenied(this.#denial)
    if (this.#failure !== undefined) return this.#failed(this.#failure)
    this.#removeIntent()
    return undefined
  }

  /** Acquires a permit and writes the intent; only then may a connection be opened. */
  async #begin(): Promise<StartedAttempt> {
    const { limiter, client, token, stop, clock, intentLog } = this.#run
    const isAllowed = () => this.#isAllowed(intentLog.check?.(this.#call))
    const permit = await limiter.acquire()
    try {
      await this.#addIntent()
      await client.ready()
      stop.signal.throwIfAborted()
      if (!isAllowed()) throw new Error('denied')
    } catch (error) {
      permit.release()
      throw error
    }
    if (this.#attempts === 0) this.#startedMs = clock.now().getTime()
    this.#attempts += 1
    const sent = token.value
    return { token: sent, isAllowed, end: end => this.#end(end, permit, sent) }
  }

  /** Adds the intent of the call. A run that cannot write its intents stops. */
  async #addIntent(): Promise<void> {
    const { intentLog, stop } = this.#run
    this.#hasIntent = true
    try {
      this.#hasIntent = this.#isAllowed(await intentLog.add(this.#call))
    } catch (error) {
      stop.request(stopReasonOf(error))
      throw error
    }
    if (!this.#hasIntent) throw new Error('denied')
  }

  #isAllowed(denial: Denial | undefined): boolean {
    this.#denial = denial
    return denial === undefined
  }

  /** While the call waits, and when it is given up, unless an attempt of it may have made a record. */
  #removeIntent(): void {
    if (!this.#hasIntent || this.#possiblyCreated) return
    this.#hasIntent = false
    this.#run.intentLog.remove(this.#call.identity.key)
  }

  /** Takes the end of an attempt, and waits until the next one may start; resolves with whether there is one. */
  async #end(end: AttemptEnd, permit: Permit, token: string): Promise<boolean> {
    const { clock, stop } = this.#run
    const delayMs = await this.#delayAfter(end, permit, token).finally(permit.release)
    if (delayMs === undefined || stop.reason !== undefined) return false
    this.#removeIntent()
    if (delayMs > 0) await sleep(clock, delayMs, stop.signal).catch(() => {}) // the run stops
    return stop.reason === undefined
  }

  async #delayAfter(end: AttemptEnd, permit: Permit, token: string): Promise<number | undefined> {
    const { rules, stop, emit, hadSuccess } = this.#run
    if (this.#denial !== undefined) return undefined
    const read = this.#read(end)
    if (read !== undefined && 'recordId' in read) return this.#noteCreated(read, end)
    const failure = readFailure(end, read, rules, hadSuccess)
    this.#failure = failure
    if (failure.fault === 'ambiguous') this.#possiblyCreated = true
    if (failure.fault === 'throttled') this.#throttled += 1
    if (failure.fault === 'refused') this.#noteAnswer()
    if (stop.reason !== undefined) return undefined
    if (await this.#hasNewToken(failure, token)) return 0
    if (failure.fault === 'unauthorized') stop.request(unauthorized(failure, end))
    const delayMs = this.#backOff(failure, permit, end)
    if (delayMs === undefined || stop.reason !== undefined) return undefined
    emit({ type: 'retry', fault: failure.fault, delayMs, problem: failure.error })
    return delayMs
  }

  /**
   * Reads a whole answer whose status says success; undefined for any other. A record is that of one row, unless the service may
   * answer with similar ones. A connection that mixes up rows is not used again.
   */
  #read({ answer }: AttemptEnd): CreateAnswer | Problem | undefined {
    const { noteDifferences, useCreated = false, claimRecord, client } = this.#run
    const { body, identity } = this.#call
    if (!answer?.isWhole || !isSuccess(answer.status)) return undefined
    let read = readAnswer(answer.text, noteDifferences, body, useCreated)
    if ('recordId' in read) {
      const { recordId } = read
      const sameAs = claimRecord(recordId, identity)
      if (sameAs === undefined || useCreated) return { ...read, sameAs }
      read = problem('record_id_taken', { recordId, ...sameAs })
    }
    if (read.code !== 'no_record_id') client.distrustConnections()
    return read
  }

  #noteCreated(created: CreateAnswer, { answer }: AttemptEnd): undefined {
    const { useCreated = false, emit } = this.#run
    const { recordId, createdAt, sameAs, missing, differences } = created
    this.#run.hadSuccess = true
    this.#noteAnswer()
    if (differences.length > 0) emit({ type: 'answer_differs', differences })
    const fields = { ...this.#fields(), recordId, ...(answer && { httpStatus: answer.status }) }
    const isOld = useCreated && !isFresh(createdAt, answer?.headers.date, fields.durationMs)
    const notInAnswer = missing.length > 0 && { notInAnswer: missing }
    this.#created =
      sameAs === undefined
        ? { ...fields, status: isOld ? 'existing' : 'created', ...notInAnswer }
        : { ...fields, status: 'merged', sameAs }
  }

  /** Notes an attempt that the service accepted, whatever it answered. */
  #noteAnswer(): void {
    const { limiter, outage } = this.#run
    limiter.speedUp()
    if (outage.attempts > 0) outage.end()
  }

  async #hasNewToken({ fault, httpStatus, rule }: Failure, refused: string): Promise<boolean> {
    const isTokenRefused = fault === 'unauthorized' && (httpStatus === 401 || rule !== undefined)
    if (!isTokenRefused || this.#hasRenewedToken) return false
    this.#hasRenewedToken = true
    return this.#run.token.renew(refused, this.#run.stop.signal)
  }

  #backOff(failure: Failure, permit: Permit, { answer }: AttemptEnd): number | undefined {
    const { stop, limiter, retries, mode, random, clock, outage } = this.#run
    const { fault } = failure
    const now = clock.now()
    const retryAfterMs =
      fault === 'throttled' ? readRetryAfter(answer?.headers['retry-after'], now) : undefined
    const longestMs = Math.max(longestWaitMs, outage.leftMs)
    if (retryAfterMs !== undefined && retryAfterMs > longestMs)
      stop.request({ code: 'asked_to_wait', params: { until: new Date(now.getTime() + retryAfterMs) } })
    const attempts = this.#attempts - this.#uncounted
    const tried = { fault, attempts, retries, mode, retryAfterMs, longestMs }
    const delayMs = delayBeforeRetry(tried, random)
    const isRepeatable = mayTryAgain(tried)
    const isDown =
      fault !== 'refused' &&
      stop.reason === undefined &&
      outage.noteFailure(failure, permit.startedMs, delayMs === undefined, isRepeatable)
    if (isDown) limiter.pause(retryAfterMs ?? 0)
    else if (fault === 'throttled') limiter.backOff(permit, attempts, retryAfterMs)
    if (!isDown || !isRepeatable) return delayMs
    this.#uncounted = this.#attempts
    return 0
  }

  /** The call was not sent, so its row is a duplicate or left. After an ambiguous attempt whoever denied it has the row in doubt. */
  #settleDenied({ sameAs }: Denial): Duplicate | undefined {
    const { identity, before } = this.#call
    this.#removeIntent()
    if (sameAs === undefined || this.#possiblyCreated) return undefined
    return { identity, before, status: 'duplicate', sameAs, isLogged: false }
  }

  /** Once an attempt was ambiguous, in this run or before, only a record_id or a person settles the row. */
  #failed({ fault, rule, httpStatus, error }: Failure): CallOutcome {
    const fields = {
      fault,
      ...(rule !== undefined && { byRule: true as const }),
      ...(httpStatus !== undefined && { httpStatus }),
      ...this.#fields(),
    }
    const isInDoubt = this.#possiblyCreated || this.#call.before === 'in_doubt'
    if (!isInDoubt) return { status: 'failed', ...fields, errors: [error] }
    const doubt =
      fault === 'ambiguous' ? error : { ...error, ...problem('still_in_doubt', { problem: error }) }
    return { status: 'in_doubt', ...fields, errors: [doubt], body: this.#call.json }
  }

  /** The row of the call, and its effort so far. */
  #fields() {
    const { identity, before, omitted } = this.#call
    return {
      ...{ identity, before, omitted, attempts: this.#attempts },
      ...(this.#throttled > 0 && { throttled: this.#throttled }),
      durationMs: this.#run.clock.now().getTime() - this.#startedMs,
    }
  }
}

function unauthorized({ httpStatus = 0, rule }: Failure, { answer }: AttemptEnd): StopReason {
  const location = answer?.headers.location
  const params = { httpStatus, ...(location && { location }), ...(rule && { byRule: true as const }) }
  return { code: 'unauthorized', params }
}
