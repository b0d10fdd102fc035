import type { Import } from '../engine/import-rows.ts'
import type { Lock } from '../journal/lock.ts'
import type { PastRuns } from '../journal/past-runs.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { RunEvent } from '../model/events.ts'
import type { Stop } from '../model/stop.ts'
import type { ImportSettings } from './import-settings.ts'
import type { Ports } from './ports.ts'
import type { ResolvedOptions } from './resolve-options.ts'

/** The step of an import in which a dry run differs: what is done with a call, and where outcomes are kept. */
export interface Delivery extends Pick<Import, 'delivery' | 'record'> {
  close(): Promise<void>
}

/** A result log whose lock this run holds. */
export interface HeldLog {
  readonly path: string
  readonly lock: Lock
}

/** What both deliverers are made of. */
export interface RunContext {
  /** Names this run among all others. */
  readonly run: string
  readonly plan: ResolvedOptions
  readonly settings: ImportSettings
  readonly mapping: Mapping
  readonly past: PastRuns
  /** The result log; undefined where there is none to go on with. */
  readonly held: HeldLog | undefined
  readonly context: Ports
  readonly stop: Stop
  readonly tell: (event: RunEvent) => void
}
