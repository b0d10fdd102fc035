import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RunTimeline } from '../../../../src/report/account/timeline.ts'
import { toldLine } from '../../../../src/report/account/told-line.ts'
import { rowLine } from '../../../support/log-files.ts'

const startedAt = '2026-11-21T08:00:00.000Z'
const start = Date.parse(startedAt)
const at = (ms: number) => new Date(start + ms).toISOString()
const line = (status: string, ms: number, more: object = {}) =>
  toldLine(rowLine(status, 1, { at: at(ms), ...more }))
const sum = (counts: readonly number[] = []) => counts.reduce((total, count) => total + count, 0)

describe('the timeline of a run', () => {
  it('counts what happened in each slice', () => {
    const timeline = new RunTimeline('R1', startedAt)
    for (const [status, ms] of [
      ['created', 10],
      ['created', 90],
      ['failed', 150],
      ['in_doubt', 250],
      ['duplicate', 900],
    ] as const)
      timeline.take(line(status, ms, { attempts: 3, throttled: 1 }))
    expect(timeline.facts()).toEqual({
      startedAt,
      sliceMs: 100,
      created: [2, 0, 0],
      existing: [0, 0, 0],
      invalid: [0, 0, 0],
      failed: [0, 1, 0],
      inDoubt: [0, 0, 1],
      repeated: [4, 2, 2],
      throttled: [2, 1, 1],
    })
  })

  it('has no more than 120 slices however long a run is, and loses no row by it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -100_000, max: 1_000_000_000 }), { minLength: 1 }), times => {
        const timeline = new RunTimeline('R1', startedAt)
        for (const ms of times) timeline.take(line('created', ms))
        const facts = timeline.facts()
        expect(facts?.created.length).toBeLessThanOrEqual(120)
        expect(sum(facts?.created)).toBe(times.length)
        expect(new Set([facts?.existing.length, facts?.throttled.length])).toEqual(
          new Set([facts?.created.length]),
        )
        const slice = (ms: number) => Math.floor(Math.max(0, ms) / (facts?.sliceMs ?? 1))
        for (const ms of times) expect(facts?.created[slice(ms)]).toBeGreaterThan(0)
      }),
    )
  })

  it('bears times that are none, or at the end of all time', () => {
    const timeline = new RunTimeline('R1', 'no time')
    expect(timeline.facts()).toBeUndefined()
    timeline.take(toldLine(rowLine('created', 1, { at: 'x' })))
    timeline.take(toldLine(rowLine('created', 2, { at: startedAt })))
    timeline.take(toldLine(rowLine('created', 3, { at: new Date(8.64e15).toISOString() })))
    timeline.take(toldLine(rowLine('toString', 3)))
    expect(timeline.facts()).toMatchObject({ startedAt })
    expect(sum(timeline.facts()?.created)).toBe(2)
  })
})
