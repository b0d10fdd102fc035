import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineOf, linesOfRows } from '../../../../src/app/library/lines-of-rows.ts'
import { importRows } from '../../../../src/index.ts'
import { collected, taskMapping } from '../../../support/library.ts'

class Money {
  toJSON() {
    return '3.50'
  }
}
const inCircle: Record<string, unknown> = { Id: 1 }
inCircle.self = inCircle
const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)

describe('a row of a program', () => {
  it('is the line of NDJSON that holds the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(lineOf(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('whatever it is, is one line', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withSet: true, withDate: true }), value => {
        expect(lineOf(value)).not.toMatch(/[\r\n]/)
        expect(lineOf(value)).not.toBe('')
      }),
    )
  })

  it('may hold dates, and whatever else says itself how JSON writes it', () => {
    expect(lineOf({ at: new Date(0), of: new Money() })).toBe('{"at":"1970-01-01T00:00:00.000Z","of":"3.50"}')
  })

  it.each([
    ['undefined in a field', { Id: 1, Name: undefined }, 'Name is undefined, which JSON cannot represent'],
    ['a bigint', { Id: 12n }, 'Id is a bigint, which JSON cannot represent: { Id: 12n }'],
    ['a function', { Id: () => 1 }, 'Id is a function'],
    ['a symbol', { Id: Symbol('x') }, 'Id is a symbol'],
    ['NaN', { Id: Number.NaN }, 'Id is NaN'],
    ['a Map', { Id: new Map([[1, 2]]) }, 'Id is a Map'],
    ['a circle', inCircle, 'the row is TypeError: Converting circular structure'],
    ['a depth that nobody can write', { Id: deep }, 'the row is RangeError'],
    ['undefined for a row', undefined, 'the row is undefined'],
    ['a list', [1], '[1]'],
    ['text', 'Ada', '"Ada"'],
  ])('that JSON cannot hold is invalid, and the others go on: %s', async (_, row, quote) => {
    const rows = [{ Id: 1, Name: 'One' }, row, { Id: 2, Name: 'Two' }]
    const outcomes = await collected(
      importRows({ rows: rows as object[], mapping: taskMapping, dryRun: true }),
    )
    expect(outcomes.map(({ status, row }) => [row, status])).toEqual([
      [1, 'valid'],
      [2, 'invalid'],
      [3, 'valid'],
    ])
    expect(outcomes[1]).toMatchObject({ errors: [{ value: expect.stringContaining(quote) }] })
  })
})

describe('rows of a program', () => {
  it('are taken only when there is room for them', async () => {
    let taken = 0
    function* rows() {
      for (;;) {
        taken += 1
        yield { taken }
      }
    }
    const lines = linesOfRows(rows())[Symbol.asyncIterator]()
    for (let at = 0; at < 10; at += 1) await lines.next()
    expect(taken).toBeLessThan(15)
    await lines.return?.()
  })

  it('all arrive, also those before an error', async () => {
    async function* rows() {
      for (let n = 1; n <= 20; n += 1) yield { n }
      throw new Error('broken')
    }
    const seen: string[] = []
    const reading = (async () => {
      for await (const line of linesOfRows(rows())) seen.push(String(line))
    })()
    await expect(reading).rejects.toThrow('broken')
    expect(seen.join('').split('\n')).toHaveLength(21)
  })

  it('may be a list, or anything else that can be looped over', async () => {
    expect(await text(linesOfRows([{ a: 1 }, { a: 2 }]))).toBe('{"a":1}\n{"a":2}\n')
    expect(await text(linesOfRows(new Set([{ a: 1 }])))).toBe('{"a":1}\n')
    expect(await text(linesOfRows([]))).toBe('')
  })
})
