import { describeStop } from '../model/errors.ts'
import type { LastRun } from '../report/page/facts.ts'
import type { ImportEnd } from './run-import.ts'

/** What a page tells of a run that only the run itself knows. */
export function lastRunOf(
  { tally, exitCode, durationMs, columns }: ImportEnd,
  next: string | undefined,
): LastRun {
  const { stopReason, ends, leftOut, changed } = tally
  return {
    exitCode,
    durationMs,
    stopped: stopReason && describeStop(stopReason),
    next,
    rows: { ...ends, left_out: leftOut },
    changed,
    columns,
  }
}
