import type { ClientRequest } from 'node:http'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { CancelError, type RequestError, type Response } from 'got'
import { problems } from '../model/problems.ts'
import type { Body, Call, Created, Delivered, Fault, RowError } from '../model/row.ts'
import type { Stop } from '../model/stop.ts'
import type { RecordType } from '../records/kinds.ts'
import { isFresh, readAnswer } from './answer.ts'
import { classify } from './classify.ts'
import type { Client } from './client.ts'
import { Flight } from './flight.ts'
import type { Pace } from './pace.ts'
import { type DeliveryMode, delayBeforeRetry, longestWaitMs, readRetryAfter } from './retry.ts'
import type { Token } from './token.ts'

/** What sending works with. */
export interface Sending {
  readonly client: Client
  /** The address of the create call, from createUrl. */
  readonly url: string
  readonly record: RecordType
  /** Whether the service may answer with a record that was there before (interface 4.1). */
  readonly useCreated: boolean | undefined
  readonly token: Token
  readonly retries: number
  readonly mode: DeliveryMode
  readonly pace: Pace
  readonly stop: Stop
  readonly now: () => Date
  /** From 0 to 1. */
  readonly random: () => number
  readonly tell: (event: SendingEvent) => void
}

/** What is worth telling while calls are under way. */
export type SendingEvent =
  | { readonly is: 'retry'; readonly fault: Fault; readonly delayMs: number; readonly message: string }
  | { readonly is: 'answer_differs'; readonly differences: readonly string[] }

/** Sends one call, with all the attempts it takes, and gives its end; never throws for what the service does. */
export type Send = (call: Call) => Promise<Delivered>

/** An answer larger than this is not read on. */
const largestAnswerBytes = 16_000_000
const longestQuote = 500

class UnreadableAnswer extends Error {}

/** Makes the delivery step of a run (DESIGN 5). */
export function createSend(sending: Sending): Send {
  const waiting = new Map<Flight, () => void>()
  sending.stop.signal.addEventListener('abort', () => {
    for (const [flight, cancel] of waiting) if (flight.isWaiting) cancel()
  })
  let hadSuccess = false
  const post = client(sending, () => hadSuccess)

  return async call => {
    const flight = new Flight(call, sending.now().getTime())
    if (sending.stop.reason !== undefined) return { status: 'unsent' }
    const { response, cancel } = post(flight)
    waiting.set(flight, cancel)
    try {
      const { headers, statusCode } = await response
      hadSuccess = true
      if (flight.isOnKept) sending.client.noteKept(true)
      return created(flight, sending, headers.date, statusCode)
    } catch (error) {
      if (
        flight.failure === undefined &&
        !(error instanceof CancelError) &&
        sending.stop.reason === undefined
      )
        throw error
      return notCreated(flight, sending)
    } finally {
      waiting.delete(flight)
    }
  }
}

function client(sending: Sending, hadSuccess: () => boolean) {
  const { token, pace, record } = sending
  const instance = sending.client.got.extend({
    hooks: {
      beforeRequest: [
        async options => {
          const { flight } = options.context as { flight: Flight }
          await pace.turn()
          await afterPolling()
          flight.beginAttempt(token.value)
          options.headers.authorization = `Bearer ${flight.token}`
        },
      ],
      afterResponse: [
        response => {
          if (response.statusCode >= 400) return response
          const { flight } = response.request.options.context as { flight: Flight }
          flight.answer = response.statusCode < 300 ? readAnswer(String(response.body), record) : undefined
          if (flight.answer === undefined) throw new UnreadableAnswer()
          return response
        },
      ],
    },
    retry: { calculateDelay: ({ error }) => delayAfter(error, sending, hadSuccess()) },
  })

  return (flight: Flight): { response: Promise<Response>; cancel: () => void } => {
    const response = instance(sending.url, { json: flight.call.body, context: { flight } })
    let request: ClientRequest | undefined
    response.on('request', begun => {
      request = begun as unknown as ClientRequest
      flight.watch(request)
    })
    response.on('downloadProgress', ({ transferred }) => {
      if (transferred > largestAnswerBytes)
        request?.destroy(
          Object.assign(new Error('the answer is too large'), { code: 'ERR_ANSWER_TOO_LARGE' }),
        )
    })
    return { response: response as unknown as Promise<Response>, cancel: () => response.cancel() }
  }
}

