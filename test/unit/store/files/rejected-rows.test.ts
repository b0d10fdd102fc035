import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { membersOf } from '../../../../src/model/values.ts'
import {
  commonHeader,
  csvLine,
  rejectedLine,
  rejectsHeader,
} from '../../../../src/store/files/rejects-file.ts'
import { anyText } from '../../../support/any-text.ts'
import { rowOf } from '../../../support/mappings.ts'
import { cellsOf, read, readNdjson } from '../../../support/read-input.ts'

const columns = ['Name', 'Tag', 'Notes', 'Tag']
const header = commonHeader([{ path: 'a.csv', columns }])

/** Random text, often with characters that are special in CSV; without NUL, which is refused, and quotes before a blank at the end, which are not kept. */
const cell = fc
  .array(fc.oneof(anyText(), fc.constantFrom('"', '\r', '\n', '\r\n', ';', ',', '\t', ' ', '\uFEFF', '🙂')))
  .map(parts => parts.join('').replaceAll(/\p{Cs}|\0|"+(?=\s+$)/gu, ''))
const delimiter = fc.constantFrom(',', ';', '\t', '|', ';;', ', ')
const rule = fc.constantFrom(
  { type: 'first_line' } as const,
  { type: 'starts_with', cell: 'Notes' } as const,
  { type: 'columns', columns } as const,
)

describe('cells of rejected rows', () => {
  it('rejected cells are read back as they were, by the settings of their source', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell, cell, cell, cell, cell)),
        delimiter,
        rule,
        fc.constantFrom('utf-8', 'windows-1252', 'utf-16le', 'shift_jis'),
        async (records, delimiter, header_, encoding) => {
          const lines = records.map(([a, b, c, d, key, reason]) => {
            const { cells } = header.place('a.csv', [a, b, c, d])
            return `${csvLine([...cells, key, `: ${reason}`], delimiter)}\n`
          })
          const text = rejectsHeader(header, delimiter) + lines.join('')
          const rows = await read(text, { delimiter, encoding, header: header_, chunk: 50 })
          expect(cellsOf(rows)).toEqual(
            records.map(([a, b, c, d, key, reason]) => [a, b, c, d, key, `: ${reason}`]),
          )
          expect(rows.every(row => row.repaired && row.fault === undefined)).toBe(true)
        },
      ),
    )
  })

  it('rejected cells of several sources are under the columns of all', () => {
    const common = commonHeader([
      { path: 'a.csv', columns: ['Id', 'Name', 'rowlift_key', 'rowlift_reason'] },
      { path: 'b.csv', columns: ['Tag', 'Name', 'Tag', 'Id'] },
    ])
    expect(common.columns).toEqual(['Id', 'Name', 'Tag', 'Tag'])
    expect(common.place('a.csv', ['1', 'One', 'k', 'r'])).toEqual({
      cells: ['1', 'One', '', ''],
      surplus: [],
    })
    expect(common.place('b.csv', ['t', 'Two', 'u', '2', 'more'])).toEqual({
      cells: ['2', 'Two', 't', 'u'],
      surplus: ['more'],
    })
    expect(common.place('b.csv', ['t'])).toEqual({ cells: ['', '', 't', ''], surplus: [] })
    expect(common.place('c.csv', ['t'])).toEqual({ cells: ['', '', '', ''], surplus: ['t'] })
  })

  it('rejected cells are one line of CSV with the delimiter of their source', () => {
    expect(csvLine(['a', 'b;c', 'd,e'], ';')).toBe('a;"b;c";d,e')
  })

  it('rejected cells that were ragged are not sent as long as their reason says so', async () => {
    const line = (reason: string) => `${csvLine(['Ada', '', '', '', 'k', reason], ',')}\n`
    const text = rejectsHeader(header, ',') + line('ragged: has 2 cells') + line(' Ragged') + line('')
    const [marked, ...others] = await read(text, { ragged: 'pad' })
    expect(marked?.fault?.code).toBe('still_ragged')
    expect(others.map(row => row.fault)).toEqual([undefined, undefined])
  })
})

describe('rejected row of NDJSON', () => {
  it('a rejected row of NDJSON is the object that was read, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), async (object, key) => {
        const [row] = await readNdjson(JSON.stringify(object), { keepsLines: true })
        if (row === undefined) throw new Error('there is no row')
        const [again] = await readNdjson(rejectedLine(row, key, 'why'), { keepsLines: true })
        expect(again?.value('rowlift_key')).toBe(key)
        expect([...(again?.cells() ?? [])].slice(0, -2)).toEqual([...row.cells()])
        if (again) expect(rejectedLine(again, key, 'why')).toBe(rejectedLine(row, key, 'why'))
      }),
    )
  })

  it('a rejected row of NDJSON keeps its members as they were written', () => {
    const text = '{ "a" : 1.10 , "b":{"c":[1,{"d":"}"}]},"":"x\\",","\\u0061": 12345678901234567890 }'
    expect(membersOf(text)).toEqual([
      ['a', '"a" : 1.10'],
      ['b', '"b":{"c":[1,{"d":"}"}]}'],
      ['', '"":"x\\","'],
      ['a', '"\\u0061": 12345678901234567890'],
    ])
    expect(membersOf('{}')).toEqual([])
  })

  it('a rejected row of NDJSON that is not kept as written has its key and its reason', () => {
    expect(rejectedLine(rowOf({ A: 1 }), 'k', 'why')).toBe('{"rowlift_key":"k","rowlift_reason":"why"}')
  })

  it('a rejected row of NDJSON that could not be parsed comes back as that line', async () => {
    const [row] = await readNdjson('{"a": \u0007', { keepsLines: true })
    if (row === undefined) throw new Error('there is no row')
    const line = rejectedLine(row, 'sha256:0#1', 'is not JSON')
    const [again] = await readNdjson(line)
    expect([again?.text, again?.value('rowlift_key'), again?.value('a')]).toEqual([
      '{"a": \u0007',
      'sha256:0#1',
      undefined,
    ])
    expect(again?.fault?.code).toBe('still_not_json')
  })
})
