import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaseFromNow } from '../../../../src/features/ledger/claim.ts'
import { noCall } from '../../../../src/features/ledger/entries.ts'
import { readTotals } from '../../../../src/features/ledger/progress.ts'
import { problem } from '../../../../src/model/problem.ts'
import type { Call } from '../../../../src/model/row.ts'
import { testClock } from '../../../support/clock.ts'
import { askedRun, created, row, testWorker } from '../../../support/ledger.ts'
import { outcomeOf } from '../../../support/outcomes.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

let imports = 0
const fresh = () => {
  imports += 1
  return `import ${imports}`
}
const statusesOf = async (name: string) =>
  (
    await db.query(
      `SELECT status FROM rowlift.line l JOIN rowlift.run r ON r.id = l.run JOIN rowlift.import i ON i.id = r.import
        WHERE i.name = $1 ORDER BY seq`,
      [name],
    )
  ).map(({ status }) => status)
const expireLeases = () =>
  db.query(`UPDATE rowlift.chunk SET lease = clock_timestamp() - interval '1 s' WHERE lease IS NOT NULL`)

/** The outcome of a row whose record an export shows. */
const existing = ({ identity }: Pick<Call, 'identity'>) =>
  outcomeOf({ status: 'existing', recordId: 'there', export: 'e.csv', attempts: 0, durationMs: 0 }, identity)

