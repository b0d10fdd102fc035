import { describe, expect, it } from 'vitest'
import { LookupTable } from '../../../../src/mapping/lookups/table.ts'
import { describeProblem } from '../../../../src/output/words.ts'

/** A table; its lines count from 2. */
function tableOf(...lines: readonly (readonly [key: string, value: unknown])[]): LookupTable {
  const table = new LookupTable('users.csv')
  lines.forEach(([key, value], at) => {
    table.add(key, value, at + 2)
  })
  return table
}

/** The words of what is wrong under a key. */
function problemUnder(table: LookupTable, key: string): string {
  const found = table.find(key)
  if ('problem' in found) return `${found.type}: ${describeProblem(found.problem)}`
  throw new Error(`there is something under ${key}: ${JSON.stringify(found)}`)
}

describe('lookup table', () => {
  it('a lookup table returns values unchanged, whatever their type', () => {
    const values = ['text', 0, false, 4.5, ['a', 'b'], { id: 1 }]
    const table = tableOf(...values.map((value, at): [string, unknown] => [`k${at}`, value]))
    expect(values.map((_, at) => table.find(`K${at}`))).toEqual(
      values.map(value => ({ type: 'found', value })),
    )
  })

  it('a lookup table keeps a number and its text apart', () => {
    expect(problemUnder(tableOf(['a', 1], ['a', '1']), 'a')).toContain('users.csv:2 and users.csv:3 differ')
  })

  it('a lookup table has an end, by its lines and what they hold', () => {
    const few = new LookupTable('few.csv', undefined, 10_000)
    few.add('long', 'v'.repeat(9_000), 2)
    expect(() => {
      for (let line = 3; line < 20; line += 1) few.add(`k${line}`, 7, line)
    }).toThrow('few.csv: takes more than 1 GB as a lookup')
    expect([3, 7, 8].map(line => few.find(`k${line}`).type)).toEqual(['found', 'found', 'missing'])
  })

  it('a lookup table says that a key is missing, and where it looked', () => {
    expect(problemUnder(tableOf(['a', 1]), 'b')).toBe(
      'missing: is not in users.csv; add it there, or set missing: omit to leave the field out',
    )
  })

  it('a lookup table says that a key is known and has no record yet', () => {
    const table = tableOf(['A', undefined])
    expect(problemUnder(table, 'a ')).toContain('unusable: has no record in users.csv yet')
  })

  it('a lookup table prefers a value to a line of the same key without one, in any order', () => {
    for (const lines of [
      [
        ['a', undefined],
        ['a', 'x'],
      ],
      [
        ['a', 'x'],
        ['a', undefined],
      ],
    ] as [string, unknown][][])
      expect(tableOf(...lines).find('a')).toEqual({ type: 'found', value: 'x' })
  })

  it('a lookup table names both places of values that differ', () => {
    const table = tableOf(['Ann', 'x'], ['bob', 'z'], ['ann', 'y'])
    expect(problemUnder(table, 'ANN')).toBe(
      'unusable: is ambiguous: users.csv:2 and users.csv:4 differ; make it unique',
    )
    expect(table.find('Ann')).toEqual({ type: 'found', value: 'x' })
    expect(table.find('ann')).toEqual({ type: 'found', value: 'y' })
  })

  it('a lookup table takes equal values for one, lists and objects too', () => {
    const table = tableOf(['a', [1]], ['A', [1]], ['a', [1]])
    expect(table.find(' a')).toEqual({ type: 'found', value: [1] })
  })
})
