import { describe, expect, it } from 'vitest'
import type { ColumnChoice } from '../../../../src/features/guide/api.ts'
import { guideOf } from '../../../support/guide-folder.ts'

const file = 'people.csv'
const people = `First,Last,E-Mail,E-Mail 2,Phone,Born,City,Active
Ada,Lovelace,ada@example.com,countess@example.com,030 1234567,10.12.1815,London,yes
Alan,Turing,alan@example.com,,030 7654321,23.06.1912,London,no
`
const own = `# My people.
record: contact
allow_unknown_fields: true
body:
  # The name comes first.
  name: "{{First}} {{Last}}"
  emails:
    - email: { from: E-Mail, as: email } # the one for work
    - type: home
      email: { from: E-Mail 2, as: email }
  phones:
    - phone_number:
        from: Phone
        as: phone
        otherwise: keep
  url_details: { domain: { from: City } }

# The end.
`
const byHand = { [file]: people, 'people.yaml': own }

/** The text after a choice, as lines that went (-) and came (+). */
async function changeOf(
  column: string,
  choice: ColumnChoice,
  files: Readonly<Record<string, string>> = byHand,
) {
  const { choose, read, calls } = await guideOf(files)
  await calls.columns({ file })
  const before = (await read('people.yaml')).split('\n')
  await choose(file, column, choice)
  const now = (await read('people.yaml')).split('\n')
  const gone = before.filter(line => !now.includes(line)).map(line => `-${line}`)
  return [...gone, ...now.filter(line => !before.includes(line)).map(line => `+${line}`)]
}

const field = (path: string, settings: object = {}): ColumnChoice => ({ type: 'field', path, ...settings })

