import { describe, expect, it } from 'vitest'
import { describeProblem } from '../../../src/output/words.ts'
import { bodyOf, errorsOf, mappingOf, rowOf } from '../../support/mappings.ts'

const body = { name: '{{Name}}', due: { from: 'Due' } }

/** What is wrong with a row: column, value and code of each error. */
const faults = (body: unknown, cells: Readonly<Record<string, unknown>>) =>
  errorsOf(body, cells).map(({ column, value, code }) => [column, value, code])

describe('error text of a sheet', () => {
  it.each([
    '#N/A',
    '#REF!',
    ' #div/0! ',
    '#NV',
    '#BEZUG!',
    '#ÜBERLAUF!',
    '#VALEUR!',
    '#¡VALOR!',
    '#¿NOMBRE?',
  ])('a row is invalid with %s in a cell that the mapping reads', text => {
    const cells = { Name: 'Ada', Due: text }
    expect(faults(body, cells)).toEqual([['Due', text.trim(), 'error_cell']])
    const [error] = errorsOf(body, cells)
    expect(error && describeProblem(error)).toContain('is the error of a formula; correct it where')
  })

  it('an error text is none in a column that nothing reads, as a part of a text, or as a tag', () => {
    expect(bodyOf(body, { Name: 'Ada', Due: '#1', Fax: '#N/A' })).toEqual({ name: 'Ada', due: '#1' })
    expect(bodyOf(body, { Name: 'Not #N/A', Due: '#refs' })).toEqual({ name: 'Not #N/A', due: '#refs' })
  })

  it('an error text is an empty cell if empty_values names it', () => {
    const mapping = mappingOf(body, { empty_values: ['#N/A'] })
    expect(mapping.map(rowOf({ Name: 'Ada', Due: ' #N/A ' }))).toEqual({ body: { name: 'Ada' } })
    expect(mapping.map(rowOf({ Name: 'Ada', Due: '#REF!' }))).toMatchObject({ errors: [{ value: '#REF!' }] })
  })

  it('an error text is the only error of its column, whatever reads it', () => {
    const na = { Name: '#N/A', Due: '#N/A', Other: 'x' }
    const readers = [
      { x: { from: 'Due', as: 'date', required: true }, y: { from: 'Due', required: true } },
      { x: { from: ['Due', 'Other'], otherwise: 'omit', as: 'date' }, y: '{{Other}}' },
      { x: { join: ['Other', 'Due'] } },
      { x: '{{Other}} {{Due}}' },
      { x: { expr: '$number(Due) + 1', required: true } },
      { x: { from: 'Due', split: ';', each: { y: { from: '.' } } }, z: '{{Other}}' },
    ]
    for (const body of readers) expect(faults(body, na)).toEqual([['Due', '#N/A', 'error_cell']])
    expect(faults({ x: { from: 'Due' } }, { Due: ['a', '#REF!'] })).toEqual([['Due', '#REF!', 'error_cell']])
    expect(faults(body, na).map(([column]) => column)).toEqual(['Name', 'Due'])
  })

  it('a row whose key is an error text is invalid, under its key', () => {
    const mapping = mappingOf({ name: '{{Name}}' }, { key: 'Id' })
    const row = rowOf({ Id: '#REF!', Name: 'Ada' })
    expect(mapping.map(row)).toMatchObject({ errors: [{ column: 'Id', code: 'error_cell' }] })
    expect(mapping.identifier()(row).key).toBe('#REF!')
  })

  it('a condition may name an error text, and leave its rows out', () => {
    const mapping = mappingOf(body, { where: { Due: { not: ['#N/A'] } } })
    expect(mapping.selects(rowOf({ Name: 'Ada', Due: '#N/A' }))).toBe(false)
    expect(mapping.selects(rowOf({ Name: 'Ada', Due: '#REF!' }))).toBe(true)
  })
})
