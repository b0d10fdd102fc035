import { join } from 'node:path'
import { expect, it } from 'vitest'
import { files, importOf, tasks } from '../support/imports.ts'
import { cases } from '../support/long.ts'
import { outcomesIn, rowlift } from '../support/rowlift.ts'
import { startService } from '../support/service.ts'
import { inBash } from '../support/terminal.ts'

const limits = [
  [21, 1],
  [50, 30],
] as const
it.each(cases(limits, 1))(
  'a process that may open only %i files says so before it sends anything, for -c %i',
  async (limit, concurrency) => {
    const service = await startService()
    const cwd = await files()
    const args = importOf('tasks.csv', 'task.yaml', service.url, '-c', `${concurrency}`)
    const { exitCode, stderr } = await inBash(`ulimit -n ${limit}; rowlift ${args.join(' ')}`, cwd)
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringMatching(/not open enough files.* more \(ulimit -n\)/),
    ])
    expect(service.calls).toEqual([])
  },
)

it('a process that may open just enough files makes every row', async () => {
  const service = await startService({ latencyMs: 20 })
  const cwd = await files({ 'tasks.csv': tasks(120) })
  const args = importOf('tasks.csv', 'task.yaml', service.url, '-c', '20', '--retries', '0')
  const limited = (limit: number) => inBash(`ulimit -n ${limit}; rowlift ${args.join(' ')}`, cwd)
  const { stderr } = await limited(40)
  const more = Number(/allow (\d+) more/.exec(stderr)?.[1])
  expect((await limited(40 + more)).exitCode).toBe(0)
  expect(service.made).toHaveLength(120)
})

it('a call for which the system gives no connection was never sent', async () => {
  const cwd = await files()
  const url = 'http://[fe80::1]:9' // an address without its interface
  await rowlift(importOf('tasks.csv', 'task.yaml', url, '--allow-http', '--retries', '0'), { cwd })
  const neverReached = { status: 'failed', errors: [{ code: 'never_reached' }] }
  expect(await outcomesIn(join(cwd, 'results.ndjson'))).toMatchObject(Array(5).fill(neverReached))
})