describe('a choice for a column', () => {
  it.each<[string, string, ColumnChoice, string[]]>([
    [
      'adds a field at the end of the body',
      'City',
      field('address'),
      ['-  url_details: { domain: { from: City } }', '+  address: { from: City }'],
    ],
    [
      'adds an item to a list',
      'Born',
      field('emails.email'),
      ['+    - { email: { from: Born, as: email, otherwise: omit } }'],
    ],
    [
      'adds a field to an object in braces',
      'Born',
      field('url_details.linkedin_url'),
      [
        '-  url_details: { domain: { from: City } }',
        '+  url_details: { domain: { from: City }, linkedin_url: { from: Born, as: url, otherwise: omit } }',
      ],
    ],
    [
      'joins a column to a name',
      'City',
      field('name'),
      [
        '-  name: "{{First}} {{Last}}"',
        '-  url_details: { domain: { from: City } }',
        '+  name: "{{First}} {{Last}} {{City}}"',
      ],
    ],
    [
      'takes a column out of a name',
      'Last',
      { type: 'undecided' },
      ['-  name: "{{First}} {{Last}}"', '+  name: "{{First}}"'],
    ],
    [
      'takes an item out with the constants beside it',
      'E-Mail 2',
      { type: 'not_imported' },
      ['-    - type: home', '-      email: { from: E-Mail 2, as: email }', '+# not imported: E-Mail 2'],
    ],
    [
      'takes a rule in lines out with its list',
      'Phone',
      { type: 'undecided' },
      [
        '-  phones:',
        '-    - phone_number:',
        '-        from: Phone',
        '-        as: phone',
        '-        otherwise: keep',
      ],
    ],
    [
      'changes parts of a rule in lines',
      'Phone',
      field('phones.phone_number', { country: 'DE' }),
      ['-        otherwise: keep', '+        country: DE'],
    ],
    [
      'splits the cells of a column',
      'Phone',
      field('phones.phone_number', { split: '/' }),
      [
        '-    - phone_number:',
        '-        from: Phone',
        '-        as: phone',
        '-        otherwise: keep',
        '+    - { from: Phone, split: "/", each: { phone_number: { from: ".", as: phone, otherwise: keep } } }',
      ],
    ],
    [
      'gives words their uses',
      'Active',
      field('archived', { map: { yes: 'false', no: 'true' } }),
      ['+  archived: { from: Active, as: boolean, "true": ["no"], "false": ["yes"] }'],
    ],
    [
      'puts a column into an own field',
      'Born',
      field('custom_field_values.text_value', { customFieldId: 'aaaaaaaa-0000-4000-8000-000000000000' }),
      [
        '+  custom_field_values:',
        '+    - { custom_field_id: aaaaaaaa-0000-4000-8000-000000000000, text_value: { from: Born } }',
      ],
    ],
  ])('%s', async (_, column, choice, change) => {
    expect(await changeOf(column, choice)).toEqual(change)
  })

  it('reads an own field as a date with the month first', async () => {
    const settings = { customFieldId: 'aaaaaaaa-0000-4000-8000-000000000000', dateFormat: 'MM.dd.yyyy' }
    const change = await changeOf('Born', field('custom_field_values.datetime_value', settings))
    expect(change.join()).toContain('datetime_value: { from: Born, as: date, format: MM.dd.yyyy }')
  })

  it('can be taken back, to the same text', async () => {
    const { choose, read } = await guideOf(byHand)
    await choose(file, 'City', { type: 'undecided' })
    const before = await read('people.yaml')
    await choose(file, 'City', { type: 'not_imported' })
    await choose(file, 'City', field('address'))
    await choose(file, 'City', { type: 'undecided' })
    expect(await read('people.yaml')).toBe(before)
  })

  it('is refused if no field would be left, or there is no such field or column', async () => {
    const only = 'record: contact\nbody: { name: { from: First } }\n'
    const { choose, read } = await guideOf({ [file]: people, 'people.yaml': only })
    await expect(choose(file, 'First', { type: 'undecided' })).rejects.toMatchObject({ code: 'last_field' })
    await expect(choose(file, 'City', field('record_id'))).rejects.toMatchObject({ code: 'bad_call' })
    await expect(choose(file, 'Town', { type: 'undecided' })).rejects.toMatchObject({ code: 'bad_call' })
    expect(await read('people.yaml')).toBe(only)
  })

  it('is shown before it is saved, also of an own field whose id is not there yet', async () => {
    const { calls, read, versionOf } = await guideOf(byHand)
    const preview = async (column: string, choice: ColumnChoice) =>
      calls.column({ file, version: await versionOf(file), column, choice, preview: true })
    const ofBorn = { before: '10.12.1815', after: '1815-12-10T00:00:00', fault: null }
    const born = field('custom_field_values.datetime_value', { dateFormat: 'dd.MM.yyyy' })
    expect(await preview('Born', born)).toMatchObject({ values: [ofBorn, { after: '1912-06-23T00:00:00' }] })
    expect(await preview('City', field('emails.email'))).toMatchObject({
      values: [{ before: 'London', after: null }],
    })
    expect(await preview('Phone', { type: 'not_imported' })).toMatchObject({
      values: [
        { before: '030 1234567', after: null, fault: null },
        { before: '030 7654321', after: null, fault: null },
      ],
    })
    expect(await read('people.yaml')).toBe(own)
  })

  it('settles a question of the draft about the same field', async () => {
    const tasks = 'Task,Due\nWrite,03/04/2026\nRead,05/06/2026\n'
    const { choose, fileOf, read, calls, columnOf } = await guideOf({ 'tasks.csv': tasks })
    expect((await calls.questions({ file: 'tasks.csv' })).questions).toHaveLength(1)
    await choose('tasks.csv', 'Due', field('date_info.due_date', { dateFormat: 'M/d/yyyy' }))
    expect((await fileOf('tasks.csv'))?.open).toEqual({ columns: 0, questions: 0 })
    expect(await read('tasks.yaml')).toContain(
      'date_info: { due_date: { from: Due, as: date, format: M/d/yyyy } }',
    )
    expect((await columnOf('tasks.csv', 'Due'))?.values[0]).toMatchObject({
      before: '03/04/2026',
      after: '2026-03-04T00:00:00',
    })
  })
})

