import { describe, expect, it } from 'vitest'
import type { Estimate } from '../../../src/model/events.ts'
import { describeEstimate, estimatedSeconds } from '../../../src/output/words/notices.ts'

const estimate = (changes: Partial<Estimate>): Estimate => ({
  ...{ calls: 1_204, extent: 'exact', callMs: 330, concurrency: 10, rate: undefined },
  ...changes,
})

describe('how long calls take', () => {
  it.each<[string, Partial<Estimate>, string, number]>([
    [
      'as earlier ones took',
      {},
      '1,204 calls: about 40 s at 330 ms a call (as the last ones took), 10 at a time',
      40,
    ],
    [
      'under two assumptions, where no earlier ones are known',
      { callMs: undefined },
      '1,204 calls: about 25 s at 200 ms a call, 2 min at 1 s a call, 10 at a time',
      25,
    ],
    [
      'no less than the rate allows',
      { calls: 600, rate: 5, extent: 'most' },
      'up to about 600 calls: about 2 min at 330 ms a call (as the last ones took), 10 at a time, at most 5 a second',
      120,
    ],
    [
      'of which there are fewer than go out at a time',
      { calls: 1, callMs: 1_234.5 },
      '1 call: about 2 s at 1.2 s a call (as the last ones took), 10 at a time',
      2,
    ],
    [
      'that have no known end',
      { calls: 1_000, extent: 'each', callMs: 150, concurrency: 4 },
      'each 1,000 calls: about 38 s at 150 ms a call (as the last ones took), 4 at a time',
      38,
    ],
    [
      'of two million rows',
      { calls: 2_000_000, callMs: 200 },
      '2,000,000 calls: about 11 h 7 min at 200 ms a call (as the last ones took), 10 at a time',
      40_000,
    ],
  ])('the time that calls take is estimated: %s', (_, changes, words, seconds) => {
    expect(describeEstimate(estimate(changes))).toBe(words)
    expect(estimatedSeconds(estimate(changes))).toBe(seconds)
  })
})
