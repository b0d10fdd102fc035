import { latencyLines } from './latency-lines.ts'
import { type Part, tableOf } from './part.ts'
import { changingRateLines, rateLimitLines } from './rate-limit-lines.ts'

export const shareOfIdeal: Part = {
  title: 'Share of the ideal pace',
  reading:
    "Calls per second, compared with the ideal: the smaller of the server's limit and concurrency / latency. Default " +
    "settings, so 10 calls in flight. Rates are by the server's clock, from the first arrival to the last answer. A " +
    "server with a limit has a bucket of one second's worth, full at the start; above that it answers 429 with " +
    '`Retry-After: 1`. All its answers take 20 ms. Before each call the disk syncs a line: at 20 ms of latency the bar is ' +
    '0.95 where that takes at most 0.3 ms, else 0.9.',
  measure: async context =>
    tableOf([
      ...(await latencyLines(20, 0.9, context)),
      ...(await latencyLines(200, 0.95, context)),
      ...(await rateLimitLines(context)),
      ...(await changingRateLines(context)),
    ]),
}
