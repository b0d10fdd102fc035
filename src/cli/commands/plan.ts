import { basename } from 'node:path'
import { type NamedFile, protectedFiles } from '../../app/file-conflicts.ts'
import { readPlan } from '../../app/migration/plan-file.ts'
import { type Migration, prepareMigration, settingsOfPlan } from '../../app/migration/prepare-migration.ts'
import { runMigration, StepStop } from '../../app/migration/run-migration.ts'
import { exitCodeOfPlan, type PreparedStep, type StepEnd } from '../../app/migration/step.ts'
import { importOptions } from '../../app/options.ts'
import type { CommandPage } from '../../app/page.ts'
import { required } from '../../app/resolve-options.ts'
import { mergeSettings, parseSettings, type SettingSources } from '../../app/settings.ts'
import type { RunEvent } from '../../model/events.ts'
import type { ImportPart } from '../../report/command-end.ts'
import type { Logger } from '../../report/logger.ts'
import { planEndReport } from '../../report/plan-summary.ts'
import { describeError } from '../../report/words.ts'
import { type CliContext, portsOf } from '../context.ts'
import { nextPlanSteps } from '../next-step.ts'
import { logEvent, type Reporter } from '../reporter.ts'
import { type CommandResult, runReported, stopOnInterrupts } from '../run-reported.ts'

interface PlanCommand {
  /** Sources on the command line, where there must be none. */
  readonly sources: readonly string[]
  readonly layers: SettingSources
  readonly context: CliContext
  readonly argv: readonly string[]
}

/** Returns the exit code. Throws when no step could start; summary, metrics and page are written all the same. */
export async function planCommand(command: PlanCommand): Promise<number> {
  const { sources, layers, context } = command
  const given = mergeSettings(layers.outside, layers.inFile)
  const alone = parseSettings(importOptions, given)
  const file = readPlan(required(alone.plan, 'plan'))
  const settings = await file.then(plan => settingsOfPlan(plan, layers)).catch(() => alone)
  let migration: Migration | undefined
  return runReported({
    settings,
    given,
    context,
    title: basename(settings.plan ?? ''),
    unbegun: () => migration?.steps.map(partOf) ?? [unknownPart],
    async work(reporter, artifacts, page) {
      const sharedTokens = new Set<string>()
      const emit = (step: string, event: RunEvent) => {
        if (event.type !== 'token_shared') return logEvent(loggerOf(step, reporter), event)
        if (!sharedTokens.has(event.path)) logEvent(reporter.logger, event)
        sharedTokens.add(event.path)
      }
      migration = await prepareMigration({ sources, layers, file }, { ...portsOf(context), emit })
      await artifacts.check(filesOf(migration))
      return runPlan(migration, command, reporter, page)
    },
  })
}

/** A plan that cannot be read. */
const unknownPart: ImportPart = {
  name: undefined,
  asked: { sources: [], mapping: undefined, results: undefined },
  end: undefined,
}

const partOf = ({ name, asked }: PreparedStep): ImportPart => ({ name, asked, end: undefined })

const partOfEnd = (end: StepEnd): ImportPart => ({
  ...partOf(end.step),
  ...(end.type === 'ended' && { end: end.end }),
  ...(end.type === 'refused' && { refused: describeError(end.error) }),
})

/** The files of all steps that nothing else may overwrite. */
function filesOf({ plan, steps }: Migration): NamedFile[] {
  const ofSteps = steps.flatMap(({ asked, settings, name }) =>
    protectedFiles(asked, settings).map(({ path, role }) => ({ path, role: `${role} of the step ${name}` })),
  )
  return [{ path: plan, role: 'plan' }, ...ofSteps]
}

async function runPlan(
  migration: Migration,
  { argv, context }: PlanCommand,
  reporter: Reporter,
  page: CommandPage | undefined,
): Promise<CommandResult> {
  const { plan, settings, steps } = migration
  const { clock } = context
  const stopping = new StepStop()
  const unwatch = stopOnInterrupts(stopping, context, reporter.logger)
  const startedMs = clock.now().getTime()
  const ends = await runMigration(migration, {
    stopping,
    sinksOf: step => page?.sinksOf(step) ?? [],
    onStart(step) {
      const { name, prepared } = step
      const { totalBytes, tally } = prepared
      const number = { name, number: steps.indexOf(step) + 1, of: steps.length }
      return reporter.begin({ tally, totalBytes, clock, step: number })
    },
  }).finally(unwatch)

  const [first] = ends
  if (first?.type === 'refused') throw first.error
  const next = nextPlanSteps(argv, migration, ends)
  const result = { exitCode: exitCodeOfPlan(ends), imports: ends.map(partOfEnd), next }
  const durationMs = clock.now().getTime() - startedMs
  return { ...result, words: planEndReport({ plan, dryRun: settings.dryRun, durationMs, ...result }) }
}

/** JSON lines name the step. */
const loggerOf = (step: string, { format, logger }: Reporter): Logger =>
  format === 'json' ? logger.child({ step }) : logger
