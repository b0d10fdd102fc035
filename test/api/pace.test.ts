import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createPace } from '../../src/api/pace.ts'

const now = () => new Date()
const never = new AbortController().signal

/** When each of so many turns came, in milliseconds since they were asked for. */
async function turnsOf(rate: number, count: number): Promise<number[]> {
  const pace = createPace(rate, never, now)
  const began = performance.now()
  return Promise.all(Array.from({ length: count }, () => pace.turn().then(() => performance.now() - began)))
}

describe('the pace', () => {
  it.each([5, 50, 250, 400])('of %i calls per second never runs ahead of it', async rate => {
    const times = await turnsOf(rate, Math.ceil(rate * 1.2) + 2)
    const group = Math.max(1, Math.floor(rate / 100))
    for (const [at, time] of times.entries()) expect(time).toBeGreaterThanOrEqual(((at - group) / rate) * 950)
  })

  it('without a rate holds nothing back', async () => {
    const pace = createPace(undefined, never, now)
    await Promise.all(Array.from({ length: 1000 }, () => pace.turn()))
  })

  it('holds every turn back while the service asks to wait, and longer when it asks again', async () => {
    const pace = createPace(undefined, never, now)
    const began = Date.now()
    pace.holdUntil(began + 100)
    const turns = [pace.turn(), pace.turn()]
    await sleep(20)
    pace.holdUntil(began + 200)
    await Promise.all(turns)
    expect(Date.now() - began).toBeGreaterThanOrEqual(199)
  })

  it('is given up when the run stops', async () => {
    const stop = new AbortController()
    const pace = createPace(0.01, stop.signal, now)
    pace.holdUntil(Date.now() + 60_000)
    const turns = [pace.turn(), pace.turn()]
    stop.abort()
    expect((await Promise.allSettled(turns)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
