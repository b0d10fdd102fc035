import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { problem } from '../../../src/model/problem.ts'
import { atEnd } from '../../support/cleanup.ts'
import { testClock } from '../../support/clock.ts'
import { pollOptions } from '../../support/polling.ts'
import { type Sender, senderTo } from '../../support/sender.ts'
import { type Reaction, type Service, startService } from '../../support/service.ts'

/** A service that does one thing after the other with the attempts for a body, and then creates. */
const serviceThat = (...reactions: Reaction[]): Promise<Service> =>
  startService({ react: attempt => reactions[attempt - 1] ?? 'create' })

/** The same after one success, for what means something else before it. */
async function afterASuccess(url: string, changes: Parameters<typeof senderTo>[1] = {}): Promise<Sender> {
  const sender = senderTo(url, changes)
  await sender.send('the first')
  return sender
}

const retryAfter = (header: string): Reaction => ({ answer: 429, headers: { 'retry-after': header } })

describe('call', () => {
  it('a call is one POST with the token and the JSON body', async () => {
    const service = await serviceThat()
    const end = await senderTo(service.url).send('Ada')
    expect(end).toMatchObject({
      status: 'created',
      recordId: service.made[0]?.recordId,
      httpStatus: 200,
      attempts: 1,
    })
    expect(service.calls).toHaveLength(1)
    expect(service.calls[0]).toMatchObject({
      url: '/v1.0/record/contact/create/7',
      body: { name: 'Ada' },
      headers: {
        authorization: 'Bearer a-secret-token',
        'content-type': 'application/json',
        'user-agent': 'rowlift/test',
      },
    })
  })

  it.each([true, false])('a call has use_created=%s if that is set', async useCreated => {
    const service = await serviceThat()
    await senderTo(service.url, { useCreated }).send()
    expect(service.calls[0]?.url).toBe(`/v1.0/record/contact/create/7?use_created=${useCreated}`)
  })

  it('a call tells what was sent and is not in the answer, and nothing if all of it is', async () => {
    const body = JSON.stringify({ record_id: '9d2f1c3e-0000-4000-8000-123456789abc', name: null })
    const service = await serviceThat({ answer: 200, body })
    const { send } = senderTo(service.url)
    expect(await send()).toMatchObject({ status: 'created', notInAnswer: ['name'] })
    expect(await send()).not.toHaveProperty('notInAnswer')
  })

  it.each([429, 503, 408])('a call is retried after %d in both modes', async status => {
    const service = await serviceThat({ answer: status }, { answer: status })
    expect(await senderTo(service.url).send()).toMatchObject({ status: 'created', attempts: 3 })
    expect(service.made).toHaveLength(1)
  })

  it('a call fails when it is throttled at each attempt', async () => {
    const service = await startService({ react: () => ({ answer: 503, body: 'busy' }) })
    expect(await senderTo(service.url).send()).toMatchObject({
      status: 'failed',
      fault: 'throttled',
      attempts: 4,
      httpStatus: 503,
      errors: [{ code: 'http_error', params: { status: 503 }, body: 'busy' }],
    })
  })

  it('a call waits at least as long as Retry-After says, as do all others', async () => {
    const clock = testClock()
    const service = await startService({
      clock,
      react: (attempt, { body }) => (attempt === 1 && body.name !== 'Cy' ? retryAfter('1') : 'create'),
    })
    const { send, events } = senderTo(service.url, { clock })
    const throttled = Promise.all([send('Ada'), send('Bob')])
    await expect.poll(() => events.filter(({ type }) => type === 'retry'), pollOptions).toHaveLength(2)
    const later = send('Cy')
    await clock.advance(1_000)
    expect(await later).toMatchObject({ attempts: 1, durationMs: 0 }) // the wait for its turn is no part of the call
    await clock.advance(1)
    expect(await throttled).toMatchObject([
      { attempts: 2, durationMs: 1_001 },
      { attempts: 2, durationMs: 1_001 },
    ])
    const startMs = service.calls[0]?.atMs ?? 0
    expect(service.calls.map(({ body, atMs }) => [body.name, atMs - startMs]).slice(2)).toEqual([
      ['Cy', 1_000],
      [expect.stringMatching(/Ada|Bob/), 1_001],
      [expect.stringMatching(/Ada|Bob/), 1_001],
    ])
  })

  it('a call stops the run when the service asks for more than ten minutes', async () => {
    const service = await serviceThat(retryAfter('601'))
    const { send, stop } = senderTo(service.url)
    expect(await send()).toMatchObject({ status: 'failed', fault: 'throttled', attempts: 1 })
    expect(stop.reason).toMatchObject({ code: 'asked_to_wait' })
  })

  it.each([400, 409, 422])('a call fails at once when it is refused with %d', async status => {
    const service = await serviceThat({ answer: status, body: '{"error":"no name"}' })
    expect(await senderTo(service.url).send()).toMatchObject({
      status: 'failed',
      fault: 'refused',
      attempts: 1,
      httpStatus: status,
      errors: [{ body: '{"error":"no name"}' }],
    })
  })

  it('a call is retried when the service cannot be reached, and fails', async () => {
    const end = await senderTo('http://127.0.0.1:9').send()
    expect(end).toMatchObject({ status: 'failed', fault: 'never_reached', attempts: 4 })
    expect(end).toMatchObject({ errors: [problem('never_reached', { reason: 'ECONNREFUSED' })] })
  })

  it('a call never reaches a service whose name is unknown', async () => {
    expect(await senderTo('http://no-such-host.invalid').send()).toMatchObject({
      fault: 'never_reached',
      status: 'failed',
    })
  })
})

