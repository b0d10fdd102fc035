import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesBesideLog, importing, statusesIn, taskNames } from '../support/imports.ts'
import { closedLatch } from '../support/latch.ts'
import { pollOptions } from '../support/polling.ts'
import { tellsProcesses } from '../support/processes.ts'
import { outcomesIn, rowlift, start, summaryOf } from '../support/rowlift.ts'
import { madeBy, type Service } from '../support/service.ts'

const calls = (service: Service, count: number) =>
  expect.poll(() => service.calls.length, pollOptions).toBeGreaterThanOrEqual(count)

describe('run that is killed', () => {
  it('a run that is killed leaves in doubt what was under way, and the next goes on', async () => {
    const killed = closedLatch()
    const { service, cwd, args, log } = await importing(
      6,
      { holds: ({ body }) => (/[34]$/.test(String(body.name)) ? killed.opened : undefined) },
      ...['-c', '2'],
    )
    const { process, ended } = start(args, { cwd, stdin: '' })
    await calls(service, 4)
    await expect.poll(() => statusesIn(log), pollOptions).toHaveLength(2)
    process.kill('SIGKILL')
    await ended
    killed.open()
    await service.settled()
    expect(await filesBesideLog(cwd)).toEqual(['results.ndjson.inflight', 'results.ndjson.lock'])

    const next = await rowlift(args, { cwd })
    expect(next.exitCode).toBe(1)
    expect(summaryOf(next)).toMatchObject({ done: 2, held: 2, created: 2, abandoned: 2, in_doubt_total: 2 })
    expect(await statusesIn(log)).toEqual([
      ...['1 created', '2 created', '3 in_doubt', '4 in_doubt', '5 created', '6 created'],
    ])
    const doubt = (await outcomesIn(log)).find(({ row }) => row === 3)
    expect(doubt).toMatchObject({
      key: '3',
      record_type: 'task',
      errors: [{ message: 'the run was killed while the call was under way' }],
      body: { name: 'Task 3' },
    })
    expect(madeBy(service)).toEqual(taskNames(6))
    expect(await filesBesideLog(cwd)).toEqual([])
  })

  it('a run that is killed by a second signal ends at once, and leaves in doubt what was under way', async () => {
    let hangs = true
    const { service, cwd, args } = await importing(5, { react: () => (hangs ? { hang: true } : 'create') })
    const { process, ended, said } = start(args, { cwd, stdin: '' })
    await calls(service, 5)
    process.kill('SIGINT')
    await said('SIGINT: no new call is made')
    process.kill('SIGINT')
    expect((await ended).exitCode).toBe(130)
    expect(await filesBesideLog(cwd)).toEqual(['results.ndjson.inflight', 'results.ndjson.lock'])
    hangs = false
    const next = await rowlift(args, { cwd })
    expect(next.exitCode).toBe(1)
    expect(summaryOf(next)).toMatchObject({ held: 5, created: 0 })
    expect(service.calls).toHaveLength(5)
  })

  it('a run that is killed while a call waits to be tried again has nothing in doubt', async () => {
    let isBusy = true
    const { service, cwd, args, log } = await importing(1, {
      react: () => (isBusy ? { answer: 429, headers: { 'retry-after': '60' } } : 'create'),
    })
    const { process, ended } = start(args, { cwd, stdin: '' })
    await calls(service, 1)
    await expect
      .poll(() => readFile(join(cwd, 'results.ndjson.inflight'), 'utf8'), pollOptions)
      .toContain('"over":true')
    process.kill('SIGKILL')
    await ended
    isBusy = false
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    expect(await statusesIn(log)).toEqual(['1 created'])
  })
})

describe('lock of a killed run', () => {
  const watched = 'waiting some seconds for its heartbeat'

  it.runIf(tellsProcesses)(
    'the lock of a killed run of this machine is taken over at once, without a word',
    async () => {
      const { service, cwd, args } = await importing(2, { react: () => ({ hang: true }) })
      const { process, ended } = start(args, { cwd, stdin: '' })
      await calls(service, 2)
      process.kill('SIGKILL')
      await ended
      const next = await rowlift(args, { cwd })
      expect(next.exitCode).toBe(1)
      expect(summaryOf(next)).toMatchObject({ held: 2 })
      expect(next.stderr).not.toContain(watched)
    },
  )
})

describe('two runs on one log', () => {
  it('two runs on one log never send a row twice when the first one was only asleep', async () => {
    const whileAsleep = closedLatch()
    const onceStopped = closedLatch()
    const { service, cwd, args, log } = await importing(
      40,
      {
        holds() {
          if (service.calls.length > 4) return onceStopped.opened
          return service.calls.length > 2 ? whileAsleep.opened : undefined
        },
      },
      ...['-c', '2', '--lock-timeout', '1'],
    )
    const first = start(args, { cwd, stdin: '' })
    await calls(service, 4)
    first.process.kill('SIGSTOP')
    const second = rowlift(args, { cwd })
    await calls(service, 6) // it has taken over, and has calls of its own in the air
    whileAsleep.open()
    await expect.poll(() => service.made.length, pollOptions).toBe(4)
    first.process.kill('SIGCONT')
    const woken = await first.ended
    expect(woken.exitCode).toBe(4)
    expect(summaryOf(woken).stopped).toContain('another run took over')
    onceStopped.open()
    expect((await second).exitCode).toBe(1)
    expect(madeBy(service)).toEqual(taskNames(40))
    const ids = new Set(service.made.map(({ recordId }) => recordId))
    for (const { status, record_id } of await outcomesIn(log))
      expect(status === 'created' ? ids.has(record_id) : status === 'in_doubt').toBe(true)
  })
})
