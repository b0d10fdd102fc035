import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../src/output/logger.ts'
import { barProgress, fittedLine, lineProgress, type Measured } from '../../../src/output/progress.ts'
import type { Tally } from '../../../src/result/tally.ts'
import { wellFormedText } from '../../support/any-text.ts'
import { type TestClock, testClock } from '../../support/clock.ts'
import { newTally } from '../../support/results.ts'

/** A run of which so many rows came to an end, on a clock that the test turns. */
function runOf(changes: Partial<Measured> = {}): Measured & { readonly clock: TestClock } {
  return { tally: newTally(), totalBytes: undefined, ...changes, clock: testClock() }
}

/** Lets rows end, all of them read by now. */
function end(tally: Tally, rows: number, bytes = 0): void {
  tally.take({ type: 'bytes_read', bytes })
  tally.take({ type: 'batch', rows })
  for (let row = 0; row < rows; row += 1) tally.take({ type: 'row_skipped' })
}

describe('progress in lines', () => {
  const linesOf = async (measured: Measured) => {
    const lines: Record<string, unknown>[] = []
    const logger = await createLogger('info', 'json', false, text => lines.push(JSON.parse(text)))
    return { lines, progress: lineProgress(logger, measured, () => {}) }
  }

  it('progress in lines is reported every five seconds, and at the end', async () => {
    const run = runOf()
    const { lines, progress } = await linesOf(run)
    await run.clock.advance(4_999)
    expect(lines).toEqual([])
    await run.clock.advance(1)
    expect(lines).toHaveLength(1)
    await run.clock.advance(12_000)
    expect(lines).toHaveLength(3)
    progress.end()
    await run.clock.advance(60_000)
    expect(lines).toHaveLength(4)
    expect(run.clock.timers).toBe(0)
  })

  it('progress in lines tells the rows, how fast they come, and how long it takes', async () => {
    const run = runOf({ totalBytes: 1_000, step: { name: 'people', number: 2, of: 3 } })
    const { lines } = await linesOf(run)
    end(run.tally, 20, 250)
    await run.clock.advance(5_000)
    expect(lines[0]).toMatchObject({
      msg: 'progress',
      step: 'people',
      step_number: 2,
      step_count: 3,
      rows: 20,
      rows_per_second: 4,
      percent: 25,
      seconds_left: 15,
      bad: 0,
    })
  })

  it('progress in lines tells the pace since the first call: rows that have their record took no time', async () => {
    const run = runOf({ totalBytes: 1_000 })
    const { lines } = await linesOf(run)
    end(run.tally, 500, 500)
    await run.clock.advance(3_000)
    const pace = { calls: 500, extent: 'most', callMs: 200, concurrency: 10, rate: undefined } as const
    run.tally.take({ type: 'estimated', atMs: run.clock.elapsedMs(), ...pace })
    end(run.tally, 20, 20)
    await run.clock.advance(2_000)
    expect(lines).toMatchObject([{ rows: 520, rows_per_second: 10, percent: 52, seconds_left: 48 }])
  })

  it('progress in lines tells what holds the run back', async () => {
    const run = runOf()
    const { lines } = await linesOf(run)
    run.tally.take({ type: 'concurrency', atOnce: 5, enough: 10, most: 10 })
    run.tally.take({ type: 'hold', forMs: 6_000, byService: true })
    await run.clock.advance(5_000)
    run.tally.take({ type: 'resumed' })
    await run.clock.advance(5_000)
    expect(lines).toMatchObject([
      { msg: 'progress', at_once: 5, waiting_seconds: 6 },
      { msg: 'progress', at_once: 5 },
    ])
    expect(lines[1]).not.toHaveProperty('waiting_seconds')
  })
})

