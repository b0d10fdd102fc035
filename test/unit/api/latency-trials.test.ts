import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { decide, latencyTrials } from '../../../src/api/latency-trials.ts'
import { testClock } from '../../support/clock.ts'
import { play, type SimulatedService } from '../../support/pace/simulation.ts'
import { isLong } from '../../support/random.ts'

const services: readonly SimulatedService[] = parse(
  readFileSync(new URL('../../support/pace/services.yaml', import.meta.url), 'utf8'),
)

/** `PACE_TABLE=1` prints the table: rows and 429 answers of the limiter that listens to 429 only, and of the other. */
const show = (cells: readonly unknown[]) => {
  if (process.env.PACE_TABLE) process.stdout.write(`| ${cells.join(' | ')} |\n`)
}

describe('simulated service', () => {
  it.each(services.filter(({ long = false }) => isLong || !long))(
    'the simulated service $name is imported as fast as by 429 alone',
    async service => {
      const { name, throughput = 0.99, throttled = 1, enough } = service
      const [old, now] = [await play(service, false), await play(service, true)]
      show([
        name,
        old.rows,
        now.rows,
        (now.rows / old.rows).toFixed(3),
        old.throttled,
        now.throttled,
        now.enough,
      ])
      expect(now.rows / old.rows).toBeGreaterThanOrEqual(throughput)
      expect(now.throttled).toBeLessThanOrEqual(throttled * old.throttled)
      expect(now.enough).toBeGreaterThanOrEqual(enough[0])
      expect(now.enough).toBeLessThanOrEqual(enough[1])
    },
  )
})

describe('decision', () => {
  it('a decision for fewer calls needs 95% of the records a second', () => {
    expect(decide(100, 96, 100, false)).toBe(true)
    expect(decide(100, 110, 104, false)).toBe(true)
    for (const tried of [50, 80, 94]) expect(decide(100, tried, 100, false)).toBe(false)
  })

  it('a decision for fewer calls is none if the service was slower or faster afterwards', () => {
    for (const after of [50, 80, 120, 200]) expect(decide(100, 150, after, false)).toBe(false)
  })

  it('a decision for more calls needs 10% more than both before and after', () => {
    expect(decide(100, 150, 100, true)).toBe(true)
    expect(decide(100, 150, 130, true)).toBe(true)
    expect(decide(100, 109, 100, true)).toBe(false)
    expect(decide(100, 130, 125, true)).toBe(false)
  })

  it('a decision without records changes nothing', () => {
    for (const isRaise of [true, false]) {
      expect(decide(0, 0, 0, isRaise)).toBe(false)
      expect(decide(100, 0, 0, isRaise)).toBe(false)
    }
  })
})

describe('trial', () => {
  /** Trials with 20 calls at once, of a service that works on so many at once in 100 ms each; answers are played one by one. */
  function trialsOf(workers: number) {
    const clock = testClock()
    const limit = { current: 20 }
    let drawn = 0
    const random = () => {
      drawn = (drawn + 0.618) % 1
      return drawn
    }
    const trials = latencyTrials({ concurrency: 20, clock, random }, limit, atOnce => {
      limit.current = atOnce
    })
    const answer = async (count: number, { hasRecord = true, underWay = () => limit.current } = {}) => {
      for (let at = 0; at < count; at += 1) {
        await clock.advance(100 / Math.min(workers, limit.current))
        trials.take(hasRecord, underWay())
        await Promise.resolve()
      }
    }
    return { trials, limit, answer }
  }

  it('a trial finds how many are enough, and goes on where it found it', async () => {
    const { trials, limit, answer } = trialsOf(4)
    await answer(20_000)
    expect(trials.enough()).toBeLessThanOrEqual(8)
    expect(trials.enough()).toBeGreaterThanOrEqual(4)
    expect(limit.current).toBeGreaterThanOrEqual(trials.enough() / 2)
  })

  it('a trial changes nothing if fewer calls bring fewer records, and costs less than a hundredth of the time', async () => {
    const { trials, limit, answer } = trialsOf(1_000)
    let lost = 0
    for (let at = 0; at < 12_000; at += 1) {
      await answer(1)
      lost += limit.current < 20 ? 100 / limit.current - 100 / 20 : 0
    }
    expect(trials.enough()).toBe(20)
    expect(lost).toBeGreaterThan(0)
    expect(lost / (12_000 * (100 / 20))).toBeLessThan(0.01)
  })

  it('a trial is not made while fewer calls are under way than may be, nor without records', async () => {
    for (const odd of [{ underWay: () => 5 }, { hasRecord: false }]) {
      const { trials, limit, answer } = trialsOf(4)
      await answer(8_000, odd)
      expect([trials.enough(), trials.ceiling(), limit.current]).toEqual([20, 20, 20])
    }
  })

  it('a trial ends without a decision when the limit falls for another reason', async () => {
    const { trials, limit, answer } = trialsOf(4)
    while (limit.current === 20) await answer(1)
    limit.current = 3
    await answer(2)
    expect([trials.enough(), trials.ceiling(), limit.current]).toEqual([20, 20, 3])
  })

  it('a trial ends when another worker has set a limit', async () => {
    const { trials, limit, answer } = trialsOf(4)
    while (limit.current === 20) await answer(1)
    trials.follow(7)
    await answer(2)
    expect([trials.enough(), trials.ceiling(), limit.current]).toEqual([7, 7, 7])
  })
})
