import type { RecordType } from './create-path.ts'
import { utcTimestamp } from './made-record.ts'

/**
 * What `GET /sandbox/stats` shows, counted since the start of this sandbox; `records` alone counts what an earlier
 * one left in the data file as well.
 * Every answered call is in exactly one of `created`, `existing` and `by_status`; `dropped` calls are in the first
 * two as well, and `throttled` (429), `unauthorized` (401) and `failed` (--fail) in `by_status`.
 */
export interface Stats {
  started_at: string
  records: number
  calls: number
  created: number
  created_by_type: Record<RecordType, number>
  existing: number
  by_status: Record<string, number>
  unauthorized: number
  throttled: number
  failed: number
  dropped: number
  in_flight: number
  max_in_flight: number
}

/** A tally with nothing in it. */
export function emptyStats(startedAtMs: number): Stats {
  return {
    started_at: utcTimestamp(startedAtMs),
    records: 0,
    calls: 0,
    created: 0,
    created_by_type: { contact: 0, task: 0 },
    existing: 0,
    by_status: {},
    unauthorized: 0,
    throttled: 0,
    failed: 0,
    dropped: 0,
    in_flight: 0,
    max_in_flight: 0,
  }
}

/** A call has come in. */
export function countArrival(stats: Stats): void {
  stats.calls += 1
  stats.in_flight += 1
  stats.max_in_flight = Math.max(stats.max_in_flight, stats.in_flight)
}

/** A call is answered with an error status. */
export function countRefusal(stats: Stats, status: number): void {
  stats.by_status[status] = (stats.by_status[status] ?? 0) + 1
  if (status === 401) stats.unauthorized += 1
  if (status === 429) stats.throttled += 1
}
