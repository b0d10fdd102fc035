import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { taskMapping } from '../../../support/imports.ts'
import { machine, sharing, statusesOf } from '../../../support/machines.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'
import { linesOf, rowlift, summaryOf } from '../../../support/rowlift.ts'
import { startService } from '../../../support/service.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const idOf = (number: number) => `9d2f0000-0000-4000-8000-${String(number).padStart(12, '0')}`
const byName = ['--existing', 'export.csv', '--id', 'Id', '--match', 'Title=name']

/** A folder with so many tasks, and an export of the service that has all but each tenth of them. */
async function withExport(source: string, count: number) {
  const cwd = await machine(source, taskMapping)
  const numbers = Array.from({ length: count }, (_, at) => at).filter(number => number % 10 > 0)
  const rows = numbers.map(number => `${idOf(number)},task ${number}\n`.replace('t', 'T'))
  await writeFile(join(cwd, 'export.csv'), `Id,Title\n${rows.join('')}`)
  return cwd
}

describe('rows of a shared import that the service has already', () => {
  it('several workers give each record to one row; others with its key are duplicates, with its record merged', async () => {
    const service = await startService()
    const count = 1_500
    const row = (at: number) => `${at},Task ${at}\n`
    const once = Array.from({ length: count }, (_, at) => row(at)).join('')
    const again = Array.from({ length: count }, (_, at) => row(at)).join('')
    const alike = Array.from({ length: 200 }, (_, at) => `${at + count},Task ${at}\n`).join('')
    const cwd = await withExport(`Id,Name\n${once}${again}${alike}`, count)
    const args = sharing(service, database.url, 'there', ...byName, '--expect-merged', '180')
    const ends = await Promise.all([1, 2, 3].map(() => rowlift(args, { cwd })))
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
    expect(await statusesOf(database, 'there')).toEqual({
      ...{ existing: 1_350, merged: 180, created: 170, duplicate: 1_500 },
    })
    expect(service.calls).toHaveLength(170)
    const log = await rowlift(['export', '--ledger', database.url, '--import', 'there'], { cwd })
    const existing = linesOf(log.stdout).filter(({ status }) => status === 'existing')
    expect(new Set(existing.map(({ record_id }) => record_id)).size).toBe(1_350)
    expect(existing.every(({ export: name }) => name === 'export.csv')).toBe(true)

    const night = await rowlift(sharing(service, database.url, 'there'), { cwd })
    expect(summaryOf(night)).toMatchObject({ done: 3_200, existing: 0, exit_code: 0 })
  }, 60_000)

  it('a worker with another export, or with none, is refused', async () => {
    const service = await startService({ react: () => ({ cut: 'before reading' }) })
    const cwd = await withExport('Id,Name\n1,Task 1\n10,Task 10\n', 5)
    const args = sharing(service, database.url, 'differs', ...byName)
    expect((await rowlift([...args, '--limit', '1', '-c', '1'], { cwd })).exitCode).not.toBe(2)
    const without = await rowlift(sharing(service, database.url, 'differs'), { cwd })
    expect(without.stderr).toContain('another export of the service (--existing)')
    expect(without.exitCode).toBe(2)
  })

  it('a dry run says the same before the import, and rows that several records match are held', async () => {
    const service = await startService()
    const cwd = await machine('Id,Name\n1,Task 1\n2,Task 2\n3,Task 3\n', taskMapping)
    const shown = [`${idOf(1)},Task 1`, `${idOf(2)},Task 2`, `${idOf(3)},Task 2`]
    await writeFile(join(cwd, 'export.csv'), `Id,Title\n${shown.join('\n')}\n`)
    const args = sharing(service, database.url, 'held', ...byName)
    const dry = summaryOf(await rowlift([...args, '--dry-run'], { cwd }))
    expect(dry).toMatchObject({ existing: 1, held: 1, valid: 1, exit_code: 1 })
    const end = summaryOf(await rowlift(args, { cwd }))
    expect(end).toMatchObject({ existing: 1, held: 1, created: 1, exit_code: 1 })
  })

  it('the exit code of each worker tells of rows that another one holds', async () => {
    const service = await startService()
    const rows = Array.from({ length: 1_200 }, (_, at) => `${at},Task ${at}\n`).join('')
    const cwd = await machine(`Id,Name\n${rows}`, taskMapping)
    await writeFile(join(cwd, 'export.csv'), `Id,Title\n${idOf(1)},Task 0\n${idOf(2)},Task 0\n`)
    const args = sharing(service, database.url, 'held by one', ...byName)
    const ends = await Promise.all([1, 2].map(() => rowlift(args, { cwd })))
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([1, 1])
    expect(service.made).toHaveLength(1_199)
  })
})