const ambiguous: readonly (readonly [string, Reaction, number])[] = [
  ['a cut before the answer', { cut: 'before reading' }, 0],
  ['a cut after the record was made', { cut: 'after creating' }, 1],
  ['a cut in the middle of the answer', { cut: 'in the answer' }, 1],
  ['500', { answer: 500 }, 0],
  ['502', { answer: 502 }, 0],
  ['an answer that is no JSON', { answer: 200, body: '<html>' }, 0],
  ['an answer without record_id', { answer: 200, body: '{"id":7}' }, 0],
  ['an empty answer', { answer: 204 }, 0],
  ['another protocol', { upgrade: true }, 0],
  ['an answer that never comes', { hang: true }, 0],
]

describe.each(ambiguous)('call after %s', (_, reaction, made) => {
  const timeoutMs = typeof reaction === 'object' && 'hang' in reaction ? 1_000 : undefined

  it('a call is in doubt, with its body, where a retry could create a second record', async () => {
    const service = await serviceThat(reaction)
    const { send } = senderTo(service.url, { timeoutMs })
    expect(await send('Ada')).toMatchObject({
      status: 'in_doubt',
      fault: 'ambiguous',
      attempts: 1,
      body: '{"name":"Ada"}',
    })
    expect(service.calls).toHaveLength(1)
    expect(service.made).toHaveLength(made)
  })

  it('a call is retried if the service itself finds the record', async () => {
    const service = await serviceThat(reaction)
    const { send } = senderTo(service.url, { mode: 'at-least-once', timeoutMs })
    expect(await send()).toMatchObject({ status: 'created', attempts: 2 })
  })

  it('a call doubt stays when the next attempt is refused', async () => {
    const service = await serviceThat(reaction, { answer: 422, body: 'no' })
    const { send } = senderTo(service.url, { mode: 'at-least-once', timeoutMs })
    expect(await send()).toMatchObject({
      status: 'in_doubt',
      fault: 'refused',
      httpStatus: 422,
      errors: [
        {
          code: 'still_in_doubt',
          params: { problem: { code: 'http_error', params: { status: 422 } } },
          body: 'no',
        },
      ],
    })
  })
})

describe('row left in doubt', () => {
  it('a row left in doubt by an earlier run stays in doubt when it is refused', async () => {
    const service = await serviceThat({ answer: 422 })
    expect(await senderTo(service.url).send('Ada', true)).toMatchObject({
      status: 'in_doubt',
      fault: 'refused',
    })
  })

  it('a row left in doubt by an earlier run is settled by a record_id', async () => {
    const service = await serviceThat()
    expect(await senderTo(service.url).send('Ada', true)).toMatchObject({ status: 'created' })
  })
})

describe('row that was sent again after an unclear answer', () => {
  const cut: Reaction = { cut: 'after creating' }
  const send = async (reactions: Reaction[], inDoubt = false) => {
    const service = await serviceThat(...reactions)
    return senderTo(service.url, { mode: 'at-least-once' }).send('Ada', inDoubt)
  }

  it('a row sent again counts the unclear attempts before its record, and no others', async () => {
    expect(await send([cut])).toMatchObject({ status: 'created', attempts: 2, unclearAttempts: 1 })
    const mixed = await send([{ answer: 429 }, cut, { answer: 500 }])
    expect(mixed).toMatchObject({ status: 'created', attempts: 4, throttled: 1, unclearAttempts: 2 })
    expect(await send([{ answer: 429 }, { answer: 503 }])).not.toHaveProperty('unclearAttempts')
  })

  it('a row sent again and still in doubt counts those besides one, for it may have a record', async () => {
    expect(await send([cut, cut, cut, cut])).toMatchObject({ status: 'in_doubt', unclearAttempts: 3 })
    expect(await send([cut, { answer: 422 }])).not.toHaveProperty('unclearAttempts')
  })

  it('a row sent again counts the doubt of an earlier run as one', async () => {
    expect(await send([], true)).toMatchObject({ status: 'created', attempts: 1, unclearAttempts: 1 })
    expect(await send([cut], true)).toMatchObject({ status: 'created', attempts: 2, unclearAttempts: 2 })
    expect(await send([{ answer: 422 }], true)).not.toHaveProperty('unclearAttempts')
  })
})

