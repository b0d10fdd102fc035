import { describeStop } from '../model/errors.ts'
import type { ImportPart } from '../report/command-end.ts'
import type { LastRun } from '../report/page/facts.ts'

/** An import that has come to its end. */
export type EndedImport = NonNullable<ImportPart['end']>

/** What a page tells of a run that only the run itself knows. */
export function lastRunOf(
  { tally, exitCode, durationMs, columns }: EndedImport,
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
