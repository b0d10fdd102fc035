import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { taskMapping, taskNames, tasks } from '../../../support/imports.ts'
import { machine, sharing, statusesOf } from '../../../support/machines.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'
import { treeMapping } from '../../../support/record-tree.ts'
import { startCheckingService } from '../../../support/references.ts'
import { folderWith, type Line, linesOf, rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, startService } from '../../../support/service.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

describe('import that several machines share', () => {
  it('a shared import sends rows only after their parents, wherever these stand', async () => {
    const service = await startCheckingService()
    const count = 150
    const parentOf = (id: number) => (id % 15 === 1 ? '' : id - 1) // some of them in the other chunk
    const ids = Array.from({ length: count }, (_, at) => count - at)
    const rows = ids.map(id => `${id},Row ${id},${parentOf(id)}\n`)
    const circle = '1001,Loop 1,1002\n1002,Loop 2,1001\n1003,Orphan,1001\n1004,Lost,9999\n'
    const cwd = await machine(`Id,Name,Parent\n${rows.join('')}${circle}`, treeMapping)
    const args = sharing(service, database.url, 'links')
    const ends = await Promise.all([1, 2].map(() => rowlift(args, { cwd })))
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([1, 1])
    expect(service.violations).toEqual([])
    expect(service.made).toHaveLength(count)
    expect(await statusesOf(database, 'links')).toEqual({ created: count, invalid: 4 })
  })

  it('a shared import says of a row why its parent in another chunk has no record, in the next run as well', async () => {
    const service = await startCheckingService()
    const rows = Array.from({ length: 150 }, (_, at) => `${at + 2},Row ${at + 2},\n`).join('')
    const cwd = await machine(`Id,Name,Parent\n1,,\n${rows}200,Child,1\n`, treeMapping)
    const args = sharing(service, database.url, 'bad-parent')
    for (const _ of [1, 2]) {
      const end = await rowlift(args, { cwd })
      const reasons = (summaryOf(end).reasons as { code: string }[]).map(({ code }) => code)
      expect(reasons.toSorted()).toEqual(['linked_row_not_created', 'required'])
    }
  })

  it('a shared import gives a key of several chunks to one row, and the others are duplicates', async () => {
    const service = await startService()
    const rows = Array.from({ length: 300 }, (_, at) => `${at % 150},Task ${at % 150}\n`).join('')
    const cwd = await machine(`Id,Name\n${rows}`, taskMapping)
    const args = sharing(service, database.url, 'keys', '--max-failures', '1000')
    const ends = await Promise.all([1, 2].map(() => rowlift(args, { cwd })))
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect(service.made).toHaveLength(150)
    expect(await statusesOf(database, 'keys')).toEqual({ created: 150, duplicate: 150 })
  })

  it('a shared import tells what is odd in its first rows, and what changed since the last run', async () => {
    const service = await startService()
    const dated = taskMapping.replace(
      '}" }',
      '}", date_info: { due_date: { from: Due, as: date, format: [d/M/y, M/d/y] } } }',
    )
    const cwd = await machine('Id,Name,Due\n1,One,25/12/2026\n2,Total,\n', dated)
    const args = sharing(service, database.url, 'odd')
    const warnings = async (...more: string[]) =>
      linesOf((await rowlift([...args, ...more], { cwd })).stderr).filter(({ level }) => level === 40)
    expect((await warnings()).map(({ msg }) => msg)).toEqual([])
    await writeFile(join(cwd, 'tasks.csv'), 'Id,Name,Due\n3,Three,12/25/2026\n,Total,\n')
    const [total, changed, ...others] = await warnings('--dry-run')
    expect(total.msg).toContain('tasks.csv:3: "Total" looks like a total')
    expect(changed.msg).toContain('"Due" is written month first now, and was day first in the last run')
    expect(others).toEqual([])
    expect((await warnings()).map(({ msg }) => msg)).toEqual([total.msg, changed.msg])
    expect((await warnings()).map(({ msg }) => msg)).toEqual([total.msg])
  })

  it('a shared import makes a record of each equal row without a key, also after a takeover', async () => {
    const service = await startService()
    const cwd = await machine(`Id,Name\n${',Same\n'.repeat(4)}5,Last\n`, taskMapping)
    const args = sharing(service, database.url, 'keyless', '-c', '1')
    await rowlift([...args, '--limit', '2'], { cwd })
    expect(service.made).toHaveLength(2)
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(['Last', 'Same', 'Same', 'Same', 'Same'])
  })

  it('a shared import counts invalid and failed rows, and every machine ends with 1', async () => {
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
    expect(await statusesOf(database, 'bad')).toEqual({ created: 219, failed: 1, invalid: 1 })
    const again = await rowlift(args, { cwd })
    expect([again.exitCode, summaryOf(again)]).toMatchObject([
      1,
      { done: 219, failed: 1, invalid: 1, known: 2 },
    ])
    expect(await statusesOf(database, 'bad')).toEqual({ created: 219, failed: 1, invalid: 1 })
  })

  it('a shared import is measured by the last run that met its expectations', async () => {
    const service = await startService()
    const args = sharing(service, database.url, 'nights')
    const ended = async (cwd: string, ...more: string[]) => {
      const end = await rowlift([...args, ...more], { cwd })
      return [end.exitCode, ...summaryOf(end).unmet.map(({ code }: Line) => code)]
    }
    const night = async (source: string, ...more: string[]) =>
      ended(await machine(source, taskMapping), ...more)
    const good = [0]
    const bad = [1, 'fewer_rows_than_last']
    expect(await night(tasks(12))).toEqual(good)
    const cwd = await machine(tasks(6), taskMapping)
    expect(await Promise.all([ended(cwd), ended(cwd)]), 'each worker says so').toEqual([bad, bad])
    expect(await night(tasks(6), '--max-failures', '9'), 'a bad night stays bad').toEqual(bad)
    expect(await night('rowlift_key,rowlift_reason,Id,Name\n0,is empty,13,Task 13\n')).toEqual(good)
    expect(await night(tasks(6)), 'rejected rows are no measure').toEqual(bad)
    expect(await night(tasks(6), '--accept-fewer')).toEqual(good)
    expect(await night(tasks(4))).toEqual(good)
  })

  it('a shared import tells of sources of other names than those of the last run', async () => {
    const service = await startService()
    const cwd = await folderWith({
      'tasks.csv': tasks(3),
      'leads.csv': tasks(3),
      'task.yaml': taskMapping,
    })
    const toldOf = async (source: string) =>
      linesOf(
        (await rowlift(sharing(service, database.url, 'names').with(1, source), { cwd })).stderr,
      ).flatMap(({ msg }) => (/the last run read/.test(msg) ? msg : []))
    expect(await toldOf('tasks.csv')).toEqual([])
    expect(await toldOf('leads.csv')).toEqual(['the sources are leads.csv; the last run read tasks.csv'])
    expect(await toldOf('leads.csv')).toEqual([])
  })

  it('a shared import sends no more than --limit says, and the next one the rest', async () => {
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
})
