import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { presetFor } from '../../../../src/mapping/draft/known-exports.ts'
import { Survey } from '../../../../src/mapping/draft/survey.ts'
import { check, rowsOf } from '../../../support/reading.ts'

const folder = new URL('../../../../samples/presets/', import.meta.url)
const exports = readdirSync(folder).filter(
  file => /\.(csv|ndjson)$/.test(file) && !file.endsWith('.expected.ndjson'),
)
/** What these need to have their header found. */
const startsWith: Readonly<Record<string, string>> = { linkedin: 'First Name', ticktick: 'Folder Name' }

/** The columns of an export, or the keys of its objects. */
async function columnsOf(file: string): Promise<string[]> {
  const cell = startsWith[file.split('.')[0] ?? '']
  const header =
    cell === undefined ? ({ type: 'first_line' } as const) : ({ type: 'starts_with', cell } as const)
  const encoding = file === 'salesforce-accounts.csv' ? 'windows-1252' : undefined
  const [source] = await check([new URL(file, folder).pathname], { header, encoding })
  const survey = new Survey(source?.columns)
  for (const row of await rowsOf(source ? [source] : [])) survey.add(row)
  return survey.columns.map(({ name }) => name)
}

describe('an export is known by its columns', () => {
  it.each(exports)('%s', async file => {
    const format = file.endsWith('.csv') ? 'csv' : 'ndjson'
    expect(presetFor(await columnsOf(file), format)).toBe(file.split('.')[0])
  })

  it.each([
    ['First Name', 'Last Name', 'Email'],
    ['Name', 'Email', 'Phone', 'Notes', 'Labels'],
    ['Task Name', 'Priority', 'Due Date', 'Status'],
    ['ID', 'Title', 'Description', 'Priority', 'Assignee'],
    [
      'Record Id',
      'First Name',
      'Last Name',
      'Account Name.id',
      'Account Name',
      'Email',
      'Mailing City',
      'Mailing Zip',
    ],
    ['Activity - Subject', 'Person - Name', 'Person - Email', 'Organization - Name'],
  ])('and not by a few names that many have: %s, …', (...columns) => {
    expect(presetFor(columns, 'csv')).toBeUndefined()
  })
})
