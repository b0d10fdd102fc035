import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../src/report/logger.ts'
import { lineProgress, type Measured } from '../../../src/report/progress.ts'
import { barProgress } from '../../../src/report/progress-bar.ts'
import { Tally } from '../../../src/report/tally.ts'
import { type TestClock, testClock } from '../../support/clock.ts'

/** A run of which so many rows came to an end, on a clock that the test turns. */
function runOf(changes: Partial<Measured> = {}): Measured & { readonly clock: TestClock } {
  return { tally: new Tally(), totalBytes: undefined, ...changes, clock: testClock() }
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

  it('is told every five seconds, and at the end', async () => {
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

  it('tells the rows, how fast they come, and how long it takes', async () => {
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

  it('tells what holds the run back', async () => {
    const run = runOf()
    const { lines } = await linesOf(run)
    run.tally.take({ type: 'concurrency', atOnce: 5, most: 10 })
    run.tally.take({ type: 'hold', forMs: 6_000, asked: true })
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

  it('is drawn ten times a second, until the end', async () => {
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

  it('says what it waits for', async () => {
    const run = runOf()
    const { shown } = barOf(run)
    run.tally.take({ type: 'concurrency', atOnce: 5, most: 10 })
    run.tally.take({ type: 'hold', forMs: 6_000, asked: true })
    await run.clock.advance(100)
    expect(shown()).toBe('0 rows · 0.0 rows/s · waiting 6.0 s, as the service asks')
    run.tally.take({ type: 'resumed' })
    await run.clock.advance(100)
    expect(shown()).toBe('0 rows · 0.0 rows/s · 5 of 10 at once')
  })
})
