import { every } from '../model/clock.ts'
import { grouped, perSecond, spanOf } from './numbers.ts'
import { type Measured, type Progress, progressFields, stepWords } from './progress.ts'
import type { Tally } from './tally.ts'

const redrawMs = 100
const barWidth = 24
/** A narrower terminal gets the figures alone. */
const leastColumns = 60

/** A bar on a terminal, drawn anew ten times a second, on one line however narrow that is. */
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
    },
  }
}

/** A part of the line; where room is short the part with the lowest rank goes first. */
export interface LinePart {
  readonly text: string
  readonly rank: number
}

/** The parts as one line of no more than so many columns; what is left alone is cut. */
export function fittedLine(parts: readonly LinePart[], columns: number): string {
  const line = parts
    .map(({ text }) => text)
    .join(' · ')
    .replaceAll(/\p{Cc}+/gu, ' ')
  if (widthOf(line) <= columns) return line
  if (parts.length === 1) return cut(line, columns)
  const lowest = Math.min(...parts.map(({ rank }) => rank))
  const at = parts.findIndex(({ rank }) => rank === lowest)
  return fittedLine(parts.toSpliced(at, 1), columns)
}

const signs = new Intl.Segmenter()

/** The columns that a text takes at most: a sign beyond plain alphabets may take two. */
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

/** What holds a run back; nothing where nothing does. */
function paceParts({ pace, held }: Tally): LinePart[] {
  if (held !== undefined)
    return [
      {
        text: `waiting ${spanOf(held.forMs)}${held.asked ? ', as the service asks' : ' for the service'}`,
        rank: 6,
      },
    ]
  if (pace === undefined) return []
  return [{ text: `${pace.atOnce < pace.most ? `${pace.atOnce} of ` : ''}${pace.most} at once`, rank: 2 }]
}

function barParts(measured: Measured, startedMs: number, columns: number): LinePart[] {
  const { tally, clock, step } = measured
  const { rows, bad, percent, seconds_left } = progressFields(measured, startedMs)
  return [
    ...(step === undefined ? [] : [{ text: stepWords(step), rank: 7 }]),
    ...(percent === undefined ? [] : [{ text: shareText(percent, columns), rank: 8 }]),
    { text: `${grouped(rows)} rows`, rank: 5 },
    { text: `${perSecond(tally.rows, clock.elapsedMs() - startedMs)} rows/s`, rank: 3 },
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