describe('rule of the settings file', () => {
  it('a rule of the settings file decides what an answer means, and the outcome says so', async () => {
    const service = await serviceThat({ answer: 400, body: 'a rate limit' })
    const rules = [{ statuses: [400], part: 'rate limit', means: 'throttled' }] as const
    expect(await senderTo(service.url, { rules, retries: 0 }).send()).toMatchObject({
      status: 'failed',
      fault: 'throttled',
      byRule: true,
      errors: [
        {
          code: 'response_rule',
          params: { problem: { code: 'http_error', params: { status: 400 } }, means: 'throttled' },
          body: 'a rate limit',
        },
      ],
    })
  })
})

describe('run', () => {
  it.each([401, 403, 404, 405, 302])(
    'the run stops when its first answer is %d, and the row failed',
    async status => {
      const service = await startService({
        react: () => ({ answer: status, headers: { location: 'https://elsewhere.invalid/' } }),
      })
      const { send, stop } = senderTo(service.url, { mode: 'at-least-once' })
      expect(await send()).toMatchObject({
        status: 'failed',
        fault: 'unauthorized',
        attempts: 1,
        httpStatus: status,
      })
      expect(stop.reason).toMatchObject({ code: 'unauthorized', params: { httpStatus: status } })
      expect(await send('the next')).toBeUndefined()
      expect(service.calls).toHaveLength(1)
    },
  )

  it.each([403, 404, 405])('the run goes on when %d comes after a success', async status => {
    const service = await startService({
      react: (_, { body }) => (body.name === 'Ada' ? { answer: status } : 'create'),
    })
    const { send, stop } = await afterASuccess(service.url)
    expect(await send('Ada')).toMatchObject({ status: 'failed', fault: 'refused' })
    expect(stop.reason).toBeUndefined()
  })

  it('the run never follows a redirect, and is in doubt if one comes after a success', async () => {
    const service = await startService({
      react: (_, { body }) =>
        body.name === 'Ada' ? { answer: 307, headers: { location: '/elsewhere' } } : 'create',
    })
    const { send } = await afterASuccess(service.url)
    expect(await send('Ada')).toMatchObject({ status: 'in_doubt', httpStatus: 307 })
    expect(service.calls.map(call => call.url)).not.toContain('/elsewhere')
  })

  it('the run does not wait for a retry when it is stopped: the row fails', async () => {
    const clock = testClock()
    const service = await serviceThat(retryAfter('300'))
    const { send, stop, events } = senderTo(service.url, { clock })
    const sending = send()
    await expect.poll(() => events.filter(({ type }) => type === 'retry'), pollOptions).toHaveLength(1)
    await clock.advance(10_000)
    stop.request({ code: 'signal', params: { signal: 'SIGTERM' } })
    expect(await sending).toMatchObject({
      status: 'failed',
      fault: 'throttled',
      attempts: 1,
      durationMs: 10_000,
    })
    expect(clock.timers).toBe(0)
    expect(service.calls).toHaveLength(1)
  })

  it('the run removes the intent of a call that reached nothing, and adds it again', async () => {
    const clock = testClock()
    const service = await serviceThat({ answer: 503 })
    const told: string[] = []
    const intentLog = { add: async () => void told.push('begins'), remove: () => void told.push('waits') }
    const { send, events } = senderTo(service.url, { clock, intentLog })
    const sending = send()
    await expect.poll(() => events.filter(({ type }) => type === 'retry'), pollOptions).toHaveLength(1)
    expect(told).toEqual(['begins', 'waits'])
    await clock.advance(125)
    expect(await sending).toMatchObject({ status: 'created', attempts: 2, durationMs: 125 })
    expect(told).toEqual(['begins', 'waits', 'begins'])
  })

  it('the run waits longer than the timeout of an attempt if it has to', async () => {
    const clock = testClock()
    const service = await serviceThat({ cut: 'in the answer' })
    const timeoutMs = 1_000
    const { send, events } = senderTo(service.url, { clock, mode: 'at-least-once', timeoutMs })
    const sending = send()
    const retries = () => events.filter(({ type }) => type === 'retry')
    await expect.poll(retries, pollOptions).toHaveLength(1)
    await new Promise(resolve => setTimeout(resolve, timeoutMs + 50)) // the timeout has a clock that a test cannot set
    await clock.advance(1)
    expect(await sending).toMatchObject({ status: 'created', attempts: 2, durationMs: 1 })
    expect(retries()).toHaveLength(1)
  })

  it('the run has its whole timeout, however long others have been under way', async () => {
    const service = await startService({ react: () => ({ hang: true }) })
    const timeoutMs = 500
    const { send } = senderTo(service.url, { timeoutMs })
    const first = send('Ada')
    await new Promise(resolve => setTimeout(resolve, timeoutMs / 2))
    const startedMs = performance.now()
    const second = send('Bob').then(outcome => ({ outcome, tookMs: performance.now() - startedMs }))
    expect(await first).toMatchObject({ status: 'in_doubt', errors: [{ params: { reason: 'ETIMEDOUT' } }] })
    const { outcome, tookMs } = await second
    expect(outcome).toMatchObject({ status: 'in_doubt' })
    expect(tookMs).toBeGreaterThanOrEqual(timeoutMs - 1)
  })

  it('the run lets the attempt under way finish when it is stopped', async () => {
    const clock = testClock()
    const service = await startService({ clock, latencyMs: 200 })
    const { send, stop } = senderTo(service.url, { clock })
    const sending = send()
    await expect.poll(() => service.calls.length, pollOptions).toBe(1)
    stop.request({ code: 'signal', params: { signal: 'SIGTERM' } })
    await clock.advance(200)
    expect(await sending).toMatchObject({ status: 'created', durationMs: 200 })
  })
})

