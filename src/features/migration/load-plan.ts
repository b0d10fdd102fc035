import { stat } from 'node:fs/promises'
import { loadMapping } from '../../mapping/document.ts'
import { UsageError } from '../../model/errors.ts'
import { describeImport } from '../../run/file-conflicts.ts'
import { mappingPath } from '../../run/paths.ts'
import type { Plan, PlanSource } from '../../run/plan.ts'
import type { Ports } from '../../run/ports.ts'
import { required } from '../../run/resolve-options.ts'
import { importOptions } from '../../settings/options.ts'
import {
  type ImportSettings,
  mergeSettings,
  parseSettings,
  type SettingSources,
  type Settings,
} from '../../settings/settings.ts'
import {
  checkLogs,
  checkNeeds,
  type LoadedStep,
  lookedUpBy,
  type MigrationStep,
  ordered,
  placeOfLog,
} from './order.ts'
import { ownOptions, type PlanFile, readPlan, type StepInFile } from './plan-file.ts'
import { planEndReport } from './plan-summary.ts'
import { type StepPorts, StepRecords } from './step-records.ts'

/** Reads a plan file; what is wrong with it is thrown by `load`. `sources` are those of the command line. */
export async function openPlan(
  alone: ImportSettings,
  sources: readonly string[],
  layers: SettingSources,
  ports: Ports & StepPorts,
): Promise<PlanSource> {
  const file = readPlan(required(alone.plan, 'plan'))
  const settings = await file.then(plan => settingsOfPlan(plan, layers)).catch(() => alone)
  return { settings, load: async () => loadPlan(await file, sources, layers, ports) }
}

/** Merges the settings of a step, or of all steps. Throws a UsageError. */
const settingsOfPlan = (
  { common }: PlanFile,
  { outside, inFile }: SettingSources,
  own: Settings = new Map(),
): ImportSettings => parseSettings(importOptions, mergeSettings(outside, own, common, inFile))

/** Loads the steps of a plan file in the order in which they run. Throws a UsageError. */
async function loadPlan(
  file: PlanFile,
  sources: readonly string[],
  layers: SettingSources,
  ports: Ports & StepPorts,
): Promise<Plan> {
  const shared = mergeSettings(layers.outside, layers.inFile)
  const given = [...sources, ...ownOptions.flatMap(([option]) => shared.get(option)?.from ?? [])]
  if (given.length > 0) throw new UsageError('set_in_plan', { given })
  checkNeeds(file)
  const steps = await loadSteps(file, own => settingsOfPlan(file, layers, own), ports)
  return {
    file: file.path,
    settings: settingsOfPlan(file, layers),
    steps,
    links: new StepRecords(steps, ports),
    report: planEndReport,
  }
}

/** Returns the steps in the order in which they run. */
async function loadSteps(
  file: PlanFile,
  settingsOf: (own: Settings) => ImportSettings,
  ports: Ports,
): Promise<readonly MigrationStep[]> {
  const loaded: LoadedStep[] = []
  for (const step of file.steps) loaded.push(await loadStep(step, settingsOf(step.options), ports))
  checkLogs(loaded, file)
  const steps: MigrationStep[] = []
  for (const [at, step] of loaded.entries()) {
    const looksUpIn = await lookedUpBy(step, loaded)
    const needs = [...new Set([...(file.steps[at]?.needs ?? []), ...looksUpIn])]
    steps.push({ ...step, looksUpIn, needs })
  }
  return ordered(steps, file)
}

async function loadStep(
  { name, sources }: StepInFile,
  all: ImportSettings,
  ports: Ports,
): Promise<LoadedStep> {
  const settings = {
    ...all,
    ...(!all.dryRun && { preview: undefined }), // it is for dry runs only
    ...(all.ledger && { results: undefined, import: all.import && `${all.import}/${name}` }),
  }
  const results = required(all.results, 'results')
  const mapping = required(settings.mapping, 'mapping')
  for (const source of sources) await checkRegular(source, name)
  return {
    name,
    sources,
    settings,
    results,
    place: await placeOfLog(results),
    mapping: await loadMapping(mappingPath(mapping), mapping),
    asked: await describeImport(sources, settings, ports),
  }
}

/** A pipe can be read only once. */
async function checkRegular(source: string, step: string): Promise<void> {
  const found = await stat(source).catch(() => undefined)
  if (found !== undefined && !found.isFile() && !found.isDirectory())
    throw new UsageError('plan_source_not_a_file', { path: source, step })
}
