import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith, into, linesOf, rowlift } from '../../../support/rowlift.ts'
import { startService } from '../../../support/service.ts'
import { sheetOf } from '../../../support/sheets.ts'

const mapping = `record: task
allow_unknown_fields: true
key: Id
body:
  name: { from: Name }
  fax: { from: Fax }
  due: { from: Due, as: date, format: dd/MM/yyyy }
  amount: { from: Amount, as: number, decimal: "," }
optional_columns: true
`
const [info, warn] = [30, 40]

/** What a run says before its estimate, but for what every run says. */
function told(stderr: string) {
  const lines = linesOf(stderr)
  const estimate = lines.findIndex(({ msg }) => / calls?: about/.test(msg))
  return lines
    .slice(0, estimate === -1 ? lines.length : estimate)
    .filter(({ msg }) => !/^(summary|progress)$|the results go|^(ended|stopped)|^new columns/.test(msg))
    .map(({ level, msg }) => [level, msg])
}

/** What a dry run says of the rows of a source. */
async function saidOf(content: string | Buffer, map = mapping, name = 'in.csv', ...more: string[]) {
  const cwd = await folderWith({ 'm.yaml': map, [name]: content })
  const { stderr } = await rowlift(['import', name, '-m', 'm.yaml', '--dry-run', ...more], { cwd })
  return more.includes('--quiet') ? stderr : told(stderr)
}

const table = (header: string, ...rows: string[]) => `${[header, ...rows].join('\n')}\n`
const names = Array.from({ length: 9 }, (_, at) => `${at},Task ${at}`)

describe('words for nothing', () => {
  it('words of programs in two rows of a column are told, but not one, which may be a name', async () => {
    const csv = table('Id,Name,Fax', '1,Nan,nan', '2,Nan,NaN', '3,None,1', '4,x,null')
    expect(await saidOf(csv)).toEqual([
      [
        warn,
        expect.stringMatching(
          /^the column "Fax" has "nan", "NaN", "null" in 3 of the first rows, which is read as text; if it means an empty cell, name it under empty_values/,
        ),
      ],
    ])
    expect(await saidOf(table('Id,Name', '1,nan', '2,Ada'))).toEqual([])
  })

  it('words of columns that nothing reads, and those that the mapping expects, are not told', async () => {
    const csv = table('Id,Name,Fax,Pet', '1,a,null,nan', '2,b,null,nan', '3,c,None,')
    expect(await saidOf(csv, `${mapping}empty_values: ["null"]\n`)).toEqual([])
    const mapped = mapping.replace('{ from: Fax }', '{ from: Fax, map: { "null": none, None: none } }')
    expect(await saidOf(csv, mapped)).toEqual([])
    const replaced = mapping.replace(
      '{ from: Fax }',
      '{ from: Fax, replace: [{ pattern: "^null$", with: "" }] }',
    )
    expect(await saidOf(csv, replaced)).toEqual([])
    const left = mapping.replace('key', 'where: { Fax: { not: "null" } }\nkey')
    expect(await saidOf(csv, left)).toEqual([])
  })

  it('words in objects are told, too', async () => {
    const rows = [1, 2].map(id => `${JSON.stringify({ Id: id, Name: 'None' })}\n`).join('')
    expect(await saidOf(rows, mapping, 'in.ndjson')).toEqual([
      [warn, expect.stringContaining('"Name" has "None" in 2')],
    ])
  })
})

