import { exitCodes } from '../app/exit-code.ts'
import type { ImportSettings } from '../app/settings.ts'
import type { EndWords } from '../report/end-words.ts'
import { HeldLines } from '../report/held-lines.ts'
import { type LogFormat, logLevels } from '../report/log-words.ts'
import { createLogger, type Logger, type Print } from '../report/logger.ts'
import { lineProgress, type Measured, type Progress } from '../report/progress.ts'
import type { CliContext } from './context.ts'

/** What a person hears of a command while it is under way, and at its end. */
export interface Reporter {
  readonly logger: Logger
  readonly format: LogFormat
  /** Shows how far an import is; gives the way to end that. */
  begin(measured: Measured): () => void
  /** Tells what it came to. */
  end(words: EndWords, exitCode: number): void
  /** It could not begin; whoever hears why tells it. */
  couldNotBegin(): void
}

type ShownSettings = Pick<ImportSettings, 'logLevel' | 'logFormat' | 'quiet'>

/** A bar and words on a terminal, lines elsewhere, or nothing unless something is wrong. */
export function createReporter(settings: ShownSettings, context: CliContext): Promise<Reporter> {
  const isForPeople = context.stderrIsTerminal || settings.quiet
  const format = settings.logFormat ?? (isForPeople ? 'pretty' : 'json')
  return settings.quiet
    ? onlyIfWrong(settings.logLevel, format, context)
    : always(settings.logLevel, format, context)
}

type Level = ImportSettings['logLevel']

async function always(level: Level, format: LogFormat, context: CliContext): Promise<Reporter> {
  const { stderr } = context
  let progress: Progress | undefined
  const print: Print = text => (progress ? progress.print(text) : stderr.write(text))
  const logger = await createLogger(level, format, context.stderrHasColors, print)
  const drawing =
    format === 'pretty' && drawsBar(context) ? await import('../report/progress-bar.ts') : undefined
  return {
    logger,
    format,
    begin(measured) {
      const shown =
        drawing?.barProgress(stderr as NodeJS.WriteStream, measured) ??
        lineProgress(logger, measured, text => stderr.write(text))
      progress = shown
      return () => shown.end()
    },
    end: words => tellEnd(words, format, logger, context),
    couldNotBegin() {},
  }
}

/** Whether stderr is a terminal that can draw a line anew; one whose width nobody knows gets lines. */
const drawsBar = ({ stderr, stderrIsTerminal, environment }: CliContext) =>
  stderrIsTerminal && environment.TERM !== 'dumb' && (stderr as NodeJS.WriteStream).columns > 0

async function onlyIfWrong(level: Level, format: LogFormat, context: CliContext): Promise<Reporter> {
  const { stderr, stderrHasColors } = context
  const held = new HeldLines()
  const print: Print = text => stderr.write(text)
  const logger = await createLogger(level, format, stderrHasColors, print)
  const tellHeld = () => held.tell(print, words => logger.warn(words))
  return {
    logger: await createLogger(stricter(level, 'warn'), format, stderrHasColors, held.print),
    format,
    begin: () => () => {},
    end(words, exitCode) {
      if (exitCode === exitCodes.finished) return
      tellHeld()
      tellEnd(words, format, logger, context)
    },
    couldNotBegin: tellHeld,
  }
}

const stricter = (one: Level, other: Level): Level =>
  logLevels.indexOf(one) > logLevels.indexOf(other) ? one : other

function tellEnd(
  { text, fields, stopped }: EndWords,
  format: LogFormat,
  logger: Logger,
  { stderr, stderrIsTerminal }: CliContext,
): void {
  if (format === 'pretty') return void stderr.write(text(stderrIsTerminal))
  if (stopped !== undefined) logger[stopped.wasAsked ? 'warn' : 'error'](stopped.words)
  logger.info(fields(), 'summary')
}
