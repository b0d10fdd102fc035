import { createLogUpdate } from 'log-update'
import type { Logger } from 'pino'
import type { Tally } from '../model/tally.ts'
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
  readonly now: () => Date
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

/** A bar on a terminal, drawn anew ten times a second. */
export function barProgress(stderr: NodeJS.WriteStream, measured: Measured): Progress {
  const draw = createLogUpdate(stderr, { showCursor: true })
  const started = measured.now().getTime()
  const timer = setInterval(() => draw(barLine(measured, started)), redrawMs)
  return {
    print(text) {
      draw.clear()
      stderr.write(text)
    },
    end() {
      clearInterval(timer)
      draw.clear()
      draw.done()
    },
  }
}

/** A log line every few seconds, and one at the end, where nobody looks at a terminal. */
export function lineProgress(logger: Logger, measured: Measured, print: Print): Progress {
  const started = measured.now().getTime()
  const tell = () => logger.info(progressFields(measured, started), 'progress')
  const timer = setInterval(tell, lineEveryMs)
  return {
    print,
    end() {
      clearInterval(timer)
      tell()
    },
  }
}

function progressFields({ tally, totalBytes, now, step }: Measured, started: number) {
  const elapsedMs = now().getTime() - started
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
function paceWords({ pace, held }: Tally): string[] {
  if (held !== undefined)
    return [`waiting ${spanOf(held.forMs)}${held.asked ? ', as the service asks' : ' for the service'}`]
  return pace === undefined
    ? []
    : [`${pace.atOnce < pace.most ? `${pace.atOnce} of ` : ''}${pace.most} at once`]
}

function barLine(measured: Measured, started: number): string {
  const { tally, now, step } = measured
  const fields = progressFields(measured, started)
  const rows = `${grouped(fields.rows)} rows`
  const speed = `${perSecond(tally.rows, now().getTime() - started)} rows/s`
  const bad = fields.bad > 0 ? [`${grouped(fields.bad)} bad`] : []
  const pace = paceWords(tally)
  const which = step === undefined ? '' : `${stepWords(step)}  `
  if (fields.percent === undefined) return which + [rows, speed, ...pace, ...bad].join(' · ')
  const filled = Math.round((fields.percent / 100) * barWidth)
  const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
  const left = fields.seconds_left === undefined ? [] : [`${spanOf(fields.seconds_left * 1000)} left`]
  return which + [`${bar} ${fields.percent}%`, rows, speed, ...pace, ...bad, ...left].join(' · ')
}
