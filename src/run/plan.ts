import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { fileOnDisk } from '../input/bytes.ts'
import { standardInput } from '../input/source.ts'
import { SourceError } from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import type { EndReport } from '../output/summary-text.ts'
import { describeError } from '../output/words.ts'
import type { CommandEnd, ImportPart, RunResult } from '../result/run-result.ts'
import type { ImportSettings } from '../settings/settings.ts'
import { intentLogPath } from '../store/files/whole-lines.ts'
import { exitCodeOfThrown, exitCodes } from './exit-code.ts'
import { checkFiles, describeImport, type NamedFile, namedFiles } from './file-conflicts.ts'
import type { ImportPorts, Ports } from './ports.ts'
import { checkApproved, type Extend, type ImportJob, prepare } from './prepare.ts'
import type { OutcomeSink, PreparedImport, StepLookups } from './prepared-import.ts'
import { run } from './run.ts'

/** The imports of a command: the steps of a plan file, or a single import, which is a plan of one step. */
export interface Plan {
  /** Undefined for a single import. */
  readonly file: string | undefined
  /** Settings that all steps share. */
  readonly settings: ImportSettings
  /** Steps in the order in which they run. */
  readonly steps: readonly Step[]
  readonly links?: StepLinks
  /** Reports the end of several steps; without it the end of the only one is reported. */
  readonly report?: (facts: PlanFacts) => EndReport
}

export interface Step extends Pick<ImportJob, 'sources' | 'settings' | 'mapping'> {
  /** Undefined for a single import. */
  readonly name: string | undefined
  /** The paths that summary and page show. */
  readonly paths: ImportPart['paths']
}

export interface PreparedStep extends Step {
  readonly prepared: PreparedImport
}

/** Hands the records of earlier steps to later ones. */
export interface StepLinks extends StepLookups {
  sinksOf(step: Step): readonly OutcomeSink[]
  ended(step: Step, end: RunResult): void
}

export interface PlanFacts extends Pick<CommandEnd, 'dryRun' | 'exitCode' | 'imports' | 'next'> {
  readonly plan: string
  readonly durationMs: number
}

export async function planOfOne(sources: readonly string[], settings: ImportSettings, ports: Ports) {
  const paths = await describeImport(sources, settings, ports)
  return { file: undefined, settings, steps: [{ name: undefined, sources, settings, paths }] }
}

/** Lists the files of all steps that nothing else may overwrite, as far as they are known before the sources are read. */
export const filesOfPlan = ({ file, steps }: Plan): NamedFile[] => [
  { path: file, role: 'plan' },
  ...steps.flatMap(({ name, paths: { sources, mapping, results }, settings }) =>
    namedFiles(name, {
      source: sources.filter(path => path !== standardInput),
      mapping,
      approval: settings.dryRun ? undefined : settings.approval, // a dry run writes it
      'settings file': settings.config,
      'token file': settings.tokenFile,
      'result log': results,
      'list of calls under way': results && intentLogPath(results),
      preview: settings.preview,
      'file of rejected rows': settings.rejects,
      'list of changed rows': settings.changes,
      'last export': settings.previous,
      'export of the service': settings.existing,
    }),
  ),
]

export interface PlanPorts extends Omit<ImportPorts, 'emit' | 'tokens'> {
  readonly emit: (step: string | undefined, event: RunEvent) => void
  readonly extend: Extend
}

/** Makes all checks of all steps before the first call of the first. Throws a UsageError, SourceError or LogError. */
export async function preparePlan({ file, steps, links }: Plan, { extend, ...ports }: PlanPorts) {
  const prepared: PreparedStep[] = []
  const tokens = new Map()
  for (const step of steps) {
    const emit = (event: RunEvent) => ports.emit(step.name, event)
    const checked = await prepare(step, { ...ports, tokens, emit }, links)
    prepared.push({ ...step, prepared: await extend(checked, links) })
  }
  const imports = prepared.map(({ name, prepared }) => ({ ...prepared, name }))
  if (file !== undefined) await checkFiles(imports, file)
  await checkApproved(imports)
  return prepared
}

interface PlanRunPorts {
  readonly links: StepLinks | undefined
  readonly sinksOf: (step: PreparedStep) => readonly OutcomeSink[]
  /** Called before the first row of a step is taken; returns the function to call after its last one. */
  readonly onStart: (step: PreparedStep) => () => void
}

/** The end of a step: its result, or the error because of which it could not start; neither if the plan stopped before it. */
export interface StepEnd {
  readonly step: Pick<Step, 'name' | 'paths'>
  readonly end?: RunResult
  readonly error?: unknown
}

/** Runs the steps one after the other; if one stops early, those after it do not start. Returns the end of each. */
export async function runPlan(steps: readonly PreparedStep[], { links, sinksOf, onStart }: PlanRunPorts) {
  const ends: StepEnd[] = []
  const runStep = async (step: PreparedStep, later: readonly PreparedStep[]): Promise<StepEnd> => {
    const areDone = ends.every(({ end }) => end !== undefined && end.exit_code <= exitCodes.someBad)
    if (!areDone) return { step } // it may start after bad rows, which the next run tries again
    if (step.name !== undefined) await checkReadable(step) // the steps before may have taken hours
    const end = await run(step.prepared, {
      later: later.flatMap(({ settings }) => settings.import ?? []),
      sinks: [...(links?.sinksOf(step) ?? []), ...sinksOf(step)],
      onStart: () => onStart(step),
    })
    links?.ended(step, end)
    return { step, end }
  }
  for (const [at, step] of steps.entries())
    ends.push(await runStep(step, steps.slice(at + 1)).catch(error => ({ step, error })))
  return ends
}

async function checkReadable({ sources }: PreparedStep): Promise<void> {
  for (const source of sources)
    await access(await fileOnDisk(source), constants.R_OK).catch(error => {
      throw new SourceError('source_unreadable', { source, reason: error.code })
    })
}

/** A plan ends like the step that stopped it, or like the worst of its steps. */
export const exitCodeOfPlan = (ends: readonly StepEnd[]): number =>
  Math.max(
    ...ends.map(({ end, error }) =>
      error ? exitCodeOfThrown(error) : (end?.exit_code ?? exitCodes.finished),
    ),
  )

/** A step in summary and page, before its end and after it. */
export const partOf = ({ step: { name, paths }, end, error }: StepEnd): ImportPart => ({
  ...{ name, paths, end },
  ...(error !== undefined && { refused: describeError(error) }),
})
