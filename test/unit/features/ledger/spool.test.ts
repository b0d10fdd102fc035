import { appendFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { spoolFor } from '../../../../src/features/ledger/spool.ts'
import { systemClock } from '../../../../src/model/clock.ts'
import { type Cable, layCable, through } from '../../../support/cable.ts'
import { tempFolder } from '../../../support/cleanup.ts'
import { created, row, type TestWorker, testWorker } from '../../../support/ledger.ts'
import { pollOptions } from '../../../support/polling.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

const statuses = async () =>
  (await db.query('SELECT status FROM rowlift.line ORDER BY seq')).map(({ status }) => status)

/** A worker whose call is out when the way to the database is cut. */
async function cutOff(
  name: string,
): Promise<TestWorker & { cable: Cable; folder: string; settle: () => Promise<unknown> }> {
  const cable = await layCable(Number(new URL(db.url).port || 5432))
  const folder = await tempFolder()
  const worker = await testWorker(through(cable, db.url), undefined, {
    name,
    clock: systemClock,
    spoolFolder: folder,
  })
  const [call] = await worker.calls(await worker.claim(), row(1))
  await worker.ledger.intentLog.add(call)
  cable.set('refusing')
  return { ...worker, cable, folder, settle: async () => worker.ledger.record(created(call)) }
}

describe('worker while the database is away', () => {
  it('a worker without a database keeps an outcome in a file until the database is back', async () => {
    const { cable, folder, settle } = await cutOff('back')
    expect(await settle()).toMatchObject({ status: 'created' })
    expect(await readdir(folder)).toEqual([
      expect.stringMatching(/^back\..+\.spool$/),
      expect.stringMatching(/\.lock$/),
    ])
    cable.set('whole')
    await expect.poll(statuses, pollOptions).toEqual(['created'])
    await expect.poll(() => readdir(folder), pollOptions).toEqual([])
  })

  it('a worker without a database leaves the file to the next worker in the folder', async () => {
    const { ledger, folder, settle } = await cutOff('left')
    await settle()
    await expect(ledger.close()).rejects.toMatchObject({ code: 'ledger_away' })
    expect(await readdir(folder)).toEqual([expect.stringMatching(/\.spool$/)])
    const before = await statuses()
    await testWorker(db.url, undefined, { name: 'left', clock: systemClock, spoolFolder: folder })
    expect(await statuses()).toEqual([...before, 'created'])
    expect(await readdir(folder)).toEqual([])
  })

  it('a worker without a database hands over once what was written twice', async () => {
    const { ledger, folder, settle } = await cutOff('twice')
    await settle()
    await expect(ledger.close()).rejects.toMatchObject({ code: 'ledger_away' })
    const [file = ''] = await readdir(folder)
    await appendFile(join(folder, file), await readFile(join(folder, file)))
    const before = await statuses()
    await testWorker(db.url, undefined, { name: 'twice', clock: systemClock, spoolFolder: folder })
    expect(await statuses()).toEqual([...before, 'created'])
  })
})

it('two outcomes of a key may come at once in one file', async () => {
  const { ledger, claim, calls } = await testWorker(db.url, undefined, { name: 'both' })
  const [call] = await calls(await claim(), row(1))
  await ledger.intentLog.add(call)
  const before = await statuses()
  await Promise.all([created(call), created(call)].map(outcome => ledger.record(outcome)))
  expect(await statuses()).toEqual([...before, 'created'])
})

it('a worker begins another file if the database goes away again at once', async () => {
  const folder = await tempFolder()
  const holder = { id: 'w', pid: process.pid, host: 'here', since: '' }
  const lock = { timeoutMs: 1000, holder }
  const spool = spoolFor({ spoolFolder: folder, name: 'flapping', id: 'w', clock: systemClock, lock })
  const outcome = created({ identity: row(1) })
  const place = { run: 1, runId: 'r', chunk: 0, epoch: 1, source: 0 }
  const pending = { outcome, at: '2026-11-21T08:00:00.000Z', ...place }
  await spool.add(pending)
  const closed = spool.close(true)
  await spool.add(pending)
  await closed
  expect(await readdir(folder)).toContain('flapping.w.spool')
  await spool.close(true)
  expect(await readdir(folder)).toEqual([])
})

it('a key is that of the row whose record comes first, though another was sent since', async () => {
  const { ledger, claim, calls } = await testWorker(db.url, undefined, { name: 'late' })
  const [one, two] = await calls(await claim(), row(1, 'same'), row(2, 'same'))
  await ledger.intentLog.add(one)
  ledger.intentLog.remove('same')
  await expect
    .poll(() => db.query("SELECT FROM rowlift.entry WHERE state = 'f'"), pollOptions)
    .toHaveLength(1)
  expect(await ledger.intentLog.add(two)).toBeUndefined()
  await ledger.record(created(one))
  expect(
    await db.query(
      "SELECT e.row FROM rowlift.entry e JOIN rowlift.import i ON i.id = e.import WHERE i.name = 'late'",
    ),
  ).toEqual([{ row: 1 }])
})
