import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fittedLine } from '../../../src/report/progress-bar.ts'

const parts = [
  { text: '45%', rank: 9 },
  { text: '1,234 rows', rank: 5 },
  { text: '20 rows/s', rank: 3 },
  { text: '3 bad', rank: 6 },
] as const

/** Columns that a terminal needs at most: two for each sign that is not of a plain alphabet. */
const columnsOf = (text: string) =>
  [...new Intl.Segmenter().segment(text)].reduce(
    (sum, { segment }) => sum + (/^[\u0020-\u024f█░·…]/u.test(segment) ? 1 : 2),
    0,
  )

describe('a line that has to fit', () => {
  it.each([
    [80, '45% · 1,234 rows · 20 rows/s · 3 bad'],
    [36, '45% · 1,234 rows · 20 rows/s · 3 bad'],
    [35, '45% · 1,234 rows · 3 bad'],
    [20, '45% · 3 bad'],
    [8, '45%'],
    [2, '45'],
    [0, ''],
  ])('in %i columns loses what matters least', (columns, line) => {
    expect(fittedLine(parts, columns)).toBe(line)
  })

  it.each([
    ['日本語の名前', 6, '日本語'],
    ['日本語の名前', 5, '日本'],
    ['👨‍👩‍👧‍👦 family', 3, '👨‍👩‍👧‍👦 '],
    ['🇩🇪🇫🇷🇮🇹', 4, '🇩🇪🇫🇷'],
    ['e\u0301te\u0301', 2, 'e\u0301t'],
    ['two\nlines\tand \u001b[2J', 40, 'two lines and  [2J'],
  ])('cuts %s by what terminals show, to %i columns', (text, columns, cut) => {
    expect(fittedLine([{ text, rank: 1 }], columns)).toBe(cut)
  })

  it('never takes more columns than there are, whatever it contains', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc
        .array(fc.constantFrom('日', '한', 'é', '👍🏽', '🇩🇪', '👨‍👩‍👧‍👦', ' ', 'x'))
        .map(signs => signs.join('')),
    )
    fc.assert(
      fc.property(
        fc.array(fc.record({ text, rank: fc.nat(9) }), { minLength: 1, maxLength: 6 }),
        fc.nat(120),
        (parts, columns) => {
          const line = fittedLine(parts, columns)
          expect(line).not.toMatch(/\p{Cc}/u)
          expect(columnsOf(line)).toBeLessThanOrEqual(columns)
        },
      ),
    )
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zäöü日本語한국어 ]{0,60}$/u), fc.nat(80), (text, columns) => {
        expect(columnsOf(fittedLine([{ text, rank: 1 }], columns))).toBeLessThanOrEqual(columns)
      }),
    )
  })
})
