import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { comparable, expectItsTestsToHold } from '../support/expectations.ts'
import { folderWith, type Line, linesOf, rowlift } from '../support/rowlift.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const presets = readdirSync(new URL('../../config/', import.meta.url))
  .filter(file => file.endsWith('.yaml') && file !== 'settings.example.yaml')
  .map(file => file.replace('.yaml', ''))
const exports = readdirSync(new URL('../../samples/presets/', import.meta.url)).filter(
  file => /\.(csv|ndjson|json|vcf|ics)$/.test(file) && !file.endsWith('.expected.ndjson'),
)

/** The exports of a preset: NAME.csv, and NAME.SHAPE.csv where there are several shapes of it. */
const exportsOf = (preset: string) => exports.filter(file => file.split('.')[0] === preset)

/** A row that waits for another one is reported after it. */
const inRowOrder = (lines: Line[]) => lines.toSorted((a, b) => a.row - b.row)

/** What only somebody who knows the file can say. */
const flags: Readonly<Record<string, readonly string[]>> = {
  'salesforce-accounts.csv': ['--encoding', 'windows-1252'],
}

describe('the presets', () => {
  it('are those that the exports are of', () => {
    expect(exports.filter(file => !presets.includes(file.split('.')[0] ?? ''))).toEqual([])
  })
})

describe.each(presets)('the preset %s', preset => {
  it('has tests that hold', () => {
    expectItsTestsToHold(`${preset}.yaml`, textOf(`config/${preset}.yaml`))
  })

  it('has an export to try it on', () => {
    expect(exportsOf(preset)).not.toEqual([])
  })

  it.each(exportsOf(preset))('makes of %s what is written down, row for row', async file => {
    const run = await rowlift(
      [
        ...['import', `samples/presets/${file}`, '--mapping', `preset:${preset}`],
        ...['--dry-run', '--preview', '-', ...(flags[file] ?? [])],
      ],
      { cwd: root },
    )
    const lines = linesOf(textOf(`samples/presets/${file.replace(/\.\w+$/, '.expected.ndjson')}`))
    expect(inRowOrder(linesOf(run.stdout).map(comparable))).toEqual(inRowOrder(lines))
    expect(run.exitCode).toBe(lines.some(line => line.status === 'invalid') ? 1 : 0)
  })
})

describe('a draft from a preset', () => {
  it('reads an export that went through a spreadsheet: lines above, no blank behind commas, and ids that were rounded', async () => {
    const [header = ''] = textOf('samples/presets/asana.csv').split('\n')
    const rows = ['Mend,Fri', 'Paint'].map(
      name => `1.21E+15,,,,"${name}",,,,2026-01-02,28/2/2026,,,"Quay,Fair",,,,,,`,
    )
    const cwd = await folderWith({
      'a.csv': [',,,', 'https://example.com/0,,,', header, ...rows, ''].join('\n'),
    })
    const { stdout } = await rowlift(['init', 'a.csv', '-o', 'm.yaml'], { cwd })
    const text = readFileSync(`${cwd}/m.yaml`, 'utf8')
    expect(text).toContain('# ? A spreadsheet rounded ids ("1.21E+15"), so they tell no rows apart.')
    expect(parse(text)).not.toHaveProperty('key')
    const run = await rowlift(['import', 'a.csv', '-m', 'm.yaml', '--dry-run', '--preview', '-'], { cwd })
    expect(linesOf(run.stdout + stdout).map(({ body }) => body)).toEqual(
      ['Mend,Fri', 'Paint'].map(name => ({
        name,
        date_info: { start_date: '2026-01-02T00:00:00', due_date: '2026-02-28T00:00:00' },
        projects: [{ name: 'Quay' }, { name: 'Fair' }],
      })),
    )
  })

  it('reads a report of QuickBooks below its title, and keeps the comments behind `source:` where they were', async () => {
    const report = textOf('samples/presets/quickbooks-customers.csv')
    const cwd = await folderWith({ 'a.csv': `Harbour Supplies\nCustomer Contact List\n\n${report}` })
    await rowlift(['init', 'a.csv', '-o', 'm.yaml'], { cwd })
    const text = readFileSync(`${cwd}/m.yaml`, 'utf8')
    expect(text).toContain('  header: { starts_with: Customer }\n\n# The last lines of a report')
    const run = await rowlift(['import', 'a.csv', '-m', 'm.yaml', '--dry-run', '--preview', '-'], { cwd })
    const expected = linesOf(textOf('samples/presets/quickbooks-customers.expected.ndjson'))
    expect(linesOf(run.stdout).map(({ row, body }) => [row, body])).toEqual(
      expected.map(({ row, body }) => [row, body]),
    )
  })

  it.each([
    ['hubspot-contacts.older.csv', 'Contact Owner'],
    ['hubspot-companies.older.csv', 'Company Owner'],
  ])('of %s does not call a column unmapped that the preset has in other letters', async (file, column) => {
    const { stdout } = await rowlift(['init', `samples/presets/${file}`], { cwd: root })
    expect(stdout).toContain('preset hubspot-')
    expect(stdout).not.toContain(`#   ${column}: `)
  })

  it.each([
    [
      'the encoding of lines that name none',
      'FN:J\xfcrgen\nROLE:Caf\xe9\nNOTE;CHARSET=UTF-8:\xc3\xa9t\xc3\xa9',
    ],
    [
      'a line in an encoding of its own',
      'FN:J\xc3\xbcrgen\nNOTE;CHARSET=ISO-8859-1:\xe9t\xe9\nROLE:Caf\xc3\xa9',
    ],
    ['folds within characters', 'FN:J\xc3\n \xbcrgen\nNOTE:\xc3\xa9t\xc3\n \xa9\nROLE:Caf\xc3\n \xa9'],
  ])('reads cards, with %s', async (_, lines) => {
    const cwd = await folderWith({})
    writeFileSync(`${cwd}/a.vcf`, `BEGIN:VCARD\n${lines}\nEND:VCARD\n`, 'latin1')
    await rowlift(['init', 'a.vcf', '-o', 'm.yaml'], { cwd })
    const run = await rowlift(['import', 'a.vcf', '-m', 'm.yaml', '--dry-run', '--preview', '-'], { cwd })
    expect(linesOf(run.stdout).map(({ body }) => body)).toEqual([
      { name: 'Jürgen', record_sub_type: 'person', designation: 'Café', description: 'été' },
    ])
  })
})
