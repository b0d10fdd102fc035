import { describe, expect, it } from 'vitest'
import { mappingFrom, mappingOf, rowOf } from '../support/mappings.ts'

const mapping = () =>
  mappingFrom(
    [
      'record: contact',
      'key: [Id, Emial]',
      'where: { Kind: person }',
      'body:',
      '  name: "{{First Name}} {{Last Name}}"',
      '  designation: { from: [Job, Title] }',
      '  address: { join: [Street, Town] }',
      '  emails: [{ email: { from: Emial } }]',
      '  phones: { from: Phones, split: ";", each: { phone_number: "{{.}}{{Code}}" } }',
    ].join('\n'),
  )
const header = [
  'Id',
  'Emial',
  'Kind',
  'First Name',
  'Last Name',
  'Job',
  'Title',
  'Street',
  'Town',
  'Phones',
  'Code',
]

const faultsAgainst = (columns: readonly string[]) => {
  try {
    mapping().checkColumns(columns, 'people.csv')
    return []
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}
const without = (...names: string[]) => header.filter(name => !names.includes(name))

describe('a column that the mapping names', () => {
  it('is found in the header, where it may stand anywhere and several times', () => {
    expect(faultsAgainst(header)).toEqual([])
    expect(faultsAgainst([...header, 'More', 'Id', ''].reverse())).toEqual([])
  })

  it('and the header lacks is told wherever it is named, with the one that was meant', () => {
    expect(faultsAgainst([...without('Emial'), 'Email'])).toEqual([
      'm.yaml:2:11: unknown column "Emial"; did you mean "Email"? (the header of people.csv has no such column)',
      'm.yaml:8:29: unknown column "Emial"; did you mean "Email"? (the header of people.csv has no such column)',
    ])
  })

  it('may be missing from key, where, a template, a list of columns or a split', () => {
    const told = (name: string) => faultsAgainst(without(name)).map(fault => fault.replace(/: unknown.*/, ''))
    expect(told('Id')).toEqual(['m.yaml:2:7'])
    expect(told('Kind')).toEqual(['m.yaml:3:16'])
    expect(told('Last Name')).toEqual(['m.yaml:5:9'])
    expect(told('Title')).toEqual(['m.yaml:6:30'])
    expect(told('Town')).toEqual(['m.yaml:7:29'])
    expect(told('Phones')).toEqual(['m.yaml:9:19'])
    expect(told('Code')).toEqual(['m.yaml:9:61'])
  })

  it('is suggested where only its case differs or its end is missing, and not where nothing is near', () => {
    const [fault] = faultsAgainst([...without('First Name'), 'FIRST NAME'])
    expect(fault).toContain('unknown column "First Name"; did you mean "FIRST NAME"?')
    expect(faultsAgainst([...without('Street'), 'Street Address 1'])[0]).toContain(
      'did you mean "Street Address 1"?',
    )
    expect(faultsAgainst(['x'])[0]).not.toContain('did you mean')
    expect(faultsAgainst([])).toHaveLength(12)
  })

  it('is not one of the fields of an item inside each', () => {
    const each = mappingOf({ l: { from: 'A', each: { n: '{{.name}}', m: { from: '.' } } } })
    expect(() => each.checkColumns(['A'], 'x.csv')).not.toThrow()
  })

  it('is a column called `.` outside of each', () => {
    expect(() => mappingOf({ n: { from: '.' } }).checkColumns(['A'], 'x.csv')).toThrow('unknown column "."')
  })

  it('is told at the end when no row had it', () => {
    const named = mappingOf({ a: { from: 'A' }, b: '{{b.c}}', d: { from: ['D', 'E'] } })
    expect(named.columnFacts([undefined]).unseen).toEqual(['A', 'b.c', 'D', 'E'])
    named.map(rowOf({ A: '', b: { c: 1 } }))
    expect(named.columnFacts([undefined]).unseen).toEqual(['D', 'E'])
    named.map(rowOf({ D: 'd', E: 'e' }))
    named.map(rowOf({ E: null }))
    expect(named.columnFacts([undefined]).unseen).toEqual([])
  })
})

describe('where', () => {
  const selects = (where: object, cells: Record<string, unknown>) =>
    mappingOf({ x: '{{A}}' }, { where }).selects(rowOf(cells))

  it('lets all rows through when there is none', () => {
    expect(mappingOf({ x: '{{A}}' }).selects(rowOf({}))).toBe(true)
  })

  it('compares trimmed text, with its case', () => {
    expect(selects({ TYPE: 'task' }, { TYPE: ' task ' })).toBe(true)
    expect(selects({ TYPE: ' task ' }, { TYPE: 'task' })).toBe(true)
    expect(selects({ TYPE: 'task' }, { TYPE: 'Task' })).toBe(false)
    expect(selects({ TYPE: 'task' }, { TYPE: 'tasks' })).toBe(false)
    expect(selects({ TYPE: 'task' }, { TYPE: '' })).toBe(false)
    expect(selects({ TYPE: 'task' }, {})).toBe(false)
  })

  it('takes one of a list', () => {
    const where = { TYPE: ['task', 'note', 5] }
    for (const TYPE of ['task', 'note', '5', 5]) expect(selects(where, { TYPE })).toBe(true)
    expect(selects(where, { TYPE: 'meta' })).toBe(false)
  })

  it('asks for all of its columns', () => {
    const where = { A: 'a', B: ['b', 'c'] }
    expect(selects(where, { A: 'a', B: 'c' })).toBe(true)
    expect(selects(where, { A: 'a', B: 'd' })).toBe(false)
    expect(selects(where, { A: 'x', B: 'b' })).toBe(false)
  })

  it('finds rows that have nothing there by an empty value', () => {
    for (const cells of [{ A: '' }, { A: ' ' }, { A: null }, {}]) expect(selects({ A: '' }, cells)).toBe(true)
    expect(selects({ A: '' }, { A: 'x' })).toBe(false)
  })

  it('compares numbers and booleans as JSON writes them, and takes dotted paths', () => {
    expect(selects({ 'a.b': true, n: 1.5 }, { a: { b: true }, n: 1.5 })).toBe(true)
    expect(selects({ 'a.b': 'true' }, { a: { b: true } })).toBe(true)
    expect(selects({ f: false }, { f: false })).toBe(true)
  })
})
