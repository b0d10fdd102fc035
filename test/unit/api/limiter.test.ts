import { describe, expect, it } from 'vitest'
import { type Limiter, type LimiterSettings, limiterOf, type Permit } from '../../../src/api/limiter.ts'
import type { LimiterEvent } from '../../../src/model/events.ts'
import { Stop } from '../../../src/model/stop.ts'
import { type TestClock, testClock } from '../../support/clock.ts'

interface TestLimiter extends Limiter {
  readonly clock: TestClock
  readonly stop: Stop
  readonly events: LimiterEvent[]
}

/** A limiter on a clock that the test turns. */
function limiterWith(changes: Partial<LimiterSettings> = {}): TestLimiter {
  const clock = testClock()
  const stop = new Stop()
  const events: LimiterEvent[] = []
  const limiter = limiterOf({
    concurrency: 1000,
    rate: undefined,
    stop,
    clock,
    random: () => 0,
    emit: event => events.push(event),
    ...changes,
  })
  return Object.assign(limiter, { clock, stop, events })
}

/** Asks for permits; returns the times at which they come, to which it adds as they do. */
function timesOf(limiter: TestLimiter, count: number): number[] {
  const times: number[] = []
  for (let at = 0; at < count; at += 1) void limiter.acquire().then(({ startedMs }) => times.push(startedMs))
  return times
}

const permitsOf = (limiter: TestLimiter, count: number): Promise<Permit[]> =>
  Promise.all(Array.from({ length: count }, () => limiter.acquire()))

/** How many of the permits that are asked for now come before any other is released. */
async function atOnce(limiter: TestLimiter, asked: number): Promise<number> {
  const granted: Permit[] = []
  for (let at = 0; at < asked; at += 1) void limiter.acquire().then(permit => granted.push(permit))
  await limiter.clock.advance(0)
  const { length } = granted
  while (granted.length > 0) {
    granted.pop()?.release()
    await limiter.clock.advance(0)
  }
  return length
}

/** The limits that were reported. */
const limitsOf = ({ events }: TestLimiter): number[] =>
  events.flatMap(event => (event.type === 'concurrency' ? [event.atOnce] : []))

const permitFrom = (startedMs: number): Permit => ({ startedMs, release: () => {} })