describe('the columns of a file', () => {
  it('have three values as they are and as they will be, whatever becomes of other columns', async () => {
    const rows =
      'Name,E-Mail\nAda,ada@example.com\nAlan,nobody\nGrace,grace@example.com\nKurt,kurt@example.com\n'
    const mapping =
      'record: contact\nbody: { name: { from: Name }, emails: [{ email: { from: E-Mail, as: email } }] }\n'
    const { columnOf } = await guideOf({ [file]: rows, 'people.yaml': mapping })
    expect((await columnOf(file, 'Name'))?.values.map(({ after }) => after)).toEqual(['Ada', 'Alan', 'Grace'])
    const [first, second] = (await columnOf(file, 'E-Mail'))?.values ?? []
    expect(first).toEqual({ before: 'ada@example.com', after: 'ada@example.com', fault: null })
    expect(second).toMatchObject({
      before: 'nobody',
      after: null,
      fault: expect.stringContaining('e-mail address'),
    })
  })

  it('say by what they were chosen, and are undecided until somebody decides', async () => {
    const { columnOf, choose } = await guideOf({ [file]: people })
    expect(await columnOf(file, 'E-Mail')).toMatchObject({
      by: 'name',
      fields: ['emails.email'],
      filled: 1,
      shapes: ['email'],
    })
    expect(await columnOf(file, 'Born')).toMatchObject({ by: 'undecided', fields: [] })
    await choose(file, 'Born', { type: 'not_imported' })
    expect(await columnOf(file, 'Born')).toMatchObject({ by: 'not_imported' })
    await choose(file, 'Born', field('description'))
    expect(await columnOf(file, 'Born')).toMatchObject({ by: 'hand', fields: ['description'] })
  })

  it('are not undecided if they name rows or are part of a condition', async () => {
    const rows = 'Id,Boss,Kind,State,Name,City\n1,,person,new,Ada,London\n2,1,person,new,Alan,Wilmslow\n'
    const mapping = `record: contact
key: Id
where: { Kind: person, State: new }
lookups: { boss: { self: true, by: Id } }
body: { name: { from: Name }, parent: { record_id: { from: Boss, lookup: boss } } }
`
    const { calls, choose, fileOf } = await guideOf({ [file]: rows, 'people.yaml': mapping })
    const told = async () => (await calls.columns({ file })).columns.map(({ name, by }) => `${name} ${by}`)
    expect(await told()).toEqual([
      ...['Id key', 'Boss hand', 'Kind condition', 'State condition', 'Name name', 'City undecided'],
    ])
    expect((await fileOf(file))?.open.columns).toBe(1)
    await choose(file, 'State', { type: 'not_imported' })
    await choose(file, 'City', { type: 'not_imported' })
    expect(await told()).toEqual(expect.arrayContaining(['State not_imported', 'City not_imported']))
    expect((await fileOf(file))?.open.columns).toBe(0)
  })

  it('of a document are read by their paths', async () => {
    const text = JSON.stringify([
      { name: 'Ada', address: { city: 'London' } },
      { name: 'Alan', address: { city: 'Wilmslow' } },
    ])
    const { columnOf } = await guideOf({ 'people.json': text })
    expect((await columnOf('people.json', 'address.city'))?.values[0]).toMatchObject({
      before: 'London',
      after: 'London',
    })
  })

  it('of a card are read by the preset, which says so', async () => {
    const card = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada Lovelace\r\nEMAIL:ada@example.com\r\nEND:VCARD\r\n'
    const { calls, columnOf } = await guideOf({ 'ada.vcf': card })
    expect(await calls.kinds({ file: 'ada.vcf' })).toMatchObject({ recognized: 'vCard', chosen: 'contact' })
    expect((await columnOf('ada.vcf', 'fn'))?.values[0]).toMatchObject({
      before: 'Ada Lovelace',
      after: 'Ada Lovelace; person',
    })
  })

  it('may be three hundred, and a file may have no rows', async () => {
    const names = Array.from({ length: 300 }, (_, at) => `Column ${at}`)
    const { calls, fileOf } = await guideOf({
      'wide.csv': `${names}\n${names.map(() => 'x')}\n`,
      'empty.csv': 'Name,E-Mail\n',
    })
    expect((await calls.columns({ file: 'wide.csv' })).columns).toHaveLength(300)
    expect((await calls.columns({ file: 'empty.csv' })).columns.map(({ values }) => values)).toEqual([[], []])
    expect((await fileOf('empty.csv'))?.fault).toBeNull()
  })

  it('have fields that are found by words of many languages', async () => {
    const { calls } = await guideOf({ [file]: people })
    const { fields } = await calls.columns({ file })
    const paths = (word: string) => fields.filter(({ words }) => words.includes(word)).map(({ path }) => path)
    expect(paths('telefon')).toEqual(['phones.phone_number'])
    const described = fields.filter(({ path }) => path.startsWith('custom_field_values.'))
    expect(described.map(({ type }) => type)).toEqual(['text', 'number', 'datetime', 'uuid', 'list'])
    expect(fields.find(({ path }) => path === 'emails.email')?.type).toBe('email')
    expect(fields.find(({ path }) => path === 'archived')).toMatchObject({
      takes: ['words'],
      values: ['true', 'false'],
    })
  })
})
