import { describe, expect, it } from 'vitest'
import { ColumnProfile } from '../../../../src/features/profile/profile.ts'

const profileOf = (values: Iterable<string>, columns = 1) => {
  const profile = new ColumnProfile(() => columns)
  let line = 1
  for (const value of values) {
    line += 1
    profile.add(value, { source: 'a.csv', line })
  }
  return profile.facts()
}

describe('the profile of a column', () => {
  it('the profile of a column counts rows with a value, distinct values, the most frequent first, and shapes', () => {
    expect(profileOf(['2026-01-02', '', '2026-01-02', '2.1.26', '2026-03-04'])).toMatchObject({
      ...{ filled: 4, distinct: 3, hasMore: false },
      values: [['2026-01-02', 2]],
      shapes: [
        ['9999-99-99', 3],
        ['9.9.99', 1],
      ],
    })
  })

  it.each([
    ['ada.stone@example.com', 'aaa.aaa@aaa.aaa'],
    ['AB-12345 x', 'AA-99999 a'],
    ['Ångström ÄÖÜSS', 'Aaaa AAA'],
    ['José', 'Aaaa'],
    ['٣٤', '99'],
    ['東京 5–6', 'aa 9–9'],
    ['----- 😀', '----- 😀'],
    ['x'.repeat(41), 'aaa…'],
  ])('the profile of a column knows the shape of %s', (value, shape) => {
    expect(profileOf([value]).shapes).toEqual([[shape, 1]])
  })

  it('the profile of a column counts a row once that has several values', () => {
    const profile = new ColumnProfile(() => 1)
    const row = { source: 'a.csv', line: 2 }
    profile.add('a', row)
    profile.add('b', row)
    expect(profile.facts()).toMatchObject({ filled: 1, distinct: 2 })
  })

  it('the profile of a column has the longest value with its place and its start, and keeps long values apart by their ends', () => {
    const long = 'x'.repeat(5_000_000)
    const { longest, distinct, values } = profileOf(['short', `${long}1`, `${long}22`, `${long}1`])
    expect(longest).toEqual({
      ...{ start: `${'x'.repeat(60)}…`, length: 5_000_002 },
      place: { source: 'a.csv', line: 4 },
    })
    expect(distinct).toBe(3)
    expect(values).toEqual([[`${'x'.repeat(60)}…`, 2]])
  })

  it('the profile of a column keeps broken halves of characters apart', () => {
    expect(profileOf(['\ud800', '\ud801', '\ud800'])).toMatchObject({ distinct: 2, values: [['\ud800', 2]] })
  })

  it('the profile of a column never claims more than there is of a value, however many others come', () => {
    function* many() {
      for (let at = 0; at < 20_000; at += 1) yield at % 4 === 0 ? 'often' : `id ${at}`
    }
    const { hasMore, distinct, values, shapes } = profileOf(many(), 6_000)
    expect([hasMore, distinct]).toEqual([true, 50])
    expect(values).toEqual([['often', expect.any(Number)]])
    expect(values[0]?.[1]).toBeLessThanOrEqual(5_000)
    expect(values[0]?.[1]).toBeGreaterThan(4_600)
    expect(shapes.find(([shape]) => shape === 'aaa')).toEqual(['aaa', 5_000])
  })

  it('the profile of a column names no value as frequent if all differ', () => {
    expect(profileOf(Array.from({ length: 12_000 }, (_, at) => `id ${at}`)).values).toEqual([])
  })
})
