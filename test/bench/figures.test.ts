import { describe, expect, it } from 'vitest'
import { perSecond, ratios, spreadOf } from './figures.ts'

describe('figures of several rounds', () => {
  it('figures of several rounds have a median, a lowest and a highest, in whatever order they came', () => {
    expect(spreadOf([3, 1, 10])).toEqual({ median: 3, lowest: 1, highest: 10 })
    expect(spreadOf([4, 1, 2, 3])).toEqual({ median: 2.5, lowest: 1, highest: 4 })
    expect(spreadOf([7])).toEqual({ median: 7, lowest: 7, highest: 7 })
  })

  it('figures of several rounds have no median when there are none', () => {
    expect(() => spreadOf([])).toThrow('median')
  })

  it('figures of several rounds are compared round by round', () => {
    expect(ratios([10, 30], [5, 10])).toEqual([2, 3])
  })

  it('figures of several rounds become rates by their durations', () => {
    expect(perSecond(1_000, [500, 2_000])).toEqual([2_000, 500])
  })
})
