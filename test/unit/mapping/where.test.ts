import { describe, expect, it } from 'vitest'
import { describeProblem } from '../../../src/output/words.ts'
import { mappingOf, rowOf } from '../../support/mappings.ts'

const mappingWith = (where: object, more: object = {}) => mappingOf({ name: '{{Name}}' }, { where, ...more })

/** Whether a row with this cell is imported. */
const passes = (condition: unknown, cell: unknown) =>
  mappingWith({ A: condition }).selects(rowOf({ A: cell, Name: 'Ada' }))

describe('condition of where', () => {
  it('a condition of where is a value, a list or in, compared with case and without blanks', () => {
    for (const condition of ['task', ['note', ' task'], { in: 'task' }, { in: ['note', 'task'] }]) {
      expect(passes(condition, ' task ')).toBe(true)
      expect(passes(condition, 'Task')).toBe(false)
      expect(passes(condition, '')).toBe(false)
    }
    expect(passes([1, true], '1')).toBe(true)
    expect(passes({ in: true }, true)).toBe(true)
  })

  it('a condition of where is the opposite with not, which an empty cell passes', () => {
    for (const not of ['done', ['gone', ' done']]) {
      expect(passes({ not }, 'done ')).toBe(false)
      expect(passes({ not }, 'Done')).toBe(true)
      expect(passes({ not }, '')).toBe(true)
    }
    expect(passes({ not: '' }, ' ')).toBe(false)
  })

  it('a condition of where is an empty cell or one that is not', () => {
    for (const empty of ['', '  ', null, undefined, []]) {
      expect(passes({ empty: true }, empty)).toBe(true)
      expect(passes({ empty: false }, empty)).toBe(false)
    }
    expect(passes({ empty: false }, 0)).toBe(true)
    expect(mappingWith({ A: { empty: true } }, { empty_values: ['n/a'] }).selects(rowOf({ A: 'n/a' }))).toBe(
      true,
    )
  })

  it('a condition of where is a pattern that matches anywhere in the trimmed cell', () => {
    const { selects } = { selects: (cell: string) => passes({ matches: '\\p{Lu}\\d$' }, cell) }
    expect(['xÄ7', 'B1 ', 'b1', ''].map(selects)).toEqual([true, true, false, false])
    const mapping = mappingWith({ A: { matches: '^a' } })
    expect(['ab', 'ab', 'ba', 'ab'].map(A => mapping.selects(rowOf({ A })))).toEqual([
      true,
      true,
      false,
      true,
    ])
  })

  it('a condition of where holds only as a whole', () => {
    const condition = { in: ['a1', 'a2', ''], not: 'a2', matches: '\\d' }
    expect(['a1', 'a2', 'a3', ''].map(cell => passes(condition, cell))).toEqual([true, false, false, false])
  })

  it('a condition of where takes an object for no text: only not lets it pass, and empty: false', () => {
    const value = { deep: 'task' }
    const conditions = [
      '[object Object]',
      { matches: 'object' },
      { empty: true },
      { not: 'task' },
      { empty: false },
    ]
    expect(conditions.map(condition => passes(condition, value))).toEqual([false, false, false, true, true])
  })

  it('a condition of where on a cell that is too long for its pattern makes the row invalid', () => {
    const mapping = mappingWith({ A: { matches: '(?=a)a+a+a+b' } })
    const long = rowOf({ A: 'a'.repeat(2000), Name: 'Ada' })
    expect(mapping.selects(long)).toBe(true)
    const mapped = mapping.map(long)
    const errors = 'errors' in mapped ? mapped.errors : []
    expect(errors).toMatchObject([{ column: 'A', value: `${'a'.repeat(300)}…` }])
    expect(errors.map(error => describeProblem(error))).toEqual([
      'the pattern (?=a)a+a+a+b fails: it takes too many steps',
    ])
    expect(mapping.map(rowOf({ A: 'aaab', Name: 'Ada' }))).toEqual({ body: { name: 'Ada' } })
  })

  it('a condition of where that fits an empty cell lets an optional column be missing', () => {
    const lacking = (condition: unknown) => {
      const mapping = mappingWith({ A: condition }, { optional_columns: true })
      try {
        mapping.checkColumns(['Name'], 'rows.csv')
        return false
      } catch {
        return true
      }
    }
    expect([{ not: 'done' }, { empty: true }, ['', 'x']].map(lacking)).toEqual([false, false, false])
    expect(['x', { not: '' }, { empty: false }, { matches: '.' }].map(lacking)).toEqual([
      true,
      true,
      true,
      true,
    ])
  })
})

describe('distinct in where', () => {
  const keyOf = (cells: object, distinct: unknown = 'Company') =>
    mappingWith({ distinct }).identifier()(rowOf({ ...cells })).key

  it('distinct in where identifies rows by the values of its columns, without case and outer blanks', () => {
    expect(keyOf({ Company: ' ACME Ltd' })).toBe('acme ltd')
    expect(keyOf({ Company: ['Acme', 'Öl'] })).toBe(keyOf({ Company: ['ACME', 'ÖL '] }))
    expect(keyOf({ Company: 'Acme', Town: 'Ulm' }, ['Company', 'Town'])).toBe('acme|ulm')
    expect(mappingWith({ distinct: ['Company', 'Town'] }).keyColumns).toEqual([
      'Company (distinct)',
      'Town (distinct)',
    ])
  })

  it('distinct in where leaves out a row whose columns are all empty, and joins other conditions', () => {
    const mapping = mappingWith({ distinct: ['Company', 'Town'], Kind: { not: 'x' } })
    const selects = (Company: string, Town: string, Kind = '') =>
      mapping.selects(rowOf({ Company, Town, Kind }))
    expect([selects(' ', ''), selects('', 'Ulm'), selects('Acme', '')]).toEqual([false, true, true])
    expect(selects('Acme', '', 'x')).toBe(false)
  })

  it('distinct in where needs its column, also where columns are optional', () => {
    const mapping = mappingWith({ distinct: 'Company' }, { optional_columns: true })
    expect(() => mapping.checkColumns(['Name', 'company'], 'rows.csv')).toThrow('unknown column "Company"')
  })

  it('distinct in where is a column of that name if it has conditions', () => {
    const mapping = mappingWith({ distinct: { in: ['yes'] } }, { key: 'Name' })
    expect(['yes', 'no'].map(distinct => mapping.selects(rowOf({ distinct })))).toEqual([true, false])
    expect(mapping.isDistinct).toBe(false)
  })

  it('distinct in where may stand beside a key of the same columns', () => {
    expect(mappingWith({ distinct: ['A', 'B'] }, { key: ['A', 'B'] }).isDistinct).toBe(true)
  })
})
