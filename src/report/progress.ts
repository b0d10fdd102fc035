import type { Logger } from 'pino'
import { type Clock, every } from '../model/clock.ts'
import type { Print } from './logger.ts'
import type { Tally } from './tally.ts'
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

/** A log line every few seconds, and one at the end, where nobody looks at a terminal. */
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
  const from = tally.beforeCalls ?? { atMs: startedMs, rows: 0, bytes: 0 }
  const elapsedMs = clock.elapsedMs() - from.atMs
  const share = totalBytes ? Math.min(1, tally.bytesDone / totalBytes) : undefined
  const bytes = tally.bytesDone - from.bytes
  return {
    ...(step !== undefined && { step: step.name, step_number: step.number, step_count: step.of }),
    rows: tally.rows,
    rows_per_second: Number((((tally.rows - from.rows) * 1000) / Math.max(1, elapsedMs)).toFixed(1)),
    ...(share !== undefined && { percent: Math.floor(share * 100) }),
    ...(totalBytes !== undefined &&
      bytes > 0 && {
        seconds_left: Math.ceil((elapsedMs * Math.max(0, totalBytes - tally.bytesDone)) / bytes / 1000),
      }),
    bad: tally.ends.invalid + tally.ends.failed + tally.ends.in_doubt,
    ...(tally.pace !== undefined && { at_once: tally.pace.atOnce }),
    ...(tally.held !== undefined && { waiting_seconds: Math.ceil(tally.held.forMs / 1000) }),
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
  if (parts.length === 1) return cut(line, columns)
  const lowest = Math.min(...parts.map(({ rank }) => rank))
  const at = parts.findIndex(({ rank }) => rank === lowest)
  return fittedLine(parts.toSpliced(at, 1), columns)
}

const signs = new Intl.Segmenter()

/** The columns that a text takes at most: a character of other alphabets may take two. */
const widthOf = (text: string) =>
  [...signs.segment(text)].reduce((sum, { segment }) => sum + columnsOf(segment), 0)

const columnsOf = (sign: string) => (/^[\u0020-\u024f█░·]\p{Mn}*$/u.test(sign) ? 1 : 2)

function cut(text: string, columns: number): string {
  let room = columns
  let line = ''
  for (const { segment } of signs.segment(text)) {
    room -= columnsOf(segment)
    if (room < 0) break
    line += segment
  }
  return line
}

function paceParts({ pace, held }: Tally): LinePart[] {
  if (held !== undefined) {
    const who = held.asked ? ', as the service asks' : ' for the service'
    return [{ text: `waiting ${spanOf(held.forMs)}${who}`, rank: 6 }]
  }
  if (pace === undefined) return []
  return [{ text: `${pace.atOnce < pace.most ? `${pace.atOnce} of ` : ''}${pace.most} at once`, rank: 2 }]
}

function barParts(measured: Measured, startedMs: number, columns: number): LinePart[] {
  const { tally, step } = measured
  const { rows, rows_per_second, bad, percent, seconds_left } = progressFields(measured, startedMs)
  return [
    ...(step === undefined ? [] : [{ text: stepWords(step), rank: 7 }]),
    ...(percent === undefined ? [] : [{ text: shareText(percent, columns), rank: 8 }]),
    { text: counted(rows, 'row'), rank: 5 },
    { text: `${perSecond(rows_per_second, 1000)} rows/s`, rank: 3 },
    ...paceParts(tally),
    ...(bad > 0 ? [{ text: `${grouped(bad)} bad`, rank: 6 }] : []),
    ...(seconds_left === undefined ? [] : [{ text: `${spanOf(seconds_left * 1000)} left`, rank: 4 }]),
  ]
}

function shareText(percent: number, columns: number): string {
  if (columns < leastColumns) return `${percent}%`
  const filled = Math.round((percent / 100) * barWidth)
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${percent}%`
}
