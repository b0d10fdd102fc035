import { expect, it } from 'vitest'
import { aimdLimit } from '../../../src/api/limiter.ts'

it('after many decreases the limit at most doubles in a second', () => {
  const limit = aimdLimit(50)
  for (let nowMs = 1; nowMs < 10; nowMs += 1) limit.decrease(nowMs, nowMs)
  const seen: number[] = []
  for (let nowMs = 2_000; limit.current < 50; nowMs += 1_000) {
    limit.increase(nowMs)
    seen.push(limit.current)
  }
  expect(seen).toEqual([2, 4, 8, 13, 18, 23, 28, 33, 38, 43, 48, 50])
})
