import { stat } from 'node:fs/promises'
import { loadMapping } from '../../mapping/document.ts'
import { UsageError } from '../../model/errors.ts'
import type { RunEvent } from '../../model/events.ts'
import { checkApproved, withApproval } from '../approval/approval.ts'
import { describeImport } from '../file-conflicts.ts'
import { importOptions } from '../options.ts'
import { mappingPath } from '../paths.ts'
import type { Ports } from '../ports.ts'
import { checkFiles, prepare } from '../prepare.ts'
import { required } from '../resolve-options.ts'
import {
  type ImportSettings,
  mergeSettings,
  parseSettings,
  type SettingSources,
  type Settings,
} from '../settings.ts'
import { checkLogs, checkNeeds, lookedUpBy, ordered } from './order.ts'
import { ownOptions, type PlanFile, type StepInFile } from './plan-file.ts'
import { type LoadedStep, type PreparedStep, placeOfLog, type Step } from './step.ts'
import { StepRecords } from './step-records.ts'

export interface Migration {
  readonly plan: string
  readonly settings: ImportSettings
  /** In the order in which they run. */
  readonly steps: readonly PreparedStep[]
  readonly records: StepRecords
}

export interface MigrationJob {
  /** From the command line, where there must be none. */
  readonly sources: readonly string[]
  readonly layers: SettingSources
  /** The plan; rejects when it cannot be read. */
  readonly file: Promise<PlanFile>
}

export interface MigrationPorts extends Ports {
  readonly emit: (step: string, event: RunEvent) => void
}

/** The settings of a step, or of all steps. Throws a UsageError. */
export const settingsOfPlan = (
  { common }: PlanFile,
  { outside, inFile }: SettingSources,
  own: Settings = new Map(),
): ImportSettings => parseSettings(importOptions, mergeSettings(outside, own, common, inFile))

/** Checks a plan and prepares all its steps. Throws a UsageError, SourceError or LogError; nothing was sent then. */
export async function prepareMigration(
  { sources, layers, ...job }: MigrationJob,
  ports: MigrationPorts,
): Promise<Migration> {
  checkNothingOfSteps(sources, mergeSettings(layers.outside, layers.inFile))
  const file = await job.file
  checkNeeds(file)
  const loaded = await loadSteps(file, own => settingsOfPlan(file, layers, own), ports)
  const records = new StepRecords(loaded, ports)
  const steps: PreparedStep[] = []
  const shared = { ...ports, tokens: new Map() }
  for (const step of loaded) steps.push(await prepareStep(step, records, shared))
  await checkFiles(
    steps.map(({ name, prepared }) => ({ ...prepared, step: name })),
    file.path,
  )
  await checkApproved(steps.map(({ prepared }) => prepared))
  return { plan: file.path, settings: settingsOfPlan(file, layers), steps, records }
}

function checkNothingOfSteps(sources: readonly string[], given: Settings): void {
  const strays = ownOptions.flatMap(([option]) => given.get(option)?.from ?? [])
  if (sources.length + strays.length > 0)
    throw new UsageError('set_in_plan', { given: [...sources, ...strays] })
}

/** Returns the steps in the order in which they run. */
async function loadSteps(
  file: PlanFile,
  settingsOf: (own: Settings) => ImportSettings,
  ports: Ports,
): Promise<readonly Step[]> {
  const loaded: LoadedStep[] = []
  for (const step of file.steps) loaded.push(await loadStep(step, settingsOf(step.options), ports))
  checkLogs(loaded, file)
  const steps: Step[] = []
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

async function prepareStep(step: Step, steps: StepRecords, ports: MigrationPorts): Promise<PreparedStep> {
  const { sources, settings, mapping, name } = step
  for (const source of sources) await checkRegular(source, name)
  const emit = (event: RunEvent) => ports.emit(name, event)
  const prepared = await prepare({ sources, settings, mapping, steps }, { ...ports, emit })
  return { ...step, prepared: await withApproval(prepared, steps) }
}

/** A pipe can be read only once. */
async function checkRegular(source: string, step: string): Promise<void> {
  const found = await stat(source).catch(() => undefined)
  if (found !== undefined && !found.isFile() && !found.isDirectory())
    throw new UsageError('plan_source_not_a_file', { path: source, step })
}
