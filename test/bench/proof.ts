import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { PhaseCounts } from './gate.ts'
import type { Service } from './service.ts'

/**
 * Throws unless every row from 1 to `rows` has exactly one line in the result log, `created`, and the service made as many
 * records. Returns what the service counted.
 */
export async function everyRowCreatedOnce(
  log: string,
  rows: number,
  service: Service,
): Promise<readonly PhaseCounts[]> {
  const counts = await service.counts()
  const made = counts.reduce((sum, { accepted }) => sum + accepted, 0)
  if (made !== rows) throw new Error(`the service made ${made} records of ${rows} rows`)
  const seen = new Uint8Array(rows + 1)
  let lines = 0
  for await (const text of createInterface({ input: createReadStream(log) })) {
    const { status, row } = JSON.parse(text)
    if (status === undefined) continue // a run's opening
    if (status !== 'created') throw new Error(`row ${row} is ${status}`)
    if (seen[row] !== 0) throw new Error(`row ${row} has a second line, or is none of the source`)
    seen[row] = 1
    lines += 1
  }
  if (lines !== rows) throw new Error(`the log has ${lines} created lines for ${rows} rows`)
  return counts
}

/** Throws unless the service was called so often, and refused nothing. */
export async function calledExactly(calls: number, service: Service): Promise<void> {
  const [only = { accepted: 0, refused: 0 }] = await service.counts()
  if (only.accepted !== calls || only.refused !== 0)
    throw new Error(
      `the service let ${only.accepted} calls in and refused ${only.refused}, instead of ${calls} and 0`,
    )
}
