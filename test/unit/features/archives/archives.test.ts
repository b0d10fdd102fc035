import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { files, importOf, taskMapping, taskNames, tasks } from '../../../support/imports.ts'
import { itLong } from '../../../support/long.ts'
import { testDatabase } from '../../../support/postgres.ts'
import { folderWith, into, outcomesIn, rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, startService } from '../../../support/service.ts'
import { zipOf } from '../../../support/zip.ts'

const exportOf = (count: number) =>
  zipOf([
    { name: 'export/readme.txt', content: 'Hello' },
    { name: 'export/tasks.csv', content: tasks(count) },
  ])

it('rows in an archive are the same rows, whatever it is called', async () => {
  const service = await startService()
  const nameless = taskMapping.replace('key: Id\n', '')
  const cwd = await folderWith({ 'task.yaml': nameless, 'export.zip': exportOf(3), 'tasks.csv': tasks(4) })
  await rowlift(importOf('export.zip', 'task.yaml', service.url), { cwd })
  const outcomes = await outcomesIn(join(cwd, 'results.ndjson'))
  expect(outcomes[0]).toMatchObject({ source: 'export.zip/export/tasks.csv', row: 1, line: 2 })
  await copyFile(join(cwd, 'export.zip'), join(cwd, 'later.zip'))
  for (const source of ['export.zip/export/tasks.csv', 'later.zip', 'tasks.csv'])
    expect((await rowlift(importOf(source, 'task.yaml', service.url), { cwd })).exitCode).toBe(0)
  expect(madeBy(service)).toEqual(taskNames(4))
})

it('rejected rows of an archive are written as CSV, and settled', async () => {
  const service = await startService()
  const cwd = await files({
    'people.zip': zipOf([{ name: 'a.csv', content: 'Name,Email\nAda,ada@example.com\nBo,\n' }]),
  })
  const run = await rowlift(importOf('people.zip', 'map.yaml', service.url, '--rejects', 'bad.csv'), { cwd })
  expect(summaryOf(run)).toMatchObject({ created: 1, invalid: 1 })
  expect((await rowlift(importOf('bad.csv', 'map.yaml', service.url), { cwd })).exitCode).toBe(1)
})

it('an archive is not overwritten by a file that is named behind it, or is a source of it', async () => {
  const cwd = await files({ 'export.zip': exportOf(1) })
  const run = ['import', 'export.zip/export/tasks.csv', '-m', 'task.yaml']
  for (const [more, what] of [
    [into('http://127.0.0.1:9', 'export.zip'), 'export.zip: is the source; give the result log another name'],
    [
      ['--dry-run', '--preview', './export.zip'],
      './export.zip: is the source; give the preview another name',
    ],
    [['--dry-run', '--rejects', 'a.zip'], 'give --rejects a name that does not end in .gz, .zst or .zip'],
  ] as const)
    expect(await rowlift([...run, ...more], { cwd })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(what),
    })
})

it('a lookup reads its table from an archive', async () => {
  const lookups = 'lookups: { t: { file: t.zip/t.csv, key: Nr, value: Name } }\nallow_unknown_fields: true\n'
  const cwd = await files({
    'm.yaml': `record: task\n${lookups}body: { name: "{{Name}}", x: { from: Id, lookup: t } }\n`,
    't.zip': zipOf([{ name: 't.csv', content: 'Nr,Name\n1,One\n' }, { name: 'u.csv' }]),
    'a.csv': 'Id,Name\n1,Task\n',
  })
  expect(await rowlift(['import', 'a.csv', '-m', 'm.yaml', '--dry-run'], { cwd })).toMatchObject({
    stdout: '{"name":"Task","x":"One"}\n',
  })
})

itLong('several machines share an archive', async () => {
  const database = await testDatabase()
  try {
    const service = await startService()
    const cwd = await folderWith({ 'task.yaml': taskMapping, 'export.zip': exportOf(420) })
    const args = ['import', 'export.zip', '-m', 'task.yaml', '--ledger', database.url, '--import', 'zip']
    const words = [...args, '--base-url', service.url, '--organization-id', '7', '--allow-http']
    const ends = await Promise.all([1, 2].map(() => rowlift(words, { cwd })))
    expect(ends.map(({ exitCode, stderr }) => [exitCode, exitCode === 0 ? '' : stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(madeBy(service)).toEqual(taskNames(420))
  } finally {
    await database.close()
  }
})

it('a draft for a file in an archive works as it is', async () => {
  const cwd = await files({ 'export.zip': exportOf(3) })
  expect((await rowlift(['init', 'export.zip', '-o', 'd.yaml', '--record', 'task'], { cwd })).exitCode).toBe(
    0,
  )
  const run = await rowlift(['import', 'export.zip', '-m', 'd.yaml', '--dry-run'], { cwd })
  expect(run.stdout.split('\n')[0]).toContain('"name":"Task 1"')
  const several = await rowlift(['init', 'export.zip/export/tasks.csv', 'contacts.csv', '-o', 'plan/'], {
    cwd,
  })
  expect(several).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('plan/tasks.yaml') })
  expect((await rowlift(['import', '--plan', 'plan/plan.yaml', '--dry-run'], { cwd })).stdout).toContain(
    'Task 3',
  )
})
