import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importing, taskNames } from '../support/imports.ts'
import { closedLatch } from '../support/latch.ts'
import { pollOptions } from '../support/polling.ts'
import { outcomesIn, rowlift, start } from '../support/rowlift.ts'
import { madeBy } from '../support/service.ts'
import { windowsNode } from '../support/wine.ts'

describe.runIf(windowsNode !== undefined)('lock of a log on Windows', () => {
  it('a run that finds another one on its log ends with 4, on Windows and beside it', async () => {
    const latch = closedLatch()
    const { service, cwd, args } = await importing(2, { holds: () => latch.opened })
    const first = start(args, { cwd })
    await expect.poll(() => service.calls.length, pollOptions).toBe(2)
    const second = await start(args, { cwd }).ended
    expect(second).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('another run holds this result log'),
    })
    expect((await rowlift(args, { cwd })).exitCode).toBe(4)
    latch.open()
    expect((await first.ended).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(taskNames(2))
  })

  it('a killed run holds its log until its heartbeat is missed for the whole timeout', async () => {
    const { service, cwd, args } = await importing(2, {
      react: attempt => (attempt > 1 ? 'create' : { hang: true }),
    })
    const first = start(args, { cwd })
    await expect.poll(() => service.calls.length, pollOptions).toBe(2)
    first.process.kill('SIGKILL')
    await first.ended
    const startedMs = performance.now()
    const next = await start(args, { cwd }).ended
    expect(performance.now() - startedMs).toBeGreaterThan(5_000)
    expect(next).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('waiting some seconds for its heartbeat'),
    })
    expect((await outcomesIn(join(cwd, 'results.ndjson'))).map(({ status }) => status)).toEqual([
      'in_doubt',
      'in_doubt',
    ])
  })

  it('of runs that begin together, each row is sent by one', async () => {
    const { service, cwd, args } = await importing(20)
    for (let round = 0; round < 3; round += 1) {
      const ends = await Promise.all([1, 2, 3].map(() => start(args, { cwd }).ended))
      for (const { exitCode, stderr } of ends) expect([0, 4], stderr).toContain(exitCode)
    }
    expect(madeBy(service)).toEqual(taskNames(20))
    expect((await readdir(cwd)).filter(name => name.includes('.lock'))).toEqual([])
  })
})
