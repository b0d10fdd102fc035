import { describe, expect, it } from 'vitest'
import { cellsOf } from './lines.ts'
import { grouped, markdownTable } from './table.ts'

const line = { what: 'speed', rowlift: '10', beside: 'got 8' }

describe('line of a table', () => {
  it('a line of a table has the median of its ratios, their range, and whether the bar is met', () => {
    expect(cellsOf({ ...line, ratios: [1.3, 1.2, 1.25], bar: { is: 'at least', ratio: 1.2 } })).toEqual([
      ...['speed', '10', 'got 8', '1.25 (1.20 to 1.30)', 'at least 1.2', 'met'],
    ])
  })

  it.each([
    [{ is: 'at least', ratio: 1.2 }, 1.19],
    [{ is: 'at most', ratio: 1 }, 1.001],
    [{ is: 'below', ratio: 0.05 }, 0.05],
  ] as const)('a line of a table misses the bar %j with %d', (bar, ratio) => {
    expect(cellsOf({ ...line, ratios: [ratio], bar }).at(-1)).toBe('missed')
  })

  it('a line of a table is not judged without a bar, and has no figures if there is nothing to compare', () => {
    expect(cellsOf({ ...line, ratios: [0.0123] }).slice(3)).toEqual(['0.012 (0.012 to 0.012)', '–', '–'])
    expect(cellsOf({ ...line, beside: 'curl is not here' }).slice(2)).toEqual([
      'curl is not here',
      '–',
      '–',
      '–',
    ])
  })
})

describe('table', () => {
  it('a table is written in Markdown, with figures to the right', () => {
    expect(markdownTable(['', 'rowlift'], [['rows', grouped(1234567.8)]])).toBe(
      '|  | rowlift |\n|---|--:|\n| rows | 1,234,568 |\n',
    )
  })
})
