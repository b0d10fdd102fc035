import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { taskMapping, tasks } from '../../../support/imports.ts'
import { itLong } from '../../../support/long.ts'
import { machine, sharing, statusesOf } from '../../../support/machines.ts'
import { migrating } from '../../../support/migration.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'
import { rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, startService } from '../../../support/service.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

describe('import that several machines share', () => {
  it('a shared import takes the steps of a plan in turn, and links them by the ledger', async () => {
    const { service, cwd, args } = await migrating()
    const shared = [...args, '--ledger', database.url, '--import', 'plan']
    const ends = await Promise.all([1, 2].map(() => rowlift(shared, { cwd })))
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect(service.violations).toEqual([])
    expect(madeBy(service)).toEqual(['Acme', 'Ada', 'Bell', 'Bob', 'Call', 'Cy', 'Wait', 'Write'])
    expect(await statusesOf(database, 'plan/people')).toEqual({ created: 3 })
  })

  itLong('a shared import leaves the finished steps of a plan alone when a worker comes late', async () => {
    const { cwd, args } = await migrating()
    const shared = [...args, '--ledger', database.url, '--import', 'late']
    const runs = async () => {
      const counted = await database.query(
        `SELECT i.name, count(*)::int FROM rowlift.import i JOIN rowlift.run r ON r.import = i.id
          WHERE i.name LIKE 'late/%' GROUP BY i.name ORDER BY i.name`,
      )
      return counted.map(({ name, count }) => `${name} ${count}`)
    }
    expect((await rowlift(shared, { cwd })).exitCode).toBe(0)
    await database.query(
      `UPDATE rowlift.run SET ended = NULL WHERE import = (SELECT id FROM rowlift.import WHERE name = 'late/tasks')`,
    )
    expect((await rowlift(shared, { cwd })).exitCode).toBe(0)
    expect(await runs()).toEqual(['late/organizations 1', 'late/people 1', 'late/tasks 1'])
    expect((await rowlift(shared, { cwd })).exitCode).toBe(0)
    expect(await runs()).toEqual(['late/organizations 2', 'late/people 2', 'late/tasks 2'])
  })

  it('a shared import has a page of all rows, whoever sent them', async () => {
    const service = await startService({ react: () => ({ cut: 'in the answer' }) })
    const cwd = await machine(tasks(2), taskMapping)
    const args = sharing(service, database.url, 'page', '--report', 'page.html', '--limit', '1')
    for (const exitCode of [1, 1]) expect((await rowlift(args, { cwd })).exitCode).toBe(exitCode)
    const page = await readFile(join(cwd, 'page.html'), 'utf8')
    expect(page).toContain('2 rows in doubt')
    expect(page).toMatch(/rowlift resolve .*--import=page/)
  })

  itLong('a shared import is foretold by a dry run, before its first run and after it', async () => {
    const service = await startService()
    const cwd = await machine(tasks(8), taskMapping)
    const args = sharing(service, database.url, 'dry')
    expect(summaryOf(await rowlift([...args, '--dry-run'], { cwd }))).toMatchObject({ valid: 8, done: 0 })
    await rowlift([...args, '--limit', '3'], { cwd })
    expect(summaryOf(await rowlift([...args, '--dry-run'], { cwd }))).toMatchObject({ valid: 5, done: 3 })
    expect(
      (await rowlift([...args, '--dry-run', '--base-url', 'https://other.example'], { cwd })).exitCode,
    ).toBe(2)
    const plan = await migrating()
    const steps = [...plan.args, '--ledger', database.url, '--import', 'dry plan']
    const ends = async () => summaryOf(await rowlift([...steps, '--dry-run'], { cwd: plan.cwd }))
    expect(await ends()).toMatchObject({ valid: 8 })
    expect((await rowlift(steps, { cwd: plan.cwd })).exitCode).toBe(0)
    expect(await ends()).toMatchObject({ valid: 0, done: 8 })
  })
})
