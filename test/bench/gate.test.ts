import { describe, expect, it } from 'vitest'
import { Gate } from './gate.ts'

/** Asks at each of the given times; returns how many calls were let in. */
const admitted = (gate: Gate, timesMs: readonly number[]) => timesMs.filter(ms => gate.admits(ms)).length

const every = (stepMs: number, fromMs: number, toMs: number) =>
  Array.from({ length: (toMs - fromMs) / stepMs }, (_, at) => fromMs + at * stepMs)

describe('gate of the benchmarks server', () => {
  it('the gate lets all calls in without a rate, and times them to the last answer', () => {
    const gate = new Gate([{}])
    expect(admitted(gate, [5_000, 5_001])).toBe(2)
    gate.answered(5_030)
    expect(gate.counts).toEqual([{ accepted: 2, refused: 0, heldAtStart: 0, startMs: 5_000, endMs: 5_030 }])
  })

  it("the gate allows one second's worth at once, then what flows in", () => {
    const gate = new Gate([{ perSecond: 10 }])
    expect(admitted(gate, Array(15).fill(1_000))).toBe(10)
    expect(admitted(gate, [1_099])).toBe(0)
    expect(admitted(gate, [1_200, 1_200, 1_200])).toBe(2)
    expect(gate.counts[0]).toMatchObject({ accepted: 12, refused: 7, heldAtStart: 10 })
  })

  it('the gate never holds more than that, however long there are no calls', () => {
    const gate = new Gate([{ perSecond: 10 }])
    gate.admits(0)
    expect(admitted(gate, Array(30).fill(60_000))).toBe(10)
  })

  it('the gate changes the rate when a phase is over, and counts each phase by itself', () => {
    const gate = new Gate([
      { perSecond: 100, lastsMs: 1_000 },
      { perSecond: 10, lastsMs: 2_000 },
      { perSecond: 100 },
    ])
    admitted(gate, every(5, 0, 4_000))
    gate.answered(4_020)
    expect(gate.counts).toMatchObject([
      { accepted: 199, startMs: 0, endMs: 1_000, heldAtStart: 100 },
      { startMs: 1_000, endMs: 3_000 },
      { startMs: 3_000, endMs: 4_020 },
    ])
    expect(gate.counts[1]?.accepted).toBeLessThanOrEqual(30)
    expect(gate.counts[2]?.accepted).toBeGreaterThanOrEqual(99)
  })

  it('the gate knows phases in which no call came', () => {
    const gate = new Gate([{ lastsMs: 10 }, { lastsMs: 10 }, {}])
    admitted(gate, [0, 25])
    expect(gate.counts.map(({ accepted, startMs }) => [accepted, startMs])).toEqual([
      [1, 0],
      [0, 10],
      [1, 20],
    ])
  })
})
