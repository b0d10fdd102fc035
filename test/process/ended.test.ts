import { join } from 'node:path'
import { expect, it } from 'vitest'
import { taskMapping, tasks } from '../support/imports.ts'
import { folderWith, into, outcomesIn, start } from '../support/rowlift.ts'
import { type Reaction, startService } from '../support/service.ts'

const cuts: readonly Reaction[] = [
  { cut: 'before reading' },
  { cut: 'after creating' },
  { cut: 'in the answer' },
]

it('a process ends with its import, wherever its calls were cut off: it does not wait for --timeout', async () => {
  const service = await startService({
    react: (_, { body }) => cuts[Number(/\d/.exec(String(body.name))) - 1] ?? 'create',
  })
  const cwd = await folderWith({ 'tasks.csv': tasks(5), 'map.yaml': taskMapping })
  const args = ['import', 'tasks.csv', '-m', 'map.yaml', '--timeout', '600', ...into(service.url)]
  const { exitCode } = await start([...args, '--delivery', 'at-most-once'], { cwd, stdin: '' }).ended
  const ends = (await outcomesIn(join(cwd, 'results.ndjson'))).map(({ status }) => status)
  expect([exitCode, ends]).toEqual([1, ['in_doubt', 'in_doubt', 'in_doubt', 'created', 'created']])
})
