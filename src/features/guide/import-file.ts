import { basename, join, relative, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { importWords } from '../../cli/args.ts'
import { type CliContext, portsOf } from '../../cli/context.ts'
import { storeOf, withFeatures } from '../../features.ts'
import { loadMapping, type Mapping } from '../../mapping/mapping.ts'
import { replacedName } from '../../model/content-key.ts'
import { UsageError } from '../../model/errors.ts'
import type { RunEvent } from '../../model/events.ts'
import { isObject } from '../../model/values.ts'
import { commandLine } from '../../output/text.ts'
import { watchingOf } from '../../run/logs.ts'
import { commandSummary, openOutputs } from '../../run/outputs.ts'
import { logPart } from '../../run/page.ts'
import {
  exitCodeOfPlan,
  filesOfPlan,
  type Plan,
  type PreparedStep,
  partOf,
  planOfOne,
  preparePlan,
  runPlan,
  type Step,
} from '../../run/plan.ts'
import type { Ports } from '../../run/ports.ts'
import type { OutcomeSink, PreparedImport } from '../../run/prepared-import.ts'
import { importOptions, lockTimeout } from '../../settings/options.ts'
import { mergeSettings, parseSettings, type Settings } from '../../settings/settings.ts'
import { isThere } from '../../store/files/whole-lines.ts'
import { loadStep } from '../migration/load-plan.ts'
import { type LoadedStep, sortSteps } from '../migration/order.ts'
import { readPlan, type StepInFile } from '../migration/plan-file.ts'
import { linksOfSteps } from '../migration/step-records.ts'
import { correctedNames } from './corrections.ts'
import type { Job } from './job-state.ts'
import { describeEvent, describeOwn, describeProblem } from './language.ts'
import { unread } from './run-command.ts'
import { type FileNames, fileNames, type Service, type WithService } from './service.ts'
import { planName } from './sources.ts'

/** A check, a trial and an earlier step leave the files of runs alone. */
export const noFiles = { report: undefined, changes: undefined }

interface FileImport {
  /** Settings of the job, by the names of options. */
  readonly own: Readonly<Record<string, unknown>>
  /** Adds the parts of a job to an import that passed all checks. */
  readonly complete?: (prepared: PreparedImport) => PreparedImport
  readonly sink?: OutcomeSink
}

/**
 * Imports the file of a job with its corrections as the command does, after dry runs of the files that its links need; returns whether all its
 * rows were read. Throws what the command throws.
 */
export async function importFile(
  job: Job,
  { service, context }: WithService,
  { own, complete = prepared => prepared, sink: rows }: FileImport,
) {
  const names = service.namesOf(job.own.file)
  const { version, clock } = context
  const [stdout, startedAt] = [unread(), clock.now()]
  const ports = {
    ...{ ...portsOf(context), token: service.token(), isInteractive: false, stop: job.stop },
    streams: { stdin: Readable.from([]), stdout, isTerminal: false },
  }
  const { before, ...plan } = await stepsOfFile(names, own, service, ports)
  const { settings, links } = plan
  const { dryRun } = settings
  const outputs = await openOutputs(
    { ...settings, ...(dryRun ? { metrics: undefined } : { approval: undefined }) },
    {
      context: { ...context, stdout, stdoutIsTerminal: false },
      ...{ title: undefined, onWritten() {} },
      onFailed: (words, file) => job.tell(describeOwn('output_unwritten', file) ?? words),
    },
  )
  await outputs.check(filesOfPlan({ ...plan, steps: [...before, ...plan.steps] }))
  const silent = { ...ports, emit() {}, extend: withFeatures }
  const earlier = await preparePlan({ ...plan, steps: before }, silent)
  const corrected = await correctedNames(names.corrected)
  const steps = await preparePlan(plan, {
    ...ports,
    emit: (_step, event) => tellEvent(event, job.tell),
    extend: async (checked, links) =>
      complete({
        ...(await withFeatures(checked, links)),
        isCorrected: ({ identity }, { source }) =>
          source === names.source && corrected.has(replacedName(identity)),
        async readSteps() {
          if (!dryRun) for (const step of earlier) await checkDone(step, names, context)
          await checked.readSteps()
        },
      }),
  })
  const lookups = [...earlier, ...steps].flatMap(({ prepared }) => prepared.lookupFiles)
  await outputs.check(lookups.map(path => ({ path, role: 'lookup' })))
  const ends = await runPlan([...earlier, ...steps], {
    links,
    sinksOf: step => (steps.includes(step) ? [...outputs.sinksOf(step), ...(rows ? [rows] : [])] : []),
    onStart: job.begin,
  })
  const last = ends.findLast(({ end, error }) => end ?? error)
  if (last?.end === undefined) throw last?.error
  const imports = ends.slice(-1)
  const isBegun = imports.includes(last)
  const { stopReason } = last.end.details.tally
  if (stopReason !== undefined && stopReason.code !== 'signal') job.tell(describeProblem(stopReason))
  const end = { exitCode: exitCodeOfPlan([last]), error: undefined, imports: imports.map(partOf), next: [] }
  const whole = { ...end, version, startedAt, endedAt: clock.now(), dryRun }
  job.own.summary = commandSummary({ ...whole, exitCode: await outputs.write(whole) })
  return isBegun && last.end.finished
}

/** Throws a UsageError if rows of an earlier step were never sent. Those that failed do not hold up the others. */
async function checkDone(
  { sources: [source = ''], settings: { results: path = '' }, prepared }: PreparedStep,
  names: FileNames,
  context: CliContext,
) {
  const watching = watchingOf(context, lockTimeout.default)
  const log = (await isThere(path)) ? await logPart(path, path, watching) : undefined
  const rows = prepared.tally.ends.valid - (log?.counts.failed ?? 0)
  const [first, file] = [basename(source), basename(names.source)]
  if (rows > 0) throw new UsageError('guide_goes_first', { source: first, file, rows })
}

const longWaitMs = 5_000

/** Tells what happened, but for short waits. */
function tellEvent(event: RunEvent, tell: (notice: string) => void): void {
  if (event.type === 'estimated' || (event.type === 'hold' && event.forMs < longWaitMs)) return
  const words = describeEvent(event)
  if (words !== undefined) tell(words)
}

/** The plan of a folder and the step of a file in it; `linked` is the path of the plan if the file needs it. Throws a UsageError. */
export async function planOf({ folder, mapping: name }: FileNames) {
  const mapping = await loadMapping(name, name)
  const path = join(folder, planName)
  const file = (await isThere(path)) ? await readPlan(path) : undefined
  const step = file?.steps.find(step => resolve(filesOf(step).mapping) === resolve(name))
  return { mapping, file, step, linked: file && linkedIn(mapping).length > 0 ? path : undefined }
}

/** An earlier step writes nothing: its records are left alone. */
const ofEarlier = { ...noFiles, rejects: undefined, approval: undefined, dryRun: true }

/**
 * The import of a file and its corrections as a plan of one step, with the options of its step in the folder's plan; `before` are the
 * steps that its links need, as dry runs. `own` are settings by the names of options. Throws a UsageError.
 */
async function stepsOfFile(
  names: FileNames,
  own: FileImport['own'],
  service: Service,
  ports: Ports,
): Promise<Plan & { readonly before: readonly Step[] }> {
  const { folder } = names
  const settingsOf = async (...of: [FileNames, typeof own]) =>
    parseSettings(importOptions, await settingsOfFile(...of, service))
  const settings = await settingsOf(names, own)
  const { file, step: last, linked } = await planOf(names)
  if (file === undefined || last === undefined || !linked)
    return { ...(await planOfOne(await sourcesOf(names), settings, ports)), before: [] }
  const loaded: LoadedStep[] = []
  const wanted = new Set([last])
  for (const step of wanted) {
    const { source, mapping } = filesOf(step)
    const ofStep = fileNames(folder, relative(folder, source), relative(folder, mapping), service.practice())
    const [from, by] = step === last ? [names, settings] : [ofStep, await settingsOf(ofStep, ofEarlier)]
    const part = await loadStep({ ...step, sources: await sourcesOf(from), needs: [] }, by, ports)
    loaded.push(part)
    const needed = linkedIn(part.mapping)
    for (const each of file.steps) if (needed.includes(each.name)) wanted.add(each)
  }
  const sorted = await sortSteps(loaded, file) // the last one is that of the file
  const links = linksOfSteps(sorted, { ...ports, storeOf })
  return { file: undefined, settings, links, steps: sorted.slice(-1), before: sorted.slice(0, -1) }
}

/** The settings of the import of a file: `own`, its paths, and the options of its step in the folder's plan. */
export async function settingsOfFile(names: FileNames, own: object, service: Service): Promise<Settings> {
  const { mapping, file, step } = await planOf(names)
  const rejects = mapping.indents.length > 0 ? undefined : names.rejects // of a tree by indentation there are none
  const options = step && file && mergeSettings(step.options, file.common)
  return service.settings({ mapping: names.mapping, results: names.log, rejects, ...own }, options)
}

/** The command that imports a file and its corrections as `importFile` does, in their folder; null if its links need a plan. */
export async function commandOf(names: FileNames, own: object, service: Service): Promise<string | null> {
  if ((await planOf(names)).linked) return null
  const ofToken = { tokenFile: undefined, tokenCommand: undefined } // whoever starts it has one
  const settings = await settingsOfFile(names, { ...own, ...ofToken }, service)
  const local = (value: unknown) =>
    typeof value === 'string' ? value.replace(join(names.folder, '/'), '') : value
  const flags = [...settings].map(([option, { value }]) => [option, local(value)] as const)
  const words = flags.filter(([, value]) => !isObject(value)) // a settings file has these
  const positionals = (await sourcesOf(names)).map(path => basename(path))
  return commandLine(importWords({ positionals, flags: Object.fromEntries(words) }))
}

const sourcesOf = async ({ source, corrected }: FileNames): Promise<string[]> =>
  (await correctedNames(corrected)).size > 0 ? [source, corrected] : [source]

const filesOf = ({ sources: [source = ''], options }: StepInFile) => ({
  source,
  mapping: String(options.get('mapping')?.value),
})

/** The steps whose records a mapping looks up. */
const linkedIn = ({ lookupSpecs }: Mapping): string[] =>
  Object.values(lookupSpecs).flatMap(spec => ('step' in spec ? spec.step : []))
