import { expect } from 'vitest'
import type { ExportedRow, NightlyImport, NightResult } from './nightly-runs.ts'
import { madeBy, type Reaction } from './service.ts'

/** Checks a night after which every good row has its record, and that the summary says of each row what is true. */
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

/** Checks that each row that has its record has one. */
export const expectOnceEach = ({ created, service }: NightlyImport) =>
  expect(madeBy(service)).toEqual([...created].map(({ name }) => name).sort())

/** Checks that the log names each record that was made, once. */
export async function expectLogIsTrue(job: NightlyImport): Promise<void> {
  const ids = await job.loggedIds()
  expect(ids.sort()).toEqual(job.service.made.map(({ recordId }) => recordId).sort())
}

/** Nights on which nothing happens but that the export grows. */
export async function runNights(
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

/** Mends rows in the source. */
export const fixRows = (rows: readonly ExportedRow[]) => {
  for (const row of rows) row.isGood = true
}

/** Of the last six rows, two are made before a run is killed in the middle of two calls; the first of these makes its record. */
export function hangAfterTwo({
  rows,
}: NightlyImport): (attempt: number, body: { name?: unknown }) => Reaction {
  const [first, second, third] = rows.slice(-6).map(({ name }) => name)
  return (_, { name }) => {
    if (name === first || name === second) return 'create'
    return { hang: true, ...(name === third && { createsAfterMs: 0 }) }
  }
}
