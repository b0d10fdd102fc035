import type { featureNotices } from '../output/words/catalogue.ts'
import type { StopReason } from './errors.ts'
import type { LockOwner } from './lock-owner.ts'
import type { Fault, Outcome } from './outcome.ts'
import type { Problem } from './problem.ts'

/** An event of a run; `cli/` makes the words. */
export type RunEvent =
  | { readonly type: 'lock_watched'; readonly holder: LockOwner | undefined }
  | { readonly type: 'reading_ahead' }
  /** The results go to standard output. */
  | { readonly type: 'not_remembered' }
  | { readonly type: 'columns_added'; readonly columns: readonly string[] }
  /** The last run of the log read other sheets, or sources of other names. */
  | Readonly<{ type: 'other_sheet'; source: string; sheet: string; last: readonly string[] }>
  | { readonly type: 'other_sources'; readonly sources: readonly string[]; readonly last: readonly string[] }
  | { readonly type: 'lookup_assumed'; readonly path: string }
  /** Texts in a table have no value yet; `words` are empty if they are names. */
  | Readonly<{ type: 'unanswered'; path: string; count: number; words: readonly string[] }>
  /** Rows have records by another version of the mapping; `run` is undefined if several made them. */
  | Readonly<{ type: 'made_before'; rows: number; mapping: string; log: string; run: string | undefined }>
  /** Rows are sent although a draft's questions are open. */
  | Readonly<{ type: 'open_questions'; mapping: string; questions: number }>
  | { readonly type: 'proxied'; readonly proxy: string }
  | { readonly type: 'token_shared'; readonly path: string }
  | { readonly type: 'log_shared'; readonly path: string }
  /** A line of the standard error of the program that prints the token. */
  | { readonly type: 'token_command_said'; readonly program: string; readonly line: string }
  | { readonly type: 'token_not_renewed'; readonly error: unknown }
  | { readonly type: 'orphaned_calls'; readonly calls: number }
  | { readonly type: 'row_skipped' }
  | { readonly type: 'call_started' }
  /** The first call is about to start, at `atMs` of the clock. */
  | ({ readonly type: 'estimated'; readonly atMs: number } & Estimate)
  | { readonly type: 'row_settled'; readonly outcome: Outcome }
  | { readonly type: 'retry'; readonly fault: Fault; readonly delayMs: number; readonly problem: Problem }
  | { readonly type: 'answer_differs'; readonly differences: readonly string[] }
  | LimiterEvent
  | { readonly type: 'bytes_read'; readonly bytes: number }
  | { readonly type: 'batch'; readonly rows: number }
  | { readonly type: 'limit_reached'; readonly limit: number }
  | { readonly type: 'stopping'; readonly reason: StopReason }
  | FeatureEvent

type FeatureNotices = typeof featureNotices.news & typeof featureNotices.warnings

/** The events of features, as their sentences declare them. */
type FeatureEvent = {
  [T in keyof FeatureNotices]: { readonly type: T } & Parameters<FeatureNotices[T]>[0]
}[keyof FeatureNotices]

export type LimiterEvent =
  /** With more than `enough` calls at once the service only answers later. */
  | Readonly<{ type: 'concurrency'; atOnce: number; enough: number; most: number }>
  /** No attempt starts for `forMs` milliseconds; `byService`: the service set the time. */
  | { readonly type: 'hold'; readonly forMs: number; readonly byService: boolean }
  | { readonly type: 'resumed' }
  /** The run waits for the service, until then at the latest. */
  | { readonly type: 'service_down'; readonly last: Problem; readonly forMs: number; readonly until: Date }
  | { readonly type: 'service_back'; readonly forMs: number }

/** Conditions that the duration of calls depends on. */
export interface Estimate {
  readonly calls: number
  /** Meaning of `calls`: exactly so many, at most so many, or as many again and again. */
  readonly extent: 'exact' | 'most' | 'each'
  /** The mean of earlier calls; undefined if the result log has none. */
  readonly callMs: number | undefined
  readonly concurrency: number
  readonly rate: number | undefined
}
