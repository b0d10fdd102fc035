import { describe, expect, it } from 'vitest'
import { importRows } from '../../../src/index.ts'
import { collected, taskMapping, taskRows } from '../../support/library.ts'

const inCircle: Record<string, unknown> = { Id: 1 }
inCircle.self = inCircle
const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)

describe('row of a program', () => {
  it.each([
    ['undefined in a field', { Id: 1, Name: undefined }, 'Name is undefined, which JSON cannot represent'],
    ['a bigint', { Id: 12n }, 'Id is a bigint, which JSON cannot represent { Id: 12n }'],
    ['a function', { Id: () => 1 }, 'Id is a function'],
    ['a symbol', { Id: Symbol('x') }, 'Id is a symbol'],
    ['NaN', { Id: Number.NaN }, 'Id is NaN'],
    ['a Map', { Id: new Map([[1, 2]]) }, 'Id is a Map'],
    ['a circle', inCircle, 'the row is TypeError: Converting circular structure'],
    ['a depth that nobody can write', { Id: deep }, 'the row is RangeError'],
    ['undefined for a row', undefined, 'the row is undefined'],
    ['a list', [1], '[1]'],
    ['text', 'Ada', '"Ada"'],
  ])(
    'a row of a program that JSON cannot hold is invalid, and the others go on: %s',
    async (_, row, quote) => {
      const rows = [{ Id: 1, Name: 'One' }, row, { Id: 2, Name: 'Two' }]
      const outcomes = await collected(
        importRows({ rows: rows as object[], mapping: taskMapping, dryRun: true }),
      )
      expect(outcomes.map(({ status, row }) => [row, status])).toEqual([
        [1, 'valid'],
        [2, 'invalid'],
        [3, 'valid'],
      ])
      const refused = outcomes[1]
      if (refused?.status !== 'invalid') throw new Error('it was taken')
      const [error] = refused.errors
      expect(`${error?.message} ${error?.value}`).toContain(quote)
    },
  )
})

describe('rows of a program', () => {
  const outcomesOf = (rows: AsyncIterable<object> | Iterable<object>) =>
    collected(importRows({ rows, mapping: taskMapping, dryRun: true }))

  it('rows of a program are taken only when there is room for them', async () => {
    let taken = 0
    function* rows() {
      for (;;) {
        taken += 1
        yield { Id: taken, Name: 'Task' }
      }
    }
    for await (const { row } of importRows({ rows: rows(), mapping: taskMapping, dryRun: true }))
      if (row === 10) break
    expect(taken).toBeLessThan(15)
  })

  it('rows of a program all arrive, also those before an error', async () => {
    async function* rows() {
      yield* taskRows(20)
      throw new Error('broken')
    }
    const run = importRows({ rows: rows(), mapping: taskMapping, dryRun: true })
    expect(await collected(run)).toHaveLength(20)
    expect((await run.summary()).stopped).toMatchObject({
      reason: 'source',
      message: expect.stringContaining('broken'),
    })
  })

  it('rows of a program may be a list, or anything else that can be looped over', async () => {
    expect(await outcomesOf(taskRows(2))).toHaveLength(2)
    expect(await outcomesOf(new Set(taskRows(2)))).toHaveLength(2)
    expect(await outcomesOf([])).toEqual([])
  })
})