describe('totals and legends', () => {
  it.each([
    'Total,,42',
    ',Summe:,"1.204,50"',
    'Summa,,42',
    'Összesen,,42',
    '合計,,42',
    '* = an estimate,,',
    'Legend: x is done,,',
    'Page 1 of 3,,',
  ])('a row that is none is told with its line: %s', async last => {
    const csv = table('Id,Name,Amount', '1,Ada,3', last)
    const [[level, words] = []] = await saidOf(csv)
    expect([level, words]).toEqual([
      warn,
      expect.stringMatching(/^in\.csv:3: ".+" looks like a total or a legend, and is read as a row/),
    ])
  })

  it('a total at the end of a long table on disk is told without its line', async () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `${at},Total ${at} of all,3`)
    expect(await saidOf(table('Id,Name,Amount', ...many))).toEqual([])
    const umlauts = Buffer.from(
      table('Id,Name,Amount', ...many, '9001,"Jörg\n""é""",3', 'Total,,9000'),
      'latin1',
    )
    const windows = `${mapping}source: { encoding: windows-1252 }\n`
    expect(await saidOf(umlauts, windows)).toEqual([
      [warn, expect.stringMatching(/^in\.csv, at its end: "Total" looks/)],
    ])
  })

  it('a text that begins like a legend is a row among others, but not at the end', async () => {
    const tasks = [
      '1,Note: call Bob,',
      ',Note: call Cy,',
      ...Array.from({ length: 5 }, (_, at) => `${at},Task,3`),
    ]
    expect(await saidOf(table('Id,Name,Amount', ...tasks))).toEqual([])
  })

  it('a table below the table is told by its first row, if all its rows fill fewer cells than any above', async () => {
    const people = ['1,Ada,3', '2,Bob,4', '3,Cy,']
    const below = (...rows: string[]) => saidOf(table('Id,Name,Amount', ...people, '', ...rows))
    expect(await below('Legend,,', 'A,,', 'B,,')).toEqual([
      [warn, expect.stringMatching(/^in\.csv:6: "Legend" looks like a total or a legend/)],
    ])
    expect(await below('Legend,,', 'A,open,', 'B,,')).toEqual([])
    expect(await below('4,,', '5,Eve,6')).toEqual([])
    expect(await saidOf(table('Id,Name,Amount', '1,"a\nb",3', '2,b,4', '3,c,5', '4,,'))).toEqual([])
  })

  it('a legend below a long table is told, too', async () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `${at},Task,3`)
    expect(await saidOf(table('Id,Name,Amount', ...many, '', 'Legend,,', 'A,open,'))).toEqual([
      [warn, expect.stringMatching(/^in\.csv, at its end: "Legend" looks/)],
    ])
  })

  it('a total that where leaves out is not told, nor a name with an address', async () => {
    const left = mapping.replace('key', 'where: { Id: { matches: "^[0-9]" } }\nkey')
    expect(await saidOf(table('Id,Name,Amount', '1,Ada,3', 'Total,,42'), left)).toEqual([])
    expect(await saidOf(table('Id,Name,Fax', 'Total,Energies SE,1'))).toEqual([])
  })
})

it('hidden rows of a sheet are told with their numbers', async () => {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
  const row = (attributes: string, ...cells: string[]) =>
    `<row ${attributes}>${cells.map(cell).join('')}</row>`
  const rows = [
    row('', 'Id', 'Name'),
    row('hidden="1"', '1', 'a'),
    row('hidden="0"', '2', 'b'),
    row('hidden="true"', '3', 'c'),
  ]
  expect(await saidOf(sheetOf(rows.join('')), mapping, 'in.xlsx')).toEqual([
    [
      info,
      'in.xlsx: 2 of the first rows are hidden in the sheet (rows 2, 4), and read like the others; delete them there if they are not meant',
    ],
  ])
})