describe('progress as a bar', () => {
  const barOf = (measured: Measured) => {
    const written: string[] = []
    const screen = new PassThrough().on('data', data => written.push(String(data)))
    const stderr = Object.assign(screen, { columns: 80, isTTY: true }) as unknown as NodeJS.WriteStream
    const shown = () => written.splice(0).map(stripVTControlCharacters).join('').trim()
    return { shown, progress: barProgress(stderr, measured) }
  }

  it('progress as a bar is drawn ten times a second, until the end', async () => {
    const run = runOf({ totalBytes: 1_000 })
    const { shown, progress } = barOf(run)
    await run.clock.advance(99)
    expect(shown()).toBe('')
    end(run.tally, 20, 250)
    await run.clock.advance(1)
    expect(shown()).toBe(`${'█'.repeat(6)}${'░'.repeat(18)} 25% · 20 rows · 200 rows/s · 1.0 s left`)
    end(run.tally, 20, 250)
    await run.clock.advance(99)
    expect(shown()).toBe('')
    await run.clock.advance(1)
    expect(shown()).toBe(`${'█'.repeat(12)}${'░'.repeat(12)} 50% · 40 rows · 200 rows/s · 1.0 s left`)
    progress.end()
    await run.clock.advance(1_000)
    expect(shown()).toBe('')
    expect(run.clock.timers).toBe(0)
  })

  it('progress as a bar says what it waits for', async () => {
    const run = runOf()
    const { shown } = barOf(run)
    run.tally.take({ type: 'concurrency', atOnce: 5, enough: 10, most: 10 })
    run.tally.take({ type: 'hold', forMs: 6_000, byService: true })
    await run.clock.advance(100)
    expect(shown()).toBe('0 rows · 0.0 rows/s · waiting 6.0 s, as the service asks')
    run.tally.take({ type: 'resumed' })
    await run.clock.advance(100)
    expect(shown()).toBe('0 rows · 0.0 rows/s · 5 of 10 at once')
  })
})

const parts = ['45%', '1,234 rows', '3 bad', '20 rows/s']

/** Columns that a terminal needs at most: two for each sign that is not of a plain alphabet. */
const columnsOf = (text: string) =>
  [...new Intl.Segmenter().segment(text)].reduce(
    (sum, { segment }) => sum + (/^[\u0020-\u024f█░·…]/u.test(segment) ? 1 : 2),
    0,
  )

describe('line that has to fit', () => {
  it.each([
    [80, '45% · 1,234 rows · 3 bad · 20 rows/s'],
    [36, '45% · 1,234 rows · 3 bad · 20 rows/s'],
    [35, '45% · 1,234 rows · 3 bad'],
    [20, '45% · 1,234 rows'],
    [8, '45%'],
    [2, '45'],
    [0, ''],
  ])('a line that has to fit in %i columns loses what matters least', (columns, line) => {
    expect(fittedLine(parts, columns)).toBe(line)
  })

  it.each([
    ['日本語の名前', 6, '日本語'],
    ['日本語の名前', 5, '日本'],
    ['👨‍👩‍👧‍👦 family', 3, '👨‍👩‍👧‍👦 '],
    ['🇩🇪🇫🇷🇮🇹', 4, '🇩🇪🇫🇷'],
    ['e\u0301te\u0301', 2, 'e\u0301t'],
    ['two\nlines\tand \u001b[2J', 40, 'two↵lines⇥and ␛[2J'],
  ])('a line that has to fit cuts %s by what terminals show, to %i columns', (text, columns, cut) => {
    expect(fittedLine([text], columns)).toBe(cut)
  })

  it('a line that has to fit never takes more columns than there are, whatever stands in it', () => {
    const text = fc.oneof(
      wellFormedText(),
      fc
        .array(fc.constantFrom('日', '한', 'é', '👍🏽', '🇩🇪', '👨‍👩‍👧‍👦', ' ', 'x'))
        .map(signs => signs.join('')),
    )
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), fc.nat(120), (parts, columns) => {
        const line = fittedLine(parts, columns)
        expect(line).not.toMatch(/\p{Cc}/u)
        expect(columnsOf(line)).toBeLessThanOrEqual(columns)
      }),
    )
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zäöü日本語한국어 ]{0,60}$/u), fc.nat(80), (text, columns) => {
        expect(columnsOf(fittedLine([text], columns))).toBeLessThanOrEqual(columns)
      }),
    )
  })
})
