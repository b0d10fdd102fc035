import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { fileBehind } from '../input/bytes.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { SourceError, type StopReason } from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import type { Stop } from '../model/stop.ts'
import type { EndReport } from '../output/summary-text.ts'
import { describeError } from '../output/words.ts'
import type { CommandEnd, ImportPart, RunResult } from '../result/run-result.ts'
import type { ImportSettings } from '../settings/settings.ts'
import type { OutcomeSink } from './delivery.ts'
import { exitCodeOfThrown, exitCodes } from './exit-code.ts'
import { describeImport, type NamedFile, protectedFiles } from './file-conflicts.ts'
import type { StepLookups } from './lookups.ts'
import type { Ports } from './ports.ts'
import { checkApproved, checkFiles, type Extend, type PreparedImport, prepare } from './prepare.ts'
import { run } from './run.ts'

/** What a command imports: the steps of a plan file, or a single import, which is a plan of one step. */
export interface Plan {
  /** Undefined for a single import. */
  readonly file: string | undefined
  /** Those that all steps share. */
  readonly settings: ImportSettings
  /** In the order in which they run. */
  readonly steps: readonly Step[]
  readonly links?: StepLinks
  /** Reports the end of several steps; without it the end of the only one is reported. */
  readonly report?: (facts: PlanFacts) => EndReport
}

export interface Step {
  /** Undefined for a single import. */
  readonly name: string | undefined
  readonly sources: readonly string[]
  readonly settings: ImportSettings
  /** Set if it is loaded already. */
  readonly mapping?: Mapping
  /** The step in summary and page. */
  readonly asked: ImportPart['asked']
}

export interface PreparedStep extends Step {
  readonly prepared: PreparedImport
}

/** Hands the records of earlier steps to later ones. */
export interface StepLinks extends StepLookups {
  sinksOf(step: Step): readonly OutcomeSink[]
  ended(step: Step, end: RunResult): void
}

/** The facts of the end of a plan. */
export interface PlanFacts extends Pick<CommandEnd, 'dryRun' | 'exitCode' | 'imports' | 'next'> {
  readonly plan: string
  readonly durationMs: number
}

export type StepEnd =
  | { readonly type: 'ended'; readonly step: PreparedStep; readonly end: RunResult }
  | { readonly type: 'refused'; readonly step: PreparedStep; readonly error: unknown }
  | { readonly type: 'not_started'; readonly step: PreparedStep }

/** A plan that may have faults, with the settings that are known all the same. */
export interface PlanSource {
  readonly settings: ImportSettings
  /** Throws a UsageError. */
  readonly load: () => Promise<Plan>
}

/** Makes the plan of a single import. */
export const planOfOne = async (
  sources: readonly string[],
  settings: ImportSettings,
  ports: Pick<Ports, 'cwd' | 'isInteractive'>,
): Promise<Plan> => ({
  file: undefined,
  settings,
  steps: [{ name: undefined, sources, settings, asked: await describeImport(sources, settings, ports) }],
})

/** Lists the files of all steps that nothing else may overwrite, as far as they are known before the sources are read. */
export const filesOfPlan = ({ file, steps }: Plan): NamedFile[] => [
  { path: file, role: 'plan' },
  ...steps.flatMap(({ asked, settings, name }) =>
    protectedFiles(asked, settings).map(({ path, role }) => ({ path, role: roleIn(name, role) })),
  ),
]

const roleIn = (step: string | undefined, role: string) =>
  step === undefined ? role : `${role} of the step ${step}`

export interface PlanPorts extends Ports {
  readonly emit: (step: string | undefined, event: RunEvent) => void
  readonly extend: Extend
}

/** Makes all checks of all steps before the first call of the first. Throws a UsageError, SourceError or LogError. */
export async function preparePlan(
  { file, steps, links }: Plan,
  ports: PlanPorts,
): Promise<readonly PreparedStep[]> {
  const prepared: PreparedStep[] = []
  const shared = { ...ports, tokens: new Map() }
  for (const step of steps) {
    const emit = (event: RunEvent) => ports.emit(step.name, event)
    prepared.push({
      ...step,
      prepared: await prepare({ ...step, steps: links }, { ...shared, emit }, ports.extend),
    })
  }
  if (file !== undefined)
    await checkFiles(
      prepared.map(({ name, prepared }) => ({ ...prepared, step: name })),
      file,
    )
  await checkApproved(prepared.map(({ prepared }) => prepared))
  return prepared
}

export interface PlanRunPorts {
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
export async function runPlan(
  steps: readonly PreparedStep[],
  links: StepLinks | undefined,
  ports: PlanRunPorts,
): Promise<readonly StepEnd[]> {
  const ends: StepEnd[] = []
  for (const [at, step] of steps.entries()) {
    const later = steps.slice(at + 1)
    ends.push(ends.every(isDone) ? await runStep(step, later, links, ports) : { type: 'not_started', step })
  }
  return ends
}

async function runStep(
  step: PreparedStep,
  later: readonly PreparedStep[],
  links: StepLinks | undefined,
  { stopping, sinksOf, onStart }: PlanRunPorts,
): Promise<StepEnd> {
  try {
    if (step.name !== undefined) await checkReadable(step) // the steps before may have taken hours
    const end = await run(step.prepared, {
      later: later.flatMap(({ settings }) => settings.import ?? []),
      sinks: [...(links?.sinksOf(step) ?? []), ...sinksOf(step)],
      onStart() {
        stopping.setStep(step.prepared.stop)
        return onStart(step)
      },
    })
    links?.ended(step, end)
    return { type: 'ended', step, end }
  } catch (error) {
    return { type: 'refused', step, error }
  }
}

async function checkReadable({ sources }: PreparedStep): Promise<void> {
  for (const source of sources)
    await access(await fileBehind(source), constants.R_OK).catch(error => {
      throw new SourceError('source_unreadable', { source, reason: error.code })
    })
}

/** Later steps may start after bad rows, which the next run tries again. */
const isDone = (end: StepEnd): boolean => end.type === 'ended' && end.end.exit_code <= exitCodes.someBad

/** A plan ends like the step that stopped it, or like the worst of its steps. */
export const exitCodeOfPlan = (ends: readonly StepEnd[]): number => Math.max(...ends.map(exitCodeOfStep))

function exitCodeOfStep(end: StepEnd): number {
  if (end.type === 'ended') return end.end.exit_code
  return end.type === 'refused' ? exitCodeOfThrown(end.error) : exitCodes.finished
}

/** A step in summary and page, before its end and after it. */
export const partOf = ({ name, asked }: Step): ImportPart => ({ name, asked, end: undefined })

export const partOfEnd = (end: StepEnd): ImportPart => ({
  ...partOf(end.step),
  ...(end.type === 'ended' && { end: end.end }),
  ...(end.type === 'refused' && { refused: describeError(end.error) }),
})
