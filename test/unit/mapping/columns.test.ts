import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importOf } from '../../support/imports.ts'
import { bodyOf, errorsOf, made, mappingFrom, mappingOf, rowOf } from '../../support/mappings.ts'
import { folderWith, linesOf, rowlift } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'

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

describe('column that the mapping names', () => {
  it('a named column is found in the header, where it may stand anywhere and several times', () => {
    expect(faultsAgainst(header)).toEqual([])
    expect(faultsAgainst([...header, 'More', 'Kind', ''].reverse())).toEqual([])
  })

  it('a named column and the header lacks is reported wherever it is named, with a suggestion', () => {
    expect(faultsAgainst([...without('Emial'), 'Email'])).toEqual([
      'm.yaml:2:11: unknown column "Emial"; did you mean "Email"? (the header of people.csv has no such column)',
      'm.yaml:8:29: unknown column "Emial"; did you mean "Email"? (the header of people.csv has no such column)',
    ])
  })

  it('a named column may be missing from key, where, a template, a list of columns or a split', () => {
    const told = (name: string) => faultsAgainst(without(name)).map(fault => fault.replace(/: unknown.*/, ''))
    expect(told('Id')).toEqual(['m.yaml:2:7'])
    expect(told('Kind')).toEqual(['m.yaml:3:16'])
    expect(told('Last Name')).toEqual(['m.yaml:5:9'])
    expect(told('Title')).toEqual(['m.yaml:6:30'])
    expect(told('Town')).toEqual(['m.yaml:7:29'])
    expect(told('Phones')).toEqual(['m.yaml:9:19'])
    expect(told('Code')).toEqual(['m.yaml:9:61'])
  })

  it('a named column is suggested if only its case or its end differs', () => {
    const [fault] = faultsAgainst([...without('First Name'), 'FIRST NAME'])
    expect(fault).toContain('unknown column "First Name"; did you mean "FIRST NAME"?')
    expect(faultsAgainst([...without('Street'), 'Street Address 1'])[0]).toContain(
      'did you mean "Street Address 1"?',
    )
    expect(faultsAgainst(without('Kind'))[0]).not.toContain('did you mean')
    expect(faultsAgainst([...without('Street'), 'Str\ufffdet'])[0]).not.toContain('did you mean')
  })

  it('a named column is reported with the others at once if most are missing', () => {
    for (const header of [[], ['x', 'Id']])
      expect(faultsAgainst(header)).toEqual([
        expect.stringMatching(
          /^m\.yaml:1:1: the header of .* lacks most columns .*\(.*First Name.*\); is it the right file/,
        ),
      ])
  })

  it('a named column is not one of the fields of an item inside each', () => {
    const each = mappingOf({ l: { from: 'A', each: { n: '{{.name}}', m: { from: '.' } } } })
    expect(() => each.checkColumns(['A'], 'x.csv')).not.toThrow()
  })

  it('a named column is a column called `.` outside of each', () => {
    expect(() => mappingOf({ n: { from: '.' } }).checkColumns(['A'], 'x.csv')).toThrow('unknown column "."')
  })

  it('a named column is reported at the end when no row had it', () => {
    const named = mappingOf({ a: { from: 'A' }, b: '{{b.c}}', d: { from: ['D', 'E'] } })
    expect(named.columnFacts([undefined]).unseen).toEqual(['A', 'b.c', 'D', 'E'])
    named.map(rowOf({ A: '', b: { c: 1 } }))
    expect(named.columnFacts([undefined]).unseen).toEqual(['D', 'E'])
    named.map(rowOf({ D: 'd', E: 'e' }))
    named.map(rowOf({ E: null }))
    expect(named.columnFacts([undefined]).unseen).toEqual([])
  })

  it('a named column is known with the fields that it feeds, however a rule reads it', () => {
    const body = {
      emails: [{ email: { from: ['Mail', 'Other'], default: { from: 'Home' } } }],
      tags: { from: 'Tags', each: { name: { from: '.' }, of: '{{Home}}' } },
      n: { expr: 'Mail & "x"' },
      x: { join: ['a.b', 'Mail'] },
    }
    const mapping = mappingOf(body, { key: 'Mail', where: { Kind: 'x' } })
    mapping.settleColumns([['mail', 'Other', 'Home', 'Tags', 'a.b', 'Kind', 'No']])
    const found = ['Other', 'Home', 'Tags', 'Kind', 'a.b', 'a.b.c', 'a', 'No'].map(each =>
      mapping.columns.fieldsOf(each),
    )
    expect(found).toEqual([
      ['emails.email'],
      ['emails.email', 'tags.of'],
      ['tags'],
      ['where'],
      ['x'],
      ['x'],
      [],
      [],
    ])
    expect(mapping.columns.fieldsOf('mail')).toEqual(['key', 'emails.email', 'n', 'x'])
  })
})

