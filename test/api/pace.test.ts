import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Level } from '../../src/api/level.ts'
import { createPace, type Pace, type PaceSettings, type Turn } from '../../src/api/pace.ts'
import type { PaceEvent } from '../../src/model/events.ts'
import { Stop } from '../../src/model/stop.ts'

interface Paced extends Pace {
  readonly stop: Stop
  readonly events: PaceEvent[]
}

/** A pace on the machine's own clock, unless it gets another. */
function paceOf(changes: Partial<PaceSettings> = {}): Paced {
  const stop = new Stop()
  const events: PaceEvent[] = []
  const pace = createPace({
    concurrency: 1000,
    rate: undefined,
    stop,
    clockMs: () => performance.now(),
    random: () => 0,
    tell: event => events.push(event),
    ...changes,
  })
  return { ...pace, stop, events }
}

/** When each of so many turns came, in milliseconds since they were asked for. */
async function turnsOf(rate: number, count: number): Promise<number[]> {
  const pace = paceOf({ rate })
  const began = performance.now()
  return Promise.all(Array.from({ length: count }, () => pace.turn().then(() => performance.now() - began)))
}

const turns = (pace: Pace, count: number): Promise<Turn[]> =>
  Promise.all(Array.from({ length: count }, () => pace.turn()))

/** How many of the turns that are asked for now come before any other is over. */
async function atOnce(pace: Pace, asked: number): Promise<number> {
  const given: Turn[] = []
  for (let at = 0; at < asked; at += 1) void pace.turn().then(turn => given.push(turn))
  await sleep(20)
  const { length } = given
  while (given.length > 0) {
    given.pop()?.over()
    await sleep(0)
  }
  return length
}

/** What was told of how many may be under way at once. */
const levelsOf = ({ events }: Paced): number[] =>
  events.flatMap(event => (event.is === 'pace' ? [event.atOnce] : []))

describe('the pace', () => {
  it.each([5, 50, 250, 400])('of %i calls per second never runs ahead of it', async rate => {
    const times = await turnsOf(rate, Math.ceil(rate * 1.2) + 2)
    const group = Math.max(1, Math.floor(rate / 100))
    for (const [at, time] of times.entries()) expect(time).toBeGreaterThanOrEqual(((at - group) / rate) * 950)
  })

  it('without a rate holds nothing back', async () => {
    expect(await turns(paceOf(), 1000)).toHaveLength(1000)
  })

  it('lets no more attempts be under way than the concurrency', async () => {
    const pace = paceOf({ concurrency: 3 })
    expect(await atOnce(pace, 10)).toBe(3)
  })

  it('holds every turn back while the service asks to wait, and longer when it asks again', async () => {
    const pace = paceOf()
    const [first, second] = await turns(pace, 2)
    const began = performance.now()
    pace.throttled(first as Turn, 1, 100)
    const waiting = turns(pace, 2)
    await sleep(20)
    pace.throttled(second as Turn, 1, 180)
    await waiting
    expect(performance.now() - began).toBeGreaterThanOrEqual(199)
  })

  it('is given up when the run stops', async () => {
    const pace = paceOf({ rate: 0.01 })
    pace.throttled(await pace.turn(), 1, 60_000)
    const waiting = [pace.turn(), pace.turn()]
    pace.stop.request({ is: 'signal', signal: 'SIGTERM' })
    const settled = await Promise.allSettled(waiting)
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  it('keeps to the rate after a wait', async () => {
    const pace = paceOf({ rate: 50 })
    const first = await pace.turn()
    const began = performance.now()
    pace.throttled(first, 1, 100)
    const times = await Promise.all(
      Array.from({ length: 4 }, () => pace.turn().then(() => performance.now() - began)),
    )
    times.sort((a, b) => a - b) // whoever looks first after a wait goes first
    for (const [at, time] of times.entries()) expect(time).toBeGreaterThanOrEqual(95 + at * 19)
  })
})

describe('a throttled answer', () => {
  it('halves how many may be under way, once for all that were under way together', async () => {
    const pace = paceOf({ concurrency: 8 })
    const together = await turns(pace, 8)
    for (const turn of together) pace.throttled(turn, 1, 0)
    for (const turn of together) turn.over()
    expect(await atOnce(pace, 20)).toBe(4)
    expect(levelsOf(pace)).toEqual([8, 4])
  })

  it('never leaves less than one', async () => {
    const pace = paceOf({ concurrency: 2 })
    for (let at = 0; at < 5; at += 1) {
      const turn = await pace.turn()
      pace.throttled(turn, 1, 0)
      turn.over()
    }
    expect(await atOnce(pace, 5)).toBe(1)
  })

  it('is made good by a tenth more for each second that goes well, and no more than was allowed', async () => {
    let clock = 0
    const pace = paceOf({ concurrency: 20, clockMs: () => clock })
    const turn = await pace.turn()
    pace.throttled(turn, 1, 0)
    turn.over()
    for (let at = 0; at < 100; at += 1) {
      clock += 100
      pace.taken()
    }
    expect(levelsOf(pace)).toEqual([20, 10, 12, 14, 16, 18, 20])
  })

  it('is made good no faster than by twice as many a second', () => {
    const level = new Level(50)
    for (let nowMs = 1; nowMs < 10; nowMs += 1) level.lower(nowMs, nowMs)
    const seen: number[] = []
    for (let nowMs = 2_000; level.now < 50; nowMs += 1_000) {
      level.raise(nowMs)
      seen.push(level.now)
    }
    expect(seen).toEqual([2, 4, 8, 13, 18, 23, 28, 33, 38, 43, 48, 50])
  })

  it('without a time holds the run the longer, the oftener the call was tried', async () => {
    let clock = 0
    const pace = paceOf({ clockMs: () => clock })
    for (let attempts = 1; attempts <= 9; attempts += 1) {
      clock += 60_000
      pace.throttled({ startedMs: clock, over: () => {} }, attempts, undefined)
    }
    const holds = pace.events.flatMap(event => (event.is === 'held' ? [event.forMs] : []))
    expect(holds).toEqual([125, 250, 500, 1000, 2000, 4000, 7500, 7500, 7500])
  })

  it('ten minutes after the first of them, with nothing taken since, stops the run', async () => {
    let clock = 0
    const pace = paceOf({ clockMs: () => clock })
    const strike = () => pace.throttled({ startedMs: clock, over: () => {} }, 1, 1_000)
    strike()
    clock = 599_000
    strike()
    expect(pace.stop.reason).toBeUndefined()
    pace.taken()
    clock = 700_000
    strike()
    expect(pace.stop.reason).toBeUndefined()
    clock = 1_300_000
    strike()
    expect(pace.stop.reason).toEqual({ is: 'throttled', forMs: 600_000 })
  })

  it('tells once how long the service asks to wait', async () => {
    const pace = paceOf({ clockMs: () => 0 })
    for (let at = 0; at < 5; at += 1) pace.throttled({ startedMs: 0, over: () => {} }, 1, 40_000 + at)
    expect(pace.events.filter(({ is }) => is === 'held')).toEqual([
      { is: 'held', forMs: 40_000, asked: true },
    ])
  })
})
