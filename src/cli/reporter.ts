import type { RunEvent } from '../model/events.ts'
import { describeEstimate, estimatedSeconds } from '../output/estimate.ts'
import { BufferedLines, createLogger, type LogFormat, type Logger, type Print } from '../output/logger.ts'
import { barProgress, lineProgress, type Measured, type Progress } from '../output/progress.ts'
import type { EndReport } from '../output/summary-text.ts'
import {
  abandoned,
  ledgerAway,
  ledgerBack,
  lookupAssumed,
  proxied,
  readingAhead,
  serviceBack,
  serviceDown,
  tokenShared,
  waiting,
  watchingLock,
} from '../output/words/notices.ts'
import { describeError, describeProblem } from '../output/words.ts'
import { exitCodes } from '../run/exit-code.ts'
import { importOptions } from '../settings/options.ts'
import type { ImportSettings } from '../settings/settings.ts'
import { type CliContext, tell } from './context.ts'

/** What a person sees of a command while it runs and at its end. */
export interface Reporter {
  readonly logger: Logger
  readonly format: LogFormat
  /** Shows the progress of an import; returns the function that ends it. */
  begin(measured: Measured): () => void
  end(words: EndReport, exitCode: number): void
  /** It could not start; the error is reported elsewhere. */
  couldNotStart(): void
}

type ShownSettings = Pick<ImportSettings, 'logLevel' | 'logFormat' | 'quiet'>

/** A progress bar on a terminal, else lines; quiet shows only problems. */
export function createReporter(settings: ShownSettings, context: CliContext): Promise<Reporter> {
  const isForPeople = context.stderrIsTerminal || settings.quiet
  const format = settings.logFormat ?? (isForPeople ? 'pretty' : 'json')
  return settings.quiet
    ? createQuiet(settings.logLevel, format, context)
    : createVerbose(settings.logLevel, format, context)
}

type Level = ImportSettings['logLevel']

async function createVerbose(level: Level, format: LogFormat, context: CliContext): Promise<Reporter> {
  const { stderr } = context
  let progress: Progress | undefined
  const print: Print = text => (progress ? progress.print(text) : tell(stderr, text))
  const logger = await createLogger(level, format, context.stderrHasColors, print)
  return {
    logger,
    format,
    begin(measured) {
      const shown =
        format === 'pretty' && drawsBar(context)
          ? barProgress(stderr as NodeJS.WriteStream, measured)
          : lineProgress(logger, measured, text => tell(stderr, text))
      progress = shown
      return () => shown.end()
    },
    end: words => reportEnd(words, format, logger, context),
    couldNotStart() {},
  }
}

/** A terminal of unknown width gets lines. */
const drawsBar = ({ stderr, stderrIsTerminal, environment }: CliContext) =>
  stderrIsTerminal && environment.TERM !== 'dumb' && (stderr as NodeJS.WriteStream).columns > 0

async function createQuiet(level: Level, format: LogFormat, context: CliContext): Promise<Reporter> {
  const { stderr, stderrHasColors } = context
  const held = new BufferedLines()
  const print: Print = text => tell(stderr, text)
  const logger = await createLogger(level, format, stderrHasColors, print)
  const tellHeld = () => held.flush(print, words => logger.warn(words))
  return {
    logger: await createLogger(stricter(level, 'warn'), format, stderrHasColors, held.print),
    format,
    begin: () => () => {},
    end(words, exitCode) {
      if (exitCode === exitCodes.finished) return
      tellHeld()
      reportEnd(words, format, logger, context)
    },
    couldNotStart: tellHeld,
  }
}

const logLevels: readonly Level[] = importOptions.logLevel.values // from everything to nothing

const stricter = (one: Level, other: Level): Level =>
  logLevels.indexOf(one) > logLevels.indexOf(other) ? one : other

function reportEnd(
  { text, fields, stopped }: EndReport,
  format: LogFormat,
  logger: Logger,
  { stderr, stderrIsTerminal, stderrHasColors }: CliContext,
): void {
  if (format === 'pretty') return void tell(stderr, text(stderrIsTerminal, stderrHasColors))
  if (stopped !== undefined) logger[stopped.wasAsked ? 'warn' : 'error'](stopped.words)
  logger.info(fields(), 'summary')
}

const longWaitMs = 5_000

/** Logs what a person may want to know of an event; most events need no line. */
export const logEvent = (logger: Logger, event: RunEvent): void => lines[event.type]?.(logger, event as never)

type EventLines = {
  readonly [T in RunEvent['type']]?: (logger: Logger, event: Extract<RunEvent, { type: T }>) => void
}

const lines: EventLines = {
  lock_watched: (logger, { holder }) => logger.info(watchingLock(holder)),
  reading_ahead: logger => logger.info(readingAhead),
  lookup_assumed: (logger, { path }) => logger.warn(lookupAssumed(path)),
  token_shared: (logger, { path }) => logger.warn(tokenShared(path)),
  token_command_said: (logger, { program, line }) => logger.warn(`${program}: ${line}`),
  token_not_renewed: (logger, { error }) => logger.warn(describeError(error)),
  proxied: (logger, { proxy }) => logger.info(proxied(proxy)),
  estimated: (logger, event) =>
    logger.info({ estimated_seconds: estimatedSeconds(event) }, describeEstimate(event)),
  orphaned_calls: (logger, { calls }) => logger.warn(abandoned(calls)),
  hold(logger, { forMs, asked }) {
    if (forMs >= longWaitMs) logger.info({ delay_ms: forMs }, waiting(forMs, asked))
  },
  service_down: (logger, { last, until }) => logger.warn(serviceDown(last, until)),
  service_back: (logger, { forMs }) => logger.info(serviceBack(forMs)),
  ledger_away: (logger, { ledger, reason }) => logger.warn(ledgerAway(ledger, reason)),
  ledger_back: (logger, { ledger, forMs }) => logger.info(ledgerBack(ledger, forMs)),
  retry(logger, { fault, delayMs, problem }) {
    const fields = { fault, delay_ms: delayMs }
    const message = describeProblem(problem)
    if (delayMs < longWaitMs || fault === 'throttled')
      // waits of the whole run are logged once
      logger.debug(fields, `${message}; trying again`)
    else logger.info(fields, `${message}; the next attempt is in ${Math.ceil(delayMs / 1000)} s`)
  },
}
