import type { ImportSteps } from '../engine/import-loop.ts'
import type { Lock } from '../journal/lock.ts'
import type { PastRuns } from '../journal/past-runs.ts'
import type { PreparedImport } from './prepare.ts'

/** The step of an import in which a dry run differs: what is done with a call, and where outcomes are kept. */
export interface Delivery extends Pick<ImportSteps, 'delivery' | 'record'> {
  close(): Promise<void>
}

/** A run that holds its lock and knows what earlier runs left. */
export interface RunContext {
  /** Names this run among all others. */
  readonly runId: string
  readonly prepared: PreparedImport
  readonly past: PastRuns
  /** Of the result log; undefined where there is none to go on with. */
  readonly lock: Lock | undefined
}
