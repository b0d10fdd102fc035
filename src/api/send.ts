// Sends one call and returns its outcome: permit, intent, attempt, answer, then retry or settle. The HTTP client makes the attempts:
// it awaits `begin` before each of them and `endAttempt` after each. Begin at `sendCall`.
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
import type { HttpClient } from './got-client.ts'
import type { AttemptEnd, StartedAttempt } from './http-client.ts'
import type { Permit } from './limiter.ts'
import { type OutageSettings, outageOf } from './outage.ts'
import {
  type CreateAnswer,
  type Failure,
  isFresh,
  isSuccess,
  readAnswer,
  readFailure,
  unreadableBecause,
} from './response.ts'
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
  return call => sendCall(call, run)
}

const sharedByCalls = (dependencies: SendDependencies) => ({
  ...dependencies,
  noteDifferences: kinds[dependencies.record].noteDifferences(),
  outage: outageOf(dependencies),
  hadSuccess: false,
})

async function sendCall(call: Call, run: ReturnType<typeof sharedByCalls>): ReturnType<Send> {
  const { client, intentLog, limiter, outage, token, stop, clock, emit, useCreated = false } = run
  const { identity, before, body, json } = call
  /** When the first attempt began: a wait for the call's turn is no part of its duration. */
  let startedMs = 0
  let attempts = 0
  /** The number of attempts that do not count as retries: the run waited for the service then. */
  let uncounted = 0
  /** The number of attempts that the service wants to be made later. */
  let throttled = 0
  let failure: Failure | undefined
  /** The outcome, once the call has its record. */
  let created: CallOutcome | undefined
  /** The intent log holds the call, or is about to. */
  let hasIntent = false
  /** The number of ambiguous attempts: in each of them the service may have made a record. */
  let unclear = 0
  /** Why the call must not be sent. */
  let denial: Denial | undefined
  /** A refused token is renewed once for each call. */
  let hasRenewedToken = false

  if (stop.reason !== undefined) return undefined
  try {
    await client.post(json, begin)
  } catch (error) {
    if (stop.reason === undefined && denial === undefined) throw error
  }
  if (created !== undefined) return created
  if (denial !== undefined) return settleDenied(denial)
  if (failure !== undefined) return failed(failure)
  removeIntent()
  return undefined

  /** Acquires a permit and writes the intent; only then may a connection be opened. */
  async function begin(): Promise<StartedAttempt> {
    const isStillAllowed = () => isAllowed(intentLog.check?.(call))
    const permit = await limiter.acquire()
    try {
      await addIntent()
      await client.ready()
      stop.signal.throwIfAborted()
      if (!isStillAllowed()) throw new Error('denied')
    } catch (error) {
      permit.release()
      throw error
    }
    if (attempts === 0) startedMs = clock.now().getTime()
    attempts += 1
    const sent = token.value
    return { token: sent, isAllowed: isStillAllowed, end: end => endAttempt(end, permit, sent) }
  }

  /** Adds the intent of the call. A run that cannot write its intents stops. */
  async function addIntent(): Promise<void> {
    hasIntent = true
    try {
      hasIntent = isAllowed(await intentLog.add(call))
    } catch (error) {
      stop.request(stopReasonOf(error))
      throw error
    }
    if (!hasIntent) throw new Error('denied')
  }

  function isAllowed(denied: Denial | undefined): boolean {
    denial = denied
    return denial === undefined
  }

  /** While the call waits, and when it is given up, unless an attempt of it may have made a record. */
  function removeIntent(): void {
    if (!hasIntent || unclear > 0) return
    hasIntent = false
    intentLog.remove(identity.key)
  }

  /** Takes the end of an attempt, and waits until the next one may start; resolves with whether there is one. */
  async function endAttempt(end: AttemptEnd, permit: Permit, sentToken: string): Promise<boolean> {
    const delayMs = await delayAfter(end, permit, sentToken).finally(permit.release)
    if (delayMs === undefined || stop.reason !== undefined) return false
    removeIntent()
    if (delayMs > 0) await sleep(clock, delayMs, stop.signal).catch(() => {}) // the run stops
    return stop.reason === undefined
  }

  async function delayAfter(end: AttemptEnd, permit: Permit, sentToken: string): Promise<number | undefined> {
    if (denial !== undefined) return undefined
    const read = readRecord(end)
    if (read !== undefined && 'recordId' in read) return noteCreated(read, end, permit)
    const failing = readFailure(end, read, run.rules, run.hadSuccess)
    failure = failing
    if (failing.fault === 'ambiguous') unclear += 1
    if (failing.fault === 'throttled') throttled += 1
    if (failing.fault === 'refused') noteAnswer(false)
    if (stop.reason !== undefined) return undefined
    if (await hasNewToken(failing, sentToken)) return 0
    if (failing.fault === 'unauthorized') stop.request(unauthorized(failing, end))
    const delayMs = backOff(failing, permit, end)
    if (delayMs === undefined || stop.reason !== undefined) return undefined
    emit({ type: 'retry', fault: failing.fault, delayMs, problem: failing.error })
    return delayMs
  }

  /**
   * Reads a whole answer whose status says success; undefined for any other. A record is that of one row, unless the service may
   * answer with similar ones. A connection that mixes up rows is not used again.
   */
  function readRecord({ answer }: AttemptEnd): CreateAnswer | Problem | undefined {
    if (!answer?.isWhole || !isSuccess(answer.status)) return undefined
    const reason = unreadableBecause(answer)
    if (reason !== undefined) return problem('unreadable_answer', { reason })
    let read = readAnswer(answer.text, run.noteDifferences, body, useCreated)
    if ('recordId' in read) {
      const { recordId } = read
      const sameAs = run.claimRecord(recordId, identity)
      if (sameAs === undefined || useCreated) return { ...read, sameAs }
      read = problem('record_id_taken', { recordId, ...sameAs })
    }
    if (read.code !== 'no_record_id') client.distrustConnections()
    return read
  }

  function noteCreated(record: CreateAnswer, { answer }: AttemptEnd, permit: Permit): undefined {
    const { recordId, createdAt, sameAs, missing, differences } = record
    run.hadSuccess = true
    noteAnswer(true)
    if (differences.length > 0) emit({ type: 'answer_differs', differences })
    const isOlderThan = (ms: number) => useCreated && !isFresh(createdAt, answer?.headers.date, ms)
    // the service found the record, or had the whole time since an earlier run to find it
    const isKnown = isOlderThan(clock.elapsedMs() - permit.startedMs) || (useCreated && unclear === 0)
    const effort = commonFields(isKnown || sameAs !== undefined ? 0 : doubts())
    const fields = { ...effort, recordId, ...(answer && { httpStatus: answer.status }) }
    const notInAnswer = missing.length > 0 && { notInAnswer: missing }
    created =
      sameAs === undefined
        ? { ...fields, status: isOlderThan(effort.durationMs) ? 'existing' : 'created', ...notInAnswer }
        : { ...fields, status: 'merged', sameAs }
  }

  /** Notes an attempt that the service accepted, whether it made a record or was refused. */
  function noteAnswer(hasRecord: boolean): void {
    limiter.speedUp(hasRecord)
    outage.end()
  }

  async function hasNewToken({ fault, httpStatus, rule }: Failure, refused: string): Promise<boolean> {
    const isTokenRefused = fault === 'unauthorized' && (httpStatus === 401 || rule !== undefined)
    if (!isTokenRefused || hasRenewedToken) return false
    hasRenewedToken = true
    return token.renew(refused, stop.signal)
  }

  function backOff(failing: Failure, permit: Permit, { answer }: AttemptEnd): number | undefined {
    const { fault } = failing
    const now = clock.now()
    const retryAfterMs =
      fault === 'throttled' ? readRetryAfter(answer?.headers['retry-after'], now) : undefined
    const longestMs = Math.max(longestWaitMs, outage.leftMs())
    if (retryAfterMs !== undefined && retryAfterMs > longestMs)
      stop.request({ code: 'asked_to_wait', params: { until: new Date(now.getTime() + retryAfterMs) } })
    const counted = attempts - uncounted
    const { retries, mode, random } = run
    const tried = { fault, attempts: counted, retries, mode, useCreated, retryAfterMs, longestMs }
    const delayMs = delayBeforeRetry(tried, random)
    const isRepeatable = mayTryAgain(tried)
    const isDown =
      fault !== 'refused' &&
      stop.reason === undefined &&
      outage.noteFailure(failing, permit.startedMs, delayMs === undefined, isRepeatable)
    if (isDown) limiter.pause(retryAfterMs ?? 0)
    else if (fault === 'throttled') limiter.backOff(permit, counted, retryAfterMs)
    if (!isDown || !isRepeatable) return delayMs
    uncounted = attempts
    return 0
  }

  /** The call was not sent, so its row is a duplicate or left. After an ambiguous attempt whoever denied it has the row in doubt. */
  function settleDenied({ sameAs }: Denial): Duplicate | undefined {
    removeIntent()
    if (sameAs === undefined || unclear > 0) return undefined
    return { identity, before, status: 'duplicate', sameAs, isLogged: false }
  }

  /** Once an attempt was ambiguous, in this run or before, only a record_id or a person settles the row. */
  function failed({ fault, rule, httpStatus, error }: Failure): CallOutcome {
    const fields = {
      fault,
      ...(rule !== undefined && { byRule: true as const }),
      ...(httpStatus !== undefined && { httpStatus }),
      ...commonFields(doubts() - 1),
    }
    if (doubts() === 0) return { status: 'failed', ...fields, errors: [error] }
    const doubt =
      fault === 'ambiguous' ? error : { ...error, ...problem('still_in_doubt', { problem: error }) }
    return { status: 'in_doubt', ...fields, errors: [doubt], body: json }
  }

  /** The number of unclear attempts; all of an earlier run are one. */
  function doubts(): number {
    return unclear + Number(before === 'in_doubt')
  }

  /** The row of the call, and its effort so far; `spare` is how many records besides one the attempts may have made. */
  function commonFields(spare: number) {
    return {
      ...{ identity, before, omitted: call.omitted, kept: call.kept, attempts },
      ...(throttled > 0 && { throttled }),
      ...(spare > 0 && { unclearAttempts: spare }),
      durationMs: clock.now().getTime() - startedMs,
    }
  }
}

function unauthorized({ httpStatus = 0, rule }: Failure, { answer }: AttemptEnd): StopReason {
  const location = answer?.headers.location
  const params = { httpStatus, ...(location && { location }), ...(rule && { byRule: true as const }) }
  return { code: 'unauthorized', params }
}
