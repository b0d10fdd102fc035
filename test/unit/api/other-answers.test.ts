import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { problem } from '../../../src/model/problem.ts'
import { testClock } from '../../support/clock.ts'
import { pollOptions } from '../../support/polling.ts'
import { startProxy } from '../../support/proxy.ts'
import { answerOf, type RawCall, startRawService } from '../../support/raw-service.ts'
import { senderTo } from '../../support/sender.ts'
import { startService } from '../../support/service.ts'

const recordId = '3f6d2a10-7c41-4a55-9d0e-5b1c2d3e4f50'
const names = Array.from({ length: 60 }, (_, at) => `Person ${at + 1}`)

/** A service, cache or proxy that answers every call alike. */
const cacheOf = (body: object) => startService({ react: () => ({ answer: 200, body: JSON.stringify(body) }) })

describe('record that another row has', () => {
  it('a record that another row has leaves this one in doubt, and stops a run of such calls', async () => {
    const { url } = await cacheOf({ record_id: recordId })
    const { send, stop } = senderTo(url, { concurrency: 1 })
    const ends = []
    for (const name of names) ends.push(await send(name))
    expect(ends[0]).toMatchObject({ status: 'created', recordId })
    expect(ends[1]).toMatchObject({
      status: 'in_doubt',
      errors: [problem('record_id_taken', { recordId, source: 'x.csv', row: 1 })],
      body: '{"name":"Person 2"}',
    })
    expect(ends[1]).not.toHaveProperty('recordId')
    expect(ends.filter(end => end?.status === 'in_doubt')).toHaveLength(10)
    expect(stop.reason?.code).toBe('not_answering')
  })

  it('a record that another row has is that of one row, however many get it at once', async () => {
    const { url } = await cacheOf({ record_id: recordId.toUpperCase() })
    const { send } = senderTo(url)
    const ends = await Promise.all(names.slice(0, 20).map(name => send(name)))
    expect(ends.map(end => end?.status).sort()).toEqual(['created', ...Array(19).fill('in_doubt')])
  })

  it('a record that another row has is merged if the service was asked for similar ones', async () => {
    const { url } = await cacheOf({ record_id: recordId, name: 'Ada' })
    const { send } = senderTo(url, { useCreated: true })
    await send('Ada')
    const sameAs = { source: 'x.csv', row: 1 }
    expect(await send('Ada Lovelace')).toMatchObject({ status: 'merged', recordId, sameAs })
  })

  it('a record that another row has is tried again under at-least-once, and stays in doubt', async () => {
    const { url, calls } = await cacheOf({ record_id: recordId })
    const { send } = senderTo(url, { mode: 'at-least-once', retries: 2 })
    await send('Ada')
    expect(await send('Bob')).toMatchObject({ status: 'in_doubt', attempts: 3 })
    expect(calls).toHaveLength(4)
  })

  it('a record that another row has is decided before any rule for answers', async () => {
    const { url } = await cacheOf({ record_id: recordId, note: 'error' })
    const { send } = senderTo(url, { rules: [{ statuses: [200], part: 'error', means: 'refused' }] })
    await send('Ada')
    expect(await send('Bob')).toMatchObject({ status: 'in_doubt' })
  })
})

describe('nil UUID', () => {
  it('the nil UUID is no record', async () => {
    const { url } = await cacheOf({ record_id: '00000000-0000-0000-0000-000000000000', name: 'Ada' })
    expect(await senderTo(url).send('Ada')).toMatchObject({
      status: 'in_doubt',
      errors: [problem('no_record_id')],
    })
  })
})

describe('answer to another call', () => {
  it('an answer to another call leaves the row in doubt, and ends the reuse of connections', async () => {
    const clock = testClock()
    const service = await startService({
      react: (_, { body }) =>
        body.name === 'Bob'
          ? { answer: 200, body: JSON.stringify({ record_id: recordId, name: 'Eve' }) }
          : 'create',
    })
    const { send } = senderTo(service.url, { clock })
    await send('the first')
    await clock.advance(200)
    for (const name of ['Ada', 'Bob', 'Cy', 'Di']) await send(name)
    expect(service.calls.map(call => call.isOnUsed)).toEqual([false, false, true, false, false])
    expect(await send('Eve')).toMatchObject({ status: 'created' }) // nobody has claimed its record
  })

  /** What a service sends behind its answer, and how much later. */
  const again = (answer: string) => answer
  const invented = () => answerOf({ record_id: randomUUID(), name: 'Nobody' })
  it.each([
    ['again', 'in the same packet', 0, again],
    ['again', '5 ms later', 5, again],
    ['again', '30 ms later', 30, again],
    ['for nobody', 'in the same packet', 0, invented],
    ['for nobody', '5 ms later', 5, invented],
    ['for nobody', '60 ms later', 60, invented],
  ])(
    'an answer to another call that comes %s %s gives no row a wrong record',
    async (_what, _when, delayMs, second) => {
      const made = new Map<string, string>()
      const onCall = async ({ socket, name }: RawCall) => {
        const id = randomUUID()
        made.set(id, name)
        const answer = answerOf({ record_id: id, name })
        if (delayMs === 0) return void socket.write(answer + second(answer))
        socket.write(answer)
        await sleep(delayMs, undefined, { ref: false })
        socket.write(second(answer))
      }
      const { url } = await startRawService(onCall)
      const clock = testClock()
      const { send } = senderTo(url, { clock, concurrency: 3, timeoutMs: 1_000 })
      await send('the first')
      await clock.advance(200)
      const ends = await Promise.all(names.map(name => send(name)))
      const created = ends.flatMap(end => (end?.status === 'created' ? [end] : []))
      expect(created.length).toBeGreaterThan(50)
      for (const { identity, recordId } of created) expect(made.get(recordId)).toBe(identity.key)
    },
  )
})

describe('idle connection', () => {
  it.each(['directly', 'through a tunnel'])(
    'an idle connection is closed by data that nobody asked for, %s',
    async way => {
      const { url, port, sockets } = await startRawService(({ socket, name }) =>
        socket.write(answerOf({ record_id: randomUUID(), name })),
      )
      const proxy = way === 'directly' ? undefined : new URL((await startProxy({ port })).url)
      const clock = testClock()
      const { send } = senderTo(url, { clock, proxy })
      await send('the first')
      await clock.advance(200)
      await send('Ada')
      const kept = sockets.at(-1)
      await Promise.all([kept && once(kept, 'close'), kept?.write('HTTP/1.1 200 OK\r\n')])
      for (const name of ['Bob', 'Cy']) expect(await send(name)).toMatchObject({ status: 'created' })
      await expect.poll(() => sockets.length, pollOptions).toBe(4)
    },
  )
})

describe('bytes behind an answer', () => {
  it('bytes behind an answer leave the call to its next attempt, which is the only one that counts', async () => {
    const ids = [randomUUID(), randomUUID()]
    let calls = 0
    const { url } = await startRawService(({ socket, name }) => {
      const answer = answerOf({ record_id: ids[calls] ?? '', name })
      socket.write(calls === 0 ? `${answer}garbage` : answer)
      calls += 1
    })
    const { send, underWay } = senderTo(url, { mode: 'at-least-once' })
    expect(await send('Ada')).toMatchObject({ status: 'created', recordId: ids[1], attempts: 2 })
    expect({ calls, underWay: underWay() }).toEqual({ calls: 2, underWay: 0 })
  })
})
