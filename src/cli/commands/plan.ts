import { basename } from 'node:path'
import { describeImport, type NamedFile, protectedFiles } from '../../app/file-conflicts.ts'
import { readPlan } from '../../app/migration/plan-file.ts'
import { type Migration, prepareMigration, settingsOfPlan } from '../../app/migration/prepare-migration.ts'
import { runMigration, StepStop } from '../../app/migration/run-migration.ts'
import { exitCodeOfPlan, exitCodeOfStep, type PreparedStep, type StepEnd } from '../../app/migration/step.ts'
import { importOptions } from '../../app/options.ts'
import type { CommandPage } from '../../app/page.ts'
import type { Ports } from '../../app/ports.ts'
import { required } from '../../app/resolve-options.ts'
import { mergeSettings, parseSettings, type SettingSources } from '../../app/settings.ts'
import type { StopReason } from '../../model/errors.ts'
import type { RunEvent } from '../../model/events.ts'
import type { ImportPart } from '../../report/command-end.ts'
import { nextSentence } from '../../report/command-line.ts'
import type { Logger } from '../../report/logger.ts'
import { type PlanFacts, planSummaryWords, type StepFacts } from '../../report/plan-summary.ts'
import type { StepNumber } from '../../report/progress.ts'
import { stopping } from '../../report/words/run-words.ts'
import { type CliContext, portsOf } from '../context.ts'
import { nextPlanSteps } from '../next-step.ts'
import { logEvent, type Reporter } from '../reporter.ts'
import { type CommandResult, runReported, whyNot } from '../run-reported.ts'
import { stopOnInterrupts } from '../signals.ts'

/** What the command was given. */
interface PlanCommand {
  /** Beside a plan there are none. */
  readonly sources: readonly string[]
  readonly layers: SettingSources
  readonly context: CliContext
  /** The words of the whole command line, to say what to type next. */
  readonly args: readonly string[]
}

/**
 * `rowlift import --plan`: gives the exit code. Throws a UsageError, SourceError, LockError or LogError when not even the first
 * step could begin, after the files were written that tell of the end of every run.
 */
export async function planCommand(command: PlanCommand): Promise<number> {
  const { sources, layers, context } = command
  const ports = portsOf(context)
  const given = mergeSettings(layers.outside, layers.inFile)
  const alone = parseSettings(importOptions, given)
  const reading = readPlan(required(alone.plan, 'plan'))
  const settings = await reading.then(file => settingsOfPlan(file, layers)).catch(() => alone)
  let migration: Migration | undefined
  return runReported({
    settings,
    given,
    context,
    title: basename(settings.plan ?? ''),
    unbegun: () => unbegunParts(migration, ports),
    async work(shown, files, page) {
      const emit = (step: string, event: RunEvent) => logEvent(loggerOf(step, shown), event)
      migration = await prepareMigration({ sources, layers, file: reading }, { ...ports, emit })
      await files.check(await filesOf(migration, ports))
      return runPlan(migration, command, shown, page)
    },
  })
}

/** The steps that could not begin; where not even they are known, the plan as one. */
async function unbegunParts(migration: Migration | undefined, ports: Ports): Promise<readonly ImportPart[]> {
  const nobody = { sources: [], mapping: undefined, results: undefined }
  if (migration === undefined) return [{ name: undefined, asked: nobody, end: undefined }]
  return partsOf(
    migration.steps.map(step => ({ type: 'not_started', step })),
    ports,
  )
}

/** The files of all steps that nothing else may be written to. */
async function filesOf({ plan, steps }: Migration, ports: Ports): Promise<NamedFile[]> {
  const files: NamedFile[] = [{ path: plan, role: 'plan' }]
  for (const { sources, settings, name } of steps)
    for (const { path, role } of protectedFiles(await describeImport(sources, settings, ports), settings))
      files.push({ path, role: `${role} of the step ${name}` })
  return files
}

async function runPlan(
  migration: Migration,
  { args, context }: PlanCommand,
  shown: Reporter,
  page: CommandPage | undefined,
): Promise<CommandResult> {
  const { settings, steps } = migration
  const stepStop = new StepStop()
  const unwatch = stopOnInterrupts(stepStop, context)
  const startedMs = context.clock.now().getTime()
  const ends = await runMigration(migration, {
    stopping: stepStop,
    sinksOf: step => page?.sinksOf(step) ?? [],
    onStart(step) {
      const { stop, totalBytes, tally } = step.prepared
      const warn = () => warnOf(stop.reason, loggerOf(step.name, shown))
      if (stop.signal.aborted) warn()
      else stop.signal.addEventListener('abort', warn)
      return shown.begin({ tally, totalBytes, clock: context.clock, step: numberOf(step, steps) })
    },
  }).finally(unwatch)

  const [first] = ends
  if (first?.type === 'refused') throw first.error
  const next = nextPlanSteps(args, migration, ends)
  const facts: PlanFacts = {
    plan: migration.plan,
    dryRun: settings.dryRun,
    durationMs: context.clock.now().getTime() - startedMs,
    steps: ends.map(factsOf),
    next: nextSentence(next),
  }
  return {
    exitCode: exitCodeOfPlan(ends),
    imports: await partsOf(ends, portsOf(context)),
    next,
    words: planSummaryWords(facts),
  }
}

/** The steps as the files tell of them that are written at the end. */
async function partsOf(ends: readonly StepEnd[], ports: Ports): Promise<readonly ImportPart[]> {
  const parts: ImportPart[] = []
  for (const each of ends) {
    const { name, sources, settings } = each.step
    parts.push({
      name,
      asked: await describeImport(sources, settings, ports),
      end: each.type === 'ended' ? each.end : undefined,
    })
  }
  return parts
}

/** In lines for programs the step stands beside all that is told of it. */
const loggerOf = (step: string, { format, logger }: Reporter): Logger =>
  format === 'json' ? logger.child({ step }) : logger

const numberOf = (step: PreparedStep, steps: Migration['steps']): StepNumber => ({
  name: step.name,
  number: steps.indexOf(step) + 1,
  of: steps.length,
})

function warnOf(reason: StopReason | undefined, logger: Logger): void {
  if (reason?.code === 'signal') logger.warn(stopping(reason.params.signal))
}

/** What a step came to, as reports tell of it. */
function factsOf(end: StepEnd): StepFacts {
  const { name } = end.step
  const exitCode = exitCodeOfStep(end)
  if (end.type === 'ended') return { name, type: 'ended', facts: { ...end.end, next: undefined }, exitCode }
  return end.type === 'refused'
    ? { name, type: 'refused', reason: whyNot(end.error), exitCode }
    : { name, type: 'not_started' }
}
