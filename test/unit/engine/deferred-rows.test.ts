import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeferredRows } from '../../../src/engine/deferred-rows.ts'
import { problem } from '../../../src/model/problem.ts'
import { describeProblem } from '../../../src/output/words.ts'
import { rowOf } from '../../support/mappings.ts'
import { isLong } from '../../support/random.ts'

/** Adds a row, by its number, that waits for others. */
function add(waiting: DeferredRows, number: number, ...others: readonly number[]): void {
  const row = rowOf({}, number)
  waiting.add(
    {
      row,
      identity: { source: row.source, row: number, line: row.line, key: String(number), hash: '' },
      before: undefined,
      waitsOn: others.map(on => ({ on, path: 'parent.record_id', column: 'Parent', value: String(on) })),
    },
    number,
  )
}

/** The numbers of the rows that are ready, which are taken out. */
function takeReady(waiting: DeferredRows): number[] {
  const numbers: number[] = []
  for (let next = waiting.next(); next !== undefined; next = waiting.next()) numbers.push(next.row.row)
  return numbers
}

const takeCircles = (waiting: DeferredRows) =>
  waiting
    .takeCircles()
    .map(({ row, outcome }) => ({ number: row.row, errors: 'errors' in outcome ? outcome.errors : [] }))

const circleNumbers = (waiting: DeferredRows) =>
  takeCircles(waiting)
    .map(({ number }) => number)
    .sort((a, b) => a - b)

describe('rows that wait', () => {
  it('rows that wait are released in their order, once what they wait for has its end', () => {
    const waiting = new DeferredRows()
    add(waiting, 5, 1)
    add(waiting, 4, 2)
    add(waiting, 3, 1)
    expect(waiting.count).toBe(3)
    expect(takeReady(waiting)).toEqual([])
    waiting.release(1)
    expect(takeReady(waiting)).toEqual([5, 3])
    expect(waiting.count).toBe(1)
    waiting.release(2)
    waiting.release(1)
    expect(takeReady(waiting)).toEqual([4])
    expect(waiting.count).toBe(0)
  })

  it('rows that wait are released in the order in which the rows before them settle', () => {
    const waiting = new DeferredRows()
    for (const number of [1, 2, 3]) add(waiting, number, number + 10)
    for (const number of [12, 13, 11]) waiting.release(number)
    expect(takeReady(waiting)).toEqual([2, 3, 1])
  })

  it('rows that wait do so for all that they name, and for each of them once', () => {
    const waiting = new DeferredRows()
    add(waiting, 1, 8, 9, 8)
    waiting.release(8)
    expect(waiting.next()).toBeUndefined()
    waiting.release(9)
    expect(takeReady(waiting)).toEqual([1])
  })

  it('rows that wait may wait again for something else', () => {
    const waiting = new DeferredRows()
    add(waiting, 1, 8)
    waiting.release(8)
    expect(takeReady(waiting)).toEqual([1])
    add(waiting, 1, 9)
    waiting.release(8)
    expect(takeReady(waiting)).toEqual([])
    waiting.release(9)
    expect(takeReady(waiting)).toEqual([1])
  })

  it('rows that wait are known by their numbers until they are taken up again', () => {
    const waiting = new DeferredRows()
    add(waiting, 1, 8)
    add(waiting, 1, 8)
    expect(waiting.has(1)).toBe(true)
    expect(waiting.has(8)).toBe(false)
    waiting.release(8)
    expect(waiting.has(1)).toBe(true)
    expect(takeReady(waiting)).toEqual([1, 1])
    expect(waiting.has(1)).toBe(false)
  })

  it('rows that wait tell what they wait for that does not wait itself', () => {
    const waiting = new DeferredRows()
    add(waiting, 1, 2)
    add(waiting, 2, 3, 4)
    expect(waiting.awaited().sort()).toEqual([3, 4])
  })
})

