import { describe, expect, it } from 'vitest'
import { holdsAll, searchedText, wordsOf } from '../../../../src/report/page/browser/search.ts'

const text = searchedText({
  status: 'in_doubt',
  word: 'in doubt',
  place: 'people.csv:8',
  row: 7,
  key: 'José-7',
  column: 'Straße',
  value: 'Ｗｉｄｅ',
  messages: ['one', 'two'],
})

describe('the search over rows', () => {
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
    expect(holdsAll(text, wordsOf(query))).toBe(true)
  })

  it('wants all words', () => {
    expect(holdsAll(text, wordsOf('jose three'))).toBe(false)
  })
})
