import type { RequestError } from 'got'
import { problems } from '../model/problems.ts'
import type { Fault, RowError } from '../model/row.ts'
import { ProxyRefusal } from './agents.ts'
import { withdraw } from './announce.ts'
import { type AnswerRule, matchingRule, toldWith } from './answer-rules.ts'
import { BadAnswer } from './attempt.ts'
import { classify } from './classify.ts'
import type { Flight } from './flight.ts'
import { delayBeforeRetry, longestWaitMs, readRetryAfter } from './retry.ts'
import type { Sending } from './sending.ts'

const longestQuote = 500

/**
 * Notes what a failed attempt was, and gives the milliseconds after which the next one may begin; undefined when there is none.
 * `hadSuccess` says whether a call of this run succeeded before.
 */
export async function afterAttempt(
  error: RequestError,
  flight: Flight,
  sending: Sending,
  hadSuccess: boolean,
): Promise<number | undefined> {
  const { stop, token, pace } = sending
  const httpStatus = error.response?.statusCode
  const rule = matchingRule(sending.rules, httpStatus, isWhole(error) ? flight.text : undefined)
  const attempt = { sent: flight.sent, ...(httpStatus !== undefined && { httpStatus }) }
  const fault = classify(attempt, hadSuccess, rule)
  flight.failure = { fault, httpStatus, error: toldWith(rule, explain(error, flight)), rule }
  if (fault === 'ambiguous') flight.mayHaveMade = true
  if (fault === 'throttled') flight.throttled += 1
  if (fault === 'refused') pace.taken()
  noteConnection(error, flight, sending)
  if (stop.reason !== undefined) return undefined
  const isTokenRefused = fault === 'unauthorized' && (httpStatus === 401 || rule !== undefined)
  if (isTokenRefused && flight.mayRenewToken() && (await token.renew(flight.token)))
    return soon(flight, sending)
  if (fault === 'unauthorized') stop.request(unauthorized(error, rule))
  return delayAfter(error, fault, flight, sending)
}

/** The next attempt may begin at once, unless the run has stopped meanwhile. */
function soon(flight: Flight, sending: Sending): number | undefined {
  withdraw(flight, sending)
  return sending.stop.reason === undefined ? 0 : undefined
}

function delayAfter(error: RequestError, fault: Fault, flight: Flight, sending: Sending): number | undefined {
  const { stop, pace, retries, mode, random } = sending
  const header = error.response?.headers['retry-after']
  const retryAfterMs = fault === 'throttled' ? readRetryAfter(header, sending.clock.now()) : undefined
  if (retryAfterMs !== undefined && retryAfterMs > longestWaitMs)
    stop.request({ is: 'asked_to_wait', until: new Date(sending.clock.now().getTime() + retryAfterMs) })
  const delayMs = delayBeforeRetry({ fault, attempts: flight.attempts, retries, mode, retryAfterMs }, random)
  if (fault === 'throttled' && flight.turn !== undefined)
    pace.throttled(flight.turn, flight.attempts, retryAfterMs)
  if (delayMs === undefined || stop.reason !== undefined) return undefined
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

function unauthorized({ response }: RequestError, rule: AnswerRule | undefined) {
  const location = response?.headers.location
  return {
    is: 'unauthorized',
    httpStatus: response?.statusCode ?? 0,
    ...(location !== undefined && { location }),
    ...(rule !== undefined && { byRule: true as const }),
  } as const
}

/** Says what an attempt came to; the token is taken out of whatever the service wrote. */
function explain(error: RequestError, { sent, token, text }: Flight): RowError {
  const { response, code } = error
  if (error.cause instanceof ProxyRefusal)
    return { message: problems.proxyRefused(error.cause.httpStatus).message }
  if (response === undefined)
    return { message: (sent ? problems.noAnswer(code) : problems.neverReached(code)).message }
  const status = response.statusCode
  const quote = text === '' ? {} : { body: masked(text, token).slice(0, longestQuote) }
  if (status >= 300) return { message: problems.answered(status).message, ...quote }
  return { message: (isWhole(error) ? problems.unreadable() : problems.cutAnswer(code)).message, ...quote }
}

/** Whether an answer came to its end. */
const isWhole = ({ cause }: RequestError) => cause instanceof BadAnswer

/** The text without the token, as it is and as JSON writes it. */
const masked = (text: string, token: string) =>
  text.replaceAll(token, '[token]').replaceAll(JSON.stringify(token).slice(1, -1), '[token]')
