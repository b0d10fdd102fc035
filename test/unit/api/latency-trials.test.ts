import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { decide, latencyTrials, type Sample } from '../../../src/api/latency-trials.ts'
import { play, type SimulatedService } from '../../support/pace/simulation.ts'
import { isLong } from '../../support/random.ts'

const services: readonly SimulatedService[] = parse(
  readFileSync(new URL('../../support/pace/services.yaml', import.meta.url), 'utf8'),
)

const sample = (atOnce: number, tookMs: number): Sample => ({ atOnce, tookMs })
const pair = (lowMs: number, highMs: number) => [sample(20, lowMs), sample(40, highMs)] as const

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
  it('a decision to lower needs two pairs that agree', () => {
    expect(decide([pair(100, 200)], false)).toBeUndefined()
    expect(decide([pair(100, 200), pair(110, 210)], false)).toBeLessThan(0.75)
    expect(decide([pair(100, 200), pair(100, 100)], false)).toBe(1)
    expect(decide([pair(100, 200), pair(200, 210)], false)).toBe(1)
  })

  it('a decision leaves the limit if times stay, grow a little, or fall', () => {
    for (const highMs of [80, 100, 120, 150]) expect(decide([pair(100, highMs)], false)).toBe(1)
  })

  it('a decision never goes below the limit that was tried, and keeps 95% of the throughput', () => {
    expect(decide([pair(100, 200), pair(100, 200)], false)).toBe(0.5)
    expect(decide([pair(100, 400), pair(100, 400)], false)).toBe(0.5)
    expect(decide([pair(100, 170), pair(100, 170)], false)).toBeCloseTo(0.77, 2)
  })

  it('a decision to raise needs two pairs in which calls do not wait', () => {
    expect(decide([pair(100, 200)], true)).toBe(0.5)
    expect(decide([pair(100, 110)], true)).toBeUndefined()
    expect(decide([pair(100, 110), pair(100, 105)], true)).toBe(1)
    expect(decide([pair(100, 110), pair(100, 200)], true)).toBe(0.5)
  })

  it('a decision leaves the limit if calls may wait for this process', () => {
    expect(decide([pair(20, 40), pair(20, 40)], false)).toBe(1)
  })
})

describe('trial', () => {
  /** Trials of 20 at once that find a service slower with more: the limit is at 10, in the middle of the trial. */
  function inDip() {
    const trials = latencyTrials(20, 0)
    let [current, nowMs] = [20, 0]
    for (let at = 0; current === 20; at += 1) {
      nowMs += 50
      const atOnce = Math.min(current, at + 1)
      current = trials.take(sample(atOnce, atOnce * 50), nowMs, current, nowMs) ?? current
    }
    return { trials, current, nowMs }
  }

  it('a trial begins with the first attempts if those with more at once took longer', () => {
    const { current, nowMs, trials } = inDip()
    expect([current, trials.ceiling, trials.enough]).toEqual([10, 10, 20])
    expect(nowMs).toBeLessThan(5_000)
  })

  it('a trial ends without a decision when the limit falls for another reason', () => {
    const { trials, nowMs } = inDip()
    trials.interrupt(5, nowMs)
    expect([trials.ceiling, trials.enough]).toEqual([20, 20])
  })

  it('a trial ends when another worker has set a limit', () => {
    const { trials, nowMs } = inDip()
    trials.interrupt(7, nowMs, 7)
    expect([trials.ceiling, trials.enough]).toEqual([7, 7])
  })

  it('a trial takes no attempts that began before it, or while others had not heard of it', () => {
    const trials = latencyTrials(20, 500)
    trials.interrupt(10, 1_000, 10)
    for (let at = 0; at < 100; at += 1)
      expect(trials.take(sample(10, 100), 1_400, 10, 2_000 + at)).toBeUndefined()
  })
})