describe('limiter', () => {
  it.each([5, 50, 250, 400])('the limiter of %i calls per second never runs ahead of it', async rate => {
    const limiter = limiterWith({ rate })
    const count = Math.ceil(rate * 1.2) + 2
    const times = timesOf(limiter, count)
    await limiter.clock.advance(2_000)
    expect(times).toEqual(Array.from({ length: count }, (_, at) => Math.ceil((at * 1000) / rate)))
  })

  it('the limiter without a rate delays nothing', async () => {
    expect(await permitsOf(limiterWith(), 1000)).toHaveLength(1000)
  })

  it('the limiter allows no more attempts at once than the concurrency', async () => {
    const limiter = limiterWith({ concurrency: 3 })
    expect(await atOnce(limiter, 10)).toBe(3)
  })

  it('the limiter delays every permit while the service asks to wait, and longer when it asks again', async () => {
    const limiter = limiterWith()
    const [first, second] = await permitsOf(limiter, 2)
    limiter.backOff(first as Permit, 1, 100)
    const times = timesOf(limiter, 2)
    await limiter.clock.advance(20)
    limiter.backOff(second as Permit, 1, 180)
    await limiter.clock.advance(179)
    expect(times).toEqual([])
    await limiter.clock.advance(1)
    expect(times).toEqual([200, 200])
  })

  it('the limiter rejects those who wait when the run stops', async () => {
    const limiter = limiterWith({ rate: 0.01 })
    limiter.backOff(await limiter.acquire(), 1, 60_000)
    const waiting = [limiter.acquire(), limiter.acquire()]
    limiter.stop.request({ code: 'signal', params: { signal: 'SIGTERM' } })
    const settled = await Promise.allSettled(waiting)
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(limiter.clock.timers).toBe(0)
  })

  it('the limiter rejects those who wait for the rate when the run stops, and grants none afterwards', async () => {
    const limiter = limiterWith({ rate: 0.01 })
    await limiter.acquire()
    const waiting = [limiter.acquire(), limiter.acquire()]
    await limiter.clock.advance(1_000)
    limiter.stop.request({ code: 'signal', params: { signal: 'SIGTERM' } })
    const settled = await Promise.allSettled([...waiting, limiter.acquire()])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(limiter.clock.timers).toBe(0)
  })

  it('the limiter keeps to the rate after a wait', async () => {
    const limiter = limiterWith({ rate: 50 })
    limiter.backOff(await limiter.acquire(), 1, 100)
    const times = timesOf(limiter, 4)
    await limiter.clock.advance(1_000)
    expect(times).toEqual([100, 120, 140, 160])
  })

  it('the limiter delays those who wait for the rate as well', async () => {
    const limiter = limiterWith({ rate: 5 })
    const first = await limiter.acquire()
    const times = timesOf(limiter, 2)
    await limiter.clock.advance(50)
    limiter.backOff(first, 1, 1_000)
    await limiter.clock.advance(2_000)
    expect(times).toEqual([1_050, 1_250])
  })

  it.each([undefined, 20])(
    'the limiter keeps the order of the calls over a hold, with the rate %s',
    async rate => {
      const limiter = limiterWith({ concurrency: 4, rate })
      const started: string[] = []
      const permits: Permit[] = []
      const acquire = (names: string) => {
        for (const name of names)
          void limiter.acquire().then(permit => {
            started.push(name)
            permits.push(permit)
          })
      }
      acquire('abcdefgh')
      await limiter.clock.advance(200)
      limiter.backOff(permits[0] as Permit, 1, 1_000)
      permits.shift()?.release()
      acquire('ij')
      await limiter.clock.advance(500)
      permits.shift()?.release()
      acquire('kl')
      for (let turn = 0; turn < 20; turn += 1) {
        await limiter.clock.advance(100)
        permits.shift()?.release()
        expect(permits.length).toBeLessThanOrEqual(2)
      }
      expect(started.join('')).toBe('abcdefghijkl')
    },
  )

  it('the limiter reports once that it goes on', async () => {
    const limiter = limiterWith()
    limiter.backOff(await limiter.acquire(), 1, 6_000)
    const times = timesOf(limiter, 3)
    await limiter.clock.advance(5_999)
    expect(limiter.events.map(({ type }) => type)).toEqual(['concurrency', 'concurrency', 'hold'])
    await limiter.clock.advance(1)
    expect(limiter.events.map(({ type }) => type)).toEqual(['concurrency', 'concurrency', 'hold', 'resumed'])
    expect(times).toEqual([6_000, 6_000, 6_000])
  })
})

