import { describe, expect, it } from 'vitest'
import { Level } from '../../../src/api/level.ts'
import { createPace, type Pace, type PaceSettings, type Turn } from '../../../src/api/pace.ts'
import type { PaceEvent } from '../../../src/model/events.ts'
import { Stop } from '../../../src/model/stop.ts'
import { type TestClock, testClock } from '../../support/clock.ts'

interface Paced extends Pace {
  readonly clock: TestClock
  readonly stop: Stop
  readonly events: PaceEvent[]
}

/** A pace on a clock that the test turns. */
function paceOf(changes: Partial<PaceSettings> = {}): Paced {
  const clock = testClock()
  const stop = new Stop()
  const events: PaceEvent[] = []
  const pace = createPace({
    concurrency: 1000,
    rate: undefined,
    stop,
    clock,
    random: () => 0,
    tell: event => events.push(event),
    ...changes,
  })
  return { ...pace, clock, stop, events }
}

/** Asks for turns; gives the times at which they come, to which it adds as they do. */
function timesOf(pace: Paced, count: number): number[] {
  const times: number[] = []
  for (let at = 0; at < count; at += 1) void pace.turn().then(({ startedMs }) => times.push(startedMs))
  return times
}

const turns = (pace: Pace, count: number): Promise<Turn[]> =>
  Promise.all(Array.from({ length: count }, () => pace.turn()))

/** How many of the turns that are asked for now come before any other is over. */
async function atOnce(pace: Paced, asked: number): Promise<number> {
  const given: Turn[] = []
  for (let at = 0; at < asked; at += 1) void pace.turn().then(turn => given.push(turn))
  await pace.clock.advance(0)
  const { length } = given
  while (given.length > 0) {
    given.pop()?.over()
    await pace.clock.advance(0)
  }
  return length
}

/** What was told of how many may be under way at once. */
const levelsOf = ({ events }: Paced): number[] =>
  events.flatMap(event => (event.is === 'pace' ? [event.atOnce] : []))

describe('the pace', () => {
  it.each([5, 50, 250, 400])('of %i calls per second never runs ahead of it', async rate => {
    const pace = paceOf({ rate })
    const count = Math.ceil(rate * 1.2) + 2
    const times = timesOf(pace, count)
    await pace.clock.advance(2_000)
    expect(times).toEqual(Array.from({ length: count }, (_, at) => Math.ceil((at * 1000) / rate)))
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
    pace.throttled(first as Turn, 1, 100)
    const times = timesOf(pace, 2)
    await pace.clock.advance(20)
    pace.throttled(second as Turn, 1, 180)
    await pace.clock.advance(179)
    expect(times).toEqual([])
    await pace.clock.advance(1)
    expect(times).toEqual([200, 200])
  })

  it('is given up when the run stops', async () => {
    const pace = paceOf({ rate: 0.01 })
    pace.throttled(await pace.turn(), 1, 60_000)
    const waiting = [pace.turn(), pace.turn()]
    pace.stop.request({ is: 'signal', signal: 'SIGTERM' })
    const settled = await Promise.allSettled(waiting)
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(pace.clock.timers).toBe(0)
  })

  it('is given up when the run stops while it waits for the rate, and gives none afterwards', async () => {
    const pace = paceOf({ rate: 0.01 })
    await pace.turn()
    const waiting = [pace.turn(), pace.turn()]
    await pace.clock.advance(1_000)
    pace.stop.request({ is: 'signal', signal: 'SIGTERM' })
    const settled = await Promise.allSettled([...waiting, pace.turn()])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(pace.clock.timers).toBe(0)
  })

  it('keeps to the rate after a wait', async () => {
    const pace = paceOf({ rate: 50 })
    pace.throttled(await pace.turn(), 1, 100)
    const times = timesOf(pace, 4)
    await pace.clock.advance(1_000)
    expect(times).toEqual([100, 120, 140, 160])
  })

  it('holds back a turn that waits for the rate meanwhile, too', async () => {
    const pace = paceOf({ rate: 5 })
    const first = await pace.turn()
    const times = timesOf(pace, 2)
    await pace.clock.advance(50)
    pace.throttled(first, 1, 1_000)
    await pace.clock.advance(2_000)
    expect(times).toEqual([1_050, 1_250])
  })

  it('tells once that it goes on', async () => {
    const pace = paceOf()
    pace.throttled(await pace.turn(), 1, 6_000)
    const times = timesOf(pace, 3)
    await pace.clock.advance(5_999)
    expect(pace.events.map(({ is }) => is)).toEqual(['pace', 'pace', 'held'])
    await pace.clock.advance(1)
    expect(pace.events.map(({ is }) => is)).toEqual(['pace', 'pace', 'held', 'resumed'])
    expect(times).toEqual([6_000, 6_000, 6_000])
  })
})

describe('a throttled answer', () => {
  it('halves how many may be under way, once for all that were under way together', async () => {
    const pace = paceOf({ concurrency: 8 })
    const together = await turns(pace, 8)
    await pace.clock.advance(1)
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
    const pace = paceOf({ concurrency: 20 })
    const turn = await pace.turn()
    pace.throttled(turn, 1, 0)
    turn.over()
    for (let at = 0; at < 100; at += 1) {
      await pace.clock.advance(100)
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
    const pace = paceOf()
    for (let attempts = 1; attempts <= 9; attempts += 1) {
      await pace.clock.advance(60_000)
      pace.throttled({ startedMs: pace.clock.elapsedMs(), over: () => {} }, attempts, undefined)
    }
    const holds = pace.events.flatMap(event => (event.is === 'held' ? [event.forMs] : []))
    expect(holds).toEqual([125, 250, 500, 1000, 2000, 4000, 7500, 7500, 7500])
  })

  it('ten minutes after the first of them, with nothing taken since, stops the run', async () => {
    const pace = paceOf()
    const { clock } = pace
    const strike = () => pace.throttled({ startedMs: clock.elapsedMs(), over: () => {} }, 1, 1_000)
    strike()
    await clock.advance(599_000)
    strike()
    expect(pace.stop.reason).toBeUndefined()
    pace.taken()
    await clock.advance(101_000)
    strike()
    expect(pace.stop.reason).toBeUndefined()
    await clock.advance(600_000)
    strike()
    expect(pace.stop.reason).toEqual({ is: 'throttled', forMs: 600_000 })
  })

  it('tells once how long the service asks to wait', async () => {
    const pace = paceOf()
    for (let at = 0; at < 5; at += 1) pace.throttled({ startedMs: 0, over: () => {} }, 1, 40_000 + at)
    expect(pace.events.filter(({ is }) => is === 'held')).toEqual([
      { is: 'held', forMs: 40_000, asked: true },
    ])
  })
})
