import { expect, it } from 'vitest'
import {
  expectFinished,
  expectLogIsTrue,
  expectOnceEach,
  fixRows,
  hangAfterTwo,
  runNights,
} from '../support/nightly-checks.ts'
import { NightlyImport, tasksWithoutKey } from '../support/nightly-runs.ts'

it('thirty nights of tasks without a key make each of them once, equal rows among them', async () => {
  const job = await NightlyImport.of(tasksWithoutKey)
  const equal = () => job.addEqual()
  await runNights(job, 3, equal)

  job.add(4) // 4: the token is refused
  const refused = await job.run(() => ({ answer: 401 }))
  expect(refused.run.exitCode).toBe(3)
  expect(refused.run.stderr).toContain('the service refuses the token (401)')
  expect(refused.summary).toMatchObject({ stop_reason: 'unauthorized', row_counts: { created: 0 } })
  await runNights(job, 3) // to 7

  const bad = job.add(2, false) // 8 and 9: rows to fix; 10: they are other rows now
  await expectFinished(job, await job.run())
  await runNights(job, 1, equal)
  fixRows(bad)
  await runNights(job, 4) // to 13

  job.add(5) // 14
  const { second, first } = await job.runOverlapping()
  expect(second.run.exitCode).toBe(4)
  await expectFinished(job, first)
  await runNights(job, 4, () => job.remove(1)) // to 18

  job.add(6) // 19: killed while two calls are under way, one of which makes its task
  await job.runAndKill({ calls: 4, logged: 2 }, hangAfterTwo(job))
  const held = await job.run() // 20: what cannot be decided is held and reported
  expect(held.run.exitCode).toBe(1)
  expect(held.run.stderr).toContain('rowlift resolve results.ndjson')
  expect(held.summary).toMatchObject({ row_counts: { created: 2, held: 2 }, in_doubt_total: 2 })
  for (const row of job.rows.slice(-6))
    if (job.rows.indexOf(row) !== job.rows.length - 3) job.created.add(row)
  expectOnceEach(job)
  const stillHeld = await job.run() // 21
  expect(stillHeld.metrics).toMatchObject({ rowlift_run_exit_code: 1, rowlift_in_doubt_rows: 2 })
  await job.settleInDoubt()
  await expectFinished(job, await job.run()) // 22

  job.add(4) // 23: it is slowed down
  const slow = await job.run(attempt => (attempt === 1 ? { answer: 429 } : 'create'))
  await expectFinished(job, slow)
  expect(slow.metrics?.rowlift_attempts_throttled).toBe(4)
  await runNights(job, 7, equal) // to 30
  await expectLogIsTrue(job)
}, 400_000)
