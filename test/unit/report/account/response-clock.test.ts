import { describe, expect, it } from 'vitest'
import { ResponseClock } from '../../../../src/report/account/response-clock.ts'

describe('response times', () => {
  it('are told by their mean, their largest and how many took no longer', () => {
    const clock = new ResponseClock()
    for (let ms = 1; ms <= 1_000; ms += 1) clock.take(ms)
    expect(clock.facts()).toEqual({
      calls: 1_000,
      meanMs: 500.5,
      maxMs: 1_000,
      percentiles: [50, 75, 90, 95, 99, 99.9].map(percent => ({ percent, ms: percent * 10 })),
    })
  })

  it('bear what is less than a millisecond, and what took longer than any call', () => {
    const clock = new ResponseClock()
    expect(clock.facts()).toBeUndefined()
    clock.take(0)
    clock.take(1e15)
    expect(clock.facts()).toMatchObject({ calls: 2, maxMs: 1e15 })
  })
})