describe('where', () => {
  const selects = (where: object, cells: Record<string, unknown>) =>
    mappingOf({ x: '{{A}}' }, { where }).selects(rowOf(cells))

  it('where lets all rows through when there is none', () => {
    expect(mappingOf({ x: '{{A}}' }).selects(rowOf({}))).toBe(true)
  })

  it('where compares trimmed text, with its case', () => {
    expect(selects({ TYPE: 'task' }, { TYPE: ' task ' })).toBe(true)
    expect(selects({ TYPE: ' task ' }, { TYPE: 'task' })).toBe(true)
    expect(selects({ TYPE: 'task' }, { TYPE: 'Task' })).toBe(false)
    expect(selects({ TYPE: 'task' }, { TYPE: 'tasks' })).toBe(false)
    expect(selects({ TYPE: 'task' }, { TYPE: '' })).toBe(false)
    expect(selects({ TYPE: 'task' }, {})).toBe(false)
  })

  it('where takes one of a list', () => {
    const where = { TYPE: ['task', 'note', 5] }
    for (const TYPE of ['task', 'note', '5', 5]) expect(selects(where, { TYPE })).toBe(true)
    expect(selects(where, { TYPE: 'meta' })).toBe(false)
  })

  it('where asks for all of its columns', () => {
    const where = { A: 'a', B: ['b', 'c'] }
    expect(selects(where, { A: 'a', B: 'c' })).toBe(true)
    expect(selects(where, { A: 'a', B: 'd' })).toBe(false)
    expect(selects(where, { A: 'x', B: 'b' })).toBe(false)
  })

  it('where finds rows that have nothing there by an empty value', () => {
    for (const cells of [{ A: '' }, { A: ' ' }, { A: null }, {}]) expect(selects({ A: '' }, cells)).toBe(true)
    expect(selects({ A: '' }, { A: 'x' })).toBe(false)
  })

  it('where compares numbers and booleans as JSON writes them, and takes dotted paths', () => {
    expect(selects({ 'a.b': true, n: 1.5 }, { a: { b: true }, n: 1.5 })).toBe(true)
    expect(selects({ 'a.b': 'true' }, { a: { b: true } })).toBe(true)
    expect(selects({ f: false }, { f: false })).toBe(true)
  })
})

