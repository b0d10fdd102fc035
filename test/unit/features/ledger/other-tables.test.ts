import { expect, it } from 'vitest'
import { files, importOf, tasks } from '../../../support/imports.ts'
import { testDatabase } from '../../../support/postgres.ts'
import { rowlift } from '../../../support/rowlift.ts'
import { startService } from '../../../support/service.ts'

it.each([
  ['the same names', 'TABLE rowlift.version AS SELECT 1 AS version', 'TABLE rowlift.import (id int)'],
  ['a version of another kind', 'TABLE rowlift.version (name text)'],
  ['other names', 'TABLE rowlift.customers (id int)'],
])('a schema with tables of another program is refused and left alone: %s', async (_, ...tables) => {
  const database = await testDatabase()
  for (const made of ['SCHEMA rowlift', ...tables]) await database.query(`CREATE ${made}`)
  const service = await startService()
  const cwd = await files({ 'tasks.csv': tasks(2) })
  const ledger = ['--ledger', database.url, '--import', 'tasks']
  const words = importOf('tasks.csv', 'task.yaml', service.url).filter(
    word => !['-o', 'results.ndjson'].includes(word),
  )
  for (const command of [words, ['export'], ['workers']]) {
    const { exitCode, stderr } = await rowlift([...command, ...ledger], { cwd })
    expect(stderr).toContain('the schema rowlift has tables that rowlift did not make (')
    expect(stderr).toContain('; give the ledger a database of its own')
    expect(exitCode).toBe(2)
  }
  expect(service.calls).toEqual([])
  const left = await database.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'rowlift'`)
  expect(left).toHaveLength(tables.length)
  await database.close()
})
