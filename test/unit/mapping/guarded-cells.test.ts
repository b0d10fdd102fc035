import { describe, expect, it } from 'vitest'
import { bodyOf, mappingOf, rowOf } from '../../support/mappings.ts'

describe('cell with an apostrophe against formulas', () => {
  it.each([
    ["'+44 20 7946 0101", '+44 20 7946 0101'],
    ["'=ada", '=ada'],
    ["'@ada", '@ada'],
    ["'-5", '-5'],
    ["'t Hooft", "'t Hooft"],
    ["'90s", "'90s"],
    ["'-' and '+'", "'-' and '+'"],
    ['+44 20 7946 0101', '+44 20 7946 0101'],
  ])('a cell %j is read as %j', (cell, text) => {
    expect(bodyOf({ name: '{{Name}}', description: { from: 'Name' } }, { Name: cell })).toEqual({
      name: text,
      description: text,
    })
  })

  it('a cell with such an apostrophe is read alike by expressions and in lists', () => {
    const phones = { from: 'Phones', each: { phone_number: { from: '.', as: 'phone' } } }
    const cells = { Name: "'-5", Phones: ["'+44 20 7946 0101", "'+44 20 7946 0102"] }
    expect(bodyOf({ name: { expr: 'Name' }, phones }, cells)).toEqual({
      name: '-5',
      phones: [{ phone_number: '+442079460101' }, { phone_number: '+442079460102' }],
    })
  })

  it('a cell with such an apostrophe names its row as it stands', () => {
    const mapping = mappingOf({ name: '{{Name}}' }, { key: 'Name' })
    expect(mapping.identifier()(rowOf({ Name: "'+1" })).key).toBe("'+1")
  })
})
