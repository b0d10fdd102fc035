import type { Estimate } from '../model/events.ts'
import { counted, spanOf } from './text.ts'

/** Milliseconds for a call, if no earlier run has made any. */
const assumed = [200, 1_000] as const

/** The duration of the calls, in milliseconds. */
const msOf = ({ calls, concurrency, rate = Infinity }: Estimate, callMs: number) =>
  Math.max(Math.ceil(calls / concurrency) * callMs, (calls * 1000) / rate)

/** The duration by the mean of earlier calls, or by the shorter of two assumptions. */
export const estimatedSeconds = (estimate: Estimate): number =>
  Math.ceil(msOf(estimate, estimate.callMs ?? assumed[0]) / 1000)

/** The duration of calls, such as `1,204 calls: about 40 s at 330 ms a call (as the last ones took), 10 at a time`. */
export function describeEstimate(estimate: Estimate): string {
  const { calls, extent, callMs, concurrency, rate } = estimate
  const what = { exact: '', most: 'up to about ', each: 'each ' }[extent] + counted(calls, 'call')
  const spans = (callMs === undefined ? assumed : [callMs]).map(
    ms => `${roughly(msOf(estimate, ms))} at ${callSpan(ms)} a call`,
  )
  return [
    `${what}: about ${spans.join(', ')}${callMs === undefined ? '' : ' (as the last ones took)'}`,
    `${concurrency} at a time`,
    ...(rate === undefined ? [] : [`at most ${rate} a second`]),
  ].join(', ')
}

const callSpan = (ms: number) => (ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`)

/** Whole seconds up to two minutes, then whole minutes. */
function roughly(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return seconds < 120 ? `${seconds} s` : spanOf(Math.round(seconds / 60) * 60_000).replace(/ 0 (s|min)$/, '')
}
