import type { StopReason } from './errors.ts'
import type { Fault, Outcome, Place } from './row.ts'

/** Everything that can happen in a run; what reports on it chooses the words. */
export type RunEvent =
  | { readonly is: 'left_out' }
  | { readonly is: 'sending' }
  | { readonly is: 'ended'; readonly outcome: Outcome; readonly wasInDoubt: boolean }
  | { readonly is: 'merged'; readonly recordId: string; readonly rows: readonly [RowName, RowName] }
  | { readonly is: 'retry'; readonly fault: Fault; readonly delayMs: number; readonly message: string }
  | { readonly is: 'answer_differs'; readonly differences: readonly string[] }
  | { readonly is: 'read'; readonly bytes: number }
  | { readonly is: 'limit_reached'; readonly limit: number }
  | { readonly is: 'stopping'; readonly reason: StopReason }

export type RowName = Pick<Place, 'source' | 'row'>
