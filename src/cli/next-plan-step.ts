import type { Migration } from '../app/migration/prepare-migration.ts'
import type { StepEnd } from '../app/migration/step.ts'
import type { ImportEnd } from '../app/run.ts'
import type { StopReason } from '../model/errors.ts'
import { stopReasonOf } from '../model/stop.ts'
import type { NextStep } from '../report/command-line.ts'
import { endsOf } from '../report/plan-summary.ts'
import { nextSteps, type Unfinished } from './next-step.ts'

/** What to do after a plan; any of these will do. */
export function nextPlanSteps(
  args: readonly string[],
  { settings, steps }: Migration,
  ends: readonly StepEnd[],
): NextStep[] {
  const ended = ends.flatMap(each => (each.is === 'ended' ? [each.end] : []))
  const knowsService = steps.every(step => step.settings.baseUrl !== undefined)
  const together = { dryRun: settings.dryRun, tally: togetherOf(ends, ended), ...doubtsOf(ended) }
  return nextSteps(args, together, { knowsService })
}

/** The first log with rows that only a person can settle; where there is none, whether the next run settles any. */
function doubtsOf(ended: readonly ImportEnd[]): Pick<Unfinished, 'written' | 'inDoubt' | 'resendsDoubts'> {
  const inDoubt = ended.filter(end => end.inDoubt > 0)
  const first = inDoubt.find(end => !end.resendsDoubts) ?? inDoubt[0]
  return first ?? { written: undefined, inDoubt: 0, resendsDoubts: false }
}

/** The steps as one import; one that was stopped is gone on with, whatever limit another came to. */
function togetherOf(ends: readonly StepEnd[], ended: readonly ImportEnd[]): Unfinished['tally'] {
  const tallies = ended.map(({ tally }) => tally)
  const stopReason = ends.map(stopOf).find(reason => reason !== undefined)
  const limitReached = tallies.find(tally => tally.limitReached !== undefined)?.limitReached
  return {
    ends: endsOf(tallies),
    stopReason,
    limitReached: stopReason === undefined ? limitReached : undefined,
  }
}

function stopOf(end: StepEnd): StopReason | undefined {
  if (end.is === 'ended') return end.end.tally.stopReason
  return end.is === 'refused' ? stopReasonOf(end.error) : undefined
}
