import { expect, it } from 'vitest'
import { taskMapping, tasks } from '../support/imports.ts'
import { folderWith, into, start } from '../support/rowlift.ts'
import { startService } from '../support/service.ts'

it.each([
  ['before it was read', { cut: 'before reading' }],
  ['after it made a record', { cut: 'after creating' }],
  ['in its answer', { cut: 'in the answer' }],
] as const)(
  'a process ends with its import, though a call was cut off %s: it does not wait for --timeout',
  async (_, reaction) => {
    const service = await startService({
      react: (_, { body }) => (body.name === 'Task 1' ? reaction : 'create'),
    })
    const cwd = await folderWith({ 'tasks.csv': tasks(3), 'map.yaml': taskMapping })
    const args = ['import', 'tasks.csv', '-m', 'map.yaml', '--timeout', '600', ...into(service.url)]
    const { exitCode } = await start([...args, '--delivery', 'at-most-once'], { cwd, stdin: '' }).ended
    expect(exitCode).toBe(1)
  },
)
