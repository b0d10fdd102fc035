import { expect, it } from 'vitest'
import { importing, taskNames } from '../support/imports.ts'
import { pollOptions } from '../support/polling.ts'
import { outcomesIn, rowlift, start } from '../support/rowlift.ts'
import { madeBy } from '../support/service.ts'

it('an approved import that is killed goes on by the same command', async () => {
  const approval = ['--approval', 'ok.json', '-c', '4', '--in-doubt', 'resend', '--expect-unclear', '8'] // twice as many are under way at most
  const { service, cwd, args, log } = await importing(24, { latencyMs: 10 }, ...approval)
  expect((await rowlift([...args, '--dry-run'], { cwd })).exitCode).toBe(0)
  const killed = start(args, { cwd, stdin: '' })
  await expect.poll(() => service.calls.length, pollOptions).toBeGreaterThan(9)
  killed.process.kill('SIGKILL')
  expect((await killed.ended).exitCode).toBeNull()
  const end = await rowlift(args, { cwd })
  expect([end.exitCode, end.stderr]).toEqual([0, expect.stringContaining('were under way')])
  expect([...new Set(madeBy(service))]).toEqual(taskNames(24))
  const created = (await outcomesIn(log)).filter(({ status }) => status === 'created')
  expect(new Set(created.map(({ row }) => row)).size).toBe(24)
}, 60_000)
