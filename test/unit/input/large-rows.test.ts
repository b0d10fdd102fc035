import { describe, expect, it } from 'vitest'
import { itLong } from '../../support/long.ts'
import { cellsOf, placesOf, read, readNdjson, sourceProblem } from '../../support/read-input.ts'

/** Cells x0, x1 and so on. */
const cells = (count: number) => Array.from({ length: count }, (_, at) => `x${at}`)

describe('header', () => {
  it.each([';', ','])('a header has 10,000 columns at most, between %j', async delimiter => {
    const table = (count: number) => `${cells(count).join(delimiter)}\n${cells(count).join(delimiter)}\n`
    expect(await read(table(10_000), { delimiter })).toMatchObject([{ row: 1, isRagged: false }])
    const params = { source: '-', columns: 10_001, most: 10_000 }
    expect(await sourceProblem(read(table(10_001), { delimiter }))).toEqual({
      code: 'too_many_columns',
      params,
    })
  })

  it('a header of rejected rows has its own two columns besides', async () => {
    const header = ['rowlift_key', 'rowlift_reason', ...cells(10_000)].join(',')
    const [row] = await read(`${header}\n${['k', '', ...cells(10_000)].join(',')}\n`)
    expect([row?.fault, row?.value('x9999')]).toEqual([undefined, 'x9999'])
  })

  it('a header that the mapping gives leaves a wide first row to be invalid', async () => {
    const [row] = await read(`${cells(10_001).join()}\n`, {
      header: { type: 'columns', columns: ['a', 'b'] },
    })
    expect(row?.fault?.code).toBe('too_many_values')
  })
})

describe('row', () => {
  it.each(['invalid', 'pad'] as const)(
    'a row of too many cells is one invalid row where ragged is %s',
    async ragged => {
      const wide = `1,2${','.repeat(999_998)}\n`
      const rows = await read(`A,B\n1,2\n${wide}3,4\n`, { ragged, chunk: 65_536 })
      expect(placesOf(rows)).toEqual([
        [1, 2],
        [2, 3],
        [3, 4],
      ])
      expect(rows.map(({ fault }) => fault)).toMatchObject(
        [{}, { code: 'too_many_values', params: { most: 10_000 } }, {}].map(fault =>
          'code' in fault ? fault : undefined,
        ),
      )
      expect(cellsOf(rows)[1]).toHaveLength(10_001)
    },
  )

  it('a row of too many cells keeps what they say, in its last one', async () => {
    const [row] = await read(`A\n${cells(12_000).join('|')}\n`, { delimiter: '|' })
    expect(cellsOf(row ? [row] : [])[0]?.join('|')).toBe(cells(12_000).join('|'))
  })

  itLong('a row of nothing but delimiters is too long over 10 MB, too', async () => {
    const endless = `A,B\n1,2\n${','.repeat(10_300_000)}`
    expect(await sourceProblem(read(endless, { chunk: 65_536 }))).toMatchObject({
      code: 'row_too_long',
      params: { line: 3 },
    })
  })
})

describe('object', () => {
  const members = (count: number) =>
    `{${cells(count)
      .map(name => `"${name}":1`)
      .join()}}`
  it.each([
    ['members', members(99_999), members(100_001)],
    ['items', `{"a":[${'0,'.repeat(99_000)}0]}`, `{"a":[${'0,'.repeat(100_000)}0]}`],
    [
      'signs in its texts',
      JSON.stringify({ a: '",[{\\'.repeat(100_000) }),
      `{"a":${'[{"b":"",'.repeat(50_001)}`,
    ],
    [
      'levels',
      `{"a":${'['.repeat(400)}${']'.repeat(400)}}`,
      `{"a":${'['.repeat(3_000_000)}${']'.repeat(3_000_000)}}`,
    ],
  ])('an object may have many %s, and more of them make one invalid row', async (_, most, more) => {
    const rows = await readNdjson(`${most}\n${more}\n{"a":1}\n`)
    expect(rows.map(({ fault }) => fault?.code)).toEqual([undefined, 'too_many_values', undefined])
  })
})
