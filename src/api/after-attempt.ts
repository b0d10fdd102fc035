import type { RequestError } from 'got'
import { problems } from '../model/problems.ts'
import type { Fault, RowError } from '../model/row.ts'
import { withdraw } from './announce.ts'
import { UnreadableAnswer } from './answer.ts'
import { classify } from './classify.ts'
import type { Flight } from './flight.ts'
import { delayBeforeRetry, longestWaitMs, readRetryAfter } from './retry.ts'
import type { Sending } from './sending.ts'

const longestQuote = 500

/**
 * Asked by got after each failed attempt: notes what it was, and gives the milliseconds to the next attempt, 0 for none.
 * `hadSuccess` says whether a call of this run succeeded before.
 */
export async function afterAttempt(
  error: RequestError,
  sending: Sending,
  hadSuccess: boolean,
): Promise<number> {
  const { flight } = error.options.context as { flight: Flight }
  if (flight.isWaiting) return 0 // the run stopped before the attempt began
  const { stop, token } = sending
  const httpStatus = error.response?.statusCode
  const fault = classify({ sent: flight.sent, ...(httpStatus !== undefined && { httpStatus }) }, hadSuccess)
  flight.failure = { fault, httpStatus, error: explain(error, flight) }
  if (fault === 'ambiguous') flight.mayHaveMade = true
  noteConnection(error, flight, sending)
  if (stop.reason !== undefined) return 0
  if (httpStatus === 401 && flight.mayRenewToken() && (await token.renew(flight.token)))
    return soon(flight, sending)
  if (fault === 'unauthorized') stop.request(unauthorized(error))
  return delayAfter(error, fault, flight, sending)
}

/** The next attempt may begin at once, unless the run has stopped meanwhile. */
function soon(flight: Flight, sending: Sending): number {
  flight.isWaiting = true
  withdraw(flight, sending)
  return sending.stop.reason === undefined ? 1 : 0
}

function delayAfter(error: RequestError, fault: Fault, flight: Flight, sending: Sending): number {
  const { stop, pace, retries, mode, random } = sending
  const nowMs = sending.now().getTime()
  const header = error.response?.headers['retry-after']
  const retryAfterMs = fault === 'throttled' ? readRetryAfter(header, sending.now()) : undefined
  if (retryAfterMs !== undefined && retryAfterMs > longestWaitMs)
    stop.request({ is: 'asked_to_wait', until: new Date(nowMs + retryAfterMs) })
  const delayMs = delayBeforeRetry({ fault, attempts: flight.attempts, retries, mode, retryAfterMs }, random)
  if (fault === 'throttled') pace.holdUntil(nowMs + (retryAfterMs ?? delayMs ?? 0))
  if (delayMs === undefined || stop.reason !== undefined) return 0
  flight.isWaiting = true
  withdraw(flight, sending)
  sending.tell({ is: 'retry', fault, delayMs, message: flight.failure?.error.message ?? '' })
  return delayMs
}

function noteConnection({ response, code }: RequestError, { connection }: Flight, { client }: Sending): void {
  if (connection === undefined) return
  const isBroken = response === undefined && (code === 'ECONNRESET' || code === 'EPIPE')
  if (response?.complete) client.connections.answered(connection)
  else client.connections.failed(connection, isBroken)
}

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
  const text = typeof response.body === 'string' ? masked(response.body, token).slice(0, longestQuote) : ''
  const quote = text === '' ? {} : { body: text }
  if (status >= 300) return { message: problems.answered(status).message, ...quote }
  const isWhole = error.cause instanceof UnreadableAnswer
  return { message: (isWhole ? problems.unreadable() : problems.cutAnswer(code)).message, ...quote }
}

/** The text without the token, as it is and as JSON writes it. */
const masked = (text: string, token: string) =>
  text.replaceAll(token, '[token]').replaceAll(JSON.stringify(token).slice(1, -1), '[token]')
