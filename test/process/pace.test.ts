import { describe, expect, it } from 'vitest'
import { files, importOf, tasks } from '../support/imports.ts'
import { pollOptions } from '../support/polling.ts'
import { outcomesIn, start } from '../support/rowlift.ts'
import { madeBy, startService } from '../support/service.ts'

describe('rate', () => {
  it('the rate holds, and a run that waits for it ends as soon as it is interrupted', async () => {
    const service = await startService()
    const folder = await files({ 'tasks.csv': tasks(3) })
    const args = importOf('tasks.csv', 'task.yaml', service.url, '--rate', '0.01')
    const { process, ended } = start(args, { cwd: folder, stdin: '' })
    await expect.poll(async () => (await outcomesIn(`${folder}/results.ndjson`)).length, pollOptions).toBe(1)
    process.kill('SIGTERM')
    expect((await ended).exitCode).toBe(143)
    expect(madeBy(service)).toEqual(['Task 1'])
  })
})
