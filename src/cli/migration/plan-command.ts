import type { StopReason } from '../../model/errors.ts'
import { stopping } from '../../model/errors.ts'
import { createLogger, type LogFormat, type Logger, type Print } from '../../report/logger.ts'
import {
  type PlanFacts,
  planSummaryFields,
  planSummaryText,
  type StepFacts,
  whyStopped,
} from '../../report/plan-summary.ts'
import type { Progress, StepNumber } from '../../report/progress.ts'
import { exitCodes } from '../exit-code.ts'
import { type ImportCommand, logEvent, progressOf } from '../import.ts'
import type { Surroundings } from '../surroundings.ts'
import { nextPlanCommand } from './next-plan-command.ts'
import { type Migration, openMigration } from './open-migration.ts'
import { runMigration, StepStop } from './run-migration.ts'
import type { Step } from './step.ts'
import { exitCodeOfPlan, exitCodeOfStep, type StepEnd } from './step-end.ts'

/**
 * `rowlift import --plan`: gives the exit code. Throws a UsageError, SourceError, LockError or LogError when not even the first
 * step could begin.
 */
export async function planCommand(command: ImportCommand): Promise<number> {
  const { args, around, watchProcess } = command
  const migration = await openMigration(command)
  const { settings, steps } = migration
  const format = settings['log-format'] ?? (around.stderrIsTerminal ? 'pretty' : 'json')
  let progress: Progress | undefined
  const print: Print = text => (progress ? progress.print(text) : around.stderr.write(text))
  const logger = createLogger(settings['log-level'], format, around.stderrIsTerminal, print)
  const loggers = new Map(steps.map(step => [step, loggerOf(step, format, logger)]))

  const stepStop = new StepStop()
  const unwatch = watchProcess(stepStop)
  const startedMs = around.now().getTime()
  const ends = await runMigration({
    migration,
    around,
    stopping: stepStop,
    tell: (step, event) => logEvent(loggers.get(step) ?? logger, event),
    opened(step, { stop, totalBytes }, tally) {
      const warn = () => warnOf(stop.reason, loggers.get(step) ?? logger)
      if (stop.signal.aborted) warn()
      else stop.signal.addEventListener('abort', warn)
      const number = numberOf(step, steps)
      const shown = progressOf(format, around, logger, { tally, totalBytes, now: around.now, step: number })
      progress = shown
      return () => {
        shown.end()
        progress = undefined
      }
    },
  }).finally(unwatch)

  const [first] = ends
  if (first?.is === 'refused') throw first.error
  tellPlan(
    {
      plan: migration.plan,
      dryRun: settings['dry-run'],
      durationMs: around.now().getTime() - startedMs,
      steps: ends.map(factsOf),
      next: nextPlanCommand(args, migration, ends),
    },
    format,
    logger,
    around,
  )
  return exitCodeOfPlan(ends)
}

/** In lines for programs the step stands beside all that is told of it. */
const loggerOf = ({ name }: Step, format: LogFormat, logger: Logger): Logger =>
  format === 'json' ? logger.child({ step: name }) : logger

const numberOf = (step: Step, steps: Migration['steps']): StepNumber => ({
  name: step.name,
  number: steps.indexOf(step) + 1,
  of: steps.length,
})

function warnOf(reason: StopReason | undefined, logger: Logger): void {
  if (reason?.is === 'signal') logger.warn(stopping(reason.signal))
}

/** What a step came to, as reports tell of it. */
function factsOf(end: StepEnd): StepFacts {
  const { name } = end.step
  const exitCode = exitCodeOfStep(end)
  if (end.is === 'ended') return { name, is: 'ended', facts: { ...end.end, next: undefined }, exitCode }
  return end.is === 'refused'
    ? { name, is: 'refused', reason: reasonOf(end.error, exitCode), exitCode }
    : { name, is: 'not_begun' }
}

/** Of a defect it is told where it is. */
function reasonOf(error: unknown, exitCode: number): string {
  if (!(error instanceof Error)) return String(error)
  return exitCode === exitCodes.defect ? (error.stack ?? error.message) : error.message
}

/** The one place where all ends of a plan come together: what else is written of them is written here. */
function tellPlan(
  facts: PlanFacts,
  format: LogFormat,
  logger: Logger,
  { stderr, stderrIsTerminal }: Surroundings,
): void {
  if (format === 'pretty') return void stderr.write(planSummaryText(facts, stderrIsTerminal))
  const stopped = whyStopped(facts.steps)
  if (stopped !== undefined) logger.error(stopped)
  logger.info(planSummaryFields(facts), 'summary')
}
