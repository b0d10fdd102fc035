import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { taskMapping, tasks } from '../../../support/imports.ts'
import { machine, sharing } from '../../../support/machines.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'
import { rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, startService } from '../../../support/service.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

/** One import of tasks after the other, from other sources, by the mapping that they need. */
async function nights(name: string) {
  const service = await startService()
  const cwd = await machine('', taskMapping)
  const night = async (source: string, mapping = taskMapping, ...more: string[]) => {
    await writeFile(join(cwd, 'tasks.csv'), source)
    await writeFile(join(cwd, 'task.yaml'), mapping)
    return rowlift(sharing(service, db.url, name, ...more), { cwd })
  }
  return { service, cwd, night }
}

const refused = (words: string) => ({ exitCode: 2, stderr: expect.stringContaining(words) })

describe('the same import in a ledger', () => {
  const renamed = tasks(3).replace('Id', 'Number')
  const byNumber = taskMapping.replace('Id', 'Number')

  it('goes on when a key column has another name, once that is said', async () => {
    const { service, cwd, night } = await nights('renamed')
    expect((await night(tasks(2))).exitCode).toBe(0)
    expect(await night(renamed, byNumber)).toMatchObject(
      refused(
        'with another key (["Id"], now ["Number"]); if a column has another name now, add --renamed OLD=NEW',
      ),
    )
    const said = ['--renamed', 'Id=Number']
    expect(summaryOf(await night(renamed, byNumber, ...said, '--dry-run'))).toMatchObject({
      done: 2,
      valid: 1,
    })
    const other = rowlift(sharing(service, db.url, 'renamed later', ...said), { cwd })
    expect(await other).toMatchObject(
      refused('2 of the first 3 rows have their record by the import renamed'),
    )
    expect(summaryOf(await night(renamed, byNumber, ...said))).toMatchObject({ done: 2, created: 1 })
    expect(summaryOf(await night(renamed, byNumber))).toMatchObject({ done: 3, created: 0 })
    expect(madeBy(service)).toHaveLength(3)
  })

  const one = 'Id,Name\n1,A\n,B\n,B\n'
  const more = 'Id,Name,Note\n1,A,x\n,B,y\n,B,z\n,C,z\n'

  it('knows rows without a key by the columns that it began with, on each worker', async () => {
    const { service, cwd, night } = await nights('columns')
    expect((await night(one)).exitCode).toBe(0)
    const dry = await night(more, taskMapping, '--dry-run')
    expect(summaryOf(dry)).toMatchObject({ done: 3, changed: 0, valid: 1 })
    expect(dry.stderr).toContain('Note')
    const again = () => rowlift(sharing(service, db.url, 'columns'), { cwd })
    const ends = await Promise.all([again(), again()])
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect(summaryOf(await again())).toMatchObject({ done: 4, changed: 0, created: 0 })
    expect(madeBy(service)).toEqual(['A', 'B', 'B', 'C'])
  })

  it('knows rows without a key from a run of a version that kept no columns', async () => {
    const { service, night } = await nights('older')
    expect((await night(one)).exitCode).toBe(0)
    await db.query(
      `UPDATE rowlift.run SET opening = (opening::jsonb - 'columns')::text, ended = NULL, closing = NULL
        WHERE import = (SELECT id FROM rowlift.import WHERE name = 'older')`,
    )
    for (const _ of ['joined', 'begun'])
      expect(summaryOf(await night(one))).toMatchObject({ created: 0, exit_code: 0 })
    expect(summaryOf(await night(more))).toMatchObject({ done: 3, created: 1 })
    expect(madeBy(service)).toEqual(['A', 'B', 'B', 'C'])
  })

  it('stops before the first call when such a column is gone, and goes on once its new name is said', async () => {
    const { service, night } = await nights('gone')
    expect((await night(one)).exitCode).toBe(0)
    const other = one.replace('Name', 'Title')
    const byTitle = taskMapping.replace('{{Name}}', '{{Title}}')
    const gone =
      'has no column Name, by which the rows in gone are named; if it has another name now, add --renamed "Name=NEW"; if it is gone, put it back'
    expect(await night(other, byTitle)).toMatchObject(refused(gone))
    expect(await night(other, byTitle, '--dry-run')).toMatchObject(refused(gone))
    expect(summaryOf(await night(other, byTitle, '--renamed', 'Name=Title'))).toMatchObject({
      done: 3,
      created: 0,
    })
    expect(summaryOf(await night(other, byTitle))).toMatchObject({ done: 3, created: 0 })
    expect(service.made).toHaveLength(3)
  })

  it('tells what is written otherwise than in the last run, and what it was then', async () => {
    const { night } = await nights('shapes')
    const mapping = `${taskMapping.replace(' }', ', planned_due: { from: Due, as: datetime, format: [dd/MM/yyyy, MM/dd/yyyy] } }')}`
    const due = (text: string) => night(`Id,Name,Due\n${text},A,${text}\n`, mapping, '--accept-fewer')
    const changed = 'the column \\"Due\\" is written month first now, and was day first in the last run'
    expect((await due('25/12/2026')).stderr).not.toContain('in the last run')
    expect((await due('02/02/2026')).exitCode).toBe(0)
    expect((await due('12/25/2026')).stderr).toContain(changed)
    expect((await due('12/26/2026')).stderr).not.toContain(changed)
  })
})

describe('a dry run of a shared import', () => {
  const source = 'Id,Name\n1,Ann Müller\n2,"muller, ann"\n3,Bob\n'

  it('sees all rows, so it tells near duplicates', async () => {
    const { night } = await nights('near')
    const { stderr, exitCode } = await night(source, taskMapping, '--dry-run')
    expect([summaryOf({ stderr } as never).near_duplicates, exitCode]).toMatchObject([
      { groups: 1, rows: 2 },
      0,
    ])
    const off = await night(source, taskMapping, '--dry-run', '--near-duplicates', 'off')
    expect(summaryOf(off).near_duplicates).toBeUndefined()
    for (const words of [
      ['--dry-run', '--near-duplicates', 'hold'],
      ['--near-duplicates', 'report'],
    ])
      expect(await night(source, taskMapping, ...words)).toMatchObject(
        refused('--near-duplicates needs all rows, and with --ledger each worker has some of them'),
      )
  })

  it('writes worksheets, and a worker does not', async () => {
    const { cwd, night } = await nights('sheets')
    const mapping = taskMapping.replace(
      ' }',
      ', priority: { from: Id, map: { "1": high }, map_file: sheets/words.csv, otherwise: omit } }',
    )
    await night(source, mapping, '--dry-run', '--worksheets', join(cwd, 'sheets'))
    expect(await readFile(join(cwd, 'sheets/words.csv'), 'utf8')).toMatch(/^2,/m)
    expect(await night(source, mapping, '--worksheets', join(cwd, 'sheets'))).toMatchObject(
      refused('--worksheets needs all rows'),
    )
  })

  it('shows what the columns hold on its page, and the rows that may be one record', async () => {
    const { cwd, night } = await nights('page')
    await night(source, taskMapping, '--dry-run', '--report', join(cwd, 'page.html'))
    expect(await readFile(join(cwd, 'page.html'), 'utf8')).toMatch(/muller, ann/)
  })
})
