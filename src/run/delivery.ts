import type { ImportSteps } from '../engine/import-loop.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Row } from '../model/row.ts'

/** The step in which a dry run differs: what becomes of a call, and where outcomes are recorded. */
export interface Delivery extends Pick<ImportSteps, 'delivery' | 'record'> {
  close(): Promise<void>
}

/** Takes outcomes after the result log has them, and before they count. */
export interface OutcomeSink {
  /** The run waits for the promise, so that a slow sink is not flooded. */
  readonly keep: (outcome: Outcome, row: Row) => Promise<void> | undefined
  close(): Promise<void>
}

export interface RunPorts {
  /** They take every outcome once the result log has it. */
  readonly sinks?: readonly OutcomeSink[]
  /** Called before the first row is taken; returns what to call after the last one. */
  readonly onStart?: () => () => void
  /** Imports of the steps that come later in a plan, with a ledger. */
  readonly later?: readonly string[]
}

export function teeSinks(
  record: ImportSteps['record'],
  sinks: readonly OutcomeSink[],
): ImportSteps['record'] {
  if (sinks.length === 0) return record
  const others: ImportSteps['record'] = (outcome, row) => {
    const waits = sinks.flatMap(({ keep }) => keep(outcome, row) ?? [])
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => outcome)
  }
  return (outcome, row) => {
    const recording = record(outcome, row)
    if (recording === undefined) return others(outcome, row)
    return recording.then(recorded => others(recorded, row) ?? recorded)
  }
}
