import { expect } from 'vitest'
import type { ExportedRow, NightlyImport, NightResult } from './nightly-runs.ts'
import { madeBy, type Reaction } from './service.ts'

/** Checks that every good row has its record after a night, and that the summary counts are right. */
export async function expectFinished(job: NightlyImport, { run, summary }: NightResult): Promise<void> {
  const bad = job.rows.filter(({ isGood }) => !isGood)
  const due = job.rows.filter(row => row.isGood && !job.created.has(row))
  expect(run.exitCode).toBe(bad.length > 0 ? 1 : 0)
  expect(summary).toMatchObject({
    finished: true,
    rows: job.rows.length,
    row_counts: {
      created: due.length,
      invalid: bad.length,
      left_alone: job.rows.length - bad.length - due.length,
      ...{ failed: 0, in_doubt: 0, held: 0, duplicate: 0 },
    },
    in_doubt_total: 0,
  })
  for (const row of due) job.created.add(row)
  expectOnceEach(job)
  await expectLogIsTrue(job)
}

/** Checks that each created row has exactly one record. */
export const expectOnceEach = ({ created, service }: NightlyImport) =>
  expect(madeBy(service)).toEqual([...created].map(({ name }) => name).sort())

/** Checks that the log names each record exactly once. */
export async function expectLogIsTrue(job: NightlyImport): Promise<void> {
  const ids = await job.loggedIds()
  expect(ids.sort()).toEqual(job.service.made.map(({ recordId }) => recordId).sort())
}

/** Runs nights without faults; the export grows by three rows each night. */
export async function quietNights(
  job: NightlyImport,
  nights: number,
  change: () => void = () => {},
): Promise<void> {
  for (let night = 0; night < nights; night += 1) {
    job.add(3)
    change()
    await expectFinished(job, await job.run())
  }
}

/** Makes rows of the export valid. */
export const mend = (rows: readonly ExportedRow[]) => {
  for (const row of rows) row.isGood = true
}

/** Of the last six rows, the service creates two and then hangs; the first call that hangs still makes its record. */
export function dyingWith({ rows }: NightlyImport): (attempt: number, body: { name?: unknown }) => Reaction {
  const [first, second, third] = rows.slice(-6).map(({ name }) => name)
  return (_, { name }) => {
    if (name === first || name === second) return 'create'
    return { hang: true, ...(name === third && { createsAfterMs: 0 }) }
  }
}
