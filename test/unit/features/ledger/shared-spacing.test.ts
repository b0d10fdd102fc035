import { describe, expect, it } from 'vitest'
import { type Limiter, limiterOf } from '../../../../src/api/limiter.ts'
import type { LimiterEvent } from '../../../../src/model/events.ts'
import { Stop } from '../../../../src/model/stop.ts'
import { testClock } from '../../../support/clock.ts'
import { TestPace } from '../../../support/shared-pace.ts'

/** Limiters of one pace, on a clock that the test turns. */
function workersOf(count: number, rate?: number, concurrency = 1000) {
  const clock = testClock()
  const pace = new TestPace(clock)
  const stop = new Stop()
  const events: LimiterEvent[] = []
  const emit = (event: LimiterEvent) => void events.push(event)
  const settings = { concurrency, rate, stop, clock, random: () => 0, emit, shared: pace }
  const limiters = Array.from({ length: count }, () => limiterOf(settings))
  return { clock, pace, stop, events, limiters, first: limiters[0] as Limiter }
}

/** Asks for permits and gives each back after `callMs`; returns the times at which they come, to which it adds as they do. */
function callsOf(limiter: Limiter, clock: ReturnType<typeof testClock>, count: number, callMs = 0): number[] {
  const times: number[] = []
  for (let at = 0; at < count; at += 1)
    void limiter.acquire().then(({ startedMs, release }) => {
      times.push(startedMs)
      clock.after(callMs, release)
    })
  return times
}

/** The most starts in any second, of which one begins with each start. */
const mostInASecond = (startsMs: readonly number[]): number =>
  Math.max(...startsMs.map(fromMs => startsMs.filter(ms => ms >= fromMs && ms < fromMs + 1000).length))

describe('rate that workers share', () => {
  it.each([0.5, 5, 50, 400])(
    'a shared rate of %f a second is reached by one of them alone, evenly',
    async rate => {
      const { clock, first } = workersOf(1, rate)
      const count = Math.ceil(rate * 4)
      const times = callsOf(first, clock, count)
      await clock.advance((count * 1000) / rate)
      expect(times).toEqual(Array.from({ length: count }, (_, at) => Math.ceil((at * 1000) / rate)))
    },
  )

  it('a shared rate is reached if the ledger takes its time', async () => {
    const { clock, first, pace } = workersOf(1, 50)
    pace.latencyMs = 120
    const times = callsOf(first, clock, 1_000)
    await clock.advance(4_000)
    expect(times.length).toBeGreaterThanOrEqual(0.97 * 200)
  })

  it('a shared rate is never exceeded by all of them, and nobody goes without', async () => {
    const { clock, limiters } = workersOf(3, 50)
    const each = limiters.map(limiter => callsOf(limiter, clock, 200))
    await clock.advance(6_000)
    const all = each.flat().sort((a, b) => a - b)
    expect(mostInASecond(all)).toBeLessThanOrEqual(60)
    expect(all.length).toBeGreaterThanOrEqual(0.97 * 300)
    for (const times of each) expect(times.length).toBeGreaterThan(80)
  })

  it('a shared rate is given to those who use it while the others are busy', async () => {
    const { clock, limiters } = workersOf(2, 100, 4)
    const [slow, quick] = limiters.map((limiter, at) => callsOf(limiter, clock, 500, at === 0 ? 400 : 40))
    await clock.advance(4_000)
    expect(slow?.length).toBeGreaterThan(30) // of the 40 that it has time for
    expect(quick?.length).toBeGreaterThan(320) // of the 400
  })

  it('a shared rate is not saved up while nobody calls', async () => {
    const { clock, limiters, pace } = workersOf(3, 50)
    for (const limiter of limiters) callsOf(limiter, clock, 1)
    await clock.advance(5_000)
    expect(pace.taken).toEqual([10, 10, 10])
    const each = limiters.map(limiter => callsOf(limiter, clock, 100))
    await clock.advance(1_000)
    expect(mostInASecond(each.flat())).toBeLessThanOrEqual(52)
  })

  it('a shared rate is asked for again each second while there are no starts to be had', async () => {
    const { clock, first, pace } = workersOf(1, 50)
    pace.isAway = true
    const times = callsOf(first, clock, 5)
    await clock.advance(3_500)
    expect([times, pace.taken.length]).toEqual([[], 4])
    pace.isAway = false
    await clock.advance(1_000)
    expect(times).toEqual([4_000, 4_020, 4_040, 4_060, 4_080])
  })

  it('a shared rate lets go of those who wait when the run stops', async () => {
    const { clock, first, stop, pace } = workersOf(1, 1)
    const waiting = [first.acquire(), first.acquire(), first.acquire()].slice(1)
    await clock.advance(100)
    stop.request({ code: 'signal', params: { signal: 'SIGTERM' } })
    const settled = await Promise.allSettled(waiting)
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const asked = pace.taken.length
    await clock.advance(10_000)
    expect([clock.timers, pace.taken.length]).toEqual([0, asked])
  })
})

describe('worker that is throttled', () => {
  it('a worker that is throttled shares until when to wait, and once that it slows down', async () => {
    const { clock, first, pace } = workersOf(1)
    const together = await Promise.all([first.acquire(), first.acquire()])
    await clock.advance(10)
    for (const permit of together) first.backOff(permit, 1, 40_000)
    first.backOff({ startedMs: clock.elapsedMs(), release() {} }, 1, undefined)
    expect(pace.shared).toEqual([
      [40_010, true],
      [40_010, false],
      [135, true],
    ])
  })

  it('a worker that is throttled shares nothing that ends its run', () => {
    const { first, pace, stop } = workersOf(1)
    stop.request({ code: 'asked_to_wait', params: { until: new Date() } })
    first.backOff({ startedMs: 0, release() {} }, 1, 3_600_000)
    expect(pace.shared).toEqual([])
  })
})

describe('worker that hears of a throttled one', () => {
  it('a worker that hears of throttling starts nothing until then, and reports it once', async () => {
    const { clock, first, pace, events } = workersOf(1)
    pace.shareWithAll(5_000, false)
    const times = callsOf(first, clock, 2)
    for (const laterMs of [1, 3, 2]) {
      await clock.advance(1_000)
      pace.shareWithAll(5_000 + laterMs, false)
    }
    await clock.advance(3_000)
    expect(times).toEqual([5_003, 5_003])
    expect(events.slice(1)).toEqual([{ type: 'hold', forMs: 5_000, byService: false }, { type: 'resumed' }])
  })

  it('a worker that hears of throttling slows down once for all that were throttled together', async () => {
    const { clock, first, pace, events } = workersOf(1, undefined, 16)
    await clock.advance(5_000)
    first.backOff({ startedMs: 5_000, release() {} }, 1, 0)
    for (const ms of [250, 500, 1_000]) {
      await clock.advance(ms)
      pace.shareWithAll(0, true)
    }
    const limits = events.flatMap(event => (event.type === 'concurrency' ? [event.atOnce] : []))
    expect(limits).toEqual([16, 8, 4])
  })

  it('a worker that hears of throttling rises again as after its own, however often it looks', async () => {
    const { clock, first, pace, events } = workersOf(1, undefined, 20)
    pace.shareWithAll(0, true)
    for (let at = 0; at < 8; at += 1) {
      await clock.advance(250)
      first.speedUp(true)
    }
    const limits = events.flatMap(event => (event.type === 'concurrency' ? [event.atOnce] : []))
    expect(limits).toEqual([20, 10, 12, 14])
  })
})
