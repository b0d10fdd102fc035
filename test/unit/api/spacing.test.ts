import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limiterOf, spacingOf } from '../../../src/api/limiter.ts'
import type { Clock } from '../../../src/model/clock.ts'
import { Stop } from '../../../src/model/stop.ts'
import { testClock } from '../../support/clock.ts'
import { repeats } from '../../support/random.ts'

const inWords = fc.oneof(
  fc.integer({ min: 1, max: 3_000 }),
  fc.integer({ min: 1, max: 80 }).map(eighths => eighths / 8),
)
/** Times that add up exactly. */
const lateMs = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 24 }).map(eighths => eighths / 8),
  fc.nat(60),
)

/** No second from any start on sees more starts than the rate, rounded up. */
function expectNoFuller(startsMs: readonly number[], rate: number): void {
  const most = Math.ceil(rate)
  for (const [at, startMs] of startsMs.slice(most).entries())
    expect(startMs - (startsMs[at] ?? 0)).toBeGreaterThanOrEqual(1000)
}

/** The same clock, all of whose timers are late. */
const lateBy = (clock: Clock, nextLateMs: () => number): Clock => ({
  ...clock,
  after: (delayMs, action, kind) => clock.after(delayMs + nextLateMs(), action, kind),
})

/** Waits for a permit of a limiter that limits the rate alone. */
function spacedBy(rate: number, clock: Clock, stop = new Stop()): () => Promise<void> {
  const limiter = limiterOf({ concurrency: 10_000, rate, stop, clock, random: () => 0, emit: () => {} })
  return async () => void (await limiter.acquire())
}

/** When each of so many attempts starts that are asked for at once. */
async function startsOf(rate: number, count: number): Promise<number[]> {
  const clock = testClock()
  const spaced = spacedBy(rate, clock)
  const starts = Promise.all(Array.from({ length: count }, () => spaced().then(clock.elapsedMs)))
  await clock.advance((count * 1000) / rate)
  return starts
}

describe('attempts at a rate', () => {
  it.each([
    [0.01, [0, 100_000, 200_000]],
    [0.5, [0, 2_000, 4_000, 6_000]],
    [2.5, [0, 400, 800, 1_200]],
    [5, [0, 200, 400, 600, 800, 1_000, 1_200]],
    [50, [0, 20, 40, 60, 80]],
    [400, [0, 3, 5, 8, 10, 13, 15]],
    [1_000, [0, 1, 2, 3]],
    [4_000, [0, 1, 1, 1, 1, 2, 2, 2, 2]],
  ])('attempts at a rate of %f a second are spread evenly, to the millisecond', async (rate, starts) => {
    expect(await startsOf(rate, starts.length)).toEqual(starts)
  })

  it('attempts at a rate start at once if the last one is long ago, and no two of them then', async () => {
    const clock = testClock()
    const spaced = spacedBy(10, clock)
    await spaced()
    await clock.advance(5_000)
    const starts = [spaced(), spaced(), spaced()].map(start => start.then(clock.elapsedMs))
    await clock.advance(200)
    expect(await Promise.all(starts)).toEqual([5_000, 5_100, 5_200])
  })

  it('attempts at a rate lose no more than the lateness of one timer in each second', async () => {
    const clock = testClock()
    const spaced = spacedBy(
      50,
      lateBy(clock, () => 3),
    )
    const starts: number[] = []
    for (let at = 0; at < 52; at += 1) void spaced().then(() => starts.push(clock.elapsedMs()))
    await clock.advance(1_100)
    expect(starts.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, at) => at && at * 20 + 3))
    expect(starts.slice(50)).toEqual([1_003, 1_026])
  })

  it.each([1_500, 3_000, 8_000])(
    'attempts at a rate reach %i a second with timers that are late by more than they wait',
    rate => {
      const spacing = spacingOf(rate)
      let nowMs = 0
      let count = 0
      while (nowMs < 10_000) {
        if (spacing.freeMs > nowMs) nowMs += Math.ceil(spacing.freeMs - nowMs) + 1.5
        else {
          spacing.start(nowMs, 0)
          count += 1
        }
      }
      expect(count).toBeLessThanOrEqual(rate * 10)
      expect(count).toBeGreaterThan(rate * 9.9)
    },
  )

  it('attempts at a rate do not make good a long standstill', () => {
    const spacing = spacingOf(100)
    spacing.start(0, 0)
    let count = 0
    for (; spacing.freeMs <= 500; count += 1) spacing.start(500, 0)
    expect(count).toBe(6)
  })

  it('attempts at a rate are never more in a second, however late they start', () => {
    fc.assert(
      fc.property(inWords, fc.array(lateMs, { maxLength: 5_000 }), (rate, lates) => {
        const spacing = spacingOf(rate)
        const starts: number[] = []
        let nowMs = 0
        for (const late of lates) {
          const askedMs = nowMs
          nowMs += Math.max(0, Math.ceil(spacing.freeMs - nowMs)) + late
          spacing.start(nowMs, askedMs)
          starts.push(nowMs)
        }
        expectNoFuller(starts, rate)
      }),
    )
  })

  it('attempts at a rate all start, in the order of the asking, and never too many in a second', async () => {
    const asked = fc.array(fc.nat(300), { minLength: 1, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(inWords, asked, fc.array(lateMs, { minLength: 1 }), async (rate, pausesMs, lates) => {
        const clock = testClock()
        let timers = 0
        const late = lateBy(clock, () => lates[timers++ % lates.length] ?? 0)
        const spaced = spacedBy(rate, late)
        const started: number[] = []
        const startsMs: number[] = []
        for (const [at, pauseMs] of pausesMs.entries()) {
          await clock.advance(pauseMs)
          void spaced().then(() => {
            started.push(at)
            startsMs.push(clock.elapsedMs())
          })
        }
        await clock.advance(pausesMs.length * (1_000 / rate + 61))
        expect(started).toEqual(pausesMs.map((_, at) => at))
        expectNoFuller(startsMs, rate)
      }),
      { numRuns: repeats(50) },
    )
  })

  it('attempts at a rate are given up as soon as the run stops, also those still to come', async () => {
    const clock = testClock()
    const stop = new Stop()
    const spaced = spacedBy(1, clock, stop)
    await spaced()
    const waiting = [spaced(), spaced()]
    await clock.advance(500)
    expect(clock.timers).toBe(1)
    stop.request({ code: 'signal', params: { signal: 'SIGTERM' } })
    expect(await Promise.allSettled([...waiting, spaced()])).toEqual(
      Array.from({ length: 3 }, () => ({ status: 'rejected', reason: stop.signal.reason })),
    )
    expect(clock.timers).toBe(0)
  })
})