describe('token', () => {
  it('the token is read again after a 401, and the call is retried with the new one', async () => {
    let value = 'a-secret-token'
    const token = {
      get value() {
        return value
      },
      begin: async () => {},
      async renew(refused: string) {
        value = 'rotated'
        return refused !== value
      },
    }
    const service = await startService({
      react: (_, { headers }) => (headers.authorization === 'Bearer rotated' ? 'create' : { answer: 401 }),
    })
    const { send, stop } = senderTo(service.url, { token, retries: 0 })
    expect(await send()).toMatchObject({ status: 'created', attempts: 2 })
    expect(stop.reason).toBeUndefined()
  })

  it('the token that is replaced while the run stops leaves the row failed, not in doubt', async () => {
    const service = await startService({ react: () => ({ answer: 401 }) })
    const renewal = { value: 'a-secret-token', begin: async () => {}, renew: async () => true }
    const { send, stop } = senderTo(service.url, {
      token: {
        ...renewal,
        async renew() {
          stop.request({ code: 'signal', params: { signal: 'SIGINT' } })
          return true
        },
      },
    })
    expect(await send()).toMatchObject({ status: 'failed', attempts: 1, httpStatus: 401 })
  })

  it('the token is masked in what the service answers', async () => {
    const service = await serviceThat({ answer: 422, body: 'got Bearer a-secret-token from you' })
    expect(await senderTo(service.url).send()).toMatchObject({
      errors: [{ body: 'got Bearer [token] from you' }],
    })
  })
})

