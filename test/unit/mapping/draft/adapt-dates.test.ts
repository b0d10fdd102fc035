import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { adaptedDates } from '../../../../src/mapping/draft/adapt-dates.ts'
import { Column } from '../../../../src/mapping/draft/column.ts'

const preset = `body:
  name: { from: Task }
  # The due date.
  date_info:
    due_date: { from: Due, as: date, format: iso }

tests:
  # Still no date
  - row: { Task: A, Due: soon }
    errors: [date_info.due_date]
  - row: { Task: A, Due: 10/05/2026 }
    errors: [date_info.due_date]
  - row: { Task: A }
    body: { name: A }
`
const columnOf = (...values: string[]) => {
  const column = new Column('Due')
  for (const [at, value] of values.entries()) column.add(value, at + 2)
  return column
}
const adapted = (...values: string[]) => adaptedDates(preset, [columnOf(...values)])

describe("the dates of a preset's draft", () => {
  it('stay as they are where the preset reads the values', () => {
    expect(adapted('2026-02-15')).toBe(preset)
  })

  it('get the format that the file has, and tests that want it refused go', () => {
    const text = adapted('15/02/2026', '2026-02-15')
    const { body, tests } = parse(text)
    expect(body.date_info.due_date).toEqual({ from: 'Due', as: 'date', format: ['iso', 'd/M/yyyy'] })
    expect(tests).toEqual([
      { row: { Task: 'A', Due: 'soon' }, errors: ['date_info.due_date'] },
      { row: { Task: 'A' }, body: { name: 'A' } },
    ])
    expect(text).toContain('# The due date.')
    expect(text).toContain('# Dates such as "15/02/2026" of this file are read as well.')
  })

  it('are asked about where day and month could be either, with both lines ready', () => {
    const text = adapted('03/04/2026')
    expect(parse(text).tests).toEqual([{ row: { Task: 'A' }, body: { name: 'A' } }])
    expect(text).not.toContain('Still no date')
    expect(parse(text).body.date_info.due_date).toEqual({
      from: 'Due',
      as: 'date',
      format: 'iso',
      otherwise: 'omit',
    })
    expect(text).toContain(
      '# Is "03/04/2026" in line 2 (column "Due") 3 April or 4 March? The values allow both.',
    )
    expect(text).toContain('# due_date: { from: Due, as: date, format: [iso, d/M/yyyy] }')
    expect(text).toContain('# due_date: { from: Due, as: date, format: [iso, M/d/yyyy] }')
  })
})
