import { expect, it } from 'vitest'
import {
  expectFinished,
  expectLogIsTrue,
  expectOnceEach,
  fixRows,
  hangAfterTwo,
  runNights,
} from '../support/nightly-checks.ts'
import { NightlyImport, type NightlyJob } from '../support/nightly-runs.ts'

/** Contacts with a key, before a service that knows similar ones by their address: what is in doubt is sent again. */
const contacts: NightlyJob = {
  mapping: `
record: contact
key: Email
use_created: true
body: { name: "{{Name}}", emails: [{ email: { from: Email, as: email, required: true } }] }
`,
  flags: ['-c', '2', '--retries', '3'],
  csv: rows =>
    `Name,Email\n${rows.map(({ name, email, isGood }) => `${name},${isGood ? email : 'nobody'}\n`).join('')}`,
  similar: body => body.emails[0].email,
}

it('thirty nights of contacts make each of them once, and report only when something is wrong', async () => {
  const job = await NightlyImport.of(contacts)
  await runNights(job, 3)

  const bad = job.add(1, false) // nights 4 and 5: a row that needs a fix, then 6: it is fixed
  job.add(4)
  const fourth = await job.run()
  await expectFinished(job, fourth)
  expect(fourth.run.stderr).toContain('1 row invalid: Email is not an e-mail address')
  expect(fourth.run.stderr).toContain('Next:\n  Fix the cause')
  await expectFinished(job, await job.run())
  fixRows(bad)
  await runNights(job, 3) // to 8

  job.add(12) // 9: the service is down, and makes some of what it says it does not
  const down = await job.run((_, { name }) => ({
    answer: 500,
    ...(/[02468]$/.test(name) && { creates: true }),
  }))
  expect(down.run.exitCode).toBe(3)
  expect(down.run.stderr).toContain('the service is not answering')
  expect(down.summary).toMatchObject({
    finished: false,
    stop_reason: 'not_answering',
    row_counts: { created: 0 },
  })
  expect(down.metrics?.rowlift_in_doubt_rows).toBeGreaterThan(0)
  const again = await job.run() // 10
  expect(again.summary.settled_doubts).toBe(down.summary.in_doubt_total)
  expect(again.run).toMatchObject({ exitCode: 0, stderr: '' })
  for (const row of job.rows) job.created.add(row)
  expectOnceEach(job)
  await runNights(job, 2) // to 12

  job.add(6) // 13: it is slowed down
  let calls = 0
  const slow = await job.run(() => {
    calls += 1
    return calls < 3 ? { answer: 429, headers: { 'retry-after': '1' } } : 'create'
  })
  await expectFinished(job, slow)
  expect(slow.summary.throttled).toBe(2)

  job.add(5) // 14: two at once
  const { second, first } = await job.runOverlapping()
  expect(second.run.exitCode).toBe(4)
  expect(second.run.stderr).toMatch(/^rowlift: .+ another run holds this result log .+\n$/)
  expect(second.summary).toMatchObject({
    exit_code: 4,
    error: expect.stringContaining('another run holds'),
  })
  await expectFinished(job, first)
  await runNights(job, 2, () => job.remove(2)) // to 16

  job.add(6) // 17: killed while two calls are under way, one of which makes its contact
  const killed = await job.runAndKill({ calls: 4, logged: 2 }, hangAfterTwo(job))
  expect(killed.run).toMatchObject({ exitCode: null, stderr: '' })
  expect(killed.summary.exit_code).toBe(0) // what the night before left
  for (const row of job.rows.slice(-6, -4)) job.created.add(row)
  job.add(2) // 18
  const after = await job.run()
  expect(after.summary).toMatchObject({ abandoned: 2, settled_doubts: 2 })
  expect(after.run).toMatchObject({ exitCode: 0, stderr: '' })
  for (const row of job.rows) job.created.add(row)
  expectOnceEach(job)
  await runNights(job, 2) // to 20

  const none = await job.runWithoutExport() // 21
  expect(none.run.exitCode).toBe(2)
  expect(none.run.stderr).toBe('rowlift: export-2026-11-21.csv: there is no such file\n')
  expect(none.summary.error).toContain('there is no such file')
  const [changed] = job.rows
  const name = changed?.name
  if (changed) changed.name = 'Another name' // 22: there is no update call, and that is no fault
  const told = await job.run()
  expect(told.run).toMatchObject({ exitCode: 0, stderr: '' })
  expect(told.metrics?.rowlift_changed_rows).toBe(1)
  if (changed) changed.name = name ?? ''
  await runNights(job, 8) // to 30
  await expectLogIsTrue(job)
}, 400_000)
