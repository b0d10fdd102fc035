import { describe, expect, it } from 'vitest'
import { delayBeforeRetry, holdOfRun, readRetryAfter, type Try } from '../../../src/api/retry.ts'

const lowest = () => 0
const highest = () => 1
const throttled: Try = {
  fault: 'throttled',
  attempts: 1,
  retries: 5,
  mode: 'at-most-once',
  retryAfterMs: undefined,
}

describe('delay before the next attempt', () => {
  it('the next delay doubles its ceiling with every attempt, up to 30 seconds', () => {
    const ceilings = [1, 2, 3, 4, 5, 6, 7, 8].map(attempts =>
      delayBeforeRetry({ ...throttled, attempts, retries: 9 }, highest),
    )
    expect(ceilings).toEqual([501, 1001, 2001, 4001, 8001, 16001, 30001, 30001])
  })

  it('the next delay is drawn from the whole way down to next to nothing', () => {
    expect(delayBeforeRetry({ ...throttled, attempts: 5 }, lowest)).toBe(1)
  })

  it('the next delay is never shorter than what the service asks for', () => {
    expect(delayBeforeRetry({ ...throttled, retryAfterMs: 40_000 }, lowest)).toBeGreaterThanOrEqual(40_000)
  })

  it('the next delay does not exist once the retries are spent', () => {
    expect(delayBeforeRetry({ ...throttled, attempts: 6 }, lowest)).toBeUndefined()
    expect(delayBeforeRetry({ ...throttled, attempts: 1, retries: 0 }, lowest)).toBeUndefined()
  })

  it('the next delay does not exist when the service asks for more than ten minutes', () => {
    expect(delayBeforeRetry({ ...throttled, retryAfterMs: 600_000 }, lowest)).toBeDefined()
    expect(delayBeforeRetry({ ...throttled, retryAfterMs: 600_001 }, lowest)).toBeUndefined()
  })

  it('the next delay exists for an ambiguous attempt only if a second record is no harm', () => {
    const ambiguous: Try = { ...throttled, fault: 'ambiguous' }
    expect(delayBeforeRetry({ ...ambiguous, mode: 'at-least-once' }, lowest)).toBeDefined()
    expect(delayBeforeRetry({ ...ambiguous, mode: 'at-most-once' }, lowest)).toBeUndefined()
  })

  it('the next delay is long enough to tell which attempt made a record, if the service finds the first', () => {
    const found: Try = { ...throttled, fault: 'ambiguous', mode: 'at-least-once', useCreated: true }
    expect(delayBeforeRetry(found, lowest)).toBe(3_001)
    expect(delayBeforeRetry({ ...found, useCreated: false }, lowest)).toBe(1)
    expect(delayBeforeRetry({ ...found, fault: 'never_reached' }, lowest)).toBe(1)
  })

  it('the next delay exists for a call that was never sent in both modes', () => {
    for (const mode of ['at-least-once', 'at-most-once'] as const)
      expect(delayBeforeRetry({ ...throttled, fault: 'never_reached', mode }, lowest)).toBeDefined()
  })

  it.each(['refused', 'unauthorized'] as const)(
    'the next delay does not exist for a call that was %s',
    fault => {
      expect(delayBeforeRetry({ ...throttled, fault, mode: 'at-least-once' }, lowest)).toBeUndefined()
    },
  )
})

describe('hold of the whole run', () => {
  it('the hold of the whole run is a quarter to a half of the ceiling of that attempt', () => {
    expect([1, 2, 7].map(attempts => holdOfRun(attempts, lowest))).toEqual([125, 250, 7_500])
    expect([1, 2, 7].map(attempts => holdOfRun(attempts, highest))).toEqual([250, 500, 15_000])
  })
})

describe('Retry-After', () => {
  const now = new Date('2026-11-21T08:00:00Z')

  it.each([
    ['40', 40_000],
    ['0', 0],
    [' 7 ', 7_000],
    ['1.25', 1_250],
    ['9'.repeat(400), 315_360_000_000],
    ['Sat, 21 Nov 2026 08:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2026 07:00:00 GMT', 0],
    ['Saturday, 21-Nov-26 08:01:00 GMT', 60_000],
    ['Sat Nov 21 08:01:00 2026', 60_000],
    ['2026-11-21T08:01:00Z', 60_000],
    ['soon', undefined],
    ['in 2099', undefined],
    ['-5', undefined],
    ['40 minutes', undefined],
    ['x40', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('Retry-After: %j asks for %j ms', (header, ms) => {
    expect(readRetryAfter(header, now)).toBe(ms)
  })
})
