import type { RunEvent } from '../model/events.ts'
import { BufferedLines, createLogger, type Logger, type Print } from '../output/logger.ts'
import { barProgress, lineProgress, type Measured, type Progress } from '../output/progress.ts'
import type { EndReport } from '../output/summary-text.ts'
import { estimatedSeconds, type Notices, news, warnings } from '../output/words/notices.ts'
import { describeProblem } from '../output/words.ts'
import { exitCodes } from '../run/exit-code.ts'
import type { ImportSettings } from '../settings/settings.ts'
import { type CliContext, printTo } from './context.ts'

export type Reporter = Awaited<ReturnType<typeof createReporter>>

/**
 * Shows a person a command while it runs and at its end: a progress bar on a terminal, else lines. A quiet one keeps warnings back, and
 * shows them only if something went wrong.
 */
export async function createReporter(settings: ImportSettings, context: CliContext) {
  const { logLevel, logFormat, quiet } = settings
  const { stderr, stderrIsTerminal, stderrHasColors } = context
  const format = logFormat ?? (stderrIsTerminal || quiet ? 'pretty' : 'json')
  const quietLevel = /^(error|fatal|silent)$/.test(logLevel) ? logLevel : 'warn'
  const held = new BufferedLines()
  let progress: Progress | undefined
  const print: Print = text => (progress ? progress.print(text) : printTo(stderr, text))
  const loud = await createLogger(logLevel, format, stderrHasColors, print)
  const printHeld = () => held.flush(print, words => loud.warn(words))
  return {
    logger: quiet ? await createLogger(quietLevel, format, stderrHasColors, held.print) : loud,
    format,
    /** Shows the progress of an import; returns the function that ends it. */
    begin(measured: Measured): () => void {
      if (quiet) return () => {}
      const shown =
        format === 'pretty' && drawsBar(context)
          ? barProgress(stderr as NodeJS.WriteStream, measured)
          : lineProgress(loud, measured, text => printTo(stderr, text))
      progress = shown
      return () => shown.end()
    },
    /** `limited` says that a limit ended the run: a quiet one says so, too. */
    end({ text, fields, stopped }: EndReport, exitCode: number, limited: string | undefined) {
      if (quiet && exitCode === exitCodes.finished) return limited && loud.warn(limited)
      printHeld()
      if (format === 'pretty') return printTo(stderr, text(stderrIsTerminal, stderrHasColors))
      if (stopped !== undefined) loud[stopped.bySignal ? 'warn' : 'error'](stopped.words)
      loud.info(fields(), 'summary')
    },
    /** Called if the command could not start; its error is shown by the caller. */
    couldNotStart: printHeld,
  }
}

/** A terminal of unknown width gets lines. */
const drawsBar = ({ stderr, stderrIsTerminal, environment }: CliContext) =>
  stderrIsTerminal && environment.TERM !== 'dumb' && (stderr as NodeJS.WriteStream).columns > 0

const longWaitMs = 5_000

const notices: Notices = { ...news, ...warnings }

/** Logs an event that a person may want to know; most events need no line. */
export function logEvent(logger: Logger, event: RunEvent): void {
  if (event.type === 'retry') logRetry(logger, event)
  const words = notices[event.type]?.(event as never)
  if (words === undefined || (event.type === 'hold' && event.forMs < longWaitMs)) return
  logger[event.type in warnings ? 'warn' : 'info'](fieldsOf(event), words)
}

function fieldsOf(event: RunEvent): object {
  if (event.type === 'estimated') return { estimated_seconds: estimatedSeconds(event) }
  return event.type === 'hold' ? { delay_ms: event.forMs } : {}
}

function logRetry(logger: Logger, { fault, delayMs, problem }: Extract<RunEvent, { type: 'retry' }>): void {
  const fields = { fault, delay_ms: delayMs }
  const message = describeProblem(problem)
  const isShort = delayMs < longWaitMs || fault === 'throttled' // waits of the whole run are logged once
  if (isShort) logger.debug(fields, `${message}; trying again`)
  else logger.info(fields, `${message}; the next attempt is in ${Math.ceil(delayMs / 1000)} s`)
}
