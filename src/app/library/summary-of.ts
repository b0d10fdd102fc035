import { describeStop, type StopReason } from '../../model/errors.ts'
import type { ImportEnd } from '../run-import.ts'
import type { ImportStop, ImportSummary } from './summary.ts'
import { wordsInCode } from './words.ts'

const mostReasons = 10

/** What a summary is made of: a run that was stopped before it could begin has no more. */
export type EndInCode = Pick<
  ImportEnd,
  'dryRun' | 'tally' | 'durationMs' | 'inDoubt' | 'written' | 'exitCode'
>

/** The summary of a run that has ended; `unwritten` are the lines that its log could not take. */
export function summaryOf(end: EndInCode, unwritten: readonly string[]): ImportSummary {
  const { tally } = end
  const reasons = [...tally.reasons.groups.values()].sort((a, b) => b.count - a.count).slice(0, mostReasons)
  return {
    dryRun: end.dryRun,
    stopped: stopOf(tally.stopReason),
    rows: { ...tally.ends },
    leftOut: tally.leftOut,
    changed: tally.changed,
    inDoubt: end.inDoubt,
    reasons: reasons.map(({ status, reason, count, examples }) => ({
      status,
      reason,
      count,
      examples: examples.map(({ origin: { source, row, line } }) => ({ source, row, line })),
    })),
    limitReached: tally.limitReached,
    durationMs: end.durationMs,
    written: end.written,
    unwritten,
    exitCode: end.exitCode,
  }
}

function stopOf(reason: StopReason | undefined): ImportStop | undefined {
  if (reason === undefined) return undefined
  const message = wordsInCode(describeStop(reason))
  // signals and readers are those of the command
  if (reason.is === 'signal' || reason.is === 'reader_gone') return { reason: 'aborted', message }
  return { reason: reason.is, message }
}
