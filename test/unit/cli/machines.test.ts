import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { taskMapping, taskNames, tasks } from '../../support/imports.ts'
import { closedLatch } from '../../support/latch.ts'
import { machine, sharing } from '../../support/machines.ts'
import { pollOptions } from '../../support/polling.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { rowlift, summaryOf } from '../../support/rowlift.ts'
import { madeBy, startService } from '../../support/service.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

/** What the ledger has of an import: how many lines of each status. */
const statuses = async (name: string) =>
  Object.fromEntries(
    (
      await database.query(
        `SELECT l.status, count(*)::int AS count FROM rowlift.line l JOIN rowlift.run r ON r.id = l.run
           JOIN rowlift.import i ON i.id = r.import WHERE i.name = $1 GROUP BY l.status`,
        [name],
      )
    ).map(({ status, count }) => [status, count]),
  )

const held = () =>
  database.query('SELECT no FROM rowlift.chunk WHERE worker IS NOT NULL OR lease IS NOT NULL')

describe('an import that several machines share', () => {
  it('makes one record of each row, and every machine ends with the account of all', async () => {
    const service = await startService()
    const cwd = await machine(tasks(950), taskMapping)
    const args = sharing(service, database.url, 'three')
    const ends = await Promise.all([1, 2, 3].map(() => rowlift(args, { cwd })))
    expect(ends.map(({ exitCode, stderr }) => [exitCode, exitCode === 0 ? '' : stderr])).toEqual([
      [0, ''],
      [0, ''],
      [0, ''],
    ])
    expect(madeBy(service)).toEqual(taskNames(950))
    expect(await statuses('three')).toEqual({ created: 950 })
    expect(ends.reduce((sum, end) => sum + summaryOf(end).created, 0)).toBe(950)
    expect(await database.query('SELECT * FROM rowlift.worker')).toEqual([])
    expect(await held()).toEqual([])
  })

  it('leaves rows alone that have their record, when it runs again', async () => {
    const service = await startService()
    const cwd = await machine(tasks(250), taskMapping)
    const args = sharing(service, database.url, 'again')
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    const again = await rowlift(args, { cwd })
    expect([again.exitCode, summaryOf(again)]).toMatchObject([0, { done: 250, created: 0 }])
    expect(service.calls).toHaveLength(250)
  })

  it('is refused with 2 where a machine has another mapping or another copy of the source', async () => {
    const hold = closedLatch()
    const service = await startService({ holds: () => hold.opened })
    const first = rowlift(sharing(service, database.url, 'differs'), {
      cwd: await machine(tasks(5), taskMapping),
    })
    await expect.poll(() => service.calls.length, pollOptions).toBeGreaterThan(0)
    hold.open()
    expect((await first).exitCode).toBe(0)
  })

  it('gives a key that stands in several chunks to one row, and calls the others duplicates', async () => {
    const service = await startService()
    const rows = Array.from({ length: 300 }, (_, at) => `${at % 150},Task ${at % 150}\n`).join('')
    const cwd = await machine(`Id,Name\n${rows}`, taskMapping)
    const args = sharing(service, database.url, 'keys', '--max-failures', '1000')
    const ends = await Promise.all([1, 2].map(() => rowlift(args, { cwd })))
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect(service.made).toHaveLength(150)
    expect(await statuses('keys')).toEqual({ created: 150, duplicate: 150 })
  })

  it('has invalid and failed rows in its account, and every machine ends with 1', async () => {
    const service = await startService({
      react: (_, { body }) => (body.name === 'Task 7' ? { answer: 422 } : 'create'),
    })
    const cwd = await machine(
      `${tasks(220)}221,\n`,
      taskMapping.replace('"{{Name}}"', '{ from: Name, required: true }'),
    )
    const args = sharing(service, database.url, 'bad')
    const ends = await Promise.all([1, 2].map(() => rowlift(args, { cwd })))
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([1, 1])
    expect(await statuses('bad')).toEqual({ created: 219, failed: 1, invalid: 1 })
    const again = await rowlift(args, { cwd })
    expect([again.exitCode, summaryOf(again)]).toMatchObject([
      1,
      { done: 219, failed: 1, invalid: 1, known: 2 },
    ])
    expect(await statuses('bad')).toEqual({ created: 219, failed: 1, invalid: 1 })
  })

  it('sends no more than --limit says, and the next one the rest', async () => {
    const service = await startService()
    const cwd = await machine(tasks(250), taskMapping)
    const args = sharing(service, database.url, 'limit')
    expect(summaryOf(await rowlift([...args, '--limit', '5'], { cwd }))).toMatchObject({
      created: 5,
      limit_reached: 5,
    })
    expect(service.made).toHaveLength(5)
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(taskNames(250))
  })
})
