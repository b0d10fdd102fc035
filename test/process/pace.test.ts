import { describe, expect, it } from 'vitest'
import { files, importOf, tasks } from '../support/imports.ts'
import { type Line, linesOf, outcomesIn, rowlift, start, summaryOf } from '../support/rowlift.ts'
import { madeBy, startService } from '../support/service.ts'

describe('a service that asks to slow down', () => {
  it('without end fails the rows that it was asked for so often, and the run says why', async () => {
    const service = await startService({ react: () => ({ answer: 429, body: 'slow down' }) })
    const folder = await files({ 'tasks.csv': tasks(3) })
    const args = importOf('tasks.csv', 'task.yaml', service.url, '--retries', '1')
    const run = await rowlift(args, { cwd: folder })
    expect(run.exitCode).toBe(1)
    expect(await outcomesIn(`${folder}/results.ndjson`)).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: 'failed', http_status: 429, attempts: 2 })),
    )
  })

  it('is waited for openly', async () => {
    const service = await startService({
      react: attempt => (attempt === 1 ? { answer: 503, headers: { 'retry-after': '6' } } : 'create'),
    })
    const folder = await files({ 'tasks.csv': tasks(2) })
    const run = await rowlift(importOf('tasks.csv', 'task.yaml', service.url), { cwd: folder })
    expect(run.exitCode).toBe(0)
    const lines: Line[] = linesOf(run.stderr)
    expect(lines.map(({ msg }) => msg).filter(msg => /asks to wait/.test(msg))).toEqual([
      'the service asks to wait 6 s; no call is made until then',
    ])
    expect(lines.find(({ msg }) => msg === 'progress')).toMatchObject({ at_once: 5, waiting_seconds: 6 })
    expect(summaryOf(run)).toMatchObject({ created: 2, throttled: 2 })
  })
})

describe('the rate', () => {
  it('holds, and a run that waits for it ends as soon as it is interrupted', async () => {
    const service = await startService()
    const folder = await files({ 'tasks.csv': tasks(3) })
    const args = importOf('tasks.csv', 'task.yaml', service.url, '--rate', '0.01')
    const { process, ended } = start(args, { cwd: folder, stdin: '' })
    await expect
      .poll(async () => (await outcomesIn(`${folder}/results.ndjson`)).length, { timeout: 30_000 })
      .toBe(1)
    process.kill('SIGTERM')
    expect((await ended).exitCode).toBe(143)
    expect(madeBy(service)).toEqual(['Task 1'])
  })
})
