import { describe, expect, it } from 'vitest'
import { fastClock, testClock } from '../../support/clock.ts'
import { pollOptions } from '../../support/polling.ts'
import { type Sender, senderTo } from '../../support/sender.ts'
import { type Reaction, startService } from '../../support/service.ts'

const hourMs = 3_600_000
/** Nobody listens there. */
const nowhere = 'http://127.0.0.1:9'

type Changes = NonNullable<Parameters<typeof senderTo>[1]>

/** A service that does so with its first so many attempts, and then creates; and a sender that waits for it. */
async function waiting(reaction: Reaction, count: number, changes: Changes = {}) {
  const clock = fastClock()
  const service = await startService({ react: () => (service.calls.length <= count ? reaction : 'create') })
  const sender = senderTo(service.url, { clock, waitMs: 2 * hourMs, retries: 2, ...changes })
  return { service, clock, ...sender }
}

const eventsOf = ({ events }: Pick<Sender, 'events'>, ...types: string[]) =>
  events.filter(({ type }) => types.includes(type))

const names = (count: number) => Array.from({ length: count }, (_, at) => `Row ${at}`)

/** How many calls that end so are made before the run stops. */
async function callsBeforeStop(concurrency: number, reactions: (call: number) => Reaction): Promise<number> {
  const service = await startService({ react: () => reactions(service.calls.length) })
  const { send, stop } = senderTo(service.url, { concurrency, retries: 0 })
  for (let call = 1; call <= 150; call += 1) {
    await send(`Row ${call}`)
    if (stop.reason !== undefined) return call
  }
  return Number.POSITIVE_INFINITY
}

