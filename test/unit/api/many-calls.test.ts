import { setImmediate as endOfTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { rateLimit } from '../../../src/features/sandbox/faults.ts'
import { type TestClock, testClock } from '../../support/clock.ts'
import { taskNames } from '../../support/imports.ts'
import { pollOptions } from '../../support/polling.ts'
import { type Sender, senderTo } from '../../support/sender.ts'
import { madeBy, type Reaction, type Service, startService } from '../../support/service.ts'

const comeLater: Reaction = { answer: 429, headers: { 'retry-after': '1' } }

const sendAll = ({ send }: Sender, count: number) =>
  Promise.all(Array.from({ length: count }, (_, at) => send(`Task ${at + 1}`)))

/** Lets a millisecond pass whenever no attempt is under way, until all is done. */
async function turnedUntil<T>(done: Promise<T>, clock: TestClock, { underWay }: Sender): Promise<T> {
  let isDone = false
  const note = () => {
    isDone = true
  }
  done.then(note, note)
  while (!isDone) {
    await endOfTurn()
    if (underWay() === 0) await clock.advance(1)
  }
  return done
}

/** When its calls arrived, in milliseconds since the first. */
const timesOf = ({ calls }: Service): number[] => calls.map(({ atMs }) => atMs - (calls[0]?.atMs ?? 0))

describe('service that asks many calls to slow down', () => {
  it('a busy service gets no call until the time it asked for has passed', async () => {
    const clock = testClock()
    const service = await startService({
      clock,
      react: (attempt, { body }) => (body.name === 'Task 20' && attempt === 1 ? comeLater : 'create'),
    })
    const sender = senderTo(service.url, { clock, concurrency: 5 })
    const sending = sendAll(sender, 60)
    await expect.poll(() => sender.events.some(({ type }) => type === 'retry'), pollOptions).toBe(true)
    await expect.poll(sender.underWay, pollOptions).toBe(0)
    const atOnce = service.calls.length
    expect(atOnce).toBeLessThan(60)
    await clock.advance(999)
    expect(service.calls.length).toBe(atOnce)
    await clock.advance(1)
    await expect.poll(() => service.made.length, pollOptions).toBe(59)
    await clock.advance(1)
    const ends = await sending
    expect(ends.filter(end => end?.status === 'created')).toHaveLength(60)
    expect(madeBy(service)).toEqual(taskNames(60))
    expect(timesOf(service)).toEqual([
      ...Array.from({ length: atOnce }, () => 0),
      ...Array.from({ length: 60 - atOnce }, () => 1_000),
      1_001,
    ])
  })

  it('a busy service is called less often, then more often again, and gets each row once', async () => {
    const clock = testClock()
    let allowed = rateLimit(60, clock.elapsedMs)
    const service = await startService({
      clock,
      react() {
        const created = service.made.length
        if (created === 120) allowed = rateLimit(20, clock.elapsedMs)
        if (created === 180) allowed = rateLimit(60, clock.elapsedMs)
        return allowed() === 0 ? 'create' : comeLater
      },
    })
    const sender = senderTo(service.url, { clock, concurrency: 5, retries: 5 })
    const ends = await turnedUntil(sendAll(sender, 300), clock, sender)
    expect(ends.filter(end => end?.status === 'created')).toHaveLength(300)
    expect(madeBy(service)).toEqual(taskNames(300))
    expect(service.calls.length - 300).toBeGreaterThan(0)
    expect(service.calls.length - 300).toBeLessThan(60)
  })

  it('a busy service is called no faster than the rate, retries included', async () => {
    const clock = testClock()
    const service = await startService({
      clock,
      react: attempt => (attempt === 1 ? { answer: 503 } : 'create'),
    })
    const sender = senderTo(service.url, { clock, concurrency: 5, rate: 20 })
    const ends = await turnedUntil(sendAll(sender, 10), clock, sender)
    expect(ends.filter(end => end?.status === 'created')).toHaveLength(10)
    const times = timesOf(service)
    expect(times).toHaveLength(20)
    for (const [at, timeMs] of times.slice(1).entries())
      expect(timeMs - (times[at] ?? 0)).toBeGreaterThanOrEqual(50)
  })
})