describe('columns that may be missing', () => {
  const optional = (more: object = {}) =>
    mappingOf(
      { n: '{{Name}}', e: { from: ['Email', 'Mail'] }, x: { expr: 'Phone & Fax' } },
      { optional_columns: true, ...more },
    )
  const faults = (mapping: ReturnType<typeof mappingOf>, ...headers: (readonly string[])[]) => {
    try {
      headers.forEach((columns, at) => {
        mapping.checkColumns(columns, `${at + 1}.csv`)
      })
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }

  it('optional columns are all but those of where', () => {
    expect(faults(optional(), ['Mail'])).toBe('')
    expect(faults(optional(), ['Fax', 'Other'])).toBe('')
    expect(faults(optional({ where: { Kind: 'x' } }), ['Name'])).toContain('unknown column "Kind"')
  })

  it('optional columns are those of one rule, and of its default', () => {
    const rule = { from: 'A', optional: true, default: { from: 'B' } }
    expect(faults(mappingOf({ n: '{{Name}}', a: rule }), ['Name'])).toBe('')
    expect(faults(mappingOf({ n: '{{Name}}', a: { ...rule, optional: false } }), ['Name'])).toMatch(
      /unknown column "A"[\s\S]*unknown column "B"/,
    )
    const elsewhere = mappingOf({ n: '{{A}}', a: rule })
    expect(faults(elsewhere, ['Name'])).toContain('unknown column "A"')
    const asked = mappingOf({ n: { from: 'N', optional: false }, a: '{{A}}' }, { optional_columns: true })
    expect(faults(asked, ['A'])).toContain('unknown column "N"')
  })

  it('optional columns are not all of them: a header with none is refused, and shown', () => {
    const header = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
    expect(faults(optional(), header)).toBe(
      'm.yaml:1:1: the header of 1.csv has none of the columns that this mapping names; is it the right file? It has a, b, c, d, e, f, g, h, i',
    )
    expect(faults(optional(), ['Name'], ['x'])).toContain('the header of 2.csv has none')
  })

  it('optional columns leave rows to be named by their content when the key is among them', () => {
    const keyed = optional({ key: ['Id', 'No'] })
    expect(keyed.keyColumns).toEqual(['Id', 'No'])
    expect(faults(keyed, ['Name'], ['Mail'])).toBe('')
    expect(keyed.keyColumns).toEqual([])
    expect(keyed.identifier()(rowOf({ Name: 'Ada' })).key).toMatch(/^sha256:[0-9a-f]{16}#1$/)
  })

  it('optional columns are found in other letters, unless the mapping names those as well', () => {
    const body = { name: { from: 'Due Date' }, designation: { from: ['Job', 'JOB'] } }
    const due = optional({ body, key: 'ID' })
    expect(faults(due, ['Due date', 'Job', 'id'])).toBe('')
    due.settleColumns([['Due date', 'Job', 'id']])
    expect(due.map(rowOf({ 'Due date': 'today', Job: 'baker' }))).toEqual({
      body: { name: 'today', designation: 'baker' },
    })
    expect(due.keyColumns).toEqual(['ID'])
    expect(due.identifier()(rowOf({ id: '7' })).key).toBe('7')
    expect(due.columnFacts([['Due date', 'Job', 'id']]).unused).toEqual([])
  })

  it('optional columns are reported when two sources name them differently', () => {
    const due = optional({ body: { name: { from: 'Due Date' } } })
    expect(() => due.settleColumns([['Due date'], ['Due Date']])).toThrow(
      'm.yaml:1:1: the column "Due Date" has different names in the sources (Due date, Due Date)',
    )
    expect(() =>
      optional({ body: { name: { from: 'Due Date' } } }).settleColumns([['Due date'], undefined]),
    ).toThrow()
  })

  it('optional columns have several names in a key, and the first in the header is taken', () => {
    const either = optional({ key: [['Record ID', 'Contact ID']] })
    expect(faults(either, ['Name', 'Contact ID'])).toBe('')
    expect(either.keyColumns).toEqual(['Record ID'])
    expect(either.identifier()(rowOf({ 'Contact ID': '7' })).key).toBe('7')
    const strict = () => mappingOf({ name: '{{Name}}' }, { key: [['Record ID', 'Contact ID'], 'No'] })
    expect(faults(strict(), ['Name', 'No'])).toContain('it has no column "Record ID" or "Contact ID"')
    expect(faults(strict(), ['Name', 'No', 'Record ID'])).toBe('')
  })

  it('optional columns are no part of a key, and no key of one source alone', () => {
    expect(faults(optional({ key: ['Id', 'No'] }), ['Name', 'No'])).toContain(
      'the header of 1.csv lacks a part of the key: it has no column "Id"',
    )
    const one = '1.csv and 2.csv do not have the same key column (Id)'
    expect(faults(optional({ key: 'Id' }), ['Name', 'Id'], ['Name'])).toContain(one)
    expect(faults(optional({ key: 'Id' }), ['Name'], ['Name', 'Id'])).toContain(one)
    const whole = optional({ key: 'Id' })
    expect(faults(whole, ['Name', 'Id'], ['Id'])).toBe('')
    expect(whole.keyColumns).toEqual(['Id'])
  })
})

describe('key column that stands twice in a header', () => {
  it.each([
    ['key: Id', 'Id,Name,Town,Id', 'Id', '1 and 4'],
    ['key: [Town, Id]', 'Id,Id,Name,Town,Id', 'Id', '1 and 2 and 5'],
    ['key: [[Number, Id]]', 'Name,Id,Id', 'Id', '2 and 3'],
    ['where: { distinct: Id }', 'Id,Name,Id', 'Id', '1 and 3'],
    ['optional_columns: true\nkey: Id', 'id,Name,id', 'Id', '1 and 3'],
  ])('with "%s" the header %s is refused before the first call', async (key, columns, name, places) => {
    const service = await startService()
    const map = `record: task\n${key}\nbody: { name: "{{Name}}" }\n`
    const cells = columns.split(',').map((column, at) => (column === 'Name' ? 'Ada' : `${at}`))
    const cwd = await folderWith({ 'a.csv': `${columns}\n${cells}\n`, 'm.yaml': map })
    const ended = await rowlift(importOf('a.csv', 'm.yaml', service.url), { cwd })
    expect(ended.exitCode).toBe(2)
    expect(ended.stderr).toContain(
      `the header of a.csv has the key column "${name}" more than once, as columns ${places}`,
    )
    expect(service.made).toEqual([])
  })
})

describe('log whose rows were named by their content', () => {
  it('a log of rows without keys is refused to an export that has the key column', async () => {
    const service = await startService()
    const map = 'record: task\nkey: Id\noptional_columns: true\nbody: { name: "{{Name}}" }\n'
    const cwd = await folderWith({ 'a.csv': 'Name\nAda\n', 'b.csv': 'Id,Name\n1,Ada\n', 'm.yaml': map })
    expect((await rowlift(importOf('a.csv', 'm.yaml', service.url), { cwd })).exitCode).toBe(0)
    const [opening] = linesOf(await readFile(join(cwd, 'results.ndjson'), 'utf8'))
    expect(opening.key_columns).toEqual([])
    const later = await rowlift(importOf('b.csv', 'm.yaml', service.url), { cwd })
    expect(later.stderr).toContain('belongs to an import with another key ([], now ["Id"])')
    expect(later.exitCode).toBe(2)
    expect(service.made).toHaveLength(1)
  })
})

describe('replacement of an empty value', () => {
  it('the replacement of an empty value counts for words read as empty, in any part', () => {
    const mapping = mappingOf(
      { a: { from: ['A', 'B'] }, t: '{{A}}{{B}}', l: { from: 'L' }, j: { join: ['A', 'B'], with: '+' } },
      { empty_values: ['null', 'N/A', 0], key: 'A', where: { W: '' } },
    )
    expect(mapping.map(rowOf({ A: ' N/A', B: 'b', L: ['null', 'l'] }))).toEqual({
      body: { a: 'b', t: 'b', l: ['l'], j: 'b' },
    })
    expect(mapping.selects(rowOf({ W: 'null' }))).toBe(true)
    expect(mapping.identifier()(rowOf({ A: '0' })).key).toMatch(/^sha256:/)
    expect(mapping.map(rowOf({ A: 'n/a', B: 'N/A.' }))).toMatchObject({ body: { t: 'n/aN/A.' } })
  })

  it('the replacement of an empty value is a constant, a template or a rule, in a chain', () => {
    const a = (fallback: unknown, cells: object) =>
      bodyOf({ a: { from: 'A', default: fallback }, z: '{{Z}}' }, { Z: 'z', ...cells })
    expect(a('d', { A: ' ' })).toEqual({ a: 'd', z: 'z' })
    expect(a('{{B}}!', { B: 'b' })).toEqual({ a: 'b!', z: 'z' })
    expect(a('{{B}}!', {})).toEqual({ z: 'z' })
    const chain = { from: 'B', as: 'integer', default: { from: 'C', default: 'last' } }
    expect(a(chain, { A: 'a', B: 'no number' })).toEqual({ a: 'a', z: 'z' })
    expect(a(chain, { B: '2' })).toEqual({ a: 2, z: 'z' })
    expect(a(chain, { C: 'c' })).toEqual({ a: 'c', z: 'z' })
    expect(a(chain, {})).toEqual({ a: 'last', z: 'z' })
    expect(errorsOf({ a: { from: 'A', default: chain } }, { B: 'x' })).toMatchObject([
      { path: 'a', column: 'B' },
    ])
  })

  it('the replacement of an empty value is what otherwise says where as cannot read', () => {
    expect(made({ as: 'integer', otherwise: 'keep' }, ' x ')).toBe('x')
    expect(made({ as: 'integer', otherwise: 'omit' }, 'x')).toBeUndefined()
    expect(made({ as: 'integer', otherwise: 'omit', default: 5 }, 'x')).toBe(5)
    expect(made({ as: 'integer', otherwise: 'invalid' }, 'x')).toEqual({ refused: 'is not a whole number' })
    expect(made({ split: ',', as: 'email', otherwise: 'omit' }, 'a@b.example,x')).toEqual(['a@b.example'])
    expect(made({ map: { x: '1' }, as: 'integer', otherwise: 'keep' }, 'y')).toBe('y')
  })
})

describe('phones and durations', () => {
  it('phones have an extension if it is kept', () => {
    const cell = '(416) 810-9897 ext. 752'
    expect(made({ as: 'phone', country: 'CA' }, cell)).toBe('+14168109897')
    expect(made({ as: 'phone', country: 'CA', extension: 'keep' }, cell)).toBe('+14168109897;ext=752')
    expect(made({ as: 'phone', extension: 'keep' }, '+14168109897')).toBe('+14168109897')
  })

  it('durations have a unit of their own if a number has none', () => {
    const hours = (input_unit: string, cell: string) =>
      made({ as: 'duration', unit: 'hours', input_unit }, cell)
    expect(hours('milliseconds', '5400000')).toBe(1.5)
    expect(hours('seconds', '5400')).toBe(1.5)
    expect(hours('minutes', '90')).toBe(1.5)
    expect(hours('hours', '1,5')).toBe(1.5)
    expect(hours('seconds', '1h 30m')).toBe(1.5)
    expect(made({ as: 'duration', unit: 'minutes', input_unit: 'milliseconds' }, '60000')).toBe(1)
  })
})
