import { type StopReason, UsageError } from '../model/errors.ts'
import { stopReasonOf } from '../model/stop.ts'
import type { Tally } from '../result/tally.ts'

export const exitCodes = {
  finished: 0,
  someBad: 1,
  usage: 2,
  stoppedEarly: 3,
  locked: 4,
  defect: 70,
  SIGHUP: 129,
  SIGINT: 130,
  SIGTERM: 143,
  /** The code of `cat FILE` in `cat FILE | head`, which ends by SIGPIPE. */
  readerGone: 141,
} as const

/** The exit code of a run; `bad` counts rows without a record that nobody allowed, and expectations that do not hold. */
export function exitCodeOf({ stopReason, sent }: Tally, bad: number, dryRun: boolean): number {
  if (stopReason !== undefined) return codeOfStop(stopReason, sent > 0 && !dryRun)
  return bad > 0 ? exitCodes.someBad : exitCodes.finished
}

export const exitCodeOfThrown = (error: unknown): number =>
  error instanceof UsageError ? exitCodes.usage : codeOfStop(stopReasonOf(error), false)

function codeOfStop(stop: StopReason, anySent: boolean): number {
  if (stop.code === 'signal') return exitCodes[stop.params.signal]
  const isSourceBad = stop.code === 'source' && stop.params.problem.code !== 'source_changed'
  return isSourceBad && !anySent ? exitCodes.usage : (codesOfStops[stop.code] ?? exitCodes.stoppedEarly)
}

const codesOfStops: Readonly<Partial<Record<StopReason['code'], number>>> = {
  lock: exitCodes.locked,
  reader_gone: exitCodes.readerGone,
  defect: exitCodes.defect,
}
