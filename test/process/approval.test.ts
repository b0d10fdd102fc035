import { expect, it } from 'vitest'
import { importing, taskNames } from '../support/imports.ts'
import { killAndResume } from '../support/kill-and-resume.ts'
import { randomFor } from '../support/random.ts'
import { outcomesIn, rowlift } from '../support/rowlift.ts'
import { madeBy } from '../support/service.ts'

it('an approved import that is killed goes on by the same command', async () => {
  const approval = ['--approval', 'ok.json', '-c', '4', '--in-doubt', 'resend']
  const { service, cwd, args, log } = await importing(30, { latencyMs: 10 }, ...approval)
  expect((await rowlift([...args, '--dry-run'], { cwd })).exitCode).toBe(0)
  const random = randomFor('approved and killed')
  const end = await killAndResume({ args, cwd, service, rowCount: 30, kills: 3, random })
  expect(end.exitCode).toBe(0)
  expect([...new Set(madeBy(service))]).toEqual(taskNames(30))
  const created = (await outcomesIn(log)).filter(({ status }) => status === 'created')
  expect(new Set(created.map(({ row }) => row)).size).toBe(30)
}, 60_000)
