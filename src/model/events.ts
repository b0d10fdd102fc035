import type { StopReason } from './errors.ts'
import type { Holder } from './holder.ts'
import type { Problem } from './problem.ts'
import type { Before, Fault, Outcome, Place } from './row.ts'

/** Everything that can happen in a run; what reports on it chooses the words. */
export type RunEvent =
  | { readonly is: 'lock_watched'; readonly holder: Holder | undefined }
  | { readonly is: 'reading_ahead' }
  | { readonly is: 'lookup_assumed'; readonly path: string }
  | { readonly is: 'proxied'; readonly proxy: string }
  | { readonly is: 'abandoned'; readonly calls: number }
  | { readonly is: 'left_out' }
  | { readonly is: 'sending' }
  | { readonly is: 'ended'; readonly outcome: Outcome; readonly before: Before | undefined }
  | ({ readonly is: 'merged' } & Merged)
  | { readonly is: 'retry'; readonly fault: Fault; readonly delayMs: number; readonly problem: Problem }
  | { readonly is: 'answer_differs'; readonly differences: readonly string[] }
  | PaceEvent
  | { readonly is: 'read'; readonly bytes: number }
  | { readonly is: 'batch'; readonly rows: number }
  | { readonly is: 'limit_reached'; readonly limit: number }
  | { readonly is: 'stopping'; readonly reason: StopReason }

/** When attempts may start. */
export type PaceEvent =
  /** So many may be under way at once. */
  | { readonly is: 'pace'; readonly atOnce: number; readonly most: number }
  /** None starts for so long; `asked` says that the service itself said how long. */
  | { readonly is: 'held'; readonly forMs: number; readonly asked: boolean }
  /** They start again. */
  | { readonly is: 'resumed' }

type RowName = Pick<Place, 'source' | 'row'>

/** Two rows that the service took for one contact; the first may stand in a line of the log that an earlier run wrote. */
export interface Merged {
  readonly recordId: string
  readonly first: RowName | { readonly logLine: number }
  readonly second: RowName
}
