import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Column } from '../../../../src/features/draft/columns/column.ts'
import { surveyOf } from '../../../../src/features/draft/columns/survey.ts'
import { presetFor } from '../../../../src/features/draft/drafts.ts'
import { textOf } from '../../../../src/features/draft/lines.ts'
import { adaptedDates } from '../../../../src/features/draft/preset.ts'
import { formatFor } from '../../../../src/input/source.ts'
import { check, rowsOf } from '../../../support/read-input.ts'

const folder = new URL('../../../../samples/presets/', import.meta.url)
const exports = readdirSync(folder).filter(
  file => /\.(csv|ndjson|json)$/.test(file) && !file.endsWith('.expected.ndjson'),
)
/** What these need to have their header found. */
const startsWith: Readonly<Record<string, string>> = {
  linkedin: 'First Name',
  monday: 'Name',
  'monday-subitems': 'Subitems',
  ticktick: 'Folder Name',
}

/** The columns of an export, or the keys of its objects. */
async function columnsOf(file: string): Promise<string[]> {
  const cell = startsWith[file.split('.')[0] ?? '']
  const header =
    cell === undefined ? ({ type: 'first_line' } as const) : ({ type: 'starts_with', cell } as const)
  const encoding = file === 'salesforce-accounts.csv' ? 'windows-1252' : undefined
  const [source] = await check([new URL(file, folder).pathname], { header, encoding, rows: 'cards' })
  const survey = surveyOf(source?.columns)
  for (const row of await rowsOf(source ? [source] : [])) survey.add(row)
  return survey.end(true).columns.map(({ name }) => name)
}

describe('export of a known product', () => {
  it.each(exports)('an export is known by its columns: %s', async file => {
    const format = formatFor(file, {})
    expect(presetFor(await columnsOf(file), format)).toBe(file.split('.')[0])
  })

  it.each([
    ['First Name', 'Last Name', 'Email'],
    ['Name', 'Email', 'Phone', 'Notes', 'Labels'],
    ['Task Name', 'Priority', 'Due Date', 'Status'],
    ['ID', 'Title', 'Description', 'Priority', 'Assignee'],
    [
      'Record Id',
      'Deal Owner',
      'Deal Name',
      'Account Name.id',
      'Account Name',
      'Contact Name',
      'Closing Date',
    ],
    ['FIRSTNAME', 'LASTNAME', 'EMAIL', 'PHONE'],
    ['id', 'firstname', 'lastname', 'email', 'phone'],
    ['firstName', 'lastName', 'email', 'address.city'],
    ['#', 'Subject', 'Priority', 'Status'],
    ['ID', 'Team', 'Title', 'Status', 'Priority'],
    ['ID', 'Name', 'State', 'Priority', 'Created By'],
    ['Activity - Subject', 'Person - Name', 'Person - Email', 'Organization - Name'],
    ['Vorname', 'Nachname', 'Telefon geschäftlich', 'E-Mail-Adresse', 'Straße', 'PLZ', 'Ort'],
  ])('an export is not known by a few names that many have: %s, …', (...columns) => {
    expect(presetFor(columns, 'csv')).toBeUndefined()
  })

  it('an export is known by a column that only one of two products has', () => {
    const report = ['Contact ID', 'First Name', 'Last Name', 'Email', 'Contact Owner', 'Account Name']
    expect(presetFor(report, 'csv')).toBe('salesforce-contacts')
  })
})

const preset = `body:
  name: { from: Task }
  # The due date.
  date_info:
    due_date: { from: Due, as: date, format: iso }

tests:
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
const adaptedText = (text: string, column: Column) => textOf(adaptedDates(text.split('\n'), [column]))
const adapted = (...values: string[]) => adaptedText(preset, columnOf(...values))

describe("dates of a preset's draft", () => {
  it('dates of a preset stay as they are if the preset reads the values', () => {
    expect(adapted('2026-02-15')).toBe(preset)
  })

  it('dates of a preset get the format that the file has, and the tests of the preset go', () => {
    const text = adapted('15/02/2026', '2026-02-15')
    const { body, ...rest } = parse(text)
    expect(body.date_info.due_date).toEqual({ from: 'Due', as: 'date', format: ['iso', 'd/M/yyyy'] })
    expect(rest).toEqual({})
    expect(text).toContain('# The due date.')
    expect(text).toContain('# Dates such as "15/02/2026" of this file are read as well.')
  })

  it('dates of a preset get it from the column that the file has of several', () => {
    const text = adaptedText(preset.replace('from: Due,', 'from: [Ends, due],'), columnOf('15/02/2026'))
    expect(parse(text).body.date_info.due_date).toEqual({
      from: ['Ends', 'due'],
      as: 'date',
      format: ['iso', 'd/M/yyyy'],
    })
  })

  it('dates of a preset are asked about if day and month could be either', () => {
    const text = adapted('03/04/2026')
    expect(text).not.toContain('tests:')
    expect(parse(text).body.date_info.due_date).toEqual({
      from: 'Due',
      as: 'date',
      format: 'iso',
      otherwise: 'omit',
    })
    expect(text).toContain(
      '# ? Is "03/04/2026" in line 2 (column "Due") 3 April or 4 March? The values allow both.',
    )
    expect(text).toContain('# due_date: { from: Due, as: date, format: [iso, d/M/yyyy] }')
    expect(text).toContain('# due_date: { from: Due, as: date, format: [iso, M/d/yyyy] }')
  })
})
