import type { EndWords } from '../report/end-words.ts'
import { HeldLines } from '../report/held-lines.ts'
import { type LogFormat, logLevels } from '../report/log-words.ts'
import { createLogger, type Logger, type Print } from '../report/logger.ts'
import { barProgress, lineProgress, type Measured, type Progress } from '../report/progress.ts'
import { exitCodes } from './exit-code.ts'
import type { ImportSettings } from './import-settings.ts'
import type { Surroundings } from './surroundings.ts'

/** What a person hears of a command while it is under way, and at its end. */
export interface Shown {
  readonly logger: Logger
  readonly format: LogFormat
  /** Shows how far an import is; gives the way to end that. */
  begin(measured: Measured): () => void
  /** Tells what it came to. */
  end(words: EndWords, exitCode: number): void
  /** It could not begin; whoever hears why tells it. */
  couldNotBegin(): void
}

type ShownSettings = Pick<ImportSettings, 'log-level' | 'log-format' | 'quiet'>

/** A bar and words on a terminal, lines elsewhere, or nothing unless something is wrong. */
export function shownBy(settings: ShownSettings, around: Surroundings): Shown {
  const isForPeople = around.stderrIsTerminal || settings.quiet
  const format = settings['log-format'] ?? (isForPeople ? 'pretty' : 'json')
  return settings.quiet
    ? onlyIfWrong(settings['log-level'], format, around)
    : always(settings['log-level'], format, around)
}

type Level = ImportSettings['log-level']

function always(level: Level, format: LogFormat, around: Surroundings): Shown {
  const { stderr } = around
  let progress: Progress | undefined
  const print: Print = text => (progress ? progress.print(text) : stderr.write(text))
  const logger = createLogger(level, format, around.stderrHasColors, print)
  return {
    logger,
    format,
    begin(measured) {
      const shown =
        format === 'pretty' && drawsBar(around)
          ? barProgress(stderr as NodeJS.WriteStream, measured)
          : lineProgress(logger, measured, text => stderr.write(text))
      progress = shown
      return () => shown.end()
    },
    end: words => tellEnd(words, format, logger, around),
    couldNotBegin() {},
  }
}

/** Whether stderr is a terminal that can draw a line anew; one whose width nobody knows gets lines. */
const drawsBar = ({ stderr, stderrIsTerminal, environment }: Surroundings) =>
  stderrIsTerminal && environment.TERM !== 'dumb' && (stderr as NodeJS.WriteStream).columns > 0

function onlyIfWrong(level: Level, format: LogFormat, around: Surroundings): Shown {
  const { stderr, stderrHasColors } = around
  const held = new HeldLines()
  const print: Print = text => stderr.write(text)
  const logger = createLogger(level, format, stderrHasColors, print)
  const tellHeld = () => held.tell(print, words => logger.warn(words))
  return {
    logger: createLogger(stricter(level, 'warn'), format, stderrHasColors, held.print),
    format,
    begin: () => () => {},
    end(words, exitCode) {
      if (exitCode === exitCodes.finished) return
      tellHeld()
      tellEnd(words, format, logger, around)
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
  { stderr, stderrIsTerminal }: Surroundings,
): void {
  if (format === 'pretty') return void stderr.write(text(stderrIsTerminal))
  if (stopped !== undefined) logger[stopped.wasAsked ? 'warn' : 'error'](stopped.words)
  logger.info(fields(), 'summary')
}
