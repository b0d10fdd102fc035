import type { Logger } from 'pino'
import { type Clock, every } from '../model/clock.ts'
import type { Tally } from '../result/tally.ts'
import type { Print } from './logger.ts'
import { counted, grouped, guardedText, perSecond, spanOf, visible } from './text.ts'

/** Shows how far a run is, until `end`. */
export interface Progress {
  /** Prints a line above what is shown. */
  readonly print: Print
  end(): void
}

export interface Measured {
  readonly tally: Tally
  /** Bytes of all sources; undefined when one of them is a pipe. */
  readonly totalBytes: number | undefined
  readonly clock: Clock
  readonly step?: StepNumber
}

/** A step's name, its number from 1, and how many there are. */
export interface StepNumber {
  readonly name: string
  readonly number: number
  readonly of: number
}

/** A step as people read it: 2/3 people. */
export const stepWords = ({ name, number, of }: StepNumber): string => `${number}/${of} ${name}`

const lineEveryMs = 5_000

/** A log line every few seconds, and one at the end, if nobody looks at a terminal. */
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

/** How far a run is, as fields of a log line; its pace is that since the first call, as rows without a call take no time. */
function progressFields({ tally, totalBytes, clock, step }: Measured, startedMs: number) {
  const { rows, ends, bytesDone, pace, held } = tally
  const from = tally.beforeCalls ?? { atMs: startedMs, rows: 0, bytes: 0 }
  const elapsedMs = clock.elapsedMs() - from.atMs
  const msPerByte = bytesDone > from.bytes ? elapsedMs / (bytesDone - from.bytes) : undefined
  return {
    ...(step && { step: step.name, step_number: step.number, step_count: step.of }),
    rows,
    rows_per_second: Number((((rows - from.rows) * 1000) / Math.max(1, elapsedMs)).toFixed(1)),
    percent: totalBytes ? Math.floor(Math.min(1, bytesDone / totalBytes) * 100) : undefined,
    seconds_left:
      totalBytes !== undefined && msPerByte !== undefined
        ? Math.ceil((Math.max(0, totalBytes - bytesDone) * msPerByte) / 1000)
        : undefined,
    bad: ends.invalid + ends.failed + ends.in_doubt,
    at_once: pace?.atOnce,
    waiting_seconds: held && Math.ceil(held.forMs / 1000),
  }
}

const redrawMs = 100
const barWidth = 24
/** A narrower terminal gets no bar, only numbers. */
const leastColumns = 60

/** A bar on one line of a terminal, redrawn ten times a second. */
export function barProgress(stderr: NodeJS.WriteStream, measured: Measured): Progress {
  const startedMs = measured.clock.elapsedMs()
  let shown = ''
  const clear = () => {
    if (shown !== '') stderr.write('\r\u001b[J')
    shown = ''
  }
  const draw = () => {
    const line =
      stderr.columns > 0 ? fittedLine(barParts(measured, startedMs, stderr.columns), stderr.columns - 1) : ''
    if (line === shown) return
    stderr.write(`\r${line}\u001b[K`)
    shown = line
  }
  const onResize = () => {
    const broken = stderr.columns > 0 ? Math.ceil(widthOf(shown) / stderr.columns) - 1 : 0
    if (broken > 0) stderr.moveCursor(0, -broken) // a terminal that was made narrower has broken the line
    clear()
    draw()
  }
  const stopDrawing = every(measured.clock, redrawMs, draw)
  stderr.on('resize', onResize)
  return {
    print(text) {
      clear()
      stderr.write(guardedText(text))
    },
    end() {
      stopDrawing()
      stderr.off('resize', onResize)
      clear()
    },
  }
}

/** A part of the line; if there is no room for all, the part with the lowest rank goes first. */
export interface LinePart {
  readonly text: string
  readonly rank: number
}

/** The parts as one line of at most so many columns; the last part left is cut. */
export function fittedLine(parts: readonly LinePart[], columns: number): string {
  const line = visible(parts.map(({ text }) => text).join(' · '))
  if (widthOf(line) <= columns) return line
  const lowest = Math.min(...parts.map(({ rank }) => rank))
  const at = parts.findIndex(({ rank }) => rank === lowest)
  return parts.length === 1 ? cut(line, columns) : fittedLine(parts.toSpliced(at, 1), columns)
}

const signsOf = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)

/** The columns that a text takes at most: a character of other alphabets may take two. */
const widthOf = (text: string) =>
  signsOf(text).reduce((sum, sign) => sum + (/^[\u0020-\u024f█░·]\p{Mn}*$/u.test(sign) ? 1 : 2), 0)

function cut(text: string, columns: number): string {
  const signs = signsOf(text)
  while (widthOf(signs.join('')) > columns) signs.pop()
  return signs.join('')
}

function barParts(measured: Measured, startedMs: number, columns: number): LinePart[] {
  const { step, tally } = measured
  const { rows, rows_per_second, bad, percent, seconds_left } = progressFields(measured, startedMs)
  const parts: readonly (readonly [rank: number, text: string | false | undefined])[] = [
    [7, step && stepWords(step)],
    [8, percent !== undefined && shareText(percent, columns)],
    [5, counted(rows, 'row')],
    [3, `${perSecond(rows_per_second, 1000)} rows/s`],
    [tally.held ? 6 : 2, paceText(tally)],
    [6, bad > 0 && `${grouped(bad)} bad`],
    [4, seconds_left !== undefined && `${spanOf(seconds_left * 1000)} left`],
  ]
  return parts.flatMap(([rank, text]) => (text ? { text, rank } : []))
}

function paceText({ pace, held }: Tally): string | undefined {
  if (held) return `waiting ${spanOf(held.forMs)}${held.asked ? ', as the service asks' : ' for the service'}`
  return pace && `${pace.atOnce < pace.most ? `${pace.atOnce} of ` : ''}${pace.most} at once`
}

function shareText(percent: number, columns: number): string {
  if (columns < leastColumns) return `${percent}%`
  const filled = Math.round((percent / 100) * barWidth)
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${percent}%`
}
