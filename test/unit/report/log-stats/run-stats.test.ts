import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLine } from '../../../../src/report/log-stats/parse-line.ts'
import { RunTimeline } from '../../../../src/report/log-stats/run-stats.ts'
import { rowLine } from '../../../support/log-files.ts'

const startedAt = '2026-11-21T08:00:00.000Z'
const start = Date.parse(startedAt)
const at = (ms: number) => new Date(start + ms).toISOString()
const line = (status: string, ms: number, more: object = {}) =>
  parseLine(rowLine(status, 1, { at: at(ms), ...more }))
const sum = (counts: readonly number[] = []) => counts.reduce((total, count) => total + count, 0)

describe('the timeline of a run', () => {
  it('counts what happened in each slice', () => {
    const timeline = new RunTimeline('R1', startedAt)
    for (const [status, ms] of [
      ['created', 100],
      ['created', 900],
      ['failed', 1500],
      ['in_doubt', 2500],
      ['duplicate', 9000],
    ] as const)
      timeline.take(line(status, ms))
    expect(timeline.facts()).toEqual({
      run: 'R1',
      startedAt,
      sliceMs: 1000,
      slices: 3,
      counts: {
        created: [2, 0, 0],
        existing: [0, 0, 0],
        merged: [0, 0, 0],
        invalid: [0, 0, 0],
        failed: [0, 1, 0],
        in_doubt: [0, 0, 1],
      },
    })
  })

  it('has at most 120 slices however long a run is, and loses no row', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -100_000, max: 1_000_000_000 }), { minLength: 1 }), times => {
        const timeline = new RunTimeline('R1', startedAt)
        for (const ms of times) timeline.take(line('created', ms))
        const facts = timeline.facts()
        expect(facts?.slices).toBeLessThanOrEqual(120)
        expect(sum(facts?.counts.created)).toBe(times.length)
        for (const counts of Object.values(facts?.counts ?? {}))
          expect(counts).toHaveLength(facts?.slices ?? 0)
        const slice = (ms: number) => Math.floor(Math.max(0, ms) / (facts?.sliceMs ?? 1))
        for (const ms of times) expect(facts?.counts.created[slice(ms)]).toBeGreaterThan(0)
      }),
    )
  })

  it('accepts invalid times and the latest possible time', () => {
    const timeline = new RunTimeline('R1', 'no time')
    expect(timeline.facts()).toBeUndefined()
    timeline.take(parseLine(rowLine('created', 1, { at: 'x' })))
    timeline.take(parseLine(rowLine('created', 2, { at: startedAt })))
    timeline.take(parseLine(rowLine('created', 3, { at: new Date(8.64e15).toISOString() })))
    timeline.take(parseLine(rowLine('toString', 3)))
    expect(timeline.facts()).toMatchObject({ startedAt })
    expect(sum(timeline.facts()?.counts.created)).toBe(2)
  })
})
