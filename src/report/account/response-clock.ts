import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type { ResponseTimes } from '../page/facts.ts'

const percents = [50, 75, 90, 95, 99, 99.9]
/** Eleven days; what took longer counts as that. */
const longestMs = 1_000_000_000

/** How long calls took: with three figures, in the same memory however many they are. */
export class ResponseClock {
  #histogram: RecordableHistogram | undefined
  #calls = 0
  #sumMs = 0
  #maxMs = 0

  take(ms: number): void {
    this.#histogram ??= createHistogram({ lowest: 1, highest: longestMs, figures: 3 })
    this.#histogram.record(Math.min(longestMs, Math.max(1, Math.round(ms))))
    this.#calls += 1
    this.#sumMs += ms
    this.#maxMs = Math.max(this.#maxMs, ms)
  }

  /** Undefined where there was no call. */
  facts(): ResponseTimes | undefined {
    const histogram = this.#histogram
    if (histogram === undefined) return undefined
    return {
      calls: this.#calls,
      meanMs: this.#sumMs / this.#calls,
      maxMs: this.#maxMs,
      percentiles: percents.map(percent => ({
        percent,
        ms: Math.min(histogram.percentile(percent), this.#maxMs),
      })),
    }
  }
}
