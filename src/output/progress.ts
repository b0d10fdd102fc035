import type { Logger } from 'pino'
import { type Clock, every } from '../model/clock.ts'
import type { Tally } from '../result/tally.ts'
import type { Print } from './logger.ts'
import { counted, due, grouped, guardedText, perSecond, spanOf, visible } from './text.ts'

/** Shows how far a run is, until `end`. */
export interface Progress {
  /** Prints a line above the progress. */
  readonly print: Print
  end(): void
}

export interface Measured {
  readonly tally: Tally
  /** Bytes of all sources; undefined when one of them is a pipe. */
  readonly totalBytes: number | undefined
  readonly clock: Clock
  /** A step of a plan, its number from 1, and the number of all. */
  readonly step?: { readonly name: string; readonly number: number; readonly of: number }
}

/** A step as people read it: 2/3 people. */
export const stepWords = ({ name, number, of }: NonNullable<Measured['step']>) => `${number}/${of} ${name}`

const lineEveryMs = 5_000

/** Logs a line every few seconds, and one at the end, for those who look at no terminal. */
export function lineProgress(logger: Logger, measured: Measured, print: Print): Progress {
  const startedMs = measured.clock.elapsedMs()
  const log = () => logger.info(progressFields(measured, startedMs), 'progress')
  const stopLogging = every(measured.clock, lineEveryMs, log)
  return {
    print,
    end() {
      stopLogging()
      log()
    },
  }
}

/** Fields of a log line; the pace is that since the first call, as rows without a call take no time. */
export function progressFields({ tally, totalBytes = 0, clock, step }: Measured, startedMs: number) {
  const { rows, ends, bytesDone, pace, held } = tally
  const from = tally.beforeCalls ?? { atMs: startedMs, rows: 0, bytes: 0 }
  const elapsedMs = clock.elapsedMs() - from.atMs
  const msLeft = (Math.max(0, totalBytes - bytesDone) * elapsedMs) / (bytesDone - from.bytes)
  return {
    ...(step && { step: step.name, step_number: step.number, step_count: step.of }),
    rows,
    rows_per_second: Number((((rows - from.rows) * 1000) / Math.max(1, elapsedMs)).toFixed(1)),
    percent: totalBytes > 0 ? Math.floor(Math.min(1, bytesDone / totalBytes) * 100) : undefined,
    seconds_left: totalBytes > 0 && bytesDone > from.bytes ? Math.ceil(msLeft / 1000) : undefined,
    bad: ends.invalid + ends.failed + ends.in_doubt,
    at_once: pace?.atOnce,
    waiting_seconds: held && Math.ceil(held.forMs / 1000),
  }
}

const redrawMs = 100

/** Draws a bar on one line of a terminal ten times a second. */
export function barProgress(stderr: NodeJS.WriteStream, measured: Measured): Progress {
  const startedMs = measured.clock.elapsedMs()
  let shown = ''
  const show = (line: string) => {
    if (line !== shown) stderr.write(line === '' ? '\r\u001b[J' : `\r${line}\u001b[K`)
    shown = line
  }
  const draw = () =>
    show(fittedLine(barParts(measured, startedMs, stderr.columns), Math.max(0, stderr.columns - 1)))
  const onResize = () => {
    const broken = Math.ceil(widthOf(signsOf(shown)) / stderr.columns) - 1
    if (broken > 0) stderr.moveCursor(0, -broken) // a terminal that was made narrower has broken the line
    show('')
    draw()
  }
  const stopDrawing = every(measured.clock, redrawMs, draw)
  stderr.on('resize', onResize)
  return {
    print(text) {
      show('')
      stderr.write(guardedText(text))
    },
    end() {
      stopDrawing()
      stderr.off('resize', onResize)
      show('')
    },
  }
}

/** The parts of the line, the most important first. */
function barParts(measured: Measured, startedMs: number, columns: number): string[] {
  const { step, tally } = measured
  const { pace, held } = tally
  const { rows, rows_per_second, bad, percent, seconds_left } = progressFields(measured, startedMs)
  return due(
    percent !== undefined && shareText(percent, columns),
    step && stepWords(step),
    counted(rows, 'row'),
    bad > 0 && `${grouped(bad)} bad`,
    `${perSecond(rows_per_second, 1000)} rows/s`,
    held && `waiting ${spanOf(held.forMs)}${held.byService ? ', as the service asks' : ' for the service'}`,
    seconds_left !== undefined && `${spanOf(seconds_left * 1000)} left`,
    !held && pace && `${pace.atOnce < pace.most ? `${pace.atOnce} of ` : ''}${pace.most} at once`,
  )
}

const barWidth = 24
/** A narrower terminal gets no bar, only numbers. */
const leastColumns = 60

function shareText(percent: number, columns: number): string {
  if (columns < leastColumns) return `${percent}%`
  const filled = Math.round((percent / 100) * barWidth)
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${percent}%`
}

/** Joins as many parts as fit into one line of so many columns; a first part that does not fit is cut. */
export function fittedLine(parts: readonly string[], columns: number): string {
  const signs = signsOf(visible(parts.join(' · ')))
  if (parts.length > 1 && widthOf(signs) > columns) return fittedLine(parts.slice(0, -1), columns)
  while (widthOf(signs) > columns) signs.pop()
  return signs.join('')
}

const signsOf = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)

/** The columns that signs take at most: a character of other alphabets may take two. */
const widthOf = (signs: readonly string[]) =>
  signs.reduce((sum, sign) => sum + (/^[\u0020-\u024f█░·]\p{Mn}*$/u.test(sign) ? 1 : 2), 0)