describe('circle of rows', () => {
  it('a circle of one row is reported', () => {
    const waiting = new DeferredRows()
    add(waiting, 1, 1)
    add(waiting, 2, 1)
    expect(takeCircles(waiting)).toEqual([
      {
        number: 1,
        errors: [
          {
            path: 'parent.record_id',
            column: 'Parent',
            value: '1',
            ...problem('circular_link', { rows: ['rows.csv row 1', 'rows.csv row 1'] }),
          },
        ],
      },
    ])
    expect(waiting.count).toBe(1)
    waiting.release(1)
    expect(takeReady(waiting)).toEqual([2])
  })

  it('a circle of two rows is reported for each, beginning with that row', () => {
    const waiting = new DeferredRows()
    add(waiting, 1, 2)
    add(waiting, 2, 1)
    expect(
      takeCircles(waiting).map(({ number, errors }) => [number, errors[0] && describeProblem(errors[0])]),
    ).toEqual([
      [1, expect.stringMatching(/: rows.csv row 1, rows.csv row 2, rows.csv row 1$/)],
      [2, expect.stringMatching(/: rows.csv row 2, rows.csv row 1, rows.csv row 2$/)],
    ])
    expect(waiting.count).toBe(0)
  })

  it('a circle is not made of rows that only lead to it, or away from it', () => {
    const waiting = new DeferredRows()
    add(waiting, 9, 1)
    add(waiting, 1, 2)
    add(waiting, 2, 3, 7)
    add(waiting, 3, 1)
    add(waiting, 7, 8)
    expect(circleNumbers(waiting)).toEqual([1, 2, 3])
    expect(waiting.count).toBe(2)
  })

  it('a circle that shares a row with another leaves the other’s rows to wait for that row', () => {
    const waiting = new DeferredRows()
    add(waiting, 1, 2, 3)
    add(waiting, 2, 1)
    add(waiting, 3, 1)
    const first = circleNumbers(waiting)
    expect([
      [1, 2],
      [1, 3],
    ]).toContainEqual(first)
    for (const number of first) waiting.release(number)
    expect([...first, ...takeReady(waiting)].sort()).toEqual([1, 2, 3])
    expect(waiting.count).toBe(0)
  })

  it('a circle is reported apart from another without common rows', () => {
    const waiting = new DeferredRows()
    for (const [number, other] of [
      [1, 2],
      [2, 1],
      [3, 4],
      [4, 3],
    ] as const)
      add(waiting, number, other)
    expect(circleNumbers(waiting)).toEqual([1, 2, 3, 4])
  })

  it('a circle is no longer one when a row of it was taken out', () => {
    const waiting = new DeferredRows()
    add(waiting, 1, 2)
    add(waiting, 2, 3)
    expect(takeCircles(waiting)).toEqual([])
    expect(waiting.count).toBe(2)
  })
})

describe('many rows', () => {
  const many = isLong ? 100_000 : 20_000

  it('a chain in reverse order comes to its end at once', () => {
    const waiting = new DeferredRows()
    for (let number = many; number > 1; number--) add(waiting, number, number - 1)
    expect(takeCircles(waiting)).toEqual([])
    let released = 0
    for (let number = 1; number < many; number++) {
      waiting.release(number)
      released += takeReady(waiting).length
    }
    expect([released, waiting.count]).toEqual([many - 1, 0])
  })

  it('many rows may all wait for the same row', () => {
    const waiting = new DeferredRows()
    for (let number = 1; number <= many; number++) add(waiting, number, 0)
    waiting.release(0)
    expect(takeReady(waiting)).toHaveLength(many)
  })

  it('one circle has them all, and its errors stay short', () => {
    const waiting = new DeferredRows()
    for (let number = 1; number <= 20_000; number++) add(waiting, number, number === 20_000 ? 1 : number + 1)
    const circle = takeCircles(waiting)
    expect(circle).toHaveLength(20_000)
    expect(
      Math.max(...circle.map(({ errors }) => (errors[0] ? describeProblem(errors[0]).length : 0))),
    ).toBeLessThan(400)
    expect(waiting.count).toBe(0)
  })

  it('every two rows may be in a circle and all wait for one more, without a step for each', () => {
    const waiting = new DeferredRows()
    add(waiting, 0, -2)
    for (let number = 1; number <= many; number += 2) {
      add(waiting, number, number + 1, 0)
      add(waiting, number + 1, number, 0)
    }
    expect(circleNumbers(waiting)).toHaveLength(many)
  })

  it('each row may wait for the one before it and the first, without a step for each', () => {
    const waiting = new DeferredRows()
    add(waiting, 1, many)
    for (let number = 2; number <= many; number++) add(waiting, number, number - 1, 1)
    waiting.takeCircles()
    expect(waiting.count).toBeLessThan(many)
  })
})

describe('any order of waiting rows', () => {
  it('each row is released or in a circle once, and never before what it waits for', () => {
    const graph = fc.array(fc.array(fc.nat(11), { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 12,
    })
    fc.assert(
      fc.property(graph, rows => {
        const waiting = new DeferredRows()
        rows.forEach((others, number) => {
          add(waiting, number, ...others)
        })
        const ended = new Set<number>()
        const end = (number: number) => {
          expect(ended.has(number)).toBe(false)
          ended.add(number)
          waiting.release(number)
        }
        for (let round = 0; waiting.count > 0; round++) {
          expect(round).toBeLessThanOrEqual(rows.length)
          for (const number of waiting.awaited()) end(number)
          for (let next = waiting.next(); next !== undefined; next = waiting.next()) {
            expect(next.waitsOn.every(({ on }) => ended.has(on))).toBe(true)
            end(next.row.row)
          }
          for (const { number, errors } of takeCircles(waiting)) {
            expect(errors[0]?.path).toBe('parent.record_id')
            end(number)
          }
        }
        expect(rows.every((_, number) => ended.has(number))).toBe(true)
      }),
    )
  })
})
