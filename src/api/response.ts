import type { RowError } from '../model/outcome.ts'
import { type Problem, problem } from '../model/problem.ts'
import type { Body, RowPlace } from '../model/row.ts'
import { masked } from '../model/secrets.ts'
import { atPath } from '../model/values.ts'
import type { NoteDifferences } from '../records/checks.ts'
import { type Json, missingInAnswer, otherField } from '../records/compare.ts'
import type { ResponseRule } from '../settings/response-rules.ts'
import type { AttemptEnd, HttpAnswer } from './http-client.ts'
import { classify, findRule } from './retry.ts'

export interface CreateAnswer {
  readonly recordId: string
  /** Unchanged; undefined if it is not text. */
  readonly createdAt: string | undefined
  /** Difference between the answer and the record (interface 2): path and what was expected. Reported, never a failure. */
  readonly differences: readonly string[]
  /** The paths of what was sent and is not in the answer. */
  readonly missing: readonly string[]
  /** Another row of the import that has the record. */
  readonly sameAs?: RowPlace | undefined
}

/** A UUID of which some digit is not 0. */
const uuid = /^(?=.*[1-9a-f])[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const byteOrderMark = 0xfeff

/** The reason why a whole answer says nothing certain; undefined if it does. The client takes away the encodings that it decoded. */
export function unreadableBecause({ status, headers }: HttpAnswer): string | undefined {
  const { 'content-encoding': encoding = '' } = headers
  if (status === 206) return '206, a part of it'
  return /^(identity)?$/i.test(encoding.trim()) ? undefined : `content-encoding: ${encoding}`
}

/** Reads the answer to a create call of `body` (interface 4.1, 4.2): JSON with a UUID as its record_id, and the fields that were sent. */
export function readAnswer(
  text: string,
  noteDifferences: NoteDifferences,
  body: Body,
  findsSimilar: boolean,
): CreateAnswer | Problem {
  let json: Json
  try {
    json = JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text)
  } catch {
    return problem('no_record_id')
  }
  const recordId = atPath(json, 'record_id')
  if (typeof recordId !== 'string' || !uuid.test(recordId)) return problem('no_record_id')
  const field = otherField(body, json, findsSimilar)
  if (field !== undefined) return problem('answer_of_other_row', { field })
  const createdAt = atPath(json, 'created_at')
  const differences: string[] = []
  noteDifferences(json, differences)
  return {
    recordId,
    createdAt: typeof createdAt === 'string' ? createdAt : undefined,
    differences,
    missing: missingInAnswer(body, json),
  }
}

/** The `Date` header has whole seconds, and the record may have been made a moment before the request was read. */
const clockSlackMs = 2_000

/** Checks that a record is no older than the first attempt, by the service's own clock. A time without a zone is UTC; true without a time. */
export function isFresh(
  createdAt: string | undefined,
  dateHeader: string | undefined,
  sinceFirstAttemptMs: number,
): boolean {
  const madeAt = createdAt === undefined ? Number.NaN : Date.parse(withZone(createdAt))
  const serviceNow = Date.parse(dateHeader ?? '')
  if (Number.isNaN(madeAt) || Number.isNaN(serviceNow)) return true
  return serviceNow - madeAt <= sinceFirstAttemptMs + clockSlackMs
}

const withZone = (timestamp: string) => (/(Z|[+-]\d\d:?\d\d)$/i.test(timestamp) ? timestamp : `${timestamp}Z`)

/** An attempt without a record. */
export type Failure = Readonly<ReturnType<typeof readFailure>>

export const isSuccess = (httpStatus: number): boolean => httpStatus >= 200 && httpStatus < 300

/** Classifies an attempt without a record. `wrong`: the problem of a whole answer whose status is a success. */
export function readFailure(
  end: AttemptEnd,
  wrong: Problem | undefined,
  rules: readonly ResponseRule[],
  hadSuccess: boolean,
) {
  const { sent, answer } = end
  const httpStatus = answer?.status
  const isOpen = answer?.isWhole && (wrong === undefined || wrong.code === 'no_record_id')
  const rule = findRule(rules, httpStatus, isOpen ? answer.text : undefined)
  const fault = classify({ sent, httpStatus }, hadSuccess, rule)
  const plain = explain(end, wrong)
  const explained = rule
    ? { ...plain, ...problem('response_rule', { problem: plain, means: rule.means }) }
    : plain
  return { fault, httpStatus, rule, error: explained }
}

const longestQuote = 500

function explain({ sent, answer, reason, proxyStatus }: AttemptEnd, wrong: Problem | undefined): RowError {
  if (proxyStatus !== undefined) return problem('proxy_refused', { status: proxyStatus })
  if (answer === undefined) return problem(sent ? 'no_answer' : 'never_reached', { reason })
  const { status, text } = answer
  const start = masked(text.slice(0, 100 * longestQuote)) // a token may end after the quote
  const quote = start === '' ? {} : { body: start.slice(0, longestQuote) }
  if (!isSuccess(status)) return { ...problem('http_error', { status }), ...quote }
  return { ...(wrong ?? problem('incomplete_answer', { reason })), ...quote }
}
