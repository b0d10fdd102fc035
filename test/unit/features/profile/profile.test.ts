import { describe, expect, it } from 'vitest'
import { SourceProfile } from '../../../../src/features/profile/profile.ts'
import { problem } from '../../../../src/model/problem.ts'
import type { Row } from '../../../../src/model/row.ts'

const rowOf = (row: number, cells: readonly (readonly [string, unknown])[]): Row => ({
  source: 'a.csv',
  row,
  line: row + 1,
  value: column => cells.find(([name]) => name === column)?.[1],
  cells: () => cells,
})

describe('the profile of a source', () => {
  const columnsOf = (profile: SourceProfile) => profile.facts(column => [`of ${column}`])

  it('the profile of a source is in the order of the header, also of columns without any value', () => {
    const profile = new SourceProfile(['First', 'Mail', 'Fax', 'First'])
    profile.take(rowOf(1, [['Mail', ' a@x.example '], ['First', 'Ada'], ['Fax', ''], ['First', 'Bo']])) // biome-ignore format: a row
    const { rows, columns, more } = columnsOf(profile)
    expect([rows, more]).toEqual([1, 0])
    expect(columns.map(({ column, filled, distinct }) => [column, filled, distinct])).toEqual([
      ['First', 1, 2],
      ['Mail', 1, 1],
      ['Fax', 0, 0],
    ])
    expect(columns[1]).toMatchObject({ fields: ['of Mail'], longest: { length: 11 } })
  })

  it('the profile of a source takes objects by their paths and lists by their items', () => {
    const profile = new SourceProfile()
    const cells = [['name', { first: 'Ada' }], ['mails', [{ to: 'a' }, { to: 'b' }]], ['age', 36], ['gone', null]] as const // biome-ignore format: a row
    profile.take(rowOf(1, cells))
    expect(columnsOf(profile).columns.map(({ column, filled }) => [column, filled])).toEqual([
      ['name.first', 1],
      ['mails.to', 1],
      ['age', 1],
      ['gone', 0],
    ])
  })

  it('the profile of a source leaves out rows that cannot be read, and the columns of rejected rows', () => {
    const profile = new SourceProfile()
    profile.take({ ...rowOf(1, [['First', 'x']]), fault: problem('not_object') })
    profile.take(rowOf(2, [['rowlift_key', 'x'], ['', 'y']])) // biome-ignore format: a row
    expect(columnsOf(profile)).toEqual({ rows: 1, columns: [], more: 0 })
  })

  it('the profile of a source shows a thousand columns at most', () => {
    const profile = new SourceProfile(Array.from({ length: 1_200 }, (_, at) => `c${at}`))
    expect(columnsOf(profile)).toMatchObject({ columns: { length: 1_000 }, more: 200 })
  })
})
