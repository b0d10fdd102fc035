import { describe, expect, it } from 'vitest'
import { patternOf } from '../../../src/model/pattern.ts'
import type { Failed, Fault } from '../../../src/model/row.ts'
import { likeThrottling } from '../../../src/model/throttling.ts'

/** A row that came to nothing by an answer. */
const refusedWith = (httpStatus: number, body: string, fault: Fault = 'refused'): Failed => ({
  status: 'failed',
  fault,
  httpStatus,
  attempts: 1,
  durationMs: 1,
  errors: [{ message: `the service answered ${httpStatus}`, body }],
})
const likeness = (httpStatus: number, body: string, fault?: Fault, values: readonly string[] = []) =>
  likeThrottling(refusedWith(httpStatus, body, fault), patternOf(body, values))
const wordsIn = (body: string, values?: readonly string[]) => likeness(400, body, 'refused', values)?.words

describe('an answer looks like throttling', () => {
  it.each([
    ['{"error":"API Rate Limit exceeded for 17"}', 'rate limit'],
    ['{"code":"RateLimitExceeded"}', 'ratelimit'],
    ['{"code":"rate_limit_exceeded","message":"slow"}', 'rate_limit'],
    ['You are being rate-limited', 'rate-limit'],
    ['Too many requests from 10.0.0.1', 'too many requests'],
    ['TooManyRequestsException', 'toomanyrequests'],
    ['too many concurrent calls', 'too many concurrent calls'],
    ['Request was throttled. Expected available in 5 seconds.', 'throttled'],
    ['{"__type":"ThrottlingException"}', 'throttling'],
    ['Quota exceeded for quota metric 5', 'quota exceeded'],
    ['You have exceeded your current quota', 'exceeded your current quota'],
    ['{"Code":"SlowDown"}', 'slowdown'],
    ['Please slow down!', 'slow down'],
    ['Request limit exceeded', 'request limit exceeded'],
    ['{"code":"RequestLimitExceeded"}', 'requestlimitexceeded'],
    ['Your daily API quota has been exhausted', 'your daily api quota has been exhausted'],
    ['Limit reached', 'limit reached'],
    ['The limit of 100 requests per minute has been reached', 'requests per minute has been reached'],
    ['You have reached your hourly limit', 'reached your hourly limit'],
    ['Busy. Try again later.', 'try again later'],
    ['Please retry your request again in 5 s', 'retry your request again in'],
    ['Retry-After: 7', 'retry-after'],
  ])('by its words: %s', (body, words) => {
    expect(wordsIn(body)).toBe(words)
    expect(body.toLowerCase()).toContain(words)
  })

  it.each([420, 509, 529])('by its status %d', status => {
    expect(likeness(status, '', 'ambiguous')).toEqual({ httpStatus: status, words: undefined })
    expect(likeness(status, 'Rate limit')).toEqual({ httpStatus: status, words: 'rate limit' })
  })

  it.each(['refused', 'ambiguous', 'unauthorized'] as const)('whatever it was taken for: %s', fault => {
    expect(likeness(403, 'rate limit', fault)).toEqual({ httpStatus: 403, words: 'rate limit' })
  })
})

describe('an answer does not look like throttling', () => {
  it.each([
    '{"error":"name is taken"}',
    '',
    'Character limit exceeded',
    'The name exceeded the length limit',
    'Storage quota exceeded',
    'storage_limit_reached',
    'sublimit exceeded',
    'The plan limit reached: at most 10,000 contacts',
    'the limit is 255 characters',
    'a separate limited company',
    '{"error":"Internal server error, please try again later"}',
    'Something went wrong. Try again later.',
    'Invalid billing rate',
  ])('by what it says: %s', body => {
    expect(wordsIn(body)).toBeUndefined()
  })

  it('where it is taken for it already, or a rule has decided', () => {
    expect(likeness(429, 'rate limit', 'throttled')).toBeUndefined()
    const ruled = { ...refusedWith(400, 'rate limit'), byRule: true as const }
    expect(likeThrottling(ruled, 'rate limit')).toBeUndefined()
  })

  it('where there was none', () => {
    const { httpStatus, ...unanswered } = refusedWith(400, 'rate limit')
    expect(likeThrottling(unanswered, 'rate limit')).toBeUndefined()
  })

  it('by a value that it quotes, or that was sent', () => {
    expect(wordsIn('Name "Rate limit" is taken')).toBeUndefined()
    expect(wordsIn('{"error":"taken","name":"Too many requests"}')).toBeUndefined()
    expect(wordsIn('Task Mend the rate limit exists', ['Mend the rate limit'])).toBeUndefined()
  })

  it('by words that its text does not hold as they would be searched', () => {
    expect(wordsIn('rate\n   limit')).toBeUndefined()
  })
})
