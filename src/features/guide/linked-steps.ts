import { join, relative, resolve } from 'node:path'
import { storeOf } from '../../features.ts'
import { loadMapping, type Mapping } from '../../mapping/mapping.ts'
import { type Plan, planOfOne } from '../../run/plan.ts'
import type { Ports } from '../../run/ports.ts'
import { importOptions } from '../../settings/options.ts'
import { mergeSettings, parseSettings } from '../../settings/settings.ts'
import { isThere } from '../../store/files/whole-lines.ts'
import { loadStep } from '../migration/load-plan.ts'
import { type LoadedStep, sortSteps } from '../migration/order.ts'
import { readPlan, type StepInFile } from '../migration/plan-file.ts'
import { linksOfSteps } from '../migration/step-records.ts'
import { correctedNames } from './corrections.ts'
import { type FileNames, namesOf, type Service } from './service.ts'
import { planName } from './sources.ts'

/** The path of the plan that a file is a part of; undefined if it needs none. Throws a UsageError. */
export async function planOf({ folder, mapping: name }: FileNames): Promise<string | undefined> {
  const isLinked = linkedIn(await loadMapping(name, name)).length > 0
  const path = join(folder, planName)
  return isLinked && (await isThere(path)) ? path : undefined
}

/** An earlier step writes nothing: its records are left alone. */
const nothing = {
  ...{ rejects: undefined, report: undefined, changes: undefined, approval: undefined },
  dryRun: true,
}

/**
 * Makes a plan that ends with the import of a file and its corrections, with the options of its step in the folder's plan. Before it come
 * those steps that its links need, as dry runs. `own` are settings by the names of options. Throws a UsageError.
 */
export async function planOfFile(
  names: FileNames,
  own: Readonly<Record<string, unknown>>,
  service: Service,
  ports: Ports,
): Promise<Plan> {
  const { folder } = names
  const path = join(folder, planName)
  const file = (await isThere(path)) ? await readPlan(path) : undefined
  const stepOf = ({ mapping }: FileNames) => file?.steps.find(step => isSame(filesOf(step).mapping, mapping))
  /** A tree by indentation has no file of rejected rows. */
  async function settingsOf(names: FileNames, own: Readonly<Record<string, unknown>>) {
    const { indents } = await loadMapping(names.mapping, names.mapping)
    const rejects = indents.length > 0 ? undefined : names.rejects
    const paths = { mapping: names.mapping, results: names.log, rejects }
    const step = stepOf(names)
    const options = step && file && mergeSettings(step.options, file.common)
    return parseSettings(importOptions, await service.settings({ ...paths, ...own }, options))
  }
  const settings = await settingsOf(names, own)
  const last = (await planOf(names)) && stepOf(names)
  if (file === undefined || !last) return planOfOne(await sourcesOf(names), settings, ports)
  const loaded: LoadedStep[] = []
  const wanted = new Set([last])
  for (const step of wanted) {
    const { source, mapping } = filesOf(step)
    const ofStep = namesOf(folder, relative(folder, source), relative(folder, mapping), service.practice)
    const [from, by] = step === last ? [names, settings] : [ofStep, await settingsOf(ofStep, nothing)]
    const part = await loadStep({ ...step, sources: await sourcesOf(from), needs: [] }, by, ports)
    loaded.push(part)
    const needed = linkedIn(part.mapping)
    for (const each of file.steps) if (needed.includes(each.name)) wanted.add(each)
  }
  const steps = await sortSteps(loaded, file)
  return { file: undefined, settings, steps, links: linksOfSteps(steps, { ...ports, storeOf }) }
}

const sourcesOf = async ({ source, corrected }: FileNames): Promise<string[]> =>
  (await correctedNames(corrected)).size > 0 ? [source, corrected] : [source]

const filesOf = ({ sources: [source = ''], options }: StepInFile) => ({
  source,
  mapping: String(options.get('mapping')?.value),
})

const isSame = (one: string, other: string) => resolve(one) === resolve(other)

/** The steps whose records a mapping looks up. */
const linkedIn = ({ lookupSpecs }: Mapping): string[] =>
  Object.values(lookupSpecs).flatMap(spec => ('step' in spec ? spec.step : []))
