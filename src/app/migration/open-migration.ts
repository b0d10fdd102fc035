import { loadMapping } from '../../mapping/file.ts'
import { usageErrors } from '../../model/usage-errors.ts'
import { type ImportSettings, importSettings } from '../import-settings.ts'
import { mappingPath } from '../paths.ts'
import type { Ports } from '../ports.ts'
import { required } from '../resolve-options.ts'
import { mergeSettings, parseSettings, type SettingSources, type Settings } from '../settings.ts'
import { checkSteps } from './check-steps.ts'
import { allNeeds, checkLogs, checkNeeds, type LooseStep, lookedUpBy, ordered } from './order.ts'
import type { PlanFile, StepInFile } from './plan-file.ts'
import { ofOneStep } from './plan-options.ts'
import { placeOfLog, type Step } from './step.ts'

/** A plan of which everything was checked that can be checked before the first call. */
export interface Migration {
  /** The plan file. */
  readonly plan: string
  /** What holds for all steps. */
  readonly settings: ImportSettings
  /** In the order in which they run. */
  readonly steps: readonly Step[]
}

/** The command line, as far as it speaks of a plan. */
export interface PlanGiven {
  readonly sources: readonly string[]
  readonly layers: SettingSources
  readonly context: Ports
  /** The plan, or why it cannot be read. */
  readonly file: () => Promise<PlanFile>
}

/** What holds for a step with such options of its own, or without any for all steps. Throws a UsageError. */
export const settingsOfPlan = (
  { common }: PlanFile,
  { outside, inFile }: SettingSources,
  own: Settings = new Map(),
): ImportSettings => parseSettings(importSettings, mergeSettings(outside, own, common, inFile))

/**
 * Checks a plan and all its steps. A flag beats the environment, that the step, that the common part of the plan, and that
 * the settings file. Throws a UsageError, SourceError or LogError; nothing was sent then.
 */
export async function openMigration({ sources, layers, context, ...given }: PlanGiven): Promise<Migration> {
  checkNothingOfSteps(sources, mergeSettings(layers.outside, layers.inFile))
  const file = await given.file()
  checkNeeds(file)
  const steps = await stepsOf(file, own => settingsOfPlan(file, layers, own))
  await checkSteps(file.path, steps, context)
  return { plan: file.path, settings: settingsOfPlan(file, layers), steps }
}

/** What belongs to one step is said there, or nobody would know which one is meant. */
function checkNothingOfSteps(sources: readonly string[], given: Settings): void {
  const strays = ofOneStep.flatMap(option => given.get(option)?.from ?? [])
  if (sources.length + strays.length > 0) throw usageErrors.saidInPlan([...sources, ...strays])
}

async function stepsOf(
  file: PlanFile,
  settingsOf: (own: Settings) => ImportSettings,
): Promise<readonly Step[]> {
  const loose: LooseStep[] = []
  for (const step of file.steps) loose.push(await looseStep(step, settingsOf(step.options)))
  checkLogs(loose, file)
  const steps: Step[] = []
  for (const [at, step] of loose.entries()) {
    const looksUpIn = await lookedUpBy(step, loose)
    steps.push({ ...step, looksUpIn, needs: allNeeds(file.steps[at] ?? { needs: [] }, looksUpIn) })
  }
  return ordered(steps, file)
}

async function looseStep({ name, sources }: StepInFile, all: ImportSettings): Promise<LooseStep> {
  const { preview, ...others } = all
  const settings: ImportSettings = all['dry-run'] ? all : others // a preview is for dry runs only
  const results = required(settings.results, 'results')
  const mapping = required(settings.mapping, 'mapping')
  return {
    name,
    sources,
    settings,
    results,
    place: await placeOfLog(results),
    mapping: await loadMapping(mappingPath(mapping), mapping),
  }
}
