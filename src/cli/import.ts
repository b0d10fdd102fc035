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
import { barProgress, lineProgress, type Progress } from '../report/progress.ts'
import { type RunFacts, summaryFields, summaryText } from '../report/summary.ts'
import { importOptions } from './import-options.ts'
import { fileParts, importSettings } from './import-settings.ts'
import { checkGiven, layered } from './layers.ts'
import { nextCommand } from './next-command.ts'
import { runImport } from './run-import.ts'
import type { Surroundings } from './surroundings.ts'

/** What the command was given, and how it hears that it should stop. */
export interface ImportCommand {
  readonly sources: readonly string[]
  readonly flags: Readonly<Record<string, unknown>>
  /** The words of the command line, to say what to type next. */
  readonly args: readonly string[]
  readonly around: Surroundings
  /** Lets signals and uncaught errors stop the run; gives the way to end that. */
  readonly watchProcess: (stop: Pick<Stop, 'request'>) => () => void
}

/**
 * `rowlift import`: gives the exit code. Throws a UsageError, SourceError, LockError or LogError when the run could not
 * begin.
 */
export async function importCommand(command: ImportCommand): Promise<number> {
  const { sources, flags, args, around, watchProcess } = command
  const given = await layered(Object.keys(importOptions), flags, around.environment, fileParts)
  if (given.has('plan')) return (await import('./migration/plan-command.ts')).planCommand(command)
  const settings = checkGiven(importSettings, given)
  const format = settings['log-format'] ?? (around.stderrIsTerminal ? 'pretty' : 'json')
  let progress: Progress | undefined
  const print: Print = text => (progress ? progress.print(text) : around.stderr.write(text))
  const logger = createLogger(settings['log-level'], format, around.stderrIsTerminal, print)

  const end = await runImport({
    sources,
    settings,
    around,
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
  tellSummary({ ...end, next: nextCommand(args, end) }, format, logger, around)
  return end.exitCode
}

/** Shows how far a run is, as fits where its words go. */
export function progressOf(
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

/** Logs what happens in a run and is worth a line. */
export function logEvent(logger: Logger, event: RunEvent): void {
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
