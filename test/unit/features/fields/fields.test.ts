import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { fieldsPage } from '../../../../scripts/fields-page.js'
import { customFields, recordFields } from '../../../../src/features/fields/run-fields.ts'
import { recordTypes } from '../../../../src/records/record-types.ts'
import { tempFolder } from '../../../support/cleanup.ts'
import { mappingFrom } from '../../../support/mappings.ts'
import { textOf } from '../../../support/pages.ts'
import { rowlift } from '../../../support/rowlift.ts'

const fields = async (...words: string[]) => rowlift(['fields', ...words], { cwd: await tempFolder() })
const uuid = '0b54ec52-7f3a-4a35-9a9e-6f7c6c7d6b01'

describe('rowlift fields', () => {
  it.each(recordTypes)('rowlift fields prints lines that are the body of a mapping: %s', async record => {
    const { exitCode, stdout } = await fields(record)
    expect(exitCode).toBe(0)
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100)
    const [all = '', custom = ''] = stdout.split('\n\n')
    const inBody = (text: string) => `record: ${record}\nbody:\n${text.replaceAll(/^/gm, '  ')}`
    expect(() => mappingFrom(inBody(all))).not.toThrow()
    expect(() => mappingFrom(inBody(custom.replaceAll('field_id: ID', `field_id: ${uuid}`)))).not.toThrow()
    expect(parse(custom).custom_field_values).toHaveLength(5)
  })

  it('rowlift fields prints those with all words in their names, and what they are in', async () => {
    const { stdout } = await fields('task', 'info', 'Due')
    expect(stdout.split('\n').map(line => line.replace(/ +#/, ' #'))).toEqual([
      'date_info: # an object',
      '  due_date: { from: COLUMN, as: datetime } # a timestamp',
      '',
    ])
    expect((await fields('task', 'priority')).stdout).toMatch(
      /^priority: \{ from: COLUMN \} +# text; seen: high\n$/,
    )
  })

  it.each([
    [[], 'name a record: rowlift fields contact|task'],
    [['person'], 'name a record: rowlift fields contact|task'],
    [['task', 'budget'], 'a task has no field with budget in its name; one of your own is a custom field'],
    [['contact', 'budget'], 'rowlift fields contact custom'],
  ])('rowlift fields with %j ends with 2 and says why', async (words, why) => {
    expect(await fields(...words)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(why),
    })
  })
})

it('rowlift fields names the fields that only the service sets', async () => {
  const { stdout } = await fields('task')
  expect(stdout).toMatch(/^# These fields of a task may be sent\..*record_id,.* member_role\.\n/s)
})

describe('docs/usage/fields.md', () => {
  it('docs/usage/fields.md has every field, as `npm run schema` writes it', () => {
    const records = { contact: recordFields('contact'), task: recordFields('task') }
    expect(textOf('docs/usage/fields.md')).toBe(fieldsPage(records, customFields()))
  })
})
