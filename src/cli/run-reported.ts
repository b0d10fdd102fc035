import { UsageError } from '../model/errors.ts'
import type { Stop } from '../model/stop.ts'
import type { Logger } from '../output/logger.ts'
import type { EndReport } from '../output/summary-text.ts'
import { endedAtOnce, stopping } from '../output/words/notices.ts'
import { describeError } from '../output/words.ts'
import type { CommandEnd } from '../result/run-result.ts'
import { exitCodeOfThrown, exitCodes } from '../run/exit-code.ts'
import { type Outputs, openOutputs } from '../run/outputs.ts'
import type { ImportSettings, Settings } from '../settings/settings.ts'
import { type CliContext, tell } from './context.ts'
import { createReporter, type Reporter } from './reporter.ts'

interface CommandResult extends Pick<CommandEnd, 'exitCode' | 'imports' | 'next'> {
  /** Undefined where stdout was closed. */
  readonly words: EndReport | undefined
}

/** A command whose end is reported in words and in files. */
export interface ReportedCommand {
  readonly settings: ImportSettings
  readonly given: Settings
  readonly context: CliContext
  /** The imports that are known when it could not start. */
  readonly unbegun: () => CommandEnd['imports']
  /** The title of its page, where the import does not give one. */
  readonly title?: string | undefined
  /** Throws when it could not start. */
  readonly work: (reporter: Reporter, outputs: Outputs) => Promise<CommandResult>
}

/** Runs a command and reports its end; returns the exit code. Throws what the work throws. */
export async function runReported(command: ReportedCommand): Promise<number> {
  const { settings, context } = command
  const { version, clock } = context
  const startedAt = clock.now()
  const reporter = await createReporter(settings, context)
  const paths = {
    ...settings,
    metrics: metricsOf(command),
    approval: settings.dryRun ? settings.approval : undefined,
  }
  const outputs = await openOutputs(paths, {
    context,
    title: command.title,
    onWritten: message => reporter.logger.info(message),
    onFailed: message => reporter.logger.error(message),
  })
  const write = (end: Pick<CommandEnd, 'exitCode' | 'error' | 'imports' | 'next'>) =>
    outputs.write({ ...end, version, startedAt, endedAt: clock.now(), dryRun: settings.dryRun })
  try {
    const { words, ...end } = await command.work(reporter, outputs)
    const exitCode = await write({ ...end, error: undefined })
    if (words !== undefined) reporter.end(words, exitCode)
    return exitCode
  } catch (error) {
    await write({
      exitCode: exitCodeOfThrown(error),
      error: describeError(error),
      imports: command.unbegun(),
      next: [],
    })
    reporter.couldNotStart()
    throw error
  }
}

/** Metrics of a dry run would look like those of the real job: the flag is refused, the settings file ignored. */
function metricsOf({ settings, given }: ReportedCommand): string | undefined {
  if (!settings.dryRun) return settings.metrics
  if (given.get('metrics')?.from === '--metrics') throw new UsageError('metrics_with_dry_run')
  return undefined
}

/** The first signal or uncaught error lets calls in flight finish; a second signal exits. Returns the way to stop listening. */
export function stopOnInterrupts(
  stop: Pick<Stop, 'request'>,
  { interrupts, stderr }: CliContext,
  logger: Logger,
): () => void {
  let signals = 0
  const ends = [
    interrupts.onSignal(signal => {
      signals += 1
      if (signals === 1) {
        logger.warn(stopping(signal))
        return stop.request({ code: 'signal', params: { signal } })
      }
      tell(stderr, `rowlift: ${endedAtOnce}\n`)
      interrupts.exit(exitCodes[signal])
    }),
    interrupts.onUncaught(error => stop.request({ code: 'defect', params: { error } })),
  ]
  return () => {
    for (const end of ends) end()
  }
}