describe('throttled answer', () => {
  it('a throttled answer halves how many may be under way, once for all that were under way together', async () => {
    const limiter = limiterWith({ concurrency: 8 })
    const together = await permitsOf(limiter, 8)
    await limiter.clock.advance(1)
    for (const permit of together) limiter.backOff(permit, 1, 0)
    for (const permit of together) permit.release()
    expect(await atOnce(limiter, 20)).toBe(4)
    expect(limitsOf(limiter)).toEqual([8, 4])
  })

  it('a throttled answer never leaves less than one', async () => {
    const limiter = limiterWith({ concurrency: 2 })
    for (let at = 0; at < 5; at += 1) {
      const permit = await limiter.acquire()
      limiter.backOff(permit, 1, 0)
      permit.release()
    }
    expect(await atOnce(limiter, 5)).toBe(1)
  })

  it('a throttled answer is followed by a tenth more a second, up to what was allowed', async () => {
    const limiter = limiterWith({ concurrency: 20 })
    const permit = await limiter.acquire()
    limiter.backOff(permit, 1, 0)
    permit.release()
    for (let at = 0; at < 100; at += 1) {
      await limiter.clock.advance(100)
      limiter.speedUp(true)
    }
    expect(limitsOf(limiter)).toEqual([20, 10, 12, 14, 16, 18, 20])
  })

  it('a throttled answer without a time holds the run the longer, the oftener the call was tried', async () => {
    const limiter = limiterWith()
    for (let attempts = 1; attempts <= 9; attempts += 1) {
      await limiter.clock.advance(60_000)
      limiter.backOff(permitFrom(limiter.clock.elapsedMs()), attempts, undefined)
    }
    const holds = limiter.events.flatMap(event => (event.type === 'hold' ? [event.forMs] : []))
    expect(holds).toEqual([125, 250, 500, 1000, 2000, 4000, 7500, 7500, 7500])
  })

  it('a throttled answer stops the run after ten minutes in which nothing was taken', async () => {
    const limiter = limiterWith()
    const { clock } = limiter
    const strike = () => limiter.backOff(permitFrom(clock.elapsedMs()), 1, 1_000)
    strike()
    await clock.advance(599_000)
    strike()
    expect(limiter.stop.reason).toBeUndefined()
    limiter.speedUp(true)
    await clock.advance(101_000)
    strike()
    expect(limiter.stop.reason).toBeUndefined()
    await clock.advance(600_000)
    strike()
    expect(limiter.stop.reason).toEqual({ code: 'throttled', params: { minutes: 10 } })
  })

  it('a throttled answer reports once how long the service asks to wait', async () => {
    const limiter = limiterWith()
    for (let at = 0; at < 5; at += 1) limiter.backOff(permitFrom(0), 1, 40_000 + at)
    expect(limiter.events.filter(({ type }) => type === 'hold')).toEqual([
      { type: 'hold', forMs: 40_000, byService: true },
    ])
  })
})

describe('limiter that hears of latency', () => {
  /** Plays calls that take 50 ms for each that is under way, until the limit has settled. */
  async function settle(changes: Partial<LimiterSettings> = {}) {
    const limiter = limiterWith({ concurrency: 20, ...changes })
    let underWay = 0
    const call = async () => {
      const permit = await limiter.acquire()
      underWay += 1
      const tookMs = underWay * 50
      limiter.clock.after(tookMs, () => {
        underWay -= 1
        limiter.speedUp(true)
        permit.release()
        void call()
      })
    }
    for (let at = 0; at < 40; at += 1) void call()
    await limiter.clock.advance(600_000)
    return limiter
  }

  it('the limiter lowers what may be under way if more calls only take longer, and says how many are enough', async () => {
    const { events } = await settle()
    const last = events.findLast(({ type }) => type === 'concurrency')
    expect(last).toMatchObject({ type: 'concurrency', most: 20 })
    expect(last).toHaveProperty(
      'enough',
      expect.toSatisfy((enough: number) => enough >= 2 && enough <= 10),
    )
  })

  it('the limiter shares each limit that it tries, and the one that it finds', async () => {
    const levels: number[] = []
    const shared = {
      spacing: () => expect.fail(),
      announce() {},
      follow() {},
      level: (share: number) => levels.push(share),
    }
    const { events } = await settle({ shared })
    const enough = events.flatMap(event => (event.type === 'concurrency' ? [event.enough] : []))
    expect(levels[0]).toBeOneOf([0.5, 0.55, 0.6])
    expect(enough.at(-1)).toBeLessThan(20)
    expect(levels).toContain((enough.at(-1) ?? 0) / 20)
  })

  it('the limiter takes the limit that another worker has found, and shares none of its own then', async () => {
    let follow = (_untilMs: number, _isCut: boolean, _level?: number) => {}
    const levels: number[] = []
    const limiter = limiterWith({
      concurrency: 20,
      shared: {
        spacing: () => expect.fail(),
        announce() {},
        follow(onOther) {
          follow = onOther
        },
        level: share => levels.push(share),
      },
    })
    follow(0, false, 0.25)
    expect(await atOnce(limiter, 20)).toBe(5)
    follow(0, false, 1)
    expect(await atOnce(limiter, 30)).toBe(20)
    expect(levels).toEqual([])
  })
})
