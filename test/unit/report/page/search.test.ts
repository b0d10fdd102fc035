import { describe, expect, it } from 'vitest'
import { createFilter } from '../../../../src/report/page/search.ts'

const filter = createFilter([
  {
    status: 'in_doubt',
    source: 'people.csv',
    row: 7,
    line: 8,
    key: 'José-7',
    column: 'Straße',
    value: 'Ｗｉｄｅ',
    messages: ['one', 'two'],
    answer: undefined,
    at: undefined,
  },
])

describe('the search in rows', () => {
  it.each([
    'jose',
    'JOSÉ',
    'people.csv:8',
    'in doubt',
    'wide',
    'two one',
    '  strasse '.replace('ss', 'ß'),
    '',
  ])('finds by %j', query => {
    expect(filter('', query)).toHaveLength(1)
  })

  it('needs all words', () => {
    expect(filter('', 'jose three')).toEqual([])
  })

  it('looks only at rows of the status', () => {
    expect(filter('in_doubt', 'jose')).toHaveLength(1)
    expect(filter('failed', 'jose')).toEqual([])
  })
})
