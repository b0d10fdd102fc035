import type { Logger } from 'pino'
import { type Clock, every } from '../model/clock.ts'
import type { Print } from './logger.ts'
import type { Tally } from './tally.ts'

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

const lineEveryMs = 5_000

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

/** How far a run is, as a log line for programs tells it. */
export function progressFields({ tally, totalBytes, clock, step }: Measured, startedMs: number) {
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