describe('use_created', () => {
  const recordId = '9d2f1c3e-0000-4000-8000-123456789abc'

  it('use_created means existing if the service answers with an older record', async () => {
    const service = await serviceThat({ existing: recordId, createdAt: '2020-01-01T00:00:00Z' })
    expect(await senderTo(service.url, { useCreated: true }).send()).toMatchObject({
      status: 'existing',
      recordId,
    })
  })

  it('use_created means created if the service answers with a new record', async () => {
    const service = await serviceThat()
    expect(await senderTo(service.url, { useCreated: true }).send()).toMatchObject({ status: 'created' })
  })

  it('use_created means created if the second attempt returns the record of the first one', async () => {
    const service = await startService({
      react: attempt =>
        attempt === 1
          ? { cut: 'after creating' }
          : { existing: recordId, createdAt: new Date().toISOString() },
    })
    const { send } = senderTo(service.url, { useCreated: true, mode: 'at-least-once' })
    expect(await send()).toMatchObject({ status: 'created', recordId, attempts: 2 })
  })

  it.each([
    ['none if the repeated attempt returns an older record', 3_600, 'existing', undefined],
    ['none if it returns the record of the first attempt', 4, 'created', undefined],
    ['one if it returns a record that it made itself', 0, 'created', 1],
  ])('use_created counts unclear attempts: %s', async (_, ageS, status, unclearAttempts) => {
    const createdAt = () => new Date(Date.now() - ageS * 1000).toISOString()
    const service = await startService({
      react: attempt =>
        attempt === 1 ? { cut: 'after creating' } : { existing: recordId, createdAt: createdAt() },
    })
    const { send } = senderTo(service.url, { useCreated: true, mode: 'at-least-once' })
    const end = await send()
    expect([end?.status, end && 'attempts' in end && end.unclearAttempts]).toEqual([status, unclearAttempts])
  })

  it('use_created counts no doubt of an earlier run, because the service looks for its record', async () => {
    const settings = { useCreated: true, mode: 'at-least-once' } as const
    const found = await senderTo((await serviceThat()).url, settings).send('Ada', true)
    expect(found).toMatchObject({ status: 'created', attempts: 1 })
    expect(found).not.toHaveProperty('unclearAttempts')
    const again = await senderTo((await serviceThat({ answer: 500 })).url, settings).send('Ada', true)
    expect(again).toMatchObject({ status: 'created', attempts: 2, unclearAttempts: 2 })
  })

  it('use_created counts no unclear attempt if another row has the record', async () => {
    const service = await startService({
      similar: () => 'one',
      react: (attempt, { body }) => (body.name === 'ADA' && attempt === 1 ? { answer: 500 } : 'create'),
    })
    const { send } = senderTo(service.url, { useCreated: true, mode: 'at-least-once' })
    await send('Ada')
    const end = await send('ADA')
    expect(end).toMatchObject({ status: 'merged', attempts: 2 })
    expect(end).not.toHaveProperty('unclearAttempts')
  })
})

describe('kept-alive connections', () => {
  it('kept-alive connections are reused once the service has kept one open', async () => {
    const clock = testClock()
    const service = await serviceThat()
    const { send } = senderTo(service.url, { clock })
    await send('the first')
    await clock.advance(200)
    for (const name of ['Ada', 'Bob', 'Cy']) await send(name)
    expect(service.connections()).toBe(2)
  })

  it('kept-alive connections are not reused before the service has kept one open', async () => {
    const clock = testClock()
    const service = await serviceThat()
    const { send } = senderTo(service.url, { clock })
    await send('the first')
    await clock.advance(199)
    for (const name of ['Ada', 'Bob', 'Cy']) await send(name)
    expect(service.connections()).toBe(4)
  })

  it.each([0, 1, 10, 30, 120, 250])(
    'kept-alive connections that are closed %d ms after each answer cause no doubt',
    async closeIdleAfterMs => {
      const clock = testClock()
      const service = await startService({ clock, closeIdleAfterMs })
      const { send } = senderTo(service.url, { clock })
      for (let at = 0; at < 12; at += 1) {
        expect(await send(`row ${at}`)).toMatchObject({ status: 'created', attempts: 1 })
        if (at % 4 === 3) await clock.advance(closeIdleAfterMs + 5)
      }
    },
  )

  it('kept-alive connections are looked at once more if the event loop was busy meanwhile', async () => {
    const clock = testClock()
    const service = await serviceWithSockets()
    let closes = false
    const add = async (): Promise<undefined> => {
      await endOfTurn()
      if (!closes) return
      for (const socket of service.sockets) socket.end()
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
    }
    const { send } = senderTo(service.url, { clock, intentLog: { add, remove() {} } })
    await send('the first')
    await clock.advance(200)
    await send('the second')
    closes = true
    expect(await send('the third')).toMatchObject({ status: 'created', attempts: 1 })
  })

  it('kept-alive connections are given up when the service breaks several in a row', async () => {
    let isBreaking = false
    const clock = testClock()
    const service = await startService({
      react: (_, { isOnUsed }) => (isBreaking && isOnUsed ? { cut: 'before reading' } : 'create'),
    })
    const { send } = senderTo(service.url, { clock })
    await send('the first')
    await clock.advance(200)
    isBreaking = true
    const ends = []
    for (let at = 0; at < 30; at += 1) ends.push(await send(`row ${at}`))
    expect(ends.filter(end => end?.status !== 'created')).toHaveLength(2)
  })
})

/** A service whose open connections the test can close. */
async function serviceWithSockets() {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify({ record_id: randomUUID() })))
  })
  server.on('connection', socket => sockets.add(socket.once('close', () => sockets.delete(socket))))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atEnd(() => server.close().closeAllConnections())
  return { sockets, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
