import { describe, expect, it } from 'vitest'
import { gotClient } from '../../../src/api/got-client.ts'
import type { AttemptEnd, StartedAttempt } from '../../../src/api/http-client.ts'
import { atEnd } from '../../support/cleanup.ts'
import { testClock } from '../../support/clock.ts'
import { startService } from '../../support/service.ts'

/** A client of a service that refuses a call so many times, and then creates its record. */
async function clientOf({ refusals = 0, port }: { refusals?: number; port?: number } = {}) {
  const service = await startService({
    react: attempt => (attempt <= refusals ? { answer: 503, body: 'busy' } : 'create'),
  })
  const url = port === undefined ? `${service.url}/v1.0/record/contact/create/7` : `http://127.0.0.1:${port}`
  const settings = { version: 'test', timeoutMs: 5_000, proxy: undefined, clock: testClock() }
  const client = gotClient({ url, ...settings })
  atEnd(() => client.close())
  return { service, client }
}

const body = '{"name":"Ada"}'

/** Begins attempts, keeps how they ended, and wants another one after those without a success. */
function attempts(changes: Partial<StartedAttempt> = {}) {
  const ends: AttemptEnd[] = []
  const begin = async (): Promise<StartedAttempt> => ({
    token: 'a-token',
    isAllowed: () => true,
    async end(end) {
      ends.push(end)
      return ends.length < 3 && end.answer?.status !== 200
    },
    ...changes,
  })
  return { ends, begin }
}

describe('HTTP client', () => {
  it('the HTTP client repeats a call as long as it is asked to, and says how each attempt ended', async () => {
    const { service, client } = await clientOf({ refusals: 1 })
    const { ends, begin } = attempts()
    await client.post(body, begin)
    expect(ends).toMatchObject([
      { sent: true, answer: { status: 503, text: 'busy', isWhole: true }, reason: '' },
      { sent: true, answer: { status: 200, isWhole: true }, reason: '' },
    ])
    expect(service.calls).toMatchObject([{ body: { name: 'Ada' } }, { body: { name: 'Ada' } }])
  })

  it('the HTTP client says why there is no answer, and tries again then too', async () => {
    const { client } = await clientOf({ port: 9 })
    const { ends, begin } = attempts()
    await client.post(body, begin)
    const end = { sent: false, answer: undefined, reason: 'ECONNREFUSED', proxyStatus: undefined }
    expect(ends).toEqual([end, end, end])
  })

  it('the HTTP client ends a call with what is thrown before its second attempt', async () => {
    const { service, client } = await clientOf({ refusals: 1 })
    const { ends, begin } = attempts()
    const once = () => (ends.length === 0 ? begin() : Promise.reject(new Error('not now')))
    await expect(client.post(body, once)).rejects.toThrow('not now')
    expect(service.calls).toHaveLength(1)
  })

  it('the HTTP client ends a call with what is thrown before an attempt, and opens no connection', async () => {
    const { service, client } = await clientOf()
    const begin = () => Promise.reject(new Error('not now'))
    await expect(client.post(body, begin)).rejects.toThrow('not now')
    expect(service.connections()).toBe(0)
  })

  it.each([
    ['an answer', undefined],
    ['a connection that was refused', 9],
  ] as const)('the HTTP client ends a call with what is thrown after %s', async (_, port) => {
    const { client } = await clientOf({ ...(port && { port }) })
    const { begin } = attempts({ end: () => Promise.reject(new Error('a defect')) })
    await expect(client.post(body, begin)).rejects.toThrow('a defect')
  })
})
