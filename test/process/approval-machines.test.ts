import { afterAll, beforeAll, expect, it } from 'vitest'
import { taskMapping, taskNames, tasks } from '../support/imports.ts'
import { closedLatch } from '../support/latch.ts'
import { machine, sharing, statusesOf } from '../support/machines.ts'
import { pollOptions } from '../support/polling.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { rowlift, start } from '../support/rowlift.ts'
import { madeBy, startService } from '../support/service.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

it('three workers share an approved import; one is killed, strangers are refused, and the same command goes on', async () => {
  const areRefused = closedLatch()
  let calls = 0
  const service = await startService({
    latencyMs: 10,
    holds() {
      calls += 1
      return calls > 40 ? areRefused.opened : undefined
    },
  })
  const cwd = await machine(tasks(300), taskMapping)
  const words = (approval: string, ...more: string[]) =>
    sharing(service, database.url, 'tasks', '--approval', approval, '-c', '4', '--lease', '2', ...more)
  const doubts = ['--in-doubt', 'resend', '--expect-unclear', 'any']
  for (const file of ['ok.json', 'other.json'])
    expect((await rowlift(words(file, '--dry-run', ...doubts), { cwd })).exitCode).toBe(0)
  const approved = words('ok.json', ...doubts)
  const begin = () => start(approved, { cwd, stdin: '' })

  const [killed, ...others] = [begin(), begin(), begin()]
  await expect.poll(() => service.calls.length, pollOptions).toBeGreaterThan(40)
  killed.process.kill('SIGKILL')
  const refused = await Promise.all([
    rowlift(words('other.json', ...doubts), { cwd }),
    rowlift(sharing(service, database.url, 'tasks', ...doubts), { cwd }),
  ])
  expect(refused.map(({ exitCode }) => exitCode)).toEqual([2, 2])
  expect(refused[0].stderr).toContain('was begun with another approval')
  expect(refused[1].stderr).toContain('was begun with an approval')
  areRefused.open()
  expect(await killed.ended).toMatchObject({ exitCode: null })
  const ends = await Promise.all(others.map(({ ended }) => ended))
  expect(ends.flatMap(({ exitCode, stderr }) => (exitCode === 0 ? [] : [exitCode, stderr]))).toEqual([])

  expect((await rowlift(approved, { cwd })).exitCode).toBe(0)
  expect([...new Set(madeBy(service))]).toEqual(taskNames(300))
  expect(await statusesOf(database, 'tasks')).toMatchObject({ created: 300 })
}, 120_000)