describe('shapes of dates and amounts', () => {
  it.each([
    ['Due', ['03/04/2026', '12/25/2026'], 'month first', 'day first'],
    ['Due', ['2026-10-05'], 'year first', 'day first'],
    ['Amount', ['1,234', '1,234.50'], 'with a decimal point', 'with a decimal comma'],
    ['Amount', ['0.123', '-3.5'], 'with a decimal point', 'with a decimal comma'],
    ['Amount', ['1,234,567'], 'with a decimal point', 'with a decimal comma'],
    ['Amount', ['1250', '1,600'], 'with a decimal point', 'with a decimal comma'],
  ])(
    'values of %s that fit another shape than that of the rule are told: %j',
    async (column, values, shape, read) => {
      const csv = table(`Id,Name,${column}`, ...values.map((value, at) => `${at},Ada,"${value}"`))
      expect(await saidOf(csv)).toEqual([
        [
          warn,
          expect.stringMatching(
            new RegExp(
              `^the column "${column}" seems to be written ${shape}, as .+ its first values shows?, and is read ${read}; the others`,
            ),
          ),
        ],
      ])
    },
  )

  it.each([
    ['Due', ['03/04/2026', '25/12/2026', '']],
    ['Due', ['13/04/2026', '04/13/2026']],
    ['Due', ['5 Oct 2026', 'soon']],
    ['Amount', ['1.234', '1.234,50', '1,5', '']],
    ['Amount', ['1.234', '12 x', 'v1.2.3']],
    ['Amount', ['1250', '1.600', '12']],
    ['Amount', ['1,250', '1,600', '12']],
    ['Amount', ['1250', '1,600', '1,5']],
  ])('values of %s that fit the rule, or prove nothing, are not told: %j', async (column, values) => {
    expect(
      await saidOf(table(`Id,Name,${column}`, ...values.map((value, at) => `${at},Ada,"${value}"`))),
    ).toEqual([])
  })

  it('a rule with names of months or several formats, or that replaces, is not doubted', async () => {
    const csv = table('Id,Name,Due', '1,Ada,12/25/2026')
    for (const rule of [
      'format: [dd/MM/yyyy, M/d/yy]',
      'format: d MMM yyyy',
      'format: dd/MM/yyyy, replace: [{ pattern: x, with: y }]',
    ])
      expect(await saidOf(csv, mapping.replace('format: dd/MM/yyyy', rule))).toEqual([])
  })

  it('another shape than in the last run is told once before the first call, also by a dry run; the log has the shapes', async () => {
    const service = await startService()
    const both = mapping.replace('format: dd/MM/yyyy', 'format: [dd/MM/yyyy, MM/dd/yyyy]')
    const cwd = await folderWith({ 'm.yaml': both })
    const night = async (due: string, amount: string, ...more: string[]) => {
      await writeFile(join(cwd, 'in.csv'), table('Id,Name,Due,Amount', `${due},Ada,${due},"${amount}"`))
      return told(
        (await rowlift(['import', 'in.csv', '-m', 'm.yaml', ...into(service.url), ...more], { cwd })).stderr,
      )
    }
    expect(await night('25/12/2026', '1,5')).toEqual([])
    expect(await night('01/02/2026', '1700')).toEqual([])
    const change = [
      [
        warn,
        'the column "Due" is written month first now, and was day first in the last run; look whether the mapping reads it as it is meant',
      ],
      [
        warn,
        expect.stringMatching(
          /^the column "Amount" is written with a decimal point now, and was with a decimal comma in/,
        ),
      ],
    ]
    expect(await night('12/25/2026', '1.5', '--dry-run')).toEqual(change)
    expect(await night('12/25/2026', '1.5')).toEqual(change)
    const again = await night('12/26/2026', '2.5')
    expect(again.filter(([, words]) => /in the last run/.test(String(words)))).toEqual([])
    const openings = linesOf(await readFile(join(cwd, 'results.ndjson'), 'utf8')).filter(line => line.rowlift)
    const [first, second] = [
      { Due: 'day first', Amount: 'with a decimal comma' },
      { Due: 'month first', Amount: 'with a decimal point' },
    ]
    expect(openings.map(({ shapes }) => shapes)).toEqual([first, first, second, second])
  })
})

it('whole numbers that got separators of thousands since the last run are told, as long as they are there', async () => {
  const service = await startService()
  const cwd = await folderWith({ 'm.yaml': mapping.replace(', decimal: ","', '') })
  const night = async (...amounts: string[]) => {
    const rows = amounts.map((amount, at) => `${at},Ada,${amount}`)
    await writeFile(join(cwd, 'in.csv'), table('Id,Name,Amount', ...rows))
    const args = ['import', 'in.csv', '-m', 'm.yaml', '--changed-rows', ...into(service.url)]
    return told((await rowlift(args, { cwd })).stderr)
  }
  expect(await night('1250', '12')).toEqual([])
  const misread = [
    [
      warn,
      expect.stringMatching(
        /^the column "Amount" seems to be written with a decimal comma, as 2 of its first values show, and is read with a decimal point/,
      ),
    ],
  ]
  expect(await night('1.250', '12', '1.600')).toEqual(misread)
  expect(await night('1.250', '12', '1.600')).toEqual(misread)
})

it('a quiet run that goes well is told nothing, and a log without such columns has no shapes', async () => {
  expect(await saidOf(table('Id,Name', ...names, ',Total'), mapping, 'in.csv', '--quiet')).toBe('')
  const service = await startService()
  const cwd = await folderWith({ 'm.yaml': mapping, 'in.csv': table('Id,Name', ...names) })
  await rowlift(['import', 'in.csv', '-m', 'm.yaml', ...into(service.url)], { cwd })
  expect(await readFile(join(cwd, 'results.ndjson'), 'utf8')).not.toContain('shapes')
})
