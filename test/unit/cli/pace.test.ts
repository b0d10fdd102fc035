import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { fastClock, testClock } from '../../support/clock.ts'
import { files, importing, importOf, tasks } from '../../support/imports.ts'
import { closedLatch } from '../../support/latch.ts'
import { pollOptions } from '../../support/polling.ts'
import { type Line, linesOf, outcomesIn, rowlift, summaryOf } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'

describe('service that asks to slow down', () => {
  it('a busy service fails the rows that it was asked for so often, and the run says why', async () => {
    const service = await startService({ react: () => ({ answer: 429, body: 'slow down' }) })
    const folder = await files({ 'tasks.csv': tasks(3) })
    const args = importOf('tasks.csv', 'task.yaml', service.url, '--retries', '1')
    const run = await rowlift(args, { cwd: folder, clock: fastClock() })
    expect(run.exitCode).toBe(1)
    expect(await outcomesIn(`${folder}/results.ndjson`)).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: 'failed', http_status: 429, attempts: 2 })),
    )
  })

  it('a busy service is waited for openly', async () => {
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

describe('service that is down', () => {
  const down = { answer: 503, body: 'down for maintenance' } as const

  it('a service that is down is waited for with --wait-for-service, and reported once', async () => {
    const { service, cwd, args, log } = await importing(
      30,
      { react: () => (service.calls.length <= 25 ? down : 'create') },
      ...['--wait-for-service', '2h', '--retries', '1', '-c', '4'],
    )
    const run = await rowlift(args, { cwd, clock: fastClock() })
    expect(run.exitCode).toBe(0)
    expect(service.made).toHaveLength(30)
    expect(await outcomesIn(log)).toHaveLength(30)
    const said = linesOf(run.stderr).map(({ msg }) => msg)
    expect(said.filter(msg => /service/.test(msg))).toEqual([
      expect.stringMatching(
        /^the service is down \(.* 503\); the run waits for it, until .*Z at the latest$/,
      ),
      expect.stringMatching(/^the service is back after .*; the run goes on$/),
    ])
  })

  it('a service that is down is given up with 3 when the time is over', async () => {
    const { cwd, args, log } = await importing(
      3,
      { react: () => ({ cut: 'before reading' }) },
      ...['--wait-for-service', '90s', '--delivery', 'at-least-once'],
    )
    const run = await rowlift(args, { cwd, clock: fastClock() })
    expect(run.exitCode).toBe(3)
    expect(summaryOf(run).stopped).toMatch(/not answering: \d+ attempts failed in 1 min 30 s of waiting/)
    expect(await outcomesIn(log)).toHaveLength(3)
  })

  it.each(['2 hours', '-5', '1d', '721h', ''])('a service that is down is not waited for %j', async time => {
    const { cwd, args } = await importing(1, {}, `--wait-for-service=${time}`)
    const run = await rowlift(args, { cwd })
    expect(run.exitCode).toBe(2)
    expect(run.stderr).toMatch(/--wait-for-service: must be (a time such as 2h, 30m or 90s|at most 720h)/)
  })
})
