import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { fileBehind } from '../../input/packed/archive.ts'
import { SourceError, type StopReason } from '../../model/errors.ts'
import type { Stop } from '../../model/stop.ts'
import type { OutcomeSink } from '../delivery.ts'
import { run } from '../run.ts'
import type { Migration } from './prepare-migration.ts'
import { isDone, type PreparedStep, type StepEnd } from './step.ts'

export interface MigrationRunPorts {
  readonly stopping: StepStop
  readonly sinksOf: (step: PreparedStep) => readonly OutcomeSink[]
  /** Called before the first row of a step is taken; returns what to call after its last one. */
  readonly onStart: (step: PreparedStep) => () => void
}

/** Stops the step that is running, or else the next one as soon as it starts. */
export class StepStop {
  #requests: StopReason[] = []
  #step: Stop | undefined

  request(reason: StopReason): void {
    this.#requests.push(reason)
    this.#step?.request(reason)
  }

  setStep(step: Stop): void {
    this.#step = step
    for (const reason of this.#requests) step.request(reason)
  }
}

/** Runs the steps one after the other; when one stops early, those after it do not start. Returns the end of each. */
export async function runMigration(
  migration: Migration,
  ports: MigrationRunPorts,
): Promise<readonly StepEnd[]> {
  const ends: StepEnd[] = []
  for (const step of migration.steps)
    ends.push(ends.every(isDone) ? await runStep(step, migration, ports) : { type: 'not_started', step })
  return ends
}

async function runStep(
  step: PreparedStep,
  { records, steps }: Migration,
  { stopping, sinksOf, onStart }: MigrationRunPorts,
): Promise<StepEnd> {
  try {
    await checkSources(step) // the steps before may have taken hours
    const end = await run(step.prepared, {
      later: steps.slice(steps.indexOf(step) + 1).flatMap(({ settings }) => settings.import ?? []),
      sinks: [...records.sinksOf(step), ...sinksOf(step)],
      onStart() {
        stopping.setStep(step.prepared.stop)
        return onStart(step)
      },
    })
    records.ended(step, end)
    return { type: 'ended', step, end }
  } catch (error) {
    return { type: 'refused', step, error }
  }
}

async function checkSources({ sources }: PreparedStep): Promise<void> {
  for (const source of sources)
    await access(await fileBehind(source), constants.R_OK).catch(error => {
      throw new SourceError('source_unreadable', { source, reason: error.code })
    })
}
