import { describe, expect, it } from 'vitest'
import { hasWords, searchText, searchWords } from '../../../../src/report/page/search.ts'

const text = searchText({
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
})

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
    expect(hasWords(text, searchWords(query))).toBe(true)
  })

  it('needs all words', () => {
    expect(hasWords(text, searchWords('jose three'))).toBe(false)
  })
})
