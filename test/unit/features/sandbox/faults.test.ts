import { describe, expect, test } from 'vitest'
import { faultDice, mulberry32, rateLimit } from '../../../../src/features/sandbox/faults.ts'
import type { Sandbox, SandboxOptions } from '../../../../src/features/sandbox/server.ts'
import { pollOptions } from '../../../support/polling.ts'
import { contactPath, createContact, post, recordsOf, sandbox, statsOf, taskPath } from './sandboxes.ts'

describe('rate limit', () => {
  test('the rate limit answers 429 with Retry-After in whole seconds when the bucket is empty', async () => {
    // One call every 100 seconds: the bucket cannot fill again while the test runs.
    const at = await sandbox({ rateLimit: 0.01 })
    expect((await post(at, contactPath, {})).status).toBe(200)
    const refused = await post(at, contactPath, {})
    expect(refused.status).toBe(429)
    const waitS = Number(refused.headers.get('retry-after'))
    expect(Number.isInteger(waitS)).toBe(true)
    expect(waitS).toBeGreaterThan(90)
    expect(waitS).toBeLessThanOrEqual(100)
    expect(await recordsOf(at)).toHaveLength(1)
    expect(await statsOf(at)).toMatchObject({ calls: 2, created: 1, throttled: 1, by_status: { 429: 1 } })
  })

  test('the rate limit spends nothing on calls without the token or to another path', async () => {
    const at = await sandbox({ rateLimit: 0.01 })
    await post(at, contactPath, {}, { authorization: 'Bearer other' })
    await post(at, '/nowhere', {})
    expect((await post(at, contactPath, {})).status).toBe(200)
  })

  test('the rate limit is a bucket of one second that fills as time goes by', () => {
    let nowMs = 0
    const limit = rateLimit(4, () => nowMs)
    expect([limit(), limit(), limit(), limit(), limit()]).toEqual([0, 0, 0, 0, 1])
    nowMs = 250
    expect([limit(), limit()]).toEqual([0, 1])
    nowMs = 60_000
    expect([limit(), limit(), limit(), limit(), limit()]).toEqual([0, 0, 0, 0, 1])
  })
})

describe('failed and dropped calls', () => {
  test('a failed call is answered with 500 and nothing is created', async () => {
    const at = await sandbox({ failShare: 1 })
    expect((await post(at, taskPath, {})).status).toBe(500)
    expect(await recordsOf(at)).toEqual([])
    expect(await statsOf(at)).toMatchObject({ failed: 1, created: 0, by_status: { 500: 1 } })
  })

  test('a dropped call creates the record and cuts the connection', async () => {
    const at = await sandbox({ dropShare: 1 })
    await expect(post(at, contactPath, { name: 'Ada' })).rejects.toThrow()
    const [line] = await recordsOf(at)
    expect(line.record.name).toBe('Ada')
    expect(await statsOf(at)).toMatchObject({ created: 1, dropped: 1, by_status: {}, in_flight: 0 })
  })

  test('a dropped call with a wrong body is refused, since nothing was created', async () => {
    const at = await sandbox({ dropShare: 1 })
    expect((await post(at, contactPath, { name: 7 })).status).toBe(422)
  })

  test('the same seed makes the same faults in the same order, another seed others', async () => {
    const shares: SandboxOptions = { failShare: 0.3, dropShare: 0.3 }
    const first = await fates(await sandbox({ ...shares, seed: 5 }), 40)
    expect(await fates(await sandbox({ ...shares, seed: 5 }), 40)).toEqual(first)
    expect(await fates(await sandbox({ ...shares, seed: 6 }), 40)).not.toEqual(first)
    expect(new Set(first)).toEqual(new Set(['200', '500', 'cut']))
  })

  test('the shares of failed and dropped calls are as configured', () => {
    const roll = faultDice(0.2, 0.5, mulberry32(1))
    const counts = { fail: 0, drop: 0, none: 0 }
    for (let call = 0; call < 10_000; call += 1) counts[roll()] += 1
    expect(counts.fail / 10_000).toBeCloseTo(0.2, 1)
    expect(counts.drop / 10_000).toBeCloseTo(0.4, 1)
  })

  test('another share of drops does not change which calls fail', () => {
    const failing = (dropShare: number) => {
      const roll = faultDice(0.3, dropShare, mulberry32(9))
      return Array.from({ length: 100 }, () => roll() === 'fail')
    }
    expect(failing(0.9)).toEqual(failing(0))
  })
})

describe('latency', () => {
  test('latency delays the answer, not the record', async () => {
    const at = await sandbox({ latencyMs: 60_000 })
    const answer = post(at, contactPath, {}).catch(() => 'cut')
    await expect.poll(() => recordsOf(at), pollOptions).toHaveLength(1)
    await at.close()
    expect(await answer).toBe('cut')
  })

  test('latency lets calls overlap, as the stats show', async () => {
    const at = await sandbox({ latencyMs: 30 })
    await Promise.all([1, 2, 3, 4].map(number => createContact(at, { name: `${number}` })))
    expect((await statsOf(at)).max_in_flight).toBeGreaterThan(1)
  })
})

/** The status of each of so many calls, sent one after the other; `cut` when there was none. */
async function fates(at: Sandbox, calls: number): Promise<string[]> {
  const found: string[] = []
  for (let call = 0; call < calls; call += 1) {
    found.push(
      await post(at, contactPath, { name: `${call}` }).then(
        response => String(response.status),
        () => 'cut',
      ),
    )
  }
  return found
}
