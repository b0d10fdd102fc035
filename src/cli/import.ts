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
import { createLogger, type LogFormat, type Logger, type Print } from '../report/logger.ts'
import { pageNotWritten, pageWritten } from '../report/page-lines.ts'
import { barProgress, lineProgress, type Progress } from '../report/progress.ts'
import { type RunFacts, summaryFields, summaryText } from '../report/summary.ts'
import { exitCodes } from './exit-code.ts'
import { importOptions } from './import-options.ts'
import type { ImportPage } from './import-page.ts'
import { fileParts, type ImportSettings, importSettings } from './import-settings.ts'
import { checkGiven, layered } from './layers.ts'
import { nextCommand } from './next-command.ts'
import { type ImportEnd, runImport } from './run-import.ts'
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
 * begin.
 */
export async function importCommand({
  sources,
  flags,
  args,
  around,
  watchProcess,
}: ImportCommand): Promise<number> {
  const given = await layered(Object.keys(importOptions), flags, around.environment, fileParts)
  const settings = checkGiven(importSettings, given)
  const format = settings['log-format'] ?? (around.stderrIsTerminal ? 'pretty' : 'json')
  let progress: Progress | undefined
  const print: Print = text => (progress ? progress.print(text) : around.stderr.write(text))
  const logger = createLogger(settings['log-level'], format, around.stderrIsTerminal, print)

  const page = await pageFor(sources, settings, around)
  const end = await runImport({
    sources,
    settings,
    around,
    keepers: page?.keepers ?? [],
    tell: event => logEvent(logger, event),
    opened({ stop, totalBytes }, tally) {
      const unwatch = watchProcess(stop)
      stop.signal.addEventListener('abort', () => {
        if (stop.reason?.is === 'signal') logger.warn(stopping(stop.reason.signal))
      })
      const shown = progressOf(format, around, logger, { tally, totalBytes, now: around.now })
      progress = shown
      return () => {
        shown.end()
        unwatch()
      }
    },
  })
  const next = nextCommand(args, end)
  const isShown = page === undefined || (await writtenBy(page, end, next, settings.report, logger))
  tellSummary({ ...end, next }, format, logger, around)
  return end.exitCode === exitCodes.finished && !isShown ? exitCodes.stoppedEarly : end.exitCode
}

/** Few runs have a page, and it takes time to load what makes one. */
async function pageFor(
  sources: readonly string[],
  settings: ImportSettings,
  around: Surroundings,
): Promise<ImportPage | undefined> {
  if (settings.report === undefined) return undefined
  const { importPage } = await import('./import-page.ts')
  return importPage(settings.report, sources, settings, around)
}

/** Writes the page of a run that is over. A run that did its work has done it, whatever becomes of the page. */
async function writtenBy(
  page: ImportPage,
  end: ImportEnd,
  next: string | undefined,
  path: string | undefined,
  logger: Logger,
): Promise<boolean> {
  try {
    await page.write(end, next)
    logger.info(pageWritten(path ?? ''))
    return true
  } catch (error) {
    logger.error(pageNotWritten(error, end.dryRun ? undefined : end.written))
    return false
  }
}

function progressOf(
  format: LogFormat,
  around: Surroundings,
  logger: Logger,
  measured: Parameters<typeof barProgress>[1],
): Progress {
  const { stderr } = around
  return format === 'pretty' && around.stderrIsTerminal
    ? barProgress(stderr as NodeJS.WriteStream, measured)
    : lineProgress(logger, measured, text => stderr.write(text))
}

function tellSummary(
  facts: RunFacts,
  format: LogFormat,
  logger: Logger,
  { stderr, stderrIsTerminal }: Surroundings,
): void {
  if (format === 'pretty') return void stderr.write(summaryText(facts, stderrIsTerminal))
  const { stopReason } = facts.tally
  if (stopReason !== undefined)
    logger[stopReason.is === 'signal' ? 'warn' : 'error'](describeStop(stopReason))
  logger.info(summaryFields(facts), 'summary')
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
