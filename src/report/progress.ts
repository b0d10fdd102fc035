import { createLogUpdate } from 'log-update'
import type { Logger } from 'pino'
import { type Clock, every } from '../model/clock.ts'
import type { Tally } from '../model/tally.ts'
import { fittedLine, type LinePart, linesOf } from './fitted-line.ts'
import type { Print } from './logger.ts'
import { grouped, perSecond, spanOf } from './numbers.ts'

/** Shows how far a run is, until it is told to end. */
export interface Progress {
  /** Prints a line without tearing what is shown. */
  readonly print: Print
  end(): void
}

/** What progress is measured by. */
export interface Measured {
  readonly tally: Tally
  /** Bytes of all sources; undefined when one of them is a pipe. */
  readonly totalBytes: number | undefined
  readonly clock: Clock
  /** The step of a plan that is under way. */
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

const redrawMs = 100
const lineEveryMs = 5_000
const barWidth = 24
const shortBarWidth = 10

/** A bar on a terminal, drawn anew ten times a second, on one line however narrow that is. */
export function barProgress(stderr: NodeJS.WriteStream, measured: Measured): Progress {
  const update = createLogUpdate(stderr, { showCursor: true })
  const startedMs = measured.clock.elapsedMs()
  let shown = ''
  const draw = () => {
    shown = stderr.columns > 0 ? fittedLine(barParts(measured, startedMs), stderr.columns) : ''
    if (shown !== '') update(shown)
  }
  const clear = () => {
    if (shown === '') return
    update.clear()
    shown = ''
  }
  const onResize = () => {
    const broken = shown === '' || !(stderr.columns > 0) ? 0 : linesOf(shown, stderr.columns) - 1
    clear()
    if (broken > 0) stderr.moveCursor(0, -broken) // a terminal that was made narrower has broken the line
    if (broken > 0) stderr.clearScreenDown()
    draw()
  }
  const stopDrawing = every(measured.clock, redrawMs, draw, 'background')
  stderr.on('resize', onResize)
  return {
    print(text) {
      clear()
      stderr.write(text)
    },
    end() {
      stopDrawing()
      stderr.off('resize', onResize)
      clear()
      update.done()
    },
  }
}

/** A log line every few seconds, and one at the end, where nobody looks at a terminal. */
export function lineProgress(logger: Logger, measured: Measured, print: Print): Progress {
  const startedMs = measured.clock.elapsedMs()
  const tell = () => logger.info(progressFields(measured, startedMs), 'progress')
  const stopTelling = every(measured.clock, lineEveryMs, tell, 'background')
  return {
    print,
    end() {
      stopTelling()
      tell()
    },
  }
}

function progressFields({ tally, totalBytes, clock, step }: Measured, startedMs: number) {
  const elapsedMs = clock.elapsedMs() - startedMs
  const share = totalBytes ? Math.min(1, tally.bytesDone / totalBytes) : undefined
  return {
    ...(step !== undefined && { step: step.name, step_number: step.number, step_count: step.of }),
    rows: tally.rows,
    rows_per_second: Number(((tally.rows * 1000) / Math.max(1, elapsedMs)).toFixed(1)),
    ...(share !== undefined && { percent: Math.floor(share * 100) }),
    ...(share !== undefined &&
      share > 0 && { seconds_left: Math.ceil((elapsedMs * (1 - share)) / share / 1000) }),
    bad: tally.ends.invalid + tally.ends.failed + tally.ends.in_doubt,
    ...(tally.pace !== undefined && { at_once: tally.pace.atOnce }),
    ...(tally.held !== undefined && { waiting_seconds: Math.ceil(tally.held.forMs / 1000) }),
  }
}

/** What holds a run back, in words; nothing where nothing does. */
function paceParts({ pace, held }: Tally): LinePart[] {
  if (held !== undefined) {
    const short = `waiting ${spanOf(held.forMs)}`
    return [{ text: `${short}${held.asked ? ', as the service asks' : ' for the service'}`, short, rank: 6 }]
  }
  if (pace === undefined) return []
  return [{ text: `${pace.atOnce < pace.most ? `${pace.atOnce} of ` : ''}${pace.most} at once`, rank: 2 }]
}

/** What the bar's line tells; the higher the rank, the longer it stays where room is short. */
function barParts(measured: Measured, startedMs: number): LinePart[] {
  const { tally, clock, step } = measured
  const { rows, bad, percent, seconds_left } = progressFields(measured, startedMs)
  const share = percent === undefined ? [] : [{ text: `${percent}%`, rank: 7 }]
  const left = seconds_left === undefined ? [] : [{ text: `${spanOf(seconds_left * 1000)} left`, rank: 4 }]
  return [
    ...(step === undefined
      ? []
      : [{ text: stepWords(step), short: `${step.number}/${step.of}`, rank: 8, leads: true as const }]),
    ...(percent === undefined
      ? []
      : [
          {
            text: drawn(percent, barWidth),
            short: drawn(percent, shortBarWidth),
            rank: 1,
            leads: true as const,
          },
        ]),
    ...share,
    { text: `${grouped(rows)} rows`, rank: 5 },
    { text: `${perSecond(tally.rows, clock.elapsedMs() - startedMs)} rows/s`, rank: 3 },
    ...paceParts(tally),
    ...(bad > 0 ? [{ text: `${grouped(bad)} bad`, rank: 6 }] : []),
    ...left,
  ]
}

function drawn(percent: number, width: number): string {
  const filled = Math.round((percent / 100) * width)
  return '█'.repeat(filled) + '░'.repeat(width - filled)
}
