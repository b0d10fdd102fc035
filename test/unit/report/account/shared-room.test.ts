import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SharedRoom } from '../../../../src/report/account/shared-room.ts'

describe('room that groups share', () => {
  it('holds all while there is room', () => {
    const room = new SharedRoom<string, number>(10)
    for (let at = 0; at < 10; at += 1) room.offer(at % 3 === 0 ? 'a' : 'b', () => at)
    expect(room.of('a')).toEqual([0, 3, 6, 9])
    expect(room.of('b')).toEqual([1, 2, 4, 5, 7, 8])
    expect(room.of('c')).toEqual([])
  })

  it('leaves room for a group that comes when it is full, and keeps the first of each', () => {
    const room = new SharedRoom<string, number>(100)
    for (let at = 0; at < 10_000; at += 1) room.offer('many', () => at)
    room.offer('late', () => 1)
    expect(room.of('late')).toEqual([1])
    expect(room.of('many').length).toBeGreaterThanOrEqual(89)
    expect(room.of('many').slice(0, 3)).toEqual([0, 1, 2])
  })

  it('never holds more, and something of each group, in whatever order they come', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(19), { maxLength: 500 }), groups => {
        const room = new SharedRoom<number, number>(40)
        for (const group of groups) room.offer(group, () => group)
        const held = [...new Set(groups)].map(group => room.of(group).length)
        expect(held.reduce((total, count) => total + count, 0)).toBeLessThanOrEqual(40)
        expect(held.every(count => count > 0)).toBe(true)
        if (groups.length <= 40) expect(held.reduce((a, b) => a + b, 0)).toBe(groups.length)
      }),
    )
  })
})
