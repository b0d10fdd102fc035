import type { StopReason } from '../../model/errors.ts'
import type { RunEvent } from '../../model/events.ts'
import type { Stop } from '../../model/stop.ts'
import type { Tally } from '../../model/tally.ts'
import type { OpenRun } from '../open-run.ts'
import type { OutcomeSink } from '../outcome-sink.ts'
import type { Ports } from '../ports.ts'
import { runImport } from '../run-import.ts'
import type { Migration } from './open-migration.ts'
import { isDone, type Step, type StepEnd } from './step.ts'
import { StepRecords } from './step-records.ts'

/** A migration, and who looks after it while it is under way. */
export interface WatchedMigration {
  readonly migration: Migration
  readonly context: Ports
  readonly stopping: StepStop
  /** Who else takes the outcomes of a step. */
  readonly keepersOf: (step: Step) => readonly OutcomeSink[]
  readonly tell: (step: Step, event: RunEvent) => void
  /** Hears that the first row of a step is about to be taken; gives what to do when the last one was. */
  readonly opened: (step: Step, run: OpenRun, tally: Tally) => () => void
}

/** Stops the step that is under way, or else the next one as soon as it has begun. */
export class StepStop {
  #asked: StopReason[] = []
  #step: Stop | undefined

  request(reason: StopReason): void {
    this.#asked.push(reason)
    this.#step?.request(reason)
  }

  /** From now on it is this step that is under way. */
  of(step: Stop): void {
    this.#step = step
    for (const reason of this.#asked) step.request(reason)
  }
}

/**
 * Runs the steps of a migration one after the other, each as an import of its own, until one stops early: those behind it do not
 * begin. Gives the end of each, in their order.
 */
export async function runMigration(job: WatchedMigration): Promise<readonly StepEnd[]> {
  const records = new StepRecords(job.migration.steps)
  const ends: StepEnd[] = []
  for (const step of job.migration.steps)
    ends.push(ends.every(isDone) ? await runStep(step, records, job) : { is: 'not_begun', step })
  return ends
}

async function runStep(step: Step, records: StepRecords, job: WatchedMigration): Promise<StepEnd> {
  const { sources, settings } = step
  try {
    const end = await runImport({
      sources,
      settings,
      context: job.context,
      tell: event => job.tell(step, event),
      keepers: [...records.keepersOf(step), ...job.keepersOf(step)],
      steps: records,
      opened(run, tally) {
        job.stopping.of(run.stop)
        return job.opened(step, run, tally)
      },
    })
    records.ended(step, end)
    return { is: 'ended', step, end }
  } catch (error) {
    return { is: 'refused', step, error }
  }
}
