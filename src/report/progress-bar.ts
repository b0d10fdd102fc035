import { createLogUpdate } from 'log-update'
import { every } from '../model/clock.ts'
import { fittedLine, type LinePart, linesOf } from './fitted-line.ts'
import { grouped, perSecond, spanOf } from './numbers.ts'
import { type Measured, type Progress, progressFields, stepWords } from './progress.ts'
import type { Tally } from './tally.ts'

const redrawMs = 100
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