describe('ledger', () => {
  it('a ledger commits an outcome with the intent of the next call', async () => {
    const name = fresh()
    const { ledger, claim, calls } = await testWorker(db.url, undefined, { name })
    const [one, two] = await calls(await claim(), row(1), row(2))
    await ledger.intentLog.add(one)
    const [, denial] = await Promise.all([ledger.record(created(one)), ledger.intentLog.add(two)])
    expect(denial).toBeUndefined()
    const entries = await db.query(
      `SELECT state, xmin::text FROM rowlift.entry WHERE import = $1 ORDER BY row`,
      [ledger.run.importId],
    )
    expect(entries.map(({ state }) => state)).toEqual(['s', 'o'])
    expect(new Set(entries.map(({ xmin }) => xmin)).size).toBe(1)
  })

  it('a ledger looks at an intent whose key has an outcome beside it after that', async () => {
    const name = fresh()
    const { ledger, claim, calls } = await testWorker(db.url, undefined, { name })
    const chunk = await claim()
    const [one, same] = await calls(chunk, row(1), { ...row(2), key: row(1).key })
    await ledger.intentLog.add(one)
    const written = await Promise.all([ledger.record(created(one)), ledger.intentLog.add(same)])
    expect(written).toMatchObject([{ status: 'created' }, { sameAs: { row: 1 } }])
    expect(await statusesOf(name)).toEqual(['created'])
  })

  it('a ledger gives each chunk to one worker, and ends when all are done', async () => {
    const name = fresh()
    const a = await testWorker(db.url, undefined, { name })
    const b = await testWorker(db.url, undefined, { name })
    const [one, two] = [await a.claim(), await b.claim()]
    expect([one.chunk.no, two.chunk.no]).toEqual([0, 1])
    expect(await a.ledger.claim()).toBe('wait')
    await a.ledger.free(one, { left: 0, unlogged: { done: 2 } })
    await b.ledger.free(two, { left: 0, unlogged: { done: 1, left_out: 1 } })
    expect(await a.ledger.claim()).toBe('finished')
    const [run] = await db.query(
      `SELECT closing FROM rowlift.run r JOIN rowlift.import i ON i.id = r.import WHERE i.name = $1`,
      [name],
    )
    expect(JSON.parse(run.closing).ended).toEqual({ rows: 3, done: 3, left_out: 1 })
  })

  it('a ledger gives a worker no chunk that another lane of it has, though the lease is over', async () => {
    const name = fresh()
    const a = await testWorker(db.url, undefined, { name })
    const one = await a.claim()
    await expireLeases() // as after a sleep
    expect((await a.claim()).chunk.no).toBe(1)
    expect(await a.ledger.claim()).toBe('wait')
    await a.ledger.free(one)
    expect((await a.claim()).chunk).toMatchObject({ no: 0, epoch: 2 })
  })

  it('a ledger puts the calls of a dead worker in doubt, and takes its late answer', async () => {
    const name = fresh()
    const a = await testWorker(db.url, undefined, { name })
    const chunk = await a.claim()
    const [call] = await a.calls(chunk, row(1))
    await a.ledger.intentLog.add(call)
    await expireLeases()
    const b = await testWorker(db.url, undefined, { name })
    const taken = await b.claim()
    expect(taken.chunk.no).toBe(0)
    expect(taken.accounted.has(1)).toBe(true)
    expect(await statusesOf(name)).toEqual(['in_doubt'])
    await a.ledger.record(created(call))
    expect(await statusesOf(name)).toEqual(['in_doubt', 'created'])
    expect((await readTotals(b.ledger.run)).byStatus).toEqual({ created: 1, in_doubt: 0 })
  })

  it('a ledger has no doubt about a row that exists: its key is free after a dead worker, and written once', async () => {
    const name = fresh()
    const a = await testWorker(db.url, undefined, { name })
    const [call] = await a.calls(await a.claim(), row(1))
    await a.ledger.intentLog.add({ ...call, json: noCall })
    await expireLeases()
    const b = await testWorker(db.url, undefined, { name })
    const taken = await b.claim()
    expect([taken.chunk.no, taken.accounted.has(1)]).toEqual([0, false])
    expect(await statusesOf(name)).toEqual([])
    const [again] = await b.calls(taken, row(1))
    await b.ledger.record(existing(again))
    await a.ledger.record(existing(call))
    expect(await statusesOf(name)).toEqual(['existing'])
  })

  it('a ledger gives the key and the record of a row that exists to one row', async () => {
    const name = fresh()
    const a = await testWorker(db.url, undefined, { name })
    const b = await testWorker(db.url, undefined, { name })
    const [one] = await a.calls(await a.claim(), row(1, 'same'))
    const [other, alike] = await b.calls(await b.claim(), row(3, 'same'), row(4))
    expect(await a.ledger.record(existing(one))).toMatchObject({ status: 'existing' })
    expect(await b.ledger.record(existing(other))).toMatchObject({ status: 'duplicate', sameAs: { row: 1 } })
    expect(await b.ledger.record(existing(alike))).toMatchObject({ status: 'merged', sameAs: { row: 1 } })
    expect(await statusesOf(name)).toEqual(['existing', 'duplicate', 'merged'])
  })

  it('a ledger lets no call out of a worker whose chunk was taken', async () => {
    const name = fresh()
    const a = await testWorker(db.url, undefined, { name })
    const chunk = await a.claim()
    const [one, two] = await a.calls(chunk, row(1), row(2))
    await expireLeases()
    const b = await testWorker(db.url, undefined, { name })
    const taken = await b.claim()
    expect(await a.ledger.intentLog.add(one)).toEqual({})
    const [again] = await b.calls(taken, row(1))
    expect(await b.ledger.intentLog.add(again)).toBeUndefined()
    expect(await a.ledger.intentLog.add(two)).toEqual({})
  })

  it('a ledger sends one of two rows with a key in two chunks', async () => {
    const name = fresh()
    const a = await testWorker(db.url, undefined, { name })
    const b = await testWorker(db.url, undefined, { name })
    const [one, two] = [await a.claim(), await b.claim()]
    const [first] = await a.calls(one, row(1, 'same'))
    const [second] = await b.calls(two, row(3, 'same'))
    const denials = await Promise.all([a.ledger.intentLog.add(first), b.ledger.intentLog.add(second)])
    expect(denials.filter(denial => denial === undefined)).toHaveLength(1)
    expect(denials.find(denial => denial !== undefined)?.sameAs?.source).toBe('a.csv')
  })

  it('a ledger lets no call out after its lease by the own clocks of a worker', async () => {
    const name = fresh()
    const clock = testClock()
    const a = await testWorker(db.url, undefined, { name, clock })
    const chunk = await a.claim()
    const [call] = await a.calls(chunk, row(1))
    await a.ledger.intentLog.add(call)
    let [elapsedMs, wallMs] = [0, 0]
    const clocks = { ...clock, elapsedMs: () => elapsedMs, now: () => new Date(wallMs) }
    chunk.lease = leaseFromNow({ clock: clocks, leaseS: 30 })
    elapsedMs = 25_000
    expect(a.ledger.intentLog.check(call)).toEqual({})
    elapsedMs = 0
    wallMs = 25_000
    expect(a.ledger.intentLog.check(call)).toEqual({})
    elapsedMs = 20_000
    wallMs = 0
    expect(a.ledger.intentLog.check(call)).toBeUndefined()
  })

  it('a ledger lets no call out for a row that has its record', async () => {
    const name = fresh()
    const a = await testWorker(db.url, askedRun([1]), { name })
    const chunk = await a.claim()
    const [call] = await a.calls(chunk, row(1))
    await a.ledger.intentLog.add(call)
    await a.ledger.record(created(call))
    await a.ledger.free(chunk, { left: 0, unlogged: {} })
    expect(await a.ledger.claim()).toBe('finished')
    const b = await testWorker(db.url, askedRun([1]), { name })
    const [again] = await b.calls(await b.claim(), row(1))
    expect(await b.ledger.intentLog.add(again)).toEqual({})
  })

  it('a ledger gives a record to one row', async () => {
    const name = fresh()
    const a = await testWorker(db.url, undefined, { name })
    const b = await testWorker(db.url, undefined, { name })
    const [one, two] = [await a.claim(), await b.claim()]
    const [first] = await a.calls(one, row(1))
    const [second] = await b.calls(two, row(3))
    await a.ledger.intentLog.add(first)
    await b.ledger.intentLog.add(second)
    expect((await a.ledger.record(created(first, 'one')))?.status).toBe('created')
    const recorded = await b.ledger.record(created(second, 'one'))
    expect(recorded).toMatchObject({
      status: 'in_doubt',
      body: '{"name":"k3"}',
      errors: [{ code: 'record_id_taken' }],
    })
  })

  it('a ledger refuses other sources, another mapping and another organization', async () => {
    const name = fresh()
    await testWorker(db.url, undefined, { name })
    const asked = askedRun([2, 2])
    await expect(
      testWorker(
        db.url,
        { ...asked, sources: asked.sources.map(source => ({ ...source, sha256: 'ef' })) },
        { name },
      ),
    ).rejects.toMatchObject({ code: 'ledger_differs', params: { what: 'source a.csv' } })
    await expect(
      testWorker(db.url, askedRun([2, 2], { mapping_sha256: 'zz' }), { name }),
    ).rejects.toMatchObject({ params: { what: 'mapping' } })
    await expect(
      testWorker(db.url, askedRun([2, 2], { organization_id: 8 }), { name }),
    ).rejects.toMatchObject({ params: { what: 'organization' } })
    await expect(
      testWorker(db.url, askedRun([2, 2], { base_url: 'http://127.0.0.1:81' }), { name }),
    ).rejects.toMatchObject({ params: { what: 'base URL' } })
    await testWorker(db.url, askedRun([2, 2], { base_url: 'http://127.0.0.1' }), { name })
  })

  it('a ledger begins a new run when asked to, unless a worker still works on the last one', async () => {
    const name = fresh()
    const a = await testWorker(db.url, undefined, { name })
    const chunk = await a.claim()
    const [call] = await a.calls(chunk, row(1))
    await a.ledger.intentLog.add(call)
    const asked = { ...askedRun([4], { mapping_sha256: 'zz' }), isNewRun: true }
    await expect(testWorker(db.url, asked, { name })).rejects.toMatchObject({ code: 'ledger_busy' })
    await expireLeases()
    const b = await testWorker(db.url, asked, { name })
    expect(await statusesOf(name)).toEqual(['in_doubt'])
    expect((await b.claim()).chunk.rows).toBe(4)
    await a.ledger.record(created(call))
    expect(await statusesOf(name)).toEqual(['in_doubt', 'created'])
    await expect(a.ledger.claim()).rejects.toMatchObject({ code: 'ledger_run_over' })
  })

  it('a ledger counts a row once, whatever late answers its calls have', async () => {
    const { ledger, claim, calls } = await testWorker(db.url, undefined, { name: fresh() })
    const [call] = await calls(await claim(), row(1))
    await ledger.intentLog.add(call)
    for (const recordId of ['by hand', 'late']) await ledger.record(created(call, recordId))
    expect((await readTotals(ledger.run)).byStatus).toEqual({ created: 1, in_doubt: 0 })
  })

  it('a ledger is not finished if the import was dropped', async () => {
    const name = fresh()
    const a = await testWorker(db.url, undefined, { name })
    await db.query('SELECT rowlift.drop_import($1)', [name])
    await expect(a.ledger.claim()).rejects.toMatchObject({ code: 'ledger_run_over' })
  })

  it('a ledger does not end a chunk with an open intent: its next claim puts the row in doubt', async () => {
    const name = fresh()
    const { ledger, claim, calls } = await testWorker(db.url, askedRun([1]), { name })
    const chunk = await claim()
    const [call] = await calls(chunk, row(1))
    await ledger.intentLog.add(call)
    await ledger.free(chunk, { left: 0, unlogged: {} })
    const again = await claim()
    expect(await statusesOf(name)).toEqual(['in_doubt'])
    await ledger.free(again, { left: 0, unlogged: {} })
    expect(await ledger.claim()).toBe('finished')
  })

  it('a ledger leaves rows for one wave only, also if the answer to that is lost', async () => {
    const name = fresh()
    const { ledger, claim } = await testWorker(db.url, askedRun([2]), { name })
    const chunk = await claim()
    await ledger.free(chunk, { left: 1, unlogged: {} })
    await ledger.free(chunk, { left: 1, unlogged: {} })
    expect(await claim()).toMatchObject({ chunk: { isLastWave: false } })
  })

  it('a ledger writes what became of a row whose key a late answer has given to another one', async () => {
    const name = fresh()
    const resending = { delivery: 'at-least-once' } as const
    const a = await testWorker(db.url, askedRun([2], resending), { name })
    const [one] = await a.calls(await a.claim(), row(1, 'same'))
    await a.ledger.intentLog.add(one)
    await expireLeases()
    const b = await testWorker(db.url, { ...askedRun([2], resending), isNewRun: true }, { name })
    const [two] = await b.calls(await b.claim(), row(2, 'same'))
    expect(await b.ledger.intentLog.add(two)).toBeUndefined()
    await a.ledger.record(created(one))
    const effort = { httpStatus: 422, attempts: 1, durationMs: 1 }
    const errors = [problem('http_error', { status: 422 })]
    await b.ledger.record(outcomeOf({ status: 'failed', fault: 'refused', ...effort, errors }, two.identity))
    expect(await statusesOf(name)).toEqual(['in_doubt', 'created', 'failed'])
  })

  it('a ledger brings rows that are left back in the next wave', async () => {
    const name = fresh()
    const a = await testWorker(db.url, undefined, { name })
    const [one, two] = [await a.claim(), await a.claim()]
    await a.ledger.free(one, { left: 1, unlogged: {} })
    expect(await a.ledger.claim()).toBe('wait')
    await a.ledger.free(two, { left: 2, unlogged: {} })
    const next = await a.claim()
    expect([next.chunk.no, next.chunk.epoch, next.chunk.isLastWave]).toEqual([0, 2, false])
    await a.ledger.free(next, { left: 1, unlogged: {} })
    await a.ledger.free(await a.claim(), { left: 2, unlogged: {} })
    expect((await a.claim()).chunk.isLastWave).toBe(true)
  })
})
