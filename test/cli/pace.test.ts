import { describe, expect, it } from 'vitest'
import { rateLimit } from '../../src/sandbox/faults.ts'
import { files, importOf, taskNames, tasks } from '../support/imports.ts'
import { type Line, linesOf, outcomesIn, rowlift, summaryOf } from '../support/rowlift.ts'
import { madeBy, type Reaction, startService } from '../support/service.ts'

const comeLater: Reaction = { answer: 429, headers: { 'retry-after': '1' } }

describe('a service that asks to slow down', () => {
  it('hears nothing until the time that it asked for has passed', async () => {
    let askedAtMs = 0
    const service = await startService({
      latencyMs: 5,
      react: (attempt, { body }) => {
        if (body.name !== 'Task 20' || attempt > 1) return 'create'
        askedAtMs = Date.now()
        return comeLater
      },
    })
    const folder = await files({ 'tasks.csv': tasks(60) })
    const run = await rowlift(importOf('tasks.csv', 'task.yaml', service.url), { cwd: folder })
    expect(run.exitCode).toBe(0)
    expect(madeBy(service)).toEqual(taskNames(60))
    const wasInTheAirMs = 500
    const early = service.calls.filter(
      ({ atMs }) => atMs > askedAtMs + wasInTheAirMs && atMs < askedAtMs + 990,
    )
    expect(early).toEqual([])
    expect(summaryOf(run)).toMatchObject({ created: 60, throttled: 1 })
  })

  it('is followed when it allows fewer calls, and more again, and each row is created once', async () => {
    let allowed = rateLimit(60, () => performance.now())
    const service = await startService({
      react: () => (allowed() === 0 ? 'create' : comeLater),
      latencyMs: () => {
        const created = service.made.length
        if (created === 120) allowed = rateLimit(20, () => performance.now())
        if (created === 180) allowed = rateLimit(60, () => performance.now())
        return 2
      },
    })
    const folder = await files({ 'tasks.csv': tasks(300) })
    const run = await rowlift(importOf('tasks.csv', 'task.yaml', service.url), { cwd: folder })
    expect(run.exitCode).toBe(0)
    expect(madeBy(service)).toEqual(taskNames(300))
    expect(service.calls.length - 300).toBeGreaterThan(0)
    expect(service.calls.length - 300).toBeLessThan(60)
  })

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
  })
})

describe('the rate', () => {
  it('holds for all calls of the run, retries among them', async () => {
    const service = await startService({ react: attempt => (attempt === 1 ? { answer: 503 } : 'create') })
    const folder = await files({ 'tasks.csv': tasks(10) })
    const args = importOf('tasks.csv', 'task.yaml', service.url, '--rate', '20')
    const run = await rowlift(args, { cwd: folder })
    expect(run.exitCode).toBe(0)
    const times = service.calls.map(({ atMs }) => atMs)
    expect(times).toHaveLength(20)
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(900)
  })
})
