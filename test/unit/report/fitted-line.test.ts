import fc from 'fast-check'
import sliceAnsi from 'slice-ansi'
import { describe, expect, it } from 'vitest'
import { fittedLine, linesOf } from '../../../src/report/fitted-line.ts'

const parts = [
  { text: '██████', short: '██', rank: 1, leads: true },
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
    [80, '██████ 45% · 1,234 rows · 20 rows/s · 3 bad'],
    [44, '██████ 45% · 1,234 rows · 20 rows/s · 3 bad'],
    [42, '██ 45% · 1,234 rows · 20 rows/s · 3 bad'],
    [38, '45% · 1,234 rows · 20 rows/s · 3 bad'],
    [30, '45% · 1,234 rows · 3 bad'],
    [20, '45% · 3 bad'],
    [8, '45%'],
    [3, '45'],
    [1, ''],
    [0, ''],
  ])('in %i columns loses what matters least', (columns, line) => {
    expect(fittedLine(parts, columns)).toBe(line)
  })

  it.each([
    ['日本語の名前', 6, '日本語'],
    ['日本語の名前', 5, '日本'],
    ['👨‍👩‍👧‍👦 family', 4, '👨‍👩‍👧‍👦 '],
    ['🇩🇪🇫🇷🇮🇹', 4, '🇩🇪🇫🇷'],
    ['e\u0301te\u0301', 3, 'e\u0301t'],
    ['two\nlines\tand \u001b[2J', 40, 'two lines and  [2J'],
  ])('cuts %s by what terminals show, to %i columns', (text, columns, cut) => {
    expect(fittedLine([{ text, rank: 1 }], columns)).toBe(cut)
  })

  it('never takes more columns than there are, whatever stands in it', () => {
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
          expect(sliceAnsi(line, 0, columns)).toBe(line)
        },
      ),
    )
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zäöü日本語한국어 ]{0,60}$/u), fc.nat(80), (text, columns) => {
        expect(columnsOf(fittedLine([{ text, rank: 1 }], columns))).toBeLessThanOrEqual(columns)
      }),
    )
  })

  it('is known to take several lines where a terminal becomes narrow', () => {
    expect(linesOf('x'.repeat(40), 80)).toBe(1)
    expect(linesOf('x'.repeat(40), 21)).toBe(2)
    expect(linesOf('x'.repeat(40), 15)).toBe(3)
    expect(linesOf('x'.repeat(40), 1)).toBeGreaterThanOrEqual(40)
  })
})
