import { describe, expect, it } from 'vitest'
import { importing as importingTasks, statusesIn } from '../support/imports.ts'
import { closedLatch } from '../support/latch.ts'
import { pollOptions } from '../support/polling.ts'
import { rowlift, start } from '../support/rowlift.ts'
import type { ServiceOptions } from '../support/service.ts'

/** Tasks, a service for them, and the words that import them without saying more than they must. */
const importing = (count: number, options: ServiceOptions = {}, ...more: string[]) =>
  importingTasks(count, options, '--quiet', ...more)

describe('--quiet', () => {
  it('--quiet holds warnings back until something is known to be wrong', async () => {
    const fourthArrived = closedLatch()
    const { service, cwd, args, log } = await importing(
      4,
      {
        react(_, { body }) {
          if (body.name === 'Task 4') fourthArrived.open()
          const comeLater = { answer: 429, headers: { 'retry-after': '60' } } as const
          return body.name === 'Task 3' ? comeLater : { hang: true }
        },
        holds: ({ body }) => (body.name === 'Task 3' ? fourthArrived.opened : undefined),
      },
      ...['-c', '2'],
    )
    const { process, ended } = start(args, { cwd, stdin: '' })
    await expect.poll(() => service.calls.length, pollOptions).toBe(2)
    process.kill('SIGKILL')
    expect(await ended).toMatchObject({ stdout: '', stderr: '' })
    const next = start(args, { cwd, stdin: '' })
    await expect.poll(() => service.calls.length, pollOptions).toBe(4)
    next.process.kill('SIGTERM') // no call of Task 3 is made any more, and its row ends
    await expect.poll(() => statusesIn(log), pollOptions).toContain('3 failed')
    next.process.kill('SIGKILL')
    expect((await next.ended).stderr).toBe('')
  })

  it('warnings under --quiet are printed before the summary', async () => {
    let hangs = true
    const { service, cwd, args } = await importing(
      4,
      { react: () => (hangs ? { hang: true } : 'create') },
      '-c',
      '2',
    )
    const { process, ended } = start(args, { cwd, stdin: '' })
    await expect.poll(() => service.calls.length, pollOptions).toBe(2)
    process.kill('SIGKILL')
    await ended
    hangs = false
    const next = await rowlift(args, { cwd })
    expect(next.exitCode).toBe(1)
    expect(next.stderr).toMatch(
      /^WARN: an earlier run was killed while 2 calls were under way; .+\n\nImport finished/,
    )
  })
})
