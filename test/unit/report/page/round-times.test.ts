import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { roundTimes } from '../../../../src/report/page/browser/round-times.ts'

const startMs = new Date(2026, 10, 21, 9, 12, 7).getTime()

describe('the labels of slices of time', () => {
  it('are their starts where they are few', () => {
    expect(roundTimes({ startMs, sliceMs: 2_000, count: 3, most: 5 })).toEqual([
      '09:12:07',
      '09:12:09',
      '09:12:11',
    ])
  })

  it('tell fractions of a second where slices are shorter than one', () => {
    expect(roundTimes({ startMs: startMs + 120, sliceMs: 400, count: 3, most: 5 })).toEqual([
      '09:12:07.1',
      '09:12:07.5',
      '09:12:07.9',
    ])
    const labels = roundTimes({ startMs, sliceMs: 100, count: 20, most: 4 })
    expect(labels.filter(Boolean)).toEqual(['09:12:07.0', '09:12:07.5', '09:12:08.0', '09:12:08.5'])
  })

  it('are round times that fall into them where they are many', () => {
    const labels = roundTimes({ startMs, sliceMs: 5_000, count: 48, most: 8 })
    expect(labels.filter(Boolean)).toEqual([
      '09:12:30',
      '09:13:00',
      '09:13:30',
      '09:14:00',
      '09:14:30',
      '09:15:00',
      '09:15:30',
      '09:16:00',
    ])
    expect(labels[4]).toBe('09:12:30')
  })

  it('name the day at midnight', () => {
    const labels = roundTimes({ startMs, sliceMs: 1_800_000, count: 60, most: 6 })
    expect(labels.filter(Boolean)).toEqual(['12:00', '18:00', '22 Nov', '06:00', '12:00'])
  })

  it('are never more than there is room for, and one at least', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 86_400_000 }),
        fc.integer({ min: 2, max: 20 }),
        (count, sliceMs, most) => {
          const labels = roundTimes({ startMs, sliceMs, count, most })
          expect(labels).toHaveLength(count)
          expect(labels.filter(Boolean).length).toBeLessThanOrEqual(most + 1)
        },
      ),
    )
  })
})
