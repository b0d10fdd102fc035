import { describe, expect, it } from 'vitest'
import { Column } from '../../../../src/features/draft/columns/column.ts'

const columnOf = (count: number, value: (at: number) => string) => {
  const column = new Column('Email')
  for (let at = 1; at <= count; at += 1) column.add(value(at), at + 1)
  return column
}

describe('column of many values', () => {
  it('a column of many values still finds the one far down that is not of its kind', () => {
    const { fits } = columnOf(9_000, at => (at === 8_000 ? 'nope' : `a${at}@example.com`))
    expect(fits.emails).toMatchObject({ misfits: 1, misfit: { text: 'nope', line: 8_001 } })
  })

  it('a column of many values counts what is rare among the first ones to the end', () => {
    const { fits } = columnOf(9_000, at => (at % 10 === 0 ? '2026-01-02' : 'text'))
    expect(fits.date).toMatchObject({ count: 900, misfits: 8_100 })
  })
})
