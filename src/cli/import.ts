import {
  abandoned,
  describeStop,
  lockErrors,
  lookupAssumed,
  proxied,
  readingAhead,
  stopping,
  waiting,
} from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import type { Stop } from '../model/stop.ts'
import { usageErrors } from '../model/usage-errors.ts'
import type { CommandEnd } from '../report/command-end.ts'
import type { Logger } from '../report/logger.ts'
import { askedOf, filesKept } from './asked.ts'
import { endFiles } from './end-files.ts'
import { exitCodeOfThrown, exitCodes } from './exit-code.ts'
import { importOptions } from './import-options.ts'
import { fileParts, type ImportSettings, importSettings } from './import-settings.ts'
import { checkGiven, type Given, layered } from './layers.ts'
import { nextCommand } from './next-command.ts'
import { runImport } from './run-import.ts'
import { shownBy } from './shown.ts'
import type { Surroundings } from './surroundings.ts'

/** What the command was given, and how it hears that it should stop. */
export interface ImportCommand {
  readonly sources: readonly string[]
  readonly flags: Readonly<Record<string, unknown>>
  /** The words of the command line, to say what to type next. */
  readonly args: readonly string[]
  readonly around: Surroundings
  /** Lets signals and uncaught errors stop the run; gives the way to end that. */
  readonly watchProcess: (stop: Stop) => () => void
}

/**
 * `rowlift import`: gives the exit code. Throws a UsageError, SourceError, LockError or LogError when the run could not
 * begin, after the files were written that tell of the end of every run.
 */
export async function importCommand(command: ImportCommand): Promise<number> {
  const { sources, flags, args, around, watchProcess } = command
  const startedAt = around.now()
  const given = await layered(Object.keys(importOptions), flags, around.environment, fileParts)
  const settings = checkGiven(importSettings, given)
  const dryRun = settings['dry-run']
  const asked = await askedOf(sources, settings, around)
  const shown = shownBy(settings, around)
  const { logger } = shown
  const files = await endFiles(
    { summary: settings.summary, metrics: metricsOf(settings, given), tell: words => logger.error(words) },
    around,
  )
  const write = (end: Pick<CommandEnd, 'exitCode' | 'error' | 'imports'>) =>
    files.write({ ...end, version: around.version, startedAt, endedAt: around.now(), dryRun })
  let unwatch = () => {}
  try {
    await files.check(filesKept(asked, settings))
    const end = await runImport({
      sources,
      settings,
      around,
      tell: event => logEvent(logger, event),
      checkLookups: paths => files.check(paths.map(path => ({ path, role: 'lookup' }))),
      opened({ stop, totalBytes }, tally) {
        unwatch = watchProcess(stop)
        stop.signal.addEventListener('abort', () => {
          if (stop.reason?.is === 'signal') logger.warn(stopping(stop.reason.signal))
        })
        return shown.begin({ tally, totalBytes, now: around.now })
      },
    })
    const next = nextCommand(args, end)
    const part = { name: undefined, asked, end, next }
    const exitCode = await write({ exitCode: end.exitCode, error: undefined, imports: [part] })
    if (end.tally.stopReason?.is !== 'reader_gone') shown.end({ ...end, next }, exitCode)
    return exitCode
  } catch (error) {
    const part = { name: undefined, asked, end: undefined, next: undefined }
    await write({ exitCode: exitCodeOfThrown(error), error: whyNot(error), imports: [part] })
    shown.couldNotBegin()
    throw error
  } finally {
    unwatch()
  }
}

/**
 * A dry run writes no metrics, for it would look like the job that they are about: where they stand in its settings file
 * they are left out, but nobody can ask for both at once.
 */
function metricsOf(settings: ImportSettings, given: ReadonlyMap<string, Given>): string | undefined {
  if (!settings['dry-run']) return settings.metrics
  if (given.get('metrics')?.from === '--metrics') throw usageErrors.metricsOfDryRun()
  return undefined
}

/** Why a command could not begin, in words. */
function whyNot(error: unknown): string {
  const isDefect = exitCodeOfThrown(error) === exitCodes.defect
  return isDefect ? describeStop({ is: 'defect', error }) : (error as Error).message
}

const waitWorthTellingMs = 5_000

function logEvent(logger: Logger, event: RunEvent): void {
  if (event.is === 'lock_watched') logger.info(lockErrors.watched(event.holder))
  if (event.is === 'reading_ahead') logger.info(readingAhead)
  if (event.is === 'lookup_assumed') logger.warn(lookupAssumed(event.path))
  if (event.is === 'proxied') logger.info(proxied(event.proxy))
  if (event.is === 'abandoned') logger.warn(abandoned(event.calls))
  if (event.is === 'held' && event.forMs >= waitWorthTellingMs)
    logger.info({ delay_ms: event.forMs }, waiting(event.forMs, event.asked))
  if (event.is === 'retry') {
    const { fault, delayMs, message } = event
    const fields = { fault, delay_ms: delayMs }
    if (delayMs >= waitWorthTellingMs && fault !== 'throttled')
      // what the whole run waits for is told once
      logger.info(fields, `${message}; the next attempt is in ${Math.ceil(delayMs / 1000)} s`)
    else logger.debug(fields, `${message}; trying again`)
  }
  if (event.is === 'merged') logger.debug(event, 'two rows got one record')
}