describe('service that is down, without a wait', () => {
  it.each([
    [1, 10],
    [5, 10],
    [10, 20],
    [50, 100],
  ])(
    'a run without --wait stops at concurrency %i with the %i. unanswered call in a row',
    async (concurrency, calls) => {
      expect(await callsBeforeStop(concurrency, () => ({ answer: 500 }))).toBe(calls)
      const { send, stop } = senderTo(nowhere, { concurrency, retries: 0 })
      for (let call = 1; call < calls; call += 1) await send()
      expect(stop.reason).toBeUndefined()
      await send()
      expect(stop.reason).toMatchObject({ code: 'not_answering', params: { inARow: calls } })
      expect(stop.reason?.params).not.toHaveProperty('waitedMs')
    },
  )

  it.each<[string, Reaction]>([
    ['a success', 'create'],
    ['a refusal', { answer: 422 }],
    ['a request to slow down', { answer: 429 }],
  ])('a run without --wait counts unanswered calls in a row: %s resets the count', async (_, answer) => {
    const oneInTen = (call: number): Reaction => (call % 10 === 0 ? answer : { answer: 500 })
    expect(await callsBeforeStop(1, oneInTen)).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('service that is down', () => {
  it.each([
    ['is throttled beyond its retries', { answer: 503 }],
    ['asks for a time beyond its retries', { answer: 429, headers: { 'retry-after': '30' } }],
  ] as const)('a service is waited for if a call %s, and every row is created once', async (_, reaction) => {
    const { service, send, events, stop } = await waiting(reaction, 20)
    const outcomes = await Promise.all(names(8).map(name => send(name)))
    expect(outcomes).toMatchObject(names(8).map(() => ({ status: 'created' })))
    expect(service.made.map(({ name }) => name).sort()).toEqual(names(8))
    expect(eventsOf({ events }, 'service_down', 'service_back')).toMatchObject([
      { type: 'service_down', last: { code: 'http_error' } },
      { type: 'service_back' },
    ])
    expect(stop.reason).toBeUndefined()
  })

  it('a service that is down is waited for, and the run gives up when the time is over', async () => {
    const clock = fastClock()
    const { send, stop, events } = senderTo(nowhere, { clock, waitMs: hourMs, retries: 1 })
    const outcomes = await Promise.all(names(3).map(name => send(name)))
    expect(outcomes).toMatchObject(names(3).map(() => ({ status: 'failed', fault: 'never_reached' })))
    expect(clock.elapsedMs()).toBeGreaterThanOrEqual(hourMs)
    expect(clock.elapsedMs()).toBeLessThan(hourMs + 60_000)
    expect(stop.reason).toMatchObject({ code: 'not_answering', params: { waitedMs: hourMs } })
    expect(eventsOf({ events }, 'service_down', 'service_back')).toMatchObject([
      { type: 'service_down', last: { code: 'never_reached' } },
    ])
  })

  it('a service that is down gets one call after each pause, of up to five minutes', async () => {
    const clock = fastClock()
    const starts: number[] = []
    const intentLog = { add: async () => void starts.push(clock.elapsedMs()), remove: () => {} }
    const { send } = senderTo(nowhere, { clock, waitMs: hourMs, retries: 0, intentLog })
    await Promise.all(names(5).map(name => send(name)))
    const pauses = starts.map((ms, at) => Math.round((ms - (starts[at - 1] ?? 0)) / 1000))
    expect(pauses.slice(0, 13)).toEqual([0, 0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 300, 300])
  })

  it('a service that is down leaves one row in doubt after each pause without retries', async () => {
    const down = 10 + 4
    const { service, send, clock } = await waiting({ answer: 500 }, down, { concurrency: 1 })
    const outcomes = await Promise.all(names(20).map(name => send(name)))
    expect(outcomes.filter(end => end?.status === 'in_doubt')).toHaveLength(down)
    expect(outcomes.filter(end => end?.status === 'created')).toHaveLength(20 - down)
    expect(service.calls).toHaveLength(20)
    expect(clock.elapsedMs()).toBeGreaterThanOrEqual(5_000 + 10_000 + 20_000 + 40_000 + 80_000)
  })

  it('a service that makes records without an answer gets no row twice', async () => {
    const { service, send } = await waiting({ answer: 502, creates: true }, 30, { concurrency: 3 })
    await Promise.all(names(40).map(name => send(name)))
    expect(service.calls).toHaveLength(40)
    expect(new Set(service.made.map(({ name }) => name)).size).toBe(40)
  })

  it('a service that is down gets rows without an answer again if that is allowed', async () => {
    const { service, send } = await waiting({ answer: 500 }, 30, { mode: 'at-least-once' })
    const outcomes = await Promise.all(names(6).map(name => send(name)))
    expect(outcomes).toMatchObject(names(6).map(() => ({ status: 'created' })))
    expect(service.made).toHaveLength(6)
  })

  it('a service that is down may ask for a long time that fits, not for a longer one', async () => {
    const asking = (seconds: string): Reaction => ({ answer: 503, headers: { 'retry-after': seconds } })
    const fits = await waiting(asking('3600'), 1)
    expect(await fits.send()).toMatchObject({ status: 'created' })
    expect(fits.clock.elapsedMs()).toBeGreaterThanOrEqual(hourMs)
    const tooLong = await waiting(asking('7201'), 1)
    expect(await tooLong.send()).toMatchObject({ status: 'failed' })
    expect(tooLong.stop.reason?.code).toBe('asked_to_wait')
  })

  it('a service that is down is waited for anew after it was back', async () => {
    const reactions = [...Array(6).fill(503), 200, ...Array(6).fill(503)]
    const clock = fastClock()
    const service = await startService({
      react: () => (reactions[service.calls.length - 1] === 503 ? { answer: 503 } : 'create'),
    })
    const { send, events, stop } = senderTo(service.url, {
      clock,
      waitMs: 300_000,
      retries: 1,
      concurrency: 1,
    })
    for (const name of names(3)) expect(await send(name)).toMatchObject({ status: 'created' })
    expect(stop.reason).toBeUndefined()
    expect(clock.elapsedMs()).toBeGreaterThan(300_000)
    expect(eventsOf({ events }, 'service_down', 'service_back').map(({ type }) => type)).toEqual([
      'service_down',
      'service_back',
      'service_down',
      'service_back',
    ])
  })

  it('a service that is down leaves the row its retries', async () => {
    const reactions = [...Array(9).fill(503), 429, 429, 429]
    const service = await startService({
      react: (_, { body }) =>
        body.name === 'other' || service.calls.length > 12
          ? 'create'
          : { answer: reactions[service.calls.length - 1] ?? 503 },
    })
    const { send } = senderTo(service.url, { clock: fastClock(), waitMs: hourMs, retries: 1 })
    expect(await send()).toMatchObject({ status: 'created', attempts: 13 })
  })

  it.each([
    ['refuses the token', { answer: 401 }, 'unauthorized'],
    ['refuses a row', { answer: 422 }, undefined],
  ] as const)('a service that is down is not one that %s', async (_, reaction, stopped) => {
    const { send, stop, events } = await waiting(reaction, 1)
    expect(await send()).toMatchObject({ status: 'failed', attempts: 1 })
    expect(stop.reason?.code).toBe(stopped)
    expect(eventsOf({ events }, 'service_down')).toEqual([])
  })

  it('a service that is down is not what one row meets while others are taken', async () => {
    const service = await startService({
      react: (_, { body }) => (body.name === 'bad' ? { answer: 503 } : 'create'),
    })
    const { send, events } = senderTo(service.url, { clock: fastClock(), waitMs: hourMs, retries: 4 })
    const bad = send('bad')
    let done = false
    void bad.finally(() => {
      done = true
    })
    while (!done) await send('good')
    expect(await bad).toMatchObject({ status: 'failed', fault: 'throttled' })
    expect(eventsOf({ events }, 'service_down')).toEqual([])
  })

  it('a service that is down holds no row on disk, nor once the run stops', async () => {
    const onDisk = new Set<string>()
    const intentLog = {
      add: async (call: { identity: { key: string } }) => void onDisk.add(call.identity.key),
      remove: (key: string) => void onDisk.delete(key),
    }
    const seen: number[] = []
    const clock = fastClock()
    const watched = {
      ...clock,
      after(delayMs: number, action: () => void, kind?: 'background') {
        if (delayMs >= 5_000) seen.push(onDisk.size)
        return clock.after(delayMs, action, kind)
      },
    }
    const { send } = senderTo(nowhere, { clock: watched, waitMs: hourMs, retries: 0, intentLog })
    await Promise.all(names(5).map(name => send(name)))
    expect(seen.length).toBeGreaterThan(5)
    expect(Math.max(...seen)).toBeLessThanOrEqual(1)
  })

  it('a service that is down is waited for no longer once the run stops', async () => {
    const { send, stop, events } = senderTo(nowhere, { clock: testClock(), waitMs: hourMs, retries: 0 })
    const sending = Promise.all(names(4).map(name => send(name)))
    await expect.poll(() => eventsOf({ events }, 'service_down'), pollOptions).toHaveLength(1)
    stop.request({ code: 'signal', params: { signal: 'SIGINT' } })
    expect(await sending).toMatchObject(names(4).map(() => ({ status: 'failed', fault: 'never_reached' })))
    expect(stop.reason?.code).toBe('signal')
  })
})
