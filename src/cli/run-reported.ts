import { type Artifacts, createArtifacts } from '../app/artifacts.ts'
import { exitCodeOfThrown, exitCodes } from '../app/exit-code.ts'
import type { CommandPage } from '../app/page.ts'
import type { ImportSettings, Settings } from '../app/settings.ts'
import { UsageError } from '../model/errors.ts'
import type { CommandEnd } from '../report/command-end.ts'
import type { EndWords } from '../report/end-words.ts'
import { describeError, describeStop } from '../report/words.ts'
import type { CliContext } from './context.ts'
import { createReporter, type Reporter } from './reporter.ts'

/** What a command came to. */
export interface CommandResult extends Pick<CommandEnd, 'exitCode' | 'imports' | 'next'> {
  /** Undefined where nobody is left to read them. */
  readonly words: EndWords | undefined
}

/** A command whose end is told in words and in files, whatever it comes to. */
export interface ReportedCommand {
  readonly settings: ImportSettings
  readonly given: Settings
  readonly context: CliContext
  /** What is known of its imports when it could not begin. */
  readonly unbegun: () => Promise<CommandEnd['imports']>
  /** What its page is called, where the import does not name it. */
  readonly title?: string
  /** Throws when it could not begin. */
  readonly work: (shown: Reporter, files: Artifacts, page: CommandPage | undefined) => Promise<CommandResult>
}

/** Does the work of a command, and tells its end; gives the exit code. Throws what the work throws. */
export async function runReported(command: ReportedCommand): Promise<number> {
  const { settings, context } = command
  const startedAt = context.clock.now()
  const shown = await createReporter(settings, context)
  const page = await pageOf(settings, context)
  const files = await createArtifacts(
    {
      summary: settings.summary,
      metrics: metricsOf(command),
      page: page && {
        path: settings.report ?? '',
        page,
        title: command.title,
        written: words => shown.logger.info(words),
      },
      tell: words => shown.logger.error(words),
    },
    { stdout: context.stdout, isTerminal: context.stdoutIsTerminal },
  )
  const write = (end: Pick<CommandEnd, 'exitCode' | 'error' | 'imports' | 'next'>) =>
    files.write({
      ...end,
      version: context.version,
      startedAt,
      endedAt: context.clock.now(),
      dryRun: settings.dryRun,
    })
  try {
    const { words, ...end } = await command.work(shown, files, page)
    const exitCode = await write({ ...end, error: undefined })
    if (words !== undefined) shown.end(words, exitCode)
    return exitCode
  } catch (error) {
    await write({
      exitCode: exitCodeOfThrown(error),
      error: whyNot(error),
      imports: await command.unbegun(),
      next: [],
    })
    shown.couldNotBegin()
    throw error
  }
}

/** Few commands have a page, and it takes time to load what makes one. */
async function pageOf({ report }: ImportSettings, context: CliContext): Promise<CommandPage | undefined> {
  if (report === undefined) return undefined
  return (await import('../app/page.ts')).commandPage(context)
}

/**
 * A dry run writes no metrics, for it would look like the job that they are about: where they stand in its settings file
 * they are left out, but nobody can ask for both at once.
 */
function metricsOf({ settings, given }: ReportedCommand): string | undefined {
  if (!settings.dryRun) return settings.metrics
  if (given.get('metrics')?.from === '--metrics') throw new UsageError('metrics_of_dry_run')
  return undefined
}

/** Why a command could not begin, in words. */
export function whyNot(error: unknown): string {
  const isDefect = exitCodeOfThrown(error) === exitCodes.defect
  return isDefect ? describeStop({ code: 'defect', params: { error } }) : describeError(error)
}
