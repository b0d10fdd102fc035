import { stat } from 'node:fs/promises'
import { loadMapping } from '../../mapping/mapping.ts'
import { UsageError } from '../../model/errors.ts'
import { describeImport } from '../../run/file-conflicts.ts'
import { mappingPath } from '../../run/paths.ts'
import type { Plan } from '../../run/plan.ts'
import type { Ports } from '../../run/ports.ts'
import { required } from '../../run/resolve-options.ts'
import { importOptions } from '../../settings/options.ts'
import {
  type ImportSettings,
  mergeSettings,
  parseSettings,
  type SettingSources,
} from '../../settings/settings.ts'
import { type LoadedStep, placeOfLog, sortSteps } from './order.ts'
import { ownOptions, type PlanFile, readPlan, type StepInFile } from './plan-file.ts'
import { planEndReport } from './plan-summary.ts'
import { linksOfSteps, type StepPorts } from './step-records.ts'

/** Reads a plan file, whose settings are known even if it has faults; `load` throws these. `sources` are those of the command line. */
export async function openPlan(
  alone: ImportSettings,
  sources: readonly string[],
  { outside, inFile }: SettingSources,
  ports: Ports & StepPorts,
) {
  const reading = readPlan(required(alone.plan, 'plan'))
  const settingsOf = ({ common }: PlanFile, step?: StepInFile) =>
    parseSettings(importOptions, mergeSettings(outside, step?.options ?? new Map(), common, inFile))
  const load = async (): Promise<Plan> => {
    const file = await reading
    const options = mergeSettings(outside, inFile)
    const ofSteps = [...sources, ...ownOptions.flatMap(([option]) => options.get(option)?.from ?? [])]
    if (ofSteps.length > 0) throw new UsageError('set_in_plan', { settings: ofSteps })
    const loaded: LoadedStep[] = []
    for (const step of file.steps) loaded.push(await loadStep(step, settingsOf(file, step), ports))
    const steps = await sortSteps(loaded, file)
    const links = linksOfSteps(steps, ports)
    return { file: file.path, settings: settingsOf(file), steps, links, report: planEndReport }
  }
  return { settings: await reading.then(file => settingsOf(file)).catch(() => alone), load }
}

/** Reads the mapping of a step, whose settings are these. Throws a UsageError. */
export async function loadStep(
  { name, sources, needs }: StepInFile,
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
  for (const path of sources) {
    const file = await stat(path).catch(() => undefined)
    if (file !== undefined && !file.isFile() && !file.isDirectory())
      throw new UsageError('plan_source_not_a_file', { path, step: name }) // a pipe can be read only once
  }
  return {
    name,
    sources,
    needs,
    settings,
    results,
    place: await placeOfLog(results),
    mapping: await loadMapping(mappingPath(mapping), mapping),
    paths: await describeImport(sources, settings, ports),
  }
}
