import { expect, it } from 'vitest'
import { expectFinished, expectOnceEach, hangAfterTwo, runNights } from '../support/nightly-checks.ts'
import { NightlyImport, tasksWithoutKey } from '../support/nightly-runs.ts'

// The first nights of `npm run test:long`, which has thirty.
it('five nights of tasks without a key make each of them once, though one night is killed', async () => {
  const job = await NightlyImport.of(tasksWithoutKey)
  await runNights(job, 2, () => job.addEqual())

  job.add(6) // 3: killed while two calls are under way, one of which makes its task
  await job.runAndKill({ calls: 4, logged: 2 }, hangAfterTwo(job))
  const held = await job.run() // 4: what cannot be decided is held and reported
  expect(held.summary).toMatchObject({ exit_code: 1, row_counts: { created: 2, held: 2 }, in_doubt_total: 2 })
  for (const row of job.rows.slice(-6))
    if (job.rows.indexOf(row) !== job.rows.length - 3) job.created.add(row)
  expectOnceEach(job)
  await job.settleInDoubt()
  await expectFinished(job, await job.run()) // 5
}, 120_000)
