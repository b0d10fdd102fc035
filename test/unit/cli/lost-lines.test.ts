import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importing } from '../../support/imports.ts'
import { outcomesIn, rowlift } from '../../support/rowlift.ts'
import { madeBy } from '../../support/service.ts'

/** An import of three rows whose log lacks the line of the second one, after a repair. */
async function withLostLine() {
  const { service, cwd, args, log } = await importing(3)
  await rowlift(args, { cwd })
  const lines = (await readFile(log, 'utf8')).split(/(?<=\n)/)
  await writeFile(log, lines.filter(line => !line.includes('"key":"2"')).join(''))
  const refused = await rowlift(args, { cwd })
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('lines are missing')])
  const repair = await rowlift(['log', log, '--repair'], { cwd })
  expect(repair.stderr).toContain('a row that the log does not know is held in doubt')
  return { service, cwd, args, log }
}

describe('log that lost lines', () => {
  it('a log that lost lines has rows in doubt that it does not know, until a person settles them', async () => {
    const { service, cwd, args, log } = await withLostLine()
    await writeFile(join(cwd, 'tasks.csv'), 'Id,Name\n1,Task 1\n2,Task 2\n3,Task 3\n4,Task 4\n')
    expect((await rowlift(args, { cwd })).exitCode).toBe(1)
    const doubts = (await outcomesIn(log)).filter(({ status }) => status === 'in_doubt')
    expect(doubts.map(({ key, body, errors }) => [key, body.name, errors[0].code])).toEqual([
      ['2', 'Task 2', 'log_lost'],
      ['4', 'Task 4', 'log_lost'],
    ])
    expect(madeBy(service)).toHaveLength(3)
    const id = '9d2f0000-0000-4000-8000-000000000002'
    await rowlift(['resolve', log, '--key', '2', '--record-id', id], { cwd })
    await rowlift(['resolve', log, '--key', '4', '--not-created'], { cwd })
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(['Task 1', 'Task 2', 'Task 3', 'Task 4'])
  })

  it('a log that lost lines sends what it does not know with --in-doubt resend', async () => {
    const { service, cwd, args } = await withLostLine()
    expect((await rowlift([...args, '--in-doubt', 'resend'], { cwd })).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(['Task 1', 'Task 2', 'Task 2', 'Task 3'])
  })
})
