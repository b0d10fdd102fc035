import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { taskMapping, taskNames, tasks } from '../../support/imports.ts'
import { closedLatch } from '../../support/latch.ts'
import { machine, sharing } from '../../support/machines.ts'
import { migrating } from '../../support/migration.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { treeMapping } from '../../support/record-tree.ts'
import { startCheckingService } from '../../support/references.ts'
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
    const cwd = await machine(tasks(420), taskMapping)
    const args = sharing(service, database.url, 'three')
    const ends = await Promise.all([1, 2, 3].map(() => rowlift(args, { cwd })))
    expect(ends.map(({ exitCode, stderr }) => [exitCode, exitCode === 0 ? '' : stderr])).toEqual([
      [0, ''],
      [0, ''],
      [0, ''],
    ])
    expect(madeBy(service)).toEqual(taskNames(420))
    expect(await statuses('three')).toEqual({ created: 420 })
    expect(ends.reduce((sum, end) => sum + summaryOf(end).created, 0)).toBe(420)
    expect(await database.query('SELECT * FROM rowlift.worker')).toEqual([])
    expect(await held()).toEqual([])
  })

  it('leaves rows alone that have their record, when it runs again', async () => {
    const service = await startService()
    const cwd = await machine(tasks(120), taskMapping)
    const args = sharing(service, database.url, 'again')
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    const again = await rowlift(args, { cwd })
    expect([again.exitCode, summaryOf(again)]).toMatchObject([0, { done: 120, created: 0 }])
    expect(service.calls).toHaveLength(120)
  })

  it('makes a record of each of equal rows without a key, in whatever chunks they are', async () => {
    const service = await startService()
    const cwd = await machine(`${tasks(230)},Same\n`.replaceAll(/^\d*[05]0,.*$/gm, ',Same'), taskMapping)
    const args = sharing(service, database.url, 'equal')
    const ends = await Promise.all([1, 2].map(() => rowlift(args, { cwd })))
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect(await statuses('equal')).toEqual({ created: 231 })
    expect(summaryOf(await rowlift(args, { cwd }))).toMatchObject({ done: 231, created: 0 })
  })

  it('is refused with 2 where a machine has another mapping or another copy of the source', async () => {
    const service = await startService()
    const begin = (cwd: string, ...more: string[]) =>
      rowlift(sharing(service, database.url, 'differs', ...more), { cwd })
    expect((await begin(await machine(tasks(5), taskMapping), '--limit', '1')).exitCode).toBe(0)
    const others: [string, string, string][] = [
      [tasks(6), taskMapping, 'its source tasks.csv is'],
      [tasks(5), taskMapping.replace('{{Name}}', '{{Name}}!'), 'its mapping is'],
      [tasks(5), taskMapping.replace('key: Id', 'key: Name'), 'its key is'],
    ]
    for (const [source, mapping, words] of others) {
      const refused = await begin(await machine(source, mapping))
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(words)])
    }
    const misread = await begin(await machine(tasks(5), taskMapping), '--encoding', 'windows-1250')
    expect([misread.exitCode, misread.stderr]).toEqual([2, expect.stringContaining('in windows-1250')])
    expect(service.made).toHaveLength(1)
    expect((await begin(await machine(tasks(6), taskMapping), '--new-run')).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(taskNames(6))
  })

  it('goes on after a worker that was stopped with a signal, whose chunks are free at once', async () => {
    const stopped = closedLatch()
    const service = await startService({
      holds: ({ body }) => (body.name === 'Task 3' ? Promise.resolve(stopped.open()) : undefined),
    })
    const cwd = await machine(tasks(230), taskMapping)
    const args = sharing(service, database.url, 'signal', '-c', '2', '--lease', '3600')
    const ended = await rowlift(args, { cwd, interrupted: stopped.opened.then(() => 'SIGTERM' as const) })
    expect([ended.exitCode, ended.stderr]).toEqual([143, expect.stringContaining('SIGTERM')])
    expect(service.made.length).toBeLessThan(230)
    expect(await held()).toEqual([])
    expect(await database.query('SELECT * FROM rowlift.worker')).toEqual([])
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(taskNames(230))
    expect(await statuses('signal')).toEqual({ created: 230 })
  })

  it('sends rows only after their parents, wherever these stand', async () => {
    const service = await startCheckingService()
    const count = 150
    const parentOf = (id: number) => (id % 50 === 1 ? '' : id - 1)
    const ids = Array.from({ length: count }, (_, at) => count - at)
    const rows = ids.map(id => `${id},Row ${id},${parentOf(id)}\n`)
    const circle = '1001,Loop 1,1002\n1002,Loop 2,1001\n1003,Orphan,1001\n1004,Lost,9999\n'
    const cwd = await machine(`Id,Name,Parent\n${rows.join('')}${circle}`, treeMapping)
    const args = sharing(service, database.url, 'links')
    const ends = await Promise.all([1, 2].map(() => rowlift(args, { cwd })))
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([1, 1])
    expect(service.violations).toEqual([])
    expect(service.made).toHaveLength(count)
    expect(await statuses('links')).toEqual({ created: count, invalid: 4 })
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

  it('makes a record of each of the equal rows without a key of a chunk, also after a takeover in their midst', async () => {
    const service = await startService()
    const cwd = await machine(`Id,Name\n${',Same\n'.repeat(4)}5,Last\n`, taskMapping)
    const args = sharing(service, database.url, 'keyless', '-c', '1')
    await rowlift([...args, '--limit', '2'], { cwd })
    expect(service.made).toHaveLength(2)
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(['Last', 'Same', 'Same', 'Same', 'Same'])
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
    for (const end of ends)
      expect(summaryOf(end).ledger).toMatchObject({ import: 'bad', all: { failed: 1, invalid: 1 } })
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
    const cwd = await machine(tasks(120), taskMapping)
    const args = sharing(service, database.url, 'limit')
    expect(summaryOf(await rowlift([...args, '--limit', '5'], { cwd }))).toMatchObject({
      created: 5,
      limit_reached: 5,
    })
    expect(service.made).toHaveLength(5)
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(taskNames(120))
  })

  it('takes the steps of a plan one after the other, and links them through the ledger', async () => {
    const { service, cwd, args } = await migrating()
    const shared = [...args, '--ledger', database.url, '--import', 'plan']
    const ends = await Promise.all([1, 2].map(() => rowlift(shared, { cwd })))
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect(service.violations).toEqual([])
    expect(madeBy(service)).toEqual(['Acme', 'Ada', 'Bell', 'Bob', 'Call', 'Cy', 'Wait', 'Write'])
    expect(await statuses('plan/people')).toEqual({ created: 3 })
  })

  it('leaves the finished steps of a plan alone when a worker comes late, and begins them again after the last', async () => {
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

  it('has a page of all rows, whoever sent them', async () => {
    const service = await startService({ react: () => ({ cut: 'in the answer' }) })
    const cwd = await machine(tasks(2), taskMapping)
    const args = sharing(service, database.url, 'page', '--report', 'page.html', '--limit', '1')
    for (const exitCode of [1, 1]) expect((await rowlift(args, { cwd })).exitCode).toBe(exitCode)
    const page = await readFile(join(cwd, 'page.html'), 'utf8')
    expect(page).toContain('2 rows in doubt')
    expect(page).toMatch(/rowlift resolve .*--import=page/)
  })

  it('is foretold by a dry run, before its first run and after it', async () => {
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