/** Lets the event loop hear of connections that the server has closed, before one of them is taken again. */
async function afterPolling(): Promise<void> {
  await endOfTurn() // of this turn, whose sockets were polled already
  await endOfTurn()
}

/** Asked by got after each failed attempt: notes what it was, and gives the milliseconds to the next, 0 for none. */
async function delayAfter(error: RequestError, sending: Sending, hadSuccess: boolean): Promise<number> {
  const { flight } = error.options.context as { flight: Flight }
  const { stop, now, token, pace } = sending
  const httpStatus = error.response?.statusCode
  const fault = classify({ sent: flight.sent, ...(httpStatus !== undefined && { httpStatus }) }, hadSuccess)
  flight.failure = { fault, httpStatus, error: explain(error, flight) }
  if (fault === 'ambiguous') flight.inDoubt = true
  if (flight.isOnKept && wasBroken(error)) sending.client.noteKept(false)
  if (stop.reason !== undefined) return 0
  if (httpStatus === 401 && flight.attempts <= sending.retries && (await token.renew(flight.token))) return 1

  const retryAfterMs =
    fault === 'throttled' ? readRetryAfter(error.response?.headers['retry-after'], now()) : undefined
  if (fault === 'unauthorized') stop.request(unauthorized(error))
  if (retryAfterMs !== undefined && retryAfterMs > longestWaitMs)
    stop.request({ is: 'asked_to_wait', until: new Date(now().getTime() + retryAfterMs) })
  const { attempts } = flight
  const delayMs = delayBeforeRetry(
    { fault, attempts, retries: sending.retries, mode: sending.mode, retryAfterMs },
    sending.random,
  )
  if (fault === 'throttled') pace.holdUntil(now().getTime() + (retryAfterMs ?? delayMs ?? 0))
  if (delayMs === undefined || stop.reason !== undefined) return 0
  flight.isWaiting = true
  sending.tell({ is: 'retry', fault, delayMs, message: flight.failure.error.message })
  return delayMs
}

/** Whether the connection broke before the answer began. */
const wasBroken = ({ response, code }: RequestError) =>
  response === undefined && (code === 'ECONNRESET' || code === 'EPIPE')

function unauthorized({ response }: RequestError) {
  const location = response?.headers.location
  return {
    is: 'unauthorized',
    httpStatus: response?.statusCode ?? 0,
    ...(location !== undefined && { location }),
  } as const
}

/** Says what an attempt came to; the token is taken out of whatever the service wrote. */
function explain(error: RequestError, { sent, token }: Flight): RowError {
  const { response, code } = error
  if (response === undefined)
    return { message: (sent ? problems.noAnswer(code) : problems.neverReached(code)).message }
  const status = response.statusCode
  const text =
    typeof response.body === 'string' ? response.body.replaceAll(token, '[token]').slice(0, longestQuote) : ''
  const quote = text === '' ? {} : { body: text }
  if (status >= 300) return { message: problems.answered(status).message, ...quote }
  return { message: (text === '' ? problems.cutAnswer(code) : problems.unreadable()).message, ...quote }
}

function created(
  flight: Flight,
  { useCreated, now, tell }: Sending,
  date: string | undefined,
  httpStatus: number,
): Created {
  const { answer } = flight
  if (answer === undefined) throw new Error('a call succeeded without an answer')
  if (answer.differences.length > 0) tell({ is: 'answer_differs', differences: answer.differences })
  const durationMs = now().getTime() - flight.startedMs
  const isOld = useCreated === true && !isFresh(answer.createdAt, date, durationMs)
  return {
    status: isOld ? 'existing' : 'created',
    recordId: answer.recordId,
    httpStatus,
    attempts: flight.attempts,
    durationMs,
  }
}

function notCreated(flight: Flight, { now }: Sending): Delivered {
  const { failure, attempts } = flight
  if (failure === undefined) return { status: 'unsent' }
  const effort = {
    fault: failure.fault,
    ...(failure.httpStatus !== undefined && { httpStatus: failure.httpStatus }),
    attempts,
    durationMs: now().getTime() - flight.startedMs,
  }
  if (!flight.inDoubt) return { status: 'failed', ...effort, errors: [failure.error] }
  const { message, ...rest } = failure.error
  const error =
    failure.fault === 'ambiguous'
      ? failure.error
      : { ...rest, message: problems.stillInDoubt(message).message }
  return { status: 'in_doubt', ...effort, errors: [error], body: flight.call.body as Body }
}
