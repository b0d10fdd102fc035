import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { taskMapping, taskNames, tasks } from '../../../support/imports.ts'
import { closedLatch } from '../../../support/latch.ts'
import { machine, sharing, statusesOf } from '../../../support/machines.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'
import { rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, startService } from '../../../support/service.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const held = () =>
  database.query('SELECT no FROM rowlift.chunk WHERE worker IS NOT NULL OR lease IS NOT NULL')

describe('import that several machines share', () => {
  it('a shared import makes one record of each row, and every machine ends with all counts', async () => {
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
    expect(await statusesOf(database, 'three')).toEqual({ created: 420 })
    expect(ends.reduce((sum, end) => sum + summaryOf(end).created, 0)).toBe(420)
    expect(await database.query('SELECT * FROM rowlift.worker')).toEqual([])
    expect(await held()).toEqual([])
  })

  it('a shared import leaves rows alone that have their record, when it runs again', async () => {
    const service = await startService()
    const cwd = await machine(tasks(120), taskMapping)
    const args = sharing(service, database.url, 'again')
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    const again = await rowlift(args, { cwd })
    expect([again.exitCode, summaryOf(again)]).toMatchObject([0, { done: 120, created: 0 }])
    expect(service.calls).toHaveLength(120)
  })

  it('a shared import makes a record of each equal row without a key, in any chunks', async () => {
    const service = await startService()
    const cwd = await machine(`${tasks(230)},Same\n`.replaceAll(/^\d*[05]0,.*$/gm, ',Same'), taskMapping)
    const args = sharing(service, database.url, 'equal')
    const ends = await Promise.all([1, 2].map(() => rowlift(args, { cwd })))
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect(await statusesOf(database, 'equal')).toEqual({ created: 231 })
    expect(summaryOf(await rowlift(args, { cwd }))).toMatchObject({ done: 231, created: 0 })
  })

  it('a shared import is refused with 2 if a machine has another mapping or source', async () => {
    const service = await startService()
    const begin = (cwd: string, ...more: string[]) =>
      rowlift(sharing(service, database.url, 'differs', ...more), { cwd })
    expect((await begin(await machine(tasks(5), taskMapping), '--limit', '1')).exitCode).toBe(0)
    const others: [string, string, string][] = [
      [tasks(6), taskMapping, 'with another source tasks.csv'],
      [tasks(5), taskMapping.replace('{{Name}}', '{{Name}}!'), 'with another mapping'],
      [tasks(5), taskMapping.replace('key: Id', 'key: Name'), 'with another key'],
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

  it('a shared import goes on after a worker that was stopped with a signal', async () => {
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
    expect(await statusesOf(database, 'signal')).toEqual({ created: 230 })
  })
})
