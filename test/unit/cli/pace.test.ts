import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { fastClock, testClock } from '../../support/clock.ts'
import { files, importOf, tasks } from '../../support/imports.ts'
import { closedLatch } from '../../support/latch.ts'
import { pollOptions } from '../../support/polling.ts'
import { type Line, linesOf, outcomesIn, rowlift, summaryOf } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'

describe('a service that asks to slow down', () => {
  it('without end fails the rows that it was asked for so often, and the run says why', async () => {
    const service = await startService({ react: () => ({ answer: 429, body: 'slow down' }) })
    const folder = await files({ 'tasks.csv': tasks(3) })
    const args = importOf('tasks.csv', 'task.yaml', service.url, '--retries', '1')
    const run = await rowlift(args, { cwd: folder, clock: fastClock() })
    expect(run.exitCode).toBe(1)
    expect(await outcomesIn(`${folder}/results.ndjson`)).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: 'failed', http_status: 429, attempts: 2 })),
    )
  })

  it('is waited for openly', async () => {
    const clock = testClock()
    const answering = closedLatch()
    const service = await startService({
      holds: () => answering.opened,
      react: attempt => (attempt === 1 ? { answer: 503, headers: { 'retry-after': '6' } } : 'create'),
    })
    const folder = await files({ 'tasks.csv': tasks(2) })
    const args = importOf('tasks.csv', 'task.yaml', service.url)
    const running = rowlift(args, { cwd: folder, clock })
    await expect.poll(() => service.calls.length, pollOptions).toBe(2)
    await clock.advance(1)
    answering.open()
    await expect
      .poll(() => readFile(`${folder}/results.ndjson.inflight`, 'utf8'), pollOptions)
      .toMatch(/("over":true[\s\S]*){2}/)
    await clock.advance(10_000)
    const run = await running
    expect(run.exitCode).toBe(0)
    const lines: Line[] = linesOf(run.stderr)
    expect(lines.map(({ msg }) => msg).filter(msg => /asks to wait/.test(msg))).toEqual([
      'the service asks to wait 6 s; no call is made until then',
    ])
    expect(lines.find(({ msg }) => msg === 'progress')).toMatchObject({ at_once: 5, waiting_seconds: 6 })
    expect(summaryOf(run)).toMatchObject({ created: 2, throttled: 2 })
  })
})
