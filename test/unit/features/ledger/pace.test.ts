import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { paceOf } from '../../../../src/features/ledger/pace.ts'
import { migrations } from '../../../../src/features/ledger/schema.ts'
import { testClock, turns } from '../../../support/clock.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'

let database: TestDatabase
let importId: number

beforeAll(async () => {
  database = await testDatabase()
  await database.query(`CREATE SCHEMA rowlift; ${migrations.join('')}`)
})

afterAll(() => database.close())

/** Each test has an import of its own. */
beforeEach(async () => {
  const name = expect.getState().currentTestName
  const [row] = await database.query('INSERT INTO rowlift.import (name) VALUES ($1) RETURNING id', [name])
  importId = row.id
})

const stateOf = async () =>
  (await database.query('SELECT cuts::int, held_until FROM rowlift.pace WHERE import = $1', [importId]))[0]

/** A worker that has looked once, on a clock that stands still while the one of the database goes on. */
async function worker() {
  const clock = testClock()
  const pace = paceOf(database.query, importId, clock)
  const heard: (readonly [untilMs: number, isCut: boolean])[] = []
  const levels: number[] = []
  pace.follow((untilMs, isCut, level) => {
    heard.push([untilMs, isCut])
    if (level !== undefined) levels.push(level)
  })
  await vi.waitUntil(stateOf)
  await pace.take(0, 1)
  return { pace, clock, heard, levels }
}

/** Leaves room for how far the clock of the database may have gone on. */
const about = (ms: number) => expect.toSatisfy((it: number) => it > ms - 60_000 && it <= ms)

describe('starts of all workers', () => {
  it('starts follow one another', async () => {
    const [one, other] = [await worker(), await worker()]
    expect(await one.pace.take(1_000, 1)).toEqual(about(0))
    expect(await other.pace.take(1_000, 1)).toEqual(about(1_000_000))
    expect(await one.pace.take(1_000, 10)).toEqual(about(2_000_000))
    expect(await other.pace.take(1, 1)).toEqual(about(2_100_000))
  })

  it('starts that nobody took are lost', async () => {
    const { pace } = await worker()
    await database.query(`UPDATE rowlift.pace SET next_start = next_start - interval '1 hour'`)
    expect(await pace.take(1, 1)).toEqual(about(0))
  })

  it('starts are those of one import', async () => {
    const { pace } = await worker()
    await pace.take(1_000, 1)
    const [row] = await database.query(`INSERT INTO rowlift.import (name) VALUES ('another') RETURNING id`)
    importId = row.id
    expect(await (await worker()).pace.take(1, 1)).toEqual(about(0))
  })

  it('starts are none if the import was dropped', async () => {
    const { pace } = await worker()
    await database.query('DELETE FROM rowlift.import WHERE id = $1', [importId])
    expect(await pace.take(1, 1)).toBeUndefined()
  })
})

describe('news of a worker', () => {
  it('what a worker shares reaches the others when they look', async () => {
    const [one, other] = [await worker(), await worker()]
    one.pace.announce(600_000, false)
    await vi.waitUntil(async () => (await stateOf()).held_until !== null)
    await other.clock.advance(250)
    await vi.waitUntil(() => other.heard.length > 0)
    expect(other.heard).toEqual([[about(600_250), false]])
  })

  it('what a worker shares reaches the others when they take starts, a cut once', async () => {
    const [one, other] = [await worker(), await worker()]
    one.pace.announce(600_000, true)
    await vi.waitUntil(async () => (await stateOf()).cuts === 1)
    await other.pace.take(1, 1)
    await other.pace.take(1, 1)
    expect(other.heard.map(([, isCut]) => isCut)).toEqual([true, false])
  })

  it('what a worker shares is no cut for itself', async () => {
    const { pace, heard } = await worker()
    pace.announce(600_000, true)
    await vi.waitUntil(async () => (await stateOf()).cuts === 1)
    await pace.take(1, 1)
    expect(heard.every(([, isCut]) => !isCut)).toBe(true)
  })

  it('what a worker shares holds one that joins later, without earlier cuts', async () => {
    const one = await worker()
    one.pace.announce(600_000, true)
    await vi.waitUntil(async () => (await stateOf()).cuts === 1)
    const { heard } = await worker()
    expect(heard[0]).toEqual([about(600_000), false])
  })

  it('what a worker shares holds for the longest time of all', async () => {
    const [one, other] = [await worker(), await worker()]
    one.pace.announce(900_000, true)
    other.pace.announce(300_000, true)
    await vi.waitUntil(async () => (await stateOf()).cuts === 2)
    expect((await worker()).heard[0]).toEqual([about(900_000), false])
  })
})

describe('level that a worker sets', () => {
  const levelOf = async () =>
    (await database.query('SELECT level FROM rowlift.pace WHERE import = $1', [importId]))[0].level

  it('a level reaches the others when they look, once, and is no news for the worker itself', async () => {
    const [one, other] = [await worker(), await worker()]
    one.pace.level(0.24)
    await vi.waitUntil(async () => (await levelOf()) === 0.24)
    await one.pace.take(1, 1)
    await other.pace.take(1, 1)
    await other.pace.take(1, 1)
    expect([one.levels, other.levels]).toEqual([[], [0.24]])
  })

  it('a level reaches a worker that joins later, who follows when it is set again', async () => {
    const one = await worker()
    one.pace.level(0.5)
    await vi.waitUntil(async () => (await levelOf()) === 0.5)
    const later = await worker()
    expect(later.levels).toEqual([0.5])
    await database.query(`UPDATE rowlift.pace SET level = 1`)
    await later.pace.take(1, 1)
    expect(later.levels).toEqual([0.5, 1])
  })
})

describe('pace', () => {
  /** Makes a pace on a database that gives these answers. */
  function paceWith(answer: () => Promise<never[]>) {
    const clock = testClock()
    const query = vi.fn(answer)
    const pace = paceOf(query, 1, clock)
    pace.follow(() => {})
    return { clock, query, pace }
  }

  it('a pace of throttled calls with about the same wait is reported once', async () => {
    const { pace, query } = paceWith(async () => [])
    await turns()
    query.mockClear()
    pace.announce(40_010, true)
    for (let ms = 40_010; ms < 40_200; ms += 1) pace.announce(ms, false)
    expect(query.mock.calls).toEqual([[expect.stringContaining('UPDATE'), [1, 40.25, 1]]])
    pace.announce(40_251, false)
    expect(query).toHaveBeenCalledTimes(2)
  })

  it('a pace is not asked for again and again while the database does not answer', async () => {
    const { clock, query } = paceWith(() => new Promise(() => {}))
    await clock.advance(60_000)
    expect(query.mock.calls.length).toBeLessThanOrEqual(2)
  })

  it('a pace gives no starts while the database is away, and harms nobody', async () => {
    const { clock, query, pace } = paceWith(() => Promise.reject(new Error('away')))
    pace.announce(1_000, true)
    expect(await pace.take(1, 1)).toBeUndefined()
    await clock.advance(1_000)
    expect(query.mock.calls.length).toBeLessThanOrEqual(9)
  })

  it('a pace that was closed no longer looks', async () => {
    const { clock, pace } = paceWith(async () => [])
    pace.close()
    expect(clock.timers).toBe(0)
  })
})
