import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTotals } from '../../../../src/features/ledger/progress.ts'
import { openDatabase } from '../../../../src/features/ledger/schema.ts'
import { systemClock } from '../../../../src/model/clock.ts'
import { problem } from '../../../../src/model/problem.ts'
import { withChecksum } from '../../../../src/store/files/checksum.ts'
import { layCable, through } from '../../../support/cable.ts'
import { tempFolder } from '../../../support/cleanup.ts'
import { testClock } from '../../../support/clock.ts'
import { created, row, testWorker } from '../../../support/ledger.ts'
import { outcomeOf } from '../../../support/outcomes.ts'
import { pollOptions } from '../../../support/polling.ts'
import { clientOf, type TestDatabase, testDatabase } from '../../../support/postgres.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

const stateOf = async (name: string, row: number) => {
  const [found] = await db.query(
    `SELECT e.state FROM rowlift.entry e JOIN rowlift.import i ON i.id = e.import WHERE i.name = $1 AND e.row = $2`,
    [name, row],
  )
  return found?.state
}
const waiting = async (by: string) =>
  (
    await db.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1`, [
      `%${by}%`,
    ])
  ).length

describe('late statement of a ledger', () => {
  it('a late statement takes back the intent of its own attempt only', async () => {
    const name = 'withdrawn late'
    const { ledger, claim, calls } = await testWorker(db.url, undefined, { name, clock: systemClock })
    const chunk = await claim()
    const [one, two] = await calls(chunk, row(1), row(2))
    await Promise.all([ledger.intentLog.add(one), ledger.intentLog.add(two)])
    const other = clientOf(db.url)
    await other.query('BEGIN')
    await other.query('SELECT FROM rowlift.entry WHERE row = 2 FOR UPDATE')
    ledger.intentLog.remove('k2') // waits for the lock
    await expect.poll(() => waiting('recordset'), pollOptions).toBe(1)
    ledger.intentLog.remove('k1') // waits for that
    const again = ledger.intentLog.add(one)
    for (let turn = 0; turn < 20; turn += 1) await db.query('SELECT 1') // time for it to overtake
    await other.query('COMMIT')
    await other.close()
    expect(await again).toBeUndefined()
    await ledger.free(chunk, { left: 0, unlogged: {} })
    expect([await stateOf(name, 1), await stateOf(name, 2)]).toEqual(['o', 'f'])
  })

  it('a late statement leaves a chunk for the next wave once, though it comes twice', async () => {
    const name = 'ended twice'
    const { ledger, claim } = await testWorker(db.url, undefined, { name })
    const chunk = await claim()
    await ledger.free(chunk, { left: 2, unlogged: {} })
    await ledger.free(chunk, { left: 2, unlogged: {} })
    const [{ wave }] = await db.query(
      `SELECT c.wave FROM rowlift.chunk c JOIN rowlift.run r ON r.id = c.run JOIN rowlift.import i ON i.id = r.import
        WHERE i.name = $1 AND c.no = 0`,
      [name],
    )
    expect(wave).toBe(1)
  })

  it('a late statement writes the line of a row without a call once', async () => {
    const name = 'written twice'
    const cable = await layCable(Number(new URL(db.url).port || 5432))
    const worker = await testWorker(through(cable, db.url), undefined, { name, clock: systemClock })
    const [call] = await worker.calls(await worker.claim(), row(1))
    await db.query(`CREATE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN NULL; END $$`)
    await db.query(`CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON rowlift.line DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION slow_commit()`)
    const disk = clientOf(db.url)
    await disk.query('SELECT pg_advisory_lock(42)')
    const invalid = outcomeOf({ status: 'invalid', errors: [problem('not_object')] }, call.identity)
    const recorded = worker.ledger.record(invalid)
    await expect.poll(() => waiting('COMMIT'), pollOptions).toBe(1)
    cable.cut()
    await expect.poll(() => waiting(''), pollOptions).toBe(2)
    await disk.close()
    await recorded
    await db.query('DROP TRIGGER slow ON rowlift.line')
    expect((await readTotals(worker.ledger.run)).byStatus).toEqual({ invalid: 1, in_doubt: 0 })
  })
})

describe('ledger', () => {
  it('a ledger waits if a statement is cancelled, or a standby takes the place of the server', async () => {
    const events: string[] = []
    const options = { clock: systemClock, patienceMs: 60_000, timeoutMs: 5000 }
    const database = await openDatabase(db.url, { ...options, onEvent: ({ type }) => void events.push(type) })
    const failing = ['57014', '25006', '28P01', '3D000'].map(code => `RAISE 'no' USING ERRCODE = '${code}'`)
    await database.transaction((query, attempt) =>
      query(`DO $$ BEGIN ${failing[attempt] ?? 'PERFORM 1'}; END $$`),
    )
    await database.close()
    expect(events).toEqual(['ledger_away', 'ledger_back'])
  })

  it('a ledger gives up a statement that never succeeds, though others do', async () => {
    const clock = testClock()
    const database = await openDatabase(db.url, { clock, patienceMs: 3000, timeoutMs: 5000 })
    const never = database.query(`DO $$ BEGIN RAISE 'no' USING ERRCODE = '25006'; END $$`)
    let isOver = false
    never.catch(() => {
      isOver = true
    })
    while (!isOver) {
      await clock.advance(500)
      await database.query('SELECT 1')
    }
    await expect(never).rejects.toMatchObject({ code: 'ledger_away' })
    await database.close()
  })

  it('a ledger leaves the outcomes of another import with a similar name in their file', async () => {
    const folder = await tempFolder()
    const place = { run: 1, runId: '01JD0000000000000000000000', chunk: 0, epoch: 1, source: 0 }
    const pending = { outcome: created({ identity: row(1) }), at: '2026-11-21T08:00:00.000Z', ...place }
    await writeFile(join(folder, 'night.2.01JD.spool'), withChecksum(JSON.stringify(pending)))
    const { claim, calls } = await testWorker(db.url, undefined, { name: 'night', spoolFolder: folder })
    const chunk = await claim()
    await calls(chunk, row(1))
    expect(chunk.get('k1', '0')).toBeUndefined()
    expect(await readdir(folder)).toEqual(['night.2.01JD.spool'])
  })

  it('a ledger sends one of a rejected row and its repaired copies with other keys', async () => {
    const name = 'copies'
    const a = await testWorker(db.url, undefined, { name })
    const b = await testWorker(db.url, undefined, { name })
    const [one, two] = [await a.claim(), await b.claim()]
    const [first, other] = await a.calls(one, row(1), { ...row(2), hash: '22' })
    const replaces = { replaces: first.identity.hash }
    const [copy] = await b.calls(two, { ...row(3, 'new'), hash: '33', ...replaces })
    const refused = { ...first, before: 'refused' as const }
    expect(await a.ledger.intentLog.add(refused)).toBeUndefined()
    expect(await a.ledger.intentLog.add(other)).toBeUndefined()
    expect(await b.ledger.intentLog.add(copy)).toEqual({ sameAs: { source: 'a.csv', row: 1 } })
    a.ledger.intentLog.remove('k1')
    expect(await a.ledger.intentLog.add(refused)).toBeUndefined()
  })

  it('a ledger knows a record by its id in capitals', async () => {
    const { ledger, claim, calls } = await testWorker(db.url, undefined, { name: 'capitals' })
    const [one, two] = await calls(await claim(), row(1), row(2))
    await Promise.all([ledger.intentLog.add(one), ledger.intentLog.add(two)])
    await ledger.record(created(one, 'ab-1'))
    expect(await ledger.record(created(two, 'AB-1'))).toMatchObject({ status: 'in_doubt' })
  })
})
