import { exitCodes } from '../app/exit-code.ts'
import { importOptions } from '../app/options.ts'
import type { ImportSettings } from '../app/settings.ts'
import type { RunEvent } from '../model/events.ts'
import { describeEstimate, estimatedSeconds } from '../report/estimate.ts'
import { BufferedLines, createLogger, type LogFormat, type Logger, type Print } from '../report/logger.ts'
import { barProgress, lineProgress, type Measured, type Progress } from '../report/progress.ts'
import type { EndReport } from '../report/summary.ts'
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
} from '../report/words/run-words.ts'
import { describeError, describeProblem } from '../report/words.ts'
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

export function logEvent(logger: Logger, event: RunEvent): void {
  if (event.type === 'lock_watched') logger.info(watchingLock(event.holder))
  if (event.type === 'reading_ahead') logger.info(readingAhead)
  if (event.type === 'lookup_assumed') logger.warn(lookupAssumed(event.path))
  if (event.type === 'token_shared') logger.warn(tokenShared(event.path))
  if (event.type === 'token_command_said') logger.warn(`${event.program}: ${event.line}`)
  if (event.type === 'token_not_renewed') logger.warn(describeError(event.error))
  if (event.type === 'proxied') logger.info(proxied(event.proxy))
  if (event.type === 'estimated')
    logger.info({ estimated_seconds: estimatedSeconds(event) }, describeEstimate(event))
  if (event.type === 'orphaned_calls') logger.warn(abandoned(event.calls))
  if (event.type === 'hold' && event.forMs >= longWaitMs)
    logger.info({ delay_ms: event.forMs }, waiting(event.forMs, event.asked))
  if (event.type === 'service_down') logger.warn(serviceDown(event.last, event.until))
  if (event.type === 'ledger_away') logger.warn(ledgerAway(event.ledger, event.reason))
  if (event.type === 'ledger_back') logger.info(ledgerBack(event.ledger, event.forMs))
  if (event.type === 'service_back') logger.info(serviceBack(event.forMs))
  if (event.type === 'retry') {
    const { fault, delayMs } = event
    const message = describeProblem(event.problem)
    const fields = { fault, delay_ms: delayMs }
    if (delayMs >= longWaitMs && fault !== 'throttled')
      // waits of the whole run are logged once
      logger.info(fields, `${message}; the next attempt is in ${Math.ceil(delayMs / 1000)} s`)
    else logger.debug(fields, `${message}; trying again`)
  }
}
