import { appendFile, copyFile, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { folderWith, into, rowlift } from '../support/rowlift.ts'
import { startService } from '../support/service.ts'

// What people and their programs do to an import between two runs, each act with its outcome. Every record carries the name of its person.

const people = ['Ada', 'Bob', 'Cy', 'Dee', 'Eve', 'Fay', 'Gus', 'Hal', 'Ida', 'Jo', 'Kim', 'Lou']

type Cells = Readonly<Record<'Id' | 'Name' | 'Due' | 'Amount' | 'Email' | 'Note', string>>

const rows: readonly Cells[] = people.map((Name, at) => ({
  Id: `${at + 1}`.padStart(4, '0'),
  Name,
  Due: `2026-10-${at + 10}`,
  Amount: `${1000 + at}`,
  Email: `${Name.toLowerCase()}@example.com`,
  Note: at % 3 === 0 ? 'call first' : '',
}))

const quoted = (cell: string) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** A table with the columns of its first row. */
const csv = (table: readonly Readonly<Record<string, string>>[]) =>
  [Object.keys(table[0] ?? {}), ...table.map(row => Object.values(row))]
    .map(cells => `${cells.map(quoted).join(',')}\n`)
    .join('')

const each = (change: (row: Cells, at: number) => Partial<Record<string, string>>) =>
  csv(rows.map((row, at) => ({ ...row, ...change(row, at) }) as Record<string, string>))

const mapping = (key = 'key: Id\n', more = '') =>
  `record: task\n${key}${more}body:\n  name: "{{Name}}"\n  description: { from: Note }\n`

type Night = string | readonly [source: string, ...options: string[]]

interface Act {
  readonly map?: string
  /** The name of the source. */
  readonly source?: string
  /** In the place of the mapping. */
  readonly preset?: string
  readonly maps?: readonly string[]
  readonly nights: readonly Night[]
  readonly codes: readonly number[]
  /** Records in the end. */
  readonly made: number
  readonly says?: string | RegExp
  /** What a person does with the files of the folder before each night. */
  readonly between?: readonly (((cwd: string) => Promise<unknown>) | undefined)[]
}

async function play({ map = mapping(), maps = [], source = 'in.csv', preset, nights, between = [] }: Act) {
  const by = preset === undefined ? 'm.yaml' : `preset:${preset}`
  const service = await startService()
  const cwd = await folderWith({ 'm.yaml': map })
  const ends = []
  for (const [at, night] of nights.entries()) {
    const [text = '', ...options] = [night].flat() as string[]
    await writeFile(join(cwd, source), text)
    const changed = maps[at]
    if (changed !== undefined) await writeFile(join(cwd, 'm.yaml'), changed)
    await between[at]?.(cwd)
    ends.push(
      await rowlift(
        ['import', source, '-m', by, ...into(service.url), '--log-format', 'pretty', ...options],
        { cwd },
      ),
    )
  }
  await rm(cwd, { recursive: true, force: true })
  return { ends, codes: ends.map(({ exitCode }) => exitCode), made: service.made.length }
}

const acts = (title: string, all: Readonly<Record<string, Act>>) =>
  describe(title, () => {
    it.each(Object.entries(all))('%s', async (_, act) => {
      const { ends, codes, made } = await play(act)
      const said = ends.at(-1)?.stderr ?? ''
      expect([codes, made], said).toEqual([act.codes, act.made])
      if (act.says !== undefined) expect(said).toMatch(act.says)
    })
  })

const keyless = mapping('')
const all = csv(rows)
const grown = csv([...rows, { ...rows[0], Id: '0013', Name: 'Mo' } as Cells])

acts('keys that are written in another way', {
  'leading zeros lost': {
    nights: [all, each(({ Id }) => ({ Id: `${Number(Id)}` }))],
    codes: [0, 2],
    made: 12,
    says: /12 of the first 12 rows .* Id is written as another number now: 0001 became 1/,
  },
  'leading zeros lost, and the person says so': {
    nights: [
      all,
      [each(({ Id }) => ({ Id: `${Number(Id)}` })), '--respelled', 'same'],
      each(({ Id }) => ({ Id: `${Number(Id)}` })),
    ],
    codes: [0, 0, 0],
    made: 12,
  },
  'as 1.0': { nights: [all, each(({ Id }) => ({ Id: `${Number(Id)}.0` }))], codes: [0, 2], made: 12 },
  'long keys as 1.23457E+11, all the same then': {
    nights: [each((_, at) => ({ Id: `${123456789001 + at}` })), each(() => ({ Id: '1.23457E+11' }))],
    codes: [0, 2],
    made: 12,
  },
  'in thousands': {
    nights: [
      each((_, at) => ({ Id: `${1001 + at}` })),
      each((_, at) => ({ Id: `1,${`${at + 1}`.padStart(3, '0')}` })),
    ],
    codes: [0, 2],
    made: 12,
  },
  'case of an e-mail address': {
    map: mapping('key: Email\n'),
    nights: [all, each(({ Email }) => ({ Email: Email.toUpperCase() }))],
    codes: [0, 2],
    made: 12,
    says: 'other capitals',
  },
  'two names in another form of Unicode': {
    map: mapping('key: Name\n'),
    nights: [
      each(({ Name }, at) => ({ Name: at < 1 ? 'Zo\u00eb' : Name })),
      each(({ Name }, at) => ({ Name: at < 1 ? 'Zoe\u0308' : Name })),
    ],
    codes: [0, 1],
    made: 12,
    says: 'under another name',
  },
  'an apostrophe before it': { nights: [all, each(({ Id }) => ({ Id: `'${Id}` }))], codes: [0, 2], made: 12 },
  'as a formula': { nights: [all, each(({ Id }) => ({ Id: `="${Id}"` }))], codes: [0, 2], made: 12 },
  'codes that became dates': {
    nights: [each((_, at) => ({ Id: `${at + 1}-1` })), each((_, at) => ({ Id: `${at + 1}-Jan` }))],
    codes: [0, 2],
    made: 12,
    says: 'Id has another value now: 1-1 became 1-Jan',
  },
  'a typing error corrected in one key': {
    nights: [all, each(({ Id }, at) => ({ Id: at === 5 ? '0906' : Id }))],
    codes: [0, 1],
    made: 12,
    says: /1 row held.*may be in.csv row 6/s,
  },
  'emptied in three rows': {
    nights: [all, each(({ Id }, at) => ({ Id: at < 3 ? '' : Id }))],
    codes: [0, 2],
    made: 12,
    says: 'Id is empty now',
  },
  'given later in three rows': {
    nights: [each(({ Id }, at) => ({ Id: at < 3 ? '' : Id })), all],
    codes: [0, 2],
    made: 12,
    says: 'they had no Id',
  },
  'trailing blanks': { nights: [all, each(({ Id }) => ({ Id: `${Id} ` }))], codes: [0, 0], made: 12 },
  'case of a code': {
    nights: [each(({ Id }) => ({ Id: `TSK-${Id}` })), each(({ Id }) => ({ Id: `tsk-${Id}` }))],
    codes: [0, 2],
    made: 12,
  },
  'a blank that does not break': {
    nights: [each(({ Id }) => ({ Id: `No ${Id}` })), each(({ Id }) => ({ Id: `No\u00a0${Id}` }))],
    codes: [0, 2],
    made: 12,
  },
  'an invisible sign before it': {
    nights: [all, each(({ Id }) => ({ Id: `\u200b${Id}` }))],
    codes: [0, 2],
    made: 12,
  },
  'a curly apostrophe': {
    nights: [each(({ Id }) => ({ Id: `O'${Id}` })), each(({ Id }) => ({ Id: `O\u2019${Id}` }))],
    codes: [0, 2],
    made: 12,
  },
  'letters lost in two keys': {
    nights: [
      each(({ Id }, at) => ({ Id: at < 2 ? `J\u00f6rg ${Id}` : Id })),
      each(({ Id }, at) => ({ Id: at < 2 ? `J?rg ${Id}` : Id })),
    ],
    codes: [0, 2],
    made: 12,
  },
  'the last digits lost, and then the right export': {
    nights: [
      each((_, at) => ({ Id: `${123456789001 + at}` })),
      [each(() => ({ Id: '1.23457E+11' })), '--respelled', 'same'],
      each((_, at) => ({ Id: `${123456789001 + at}` })),
    ],
    codes: [0, 1, 0],
    made: 12,
  },
  'names in capitals that are the key, and sorted': {
    map: mapping('key: Name\n'),
    nights: [all, csv(rows.map(row => ({ ...row, Name: row.Name.toUpperCase() })).toReversed())],
    codes: [0, 2],
    made: 12,
  },
  'one of two key columns emptied in a row': {
    map: mapping('key: [Id, Email]\n'),
    nights: [all, each(({ Email }, at) => ({ Email: at === 4 ? '' : Email }))],
    codes: [0, 1],
    made: 12,
  },
  'one respelled, and its name corrected': {
    nights: [all, each(({ Id, Name }, at) => (at === 4 ? { Id: '5', Name: `${Name}lyn` } : { Id }))],
    codes: [0, 1],
    made: 12,
    says: /may be in.csv row 5 .* 0005/,
  },
  'a prefix before each of them, and numbers with decimals': {
    map: `${mapping()}  estimated_time: { from: Amount, as: number }\n`,
    nights: [all, each(({ Id, Amount }) => ({ Id: `CUS-${Id}`, Amount: `${Amount}.00` }))],
    codes: [0, 2],
    made: 12,
    says: 'Id has another value now: 0001 became CUS-0001',
  },
  'zeros lost after a trial with --limit': {
    nights: [
      [all, '--limit', '5'],
      each(({ Id }) => ({ Id: `${Number(Id)}` })),
      [each(({ Id }) => ({ Id: `${Number(Id)}` })), '--respelled', 'same'],
    ],
    codes: [0, 2, 0],
    made: 12,
  },
  'zeros lost in rows that were refused and fixed later': {
    map: `${mapping()}  estimated_time: { from: Amount, as: number }\n`,
    nights: [
      each(({ Amount }, at) => ({ Amount: at < 2 ? 'x' : Amount })),
      [each(({ Id }) => ({ Id: `${Number(Id)}` })), '--respelled', 'same'],
      each(({ Id }) => ({ Id: `${Number(Id)}` })),
    ],
    codes: [1, 0, 0],
    made: 12,
  },
  'a task that is done, and comes again under a new one': {
    map: mapping('key: Id\n', 'where: { Note: { not: done } }\n'),
    nights: [
      all,
      [
        csv([
          ...rows.map((row, at) => (at === 1 ? { ...row, Note: 'done' } : row)),
          { ...rows[1], Id: '0101' } as Cells,
        ]),
        '--respelled',
        'new',
      ],
    ],
    codes: [0, 0],
    made: 13,
  },
  'new rows with bodies of rows that come as well': {
    nights: [all, csv([...rows, ...rows.slice(0, 4).map(row => ({ ...row, Id: `9${row.Id}` }))])],
    codes: [0, 0],
    made: 16,
  },
})

acts('cells of rows without a key', {
  'numbers in another form, in a column that is not sent': {
    map: keyless,
    nights: [all, each(({ Amount }) => ({ Amount: `${Amount}.00` }))],
    codes: [0, 2],
    made: 12,
    says: 'only the cells of Amount differ',
  },
  'trailing blanks in all cells': {
    map: keyless,
    nights: [
      all,
      each(row => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, `${cell}  `]))),
    ],
    codes: [0, 2],
    made: 12,
  },
  'a cell that is not sent corrected in one row': {
    map: keyless,
    nights: [all, each(({ Email }, at) => ({ Email: at === 4 ? 'eva@example.com' : Email }))],
    codes: [0, 1],
    made: 12,
  },
  'a new column, and a cell that is not sent corrected in one row': {
    map: keyless,
    nights: [
      all,
      each(({ Email }, at) => ({ Email: at === 4 ? 'eva@example.com' : Email, VIP: 'yes' })),
      [
        each(({ Email }, at) => ({ Email: at === 4 ? 'eva@example.com' : Email, VIP: 'yes' })),
        '--respelled',
        'same',
      ],
    ],
    codes: [0, 1, 0],
    made: 12,
  },
  'all rows but one respelled, and the person says so': {
    map: keyless,
    nights: [
      all,
      [each(({ Amount }, at) => ({ Amount: at < 1 ? Amount : `${Amount}.00` })), '--respelled', 'same'],
      each(({ Amount }, at) => ({ Amount: at < 1 ? Amount : `${Amount}.00` })),
    ],
    codes: [0, 0, 0],
    made: 12,
  },
  'a cell of one of two equal rows corrected': {
    map: keyless,
    nights: [
      csv([...rows, rows[3] as Cells]),
      csv([...rows, { ...rows[3], Email: 'dee@example.org' } as Cells]),
    ],
    codes: [0, 1],
    made: 13,
  },
  'one of two equal rows gone, and there again': {
    map: keyless,
    nights: [csv([...rows, rows[3] as Cells]), csv(rows.toReversed()), csv([rows[3] as Cells, ...rows])],
    codes: [0, 0, 0],
    made: 13,
  },
  'all rows respelled, which are new rows': {
    map: mapping('', 'respelled: new\n'),
    nights: [all, [each(({ Amount }) => ({ Amount: `${Amount}.00` })), '--all-new']],
    codes: [0, 0],
    made: 24,
  },
})

acts('other rows under the same names', {
  'a list of next year, numbered from 1 again': {
    nights: [all, each((_, at) => ({ Name: `New ${at}` }))],
    codes: [0, 2],
    made: 12,
    says: /12 of the 12 first rows that have their record there read differently/,
  },
  'the same, and the person goes on': {
    nights: [all, [each((_, at) => ({ Name: `New ${at}` })), '--changed-rows']],
    codes: [0, 0],
    made: 12,
  },
  'the same once more, with a new row and one more edit, is not asked again': {
    nights: [
      all,
      [each((_, at) => ({ Name: `New ${at}` })), '--changed-rows'],
      `${each((_, at) => ({ Name: at === 4 ? 'Newer' : `New ${at}` }))}0013,Mo,,,,\n`,
      each((_, at) => ({ Name: `New ${at}` })),
    ],
    codes: [0, 0, 0, 0],
    made: 13,
  },
  'the same, and then the list of the year after': {
    nights: [
      all,
      [each((_, at) => ({ Name: `New ${at}` })), '--changed-rows'],
      each((_, at) => ({ Name: `Newest ${at}` })),
    ],
    codes: [0, 0, 2],
    made: 12,
    says: /12 of the 12 first rows that have their record there read differently/,
  },
  'the same, moved down by one row': {
    nights: [
      all,
      [each((_, at) => ({ Name: `New ${at}` })), '--changed-rows'],
      each((_, at) => ({ Name: `New ${at - 1}` })),
    ],
    codes: [0, 0, 2],
    made: 12,
  },
  'a row inserted at the top of a numbered list': {
    nights: [
      all,
      csv(
        [{ ...rows[0], Name: 'Zed' } as Cells, ...rows].map((row, at) => ({
          ...row,
          Id: `${at + 1}`.padStart(4, '0'),
        })),
      ),
    ],
    codes: [0, 2],
    made: 12,
  },
  'two rows edited': {
    nights: [all, each(({ Name }, at) => ({ Name: at < 2 ? `${Name}!` : Name }))],
    codes: [0, 0],
    made: 12,
    says: '2 of them changed since',
  },
  'columns that are not sent changed in all rows': {
    nights: [all, each((_, at) => ({ Amount: `${at}` }))],
    codes: [0, 0],
    made: 12,
    says: /have their record from an earlier run\n/,
  },
})

const conflicting = 'Id,Name,Note\n1,A,\n1,B,\n2,C,\n'
acts('two rows with one key', {
  'and other contents': {
    nights: [conflicting],
    codes: [1],
    made: 2,
    says: /has the key of in.csv row 1, and differs in name/,
  },
  'and the same contents': { nights: ['Id,Name,Note\n1,A,x\n1,A,x\n2,C,\n'], codes: [0], made: 2 },
  'and other contents that are not sent': {
    nights: ['Id,Name,Note,Z\n1,A,,1\n1,A,,2\n2,C,,\n'],
    codes: [0],
    made: 2,
  },
  allowed: { nights: [[conflicting, '--expect-conflicts', 'any']], codes: [0], made: 2 },
  'allowed by the mapping': {
    map: mapping('key: Id\n', 'expect: { conflicts: any }\n'),
    nights: [conflicting],
    codes: [0],
    made: 2,
  },
  'a row that was copied in the sheet, with the key of the first': {
    nights: [all, csv([...rows, { ...rows[3], Name: 'Mo' } as Cells])],
    codes: [0, 1],
    made: 12,
    says: /has the key of in.csv row 4, and differs in name/,
  },
  'rows that a join doubled': {
    nights: [all, csv(rows.flatMap(row => [row, { ...row, Note: `${row.Note}, too` }]))],
    codes: [0, 1],
    made: 12,
    says: 'conflicts: 12 rows',
  },
  'where the log knows the second': {
    nights: ['Id,Name,Note\n1,A,\n2,C,\n', 'Id,Name,Note\n1,B,\n1,A,\n2,C,\n'],
    codes: [0, 1],
    made: 2,
    says: /in.csv:2 \(row 1/,
  },
})

acts('one file that is named twice', {
  'by another path': {
    map: keyless,
    nights: [[all, './in.csv']],
    codes: [2],
    made: 0,
    says: 'is the same file as',
  },
  'by a link beside it': {
    map: keyless,
    nights: [[all, 'link.csv']],
    between: [cwd => symlink(join(cwd, 'in.csv'), join(cwd, 'link.csv'))],
    codes: [2],
    made: 0,
    says: 'link.csv: is the same file as in.csv',
  },
})

/** Dates and amounts are read. */
const dated = (key = 'key: Id\n', format = 'iso') =>
  `${mapping(key)}  date_info: { due_date: { from: Due, as: date, format: ${format} } }\n  estimated_time: { from: Amount, as: number }\n`
const german = ({ Due }: Cells) => Due.replace(/(\d+)-(\d+)-(\d+)/, '$3/$2/$1')

acts('files that programs wrote anew', {
  'sorted by another column': {
    map: keyless,
    nights: [all, csv(rows.toReversed())],
    codes: [0, 0],
    made: 12,
  },
  'filtered to a part': { map: keyless, nights: [all, csv(rows.slice(4))], codes: [0, 0], made: 12 },
  'columns in another order': {
    map: keyless,
    nights: [all, csv(rows.map(row => Object.fromEntries(Object.entries(row).toReversed())))],
    codes: [0, 0],
    made: 12,
  },
  'a mark, CRLF and all cells quoted': {
    map: keyless,
    nights: [
      all,
      `\ufeff${all
        .trim()
        .split('\n')
        .map(line =>
          line
            .split(',')
            .map(cell => `"${cell}"`)
            .join(','),
        )
        .join('\r\n')}\r\n`,
    ],
    codes: [0, 0],
    made: 12,
  },
  'another header of a column that is not sent': {
    map: keyless,
    nights: [all, all.replace('Email', 'E-Mail')],
    codes: [0, 2],
    made: 12,
    says: 'has no column Email',
  },
  'the header in other capitals': {
    map: keyless,
    nights: [all, all.replace('Email', 'EMAIL')],
    codes: [0, 2],
    made: 12,
  },
  'a new column': {
    map: keyless,
    nights: [all, each(() => ({ VIP: 'yes' }))],
    codes: [0, 0],
    made: 12,
    says: 'new columns since the last run: VIP',
  },
  'two empty columns at the end': {
    map: keyless,
    nights: [all, all.replaceAll('\n', ',,\n')],
    codes: [0, 0],
    made: 12,
  },
  'dates in another form': {
    map: dated(''),
    maps: [dated(''), dated('', '[iso, dd/MM/yyyy]')],
    nights: [all, each(row => ({ Due: german(row) }))],
    codes: [0, 2],
    made: 12,
    says: 'only the cells of Due differ',
  },
  'numbers with decimals': {
    map: dated(''),
    nights: [all, each(({ Amount }) => ({ Amount: `${Amount}.00` }))],
    codes: [0, 2],
    made: 12,
    says: 'only the cells of Amount differ',
  },
  'line ends in cells': {
    map: keyless,
    nights: [each(() => ({ Note: 'a\nb' })), each(() => ({ Note: 'a\r\nb' }))],
    codes: [0, 2],
    made: 12,
  },
  'TRUE for true in a column that is not sent': {
    map: keyless,
    nights: [each(() => ({ Email: 'true' })), each(() => ({ Email: 'TRUE' }))],
    codes: [0, 2],
    made: 12,
    says: 'only the cells of Email differ',
  },
  'a column that a program computes anew': {
    map: keyless,
    nights: [each((_, at) => ({ Amount: `${at}` })), each((_, at) => ({ Amount: `${at + 1}` }))],
    codes: [0, 2],
    made: 12,
  },
  'a column twice': { nights: [all, all.replace('Name', 'Id')], codes: [0, 2], made: 12 },
  'as NDJSON': { map: keyless, nights: [all], codes: [0], made: 12 },
  'as NDJSON of the same cells': {
    map: keyless,
    nights: [all, [rows.map(row => `${JSON.stringify(row)}\n`).join(''), '--format', 'ndjson']],
    codes: [0, 0],
    made: 12,
  },
  'with semicolons': {
    nights: [all, all.replaceAll(',', ';'), [all.replaceAll(',', ';'), '--delimiter', ';']],
    codes: [0, 2, 0],
    made: 12,
  },
  'with semicolons, and zeros lost': {
    nights: [all, [each(({ Id }) => ({ Id: `${Number(Id)}` })).replaceAll(',', ';'), '--delimiter', ';']],
    codes: [0, 2],
    made: 12,
    says: '0001 became 1',
  },
  'in another encoding': {
    nights: [all, all, [all, '--encoding', 'windows-1252']],
    between: [
      undefined,
      cwd => writeFile(join(cwd, 'in.csv'), Buffer.from(`${all}0013,J\u00f6rg,,,,\n`, 'latin1')),
      cwd => writeFile(join(cwd, 'in.csv'), Buffer.from(`${all}0013,J\u00f6rg,,,,\n`, 'latin1')),
    ],
    codes: [0, 2, 0],
    made: 13,
  },
  'in UTF-16 with tabs': {
    nights: [all, all],
    between: [
      undefined,
      cwd => writeFile(join(cwd, 'in.csv'), Buffer.from(`\ufeff${all.replaceAll(',', '\t')}`, 'utf16le')),
    ],
    codes: [0, 2],
    made: 12,
    says: 'its delimiter seems to be',
  },
  'with the line ends of old Macs': { nights: [all, all.replaceAll('\n', '\r')], codes: [0, 0], made: 12 },
  empty: { nights: [all, ''], codes: [0, 2], made: 12 },
  'with its header alone': { nights: [all, `${all.split('\n')[0]}\n`], codes: [0, 1], made: 12 },
  'with the header sorted into the rows': {
    nights: [all, `${all.trim().split('\n').sort().join('\n')}\n`],
    codes: [0, 2],
    made: 12,
    says: 'is it the right file?',
  },
  'split into two': {
    map: keyless,
    nights: [all, [csv(rows.slice(0, 5)), 'more.csv']],
    between: [undefined, cwd => writeFile(join(cwd, 'more.csv'), csv(rows.slice(5)))],
    codes: [0, 0],
    made: 12,
  },
  'two months that share a week, one after the other': {
    map: keyless,
    nights: [csv(rows.slice(0, 8)), csv(rows.slice(5))],
    codes: [0, 0],
    made: 12,
  },
  'only what changed, with a key': {
    nights: [all, csv([...rows.slice(2, 5), { ...rows[0], Id: '0013', Name: 'Mo' } as Cells])],
    codes: [0, 1],
    made: 13,
    says: '--accept-fewer',
  },
  'a footer below': {
    nights: [all, `${all}\n12 rows exported on 2026-11-28\n`],
    codes: [0, 1],
    made: 12,
  },
  'another header of the key column, which the person says': {
    maps: [mapping(), mapping('key: Nr\n'), mapping('key: Nr\n')],
    nights: [all, [all.replace('Id', 'Nr'), '--renamed', 'Id=Nr'], all.replace('Id', 'Nr')],
    codes: [0, 0, 0],
    made: 12,
  },
  'zeros lost, another header and new rows': {
    nights: [all, grown.replaceAll(/^0+/gm, '').replace('Email', 'E-Mail')],
    codes: [0, 2],
    made: 12,
  },
  'empty rows at the end': { nights: [all, `${all},,,,,\n,,,,,\n`], codes: [0, 1], made: 12 },
  'yesterday again': {
    nights: [csv(rows.slice(0, 9)), all, csv(rows.slice(0, 9))],
    codes: [0, 0, 0],
    made: 12,
  },
})

acts('lines that are no rows', {
  'a sum row below the table': {
    nights: [all, `${all}Total,,,12066,,\n`],
    codes: [0, 1],
    made: 12,
    says: '"Total" looks like a total or a legend',
  },
  'a legend below the table, after an empty line': {
    nights: [all, `${all}\nLegend,,,,,\nA,,,,,\n`],
    codes: [0, 1],
    made: 12,
    says: '"Legend" looks like a total or a legend',
  },
  'amounts of new rows that a spreadsheet wrote with separators of thousands': {
    map: `${mapping()}  estimated_time: { from: Amount, as: number }\n`,
    nights: [all, csv([...rows, { ...rows[0], Id: '0013', Name: 'Mo', Amount: '1.600' } as Cells])],
    codes: [0, 0],
    made: 13,
    says: 'the column "Amount" seems to be written with a decimal comma, as 1 of its first values shows, and is read with a decimal point',
  },
  'the header in the middle': {
    nights: [csv(rows.slice(0, 6)) + csv(rows.slice(6))],
    codes: [1],
    made: 12,
    says: 'is the header once more',
  },
  'a header in a file without one': {
    map: mapping('key: Id\n', 'source: { header: { columns: [Id, Name, Due, Amount, Email, Note] } }\n'),
    nights: [all.split('\n').slice(1).join('\n'), all],
    codes: [0, 1],
    made: 12,
    says: 'is the header once more',
  },
  'errors of formulas': {
    nights: [all, `${all}0013,#N/A,2026-11-01,1,m@example.com,\n0014,Nia,2026-11-01,2,n@example.com,\n`],
    codes: [0, 1],
    made: 13,
    says: 'the error of a formula',
  },
  'the word nan in new rows': {
    nights: [all, `${each(() => ({ Note: 'nan' }))}0013,Mo,2026-11-01,1,m@example.com,nan\n`],
    codes: [0, 2],
    made: 12,
  },
  'a last line that was cut': {
    nights: [all.slice(0, all.indexOf('Gus') + 2), all],
    codes: [1, 0],
    made: 12,
  },
})

acts('other orders and signs', {
  'day and month changed places in new rows': {
    map: dated('key: Id\n', 'dd/MM/yyyy'),
    nights: [
      csv(rows.slice(0, 8).map(row => ({ ...row, Due: german(row) }))),
      csv(rows.map(row => ({ ...row, Due: row.Due.replace(/(\d+)-(\d+)-(\d+)/, '$2/$3/$1') }))),
    ],
    codes: [0, 1],
    made: 8,
    says: /"Due" (seems to be|is) written month first/,
  },
  'a column sorted alone': {
    nights: [all, csv(rows.map((row, at) => ({ ...row, Name: rows.at(-1 - at)?.Name ?? '' })))],
    codes: [0, 2],
    made: 12,
  },
  'two columns of a file without a header changed places': {
    map: mapping('key: Id\n', 'source: { header: { columns: [Id, Name, Due, Amount, Email, Note] } }\n'),
    nights: [
      all.split('\n').slice(1).join('\n'),
      csv(rows.map(({ Id, Name, Due, Amount, Email, Note }) => ({ Id, Email, Due, Amount, Name, Note })))
        .split('\n')
        .slice(1)
        .join('\n'),
    ],
    codes: [0, 2],
    made: 12,
  },
})

acts('mappings that changed', {
  'another mapping for other rows with the same keys': {
    maps: [mapping(), `${mapping()}  estimated_time: { from: Amount, as: number }\n`],
    nights: [all, all],
    codes: [0, 0],
    made: 12,
    says: '12 rows were made by an earlier version of m.yaml',
  },
  'a new field, and zeros lost': {
    maps: [mapping(), `${mapping()}  priority: high\n`],
    nights: [all, each(({ Id }) => ({ Id: `${Number(Id)}` }))],
    codes: [0, 2],
    made: 12,
    says: '0001 became 1',
  },
  'contacts in place of tasks': {
    maps: [mapping(), mapping().replace('task', 'contact').replace('description', 'designation')],
    nights: [all, all],
    codes: [0, 2],
    made: 12,
    says: 'another kind of record ("task", now "contact")',
  },
  'short rows that are padded, and filled later': {
    maps: [mapping(''), mapping('', 'source: { ragged: pad }\n'), mapping('', 'source: { ragged: pad }\n')],
    nights: [`${all}0013,Mo\n`, `${all}0013,Mo\n`, `${all}0013,Mo,,,,\n`],
    codes: [1, 0, 0],
    made: 13,
  },
  'saved by an editor of Windows': {
    maps: [mapping(), `\ufeff${mapping().replaceAll('\n', '\r\n')}`],
    nights: [all, all],
    codes: [0, 0],
    made: 12,
  },
  'a key column that the export lacks today': {
    map: mapping('key: Id\n', 'optional_columns: true\n'),
    nights: [all, csv(rows.map(({ Id, ...row }) => row)), grown],
    codes: [0, 2, 0],
    made: 13,
  },
  'where, widened and narrowed again': {
    maps: [
      mapping('key: Id\n', 'where: { Note: call first }\n'),
      mapping(),
      mapping('key: Id\n', 'where: { Note: call first }\n'),
    ],
    nights: [all, all, all],
    codes: [0, 0, 1],
    made: 12,
  },
  'a row without a key that left the selection and came back in another state': {
    map: mapping('', 'where: { Amount: { not: closed } }\n'),
    nights: [
      all,
      each((_, at) => (at < 1 ? { Amount: 'closed' } : {})),
      each((_, at) => (at < 1 ? { Amount: 'open' } : {})),
    ],
    codes: [0, 0, 1],
    made: 12,
  },
  'empty_values that name a key': {
    maps: [mapping(), mapping('key: Id\n', 'empty_values: ["0003"]\n')],
    nights: [all, all],
    codes: [0, 0],
    made: 12,
  },
  'the key as a list and in quotes': {
    maps: [mapping(), mapping('key: [Id]\n'), mapping('key: "Id"\n')],
    nights: [all, all, all],
    codes: [0, 0, 0],
    made: 12,
  },
  'a second name for the column of the key, which the next export has': {
    maps: [mapping(), mapping('key: [[Id, Nr]]\n'), mapping('key: [[Id, Nr]]\n')],
    nights: [all, all, all.replace('Id', 'Nr')],
    codes: [0, 0, 0],
    made: 12,
  },
  'the column of the key has another name, and zeros are lost': {
    map: mapping('key: [[Id, Nr]]\n'),
    nights: [all, each(({ Id }) => ({ Id: `${Number(Id)}` })).replace('Id', 'Nr')],
    codes: [0, 2],
    made: 12,
  },
  'a second column of the key appears': {
    map: mapping('key: [[Record ID, Id]]\n'),
    nights: [all, each((_, at) => ({ 'Record ID': `${at + 900}` }))],
    codes: [0, 2],
    made: 12,
    says: 'the column Record ID became part of the key',
  },
  'companies by distinct, with two blanks': {
    map: 'record: contact\nwhere: { distinct: Company }\nbody: { name: "{{Company}}", record_sub_type: company }\n',
    nights: [
      'Company,Person\nAcme  Ltd,Ada\n',
      `Company,Person\nAcme Ltd,Ada\n${people.map(name => `${name} Ltd,${name}\n`).join('')}`,
    ],
    codes: [0, 1],
    made: 13,
    says: 'under another name',
  },
})

const cards = (lines: (name: string, at: number) => readonly string[]) =>
  people
    .map((name, at) => ['BEGIN:VCARD', 'VERSION:3.0', `FN:${name}`, ...lines(name, at), 'END:VCARD', ''])
    .map(card => card.join('\r\n'))
    .join('')
const uidOf = (at: number) => `6f1d7a0e-52bb-4d0e-8f3f-0f4c7d9b1c${at + 10}`
const withUid = cards((_, at) => [`UID:${uidOf(at)}`])
const calendar = (lines: (at: number) => readonly string[]) =>
  [
    'BEGIN:VCALENDAR',
    ...people.flatMap((name, at) => ['BEGIN:VTODO', `SUMMARY:${name}`, ...lines(at), 'END:VTODO']),
    'END:VCALENDAR',
    '',
  ].join('\r\n')
const google = (labels: string) =>
  csv(people.map(name => ({ Name: name, Labels: labels, 'E-mail 1 - Value': `${name}@example.com` })))

acts('address books and calendars', {
  'cards without a UID, with a new REV': {
    preset: 'vcard',
    source: 'in.vcf',
    nights: [cards(() => ['REV:20261101T000000Z']), cards(() => ['REV:20261102T000000Z'])],
    codes: [0, 2],
    made: 12,
    says: 'only the cells of rev differ',
  },
  'the same, and the person says so': {
    preset: 'vcard',
    source: 'in.vcf',
    nights: [
      cards(() => ['REV:20261101T000000Z']),
      [cards(() => ['REV:20261102T000000Z']), '--respelled', 'same'],
      cards(() => ['REV:20261102T000000Z']),
    ],
    codes: [0, 0, 0],
    made: 12,
  },
  'UIDs in capitals, as URNs': {
    preset: 'vcard',
    source: 'in.vcf',
    nights: [withUid, cards((_, at) => [`UID:urn:uuid:${uidOf(at).toUpperCase()}`])],
    codes: [0, 2],
    made: 12,
    says: 'uid is spelled with other signs now',
  },
  'cards that got a UID': {
    preset: 'vcard',
    source: 'in.vcf',
    nights: [cards(() => []), withUid],
    codes: [0, 2],
    made: 12,
    says: 'the column uid became part of the key',
  },
  'cards that lost their UID': {
    preset: 'vcard',
    source: 'in.vcf',
    nights: [withUid, cards(() => [])],
    codes: [0, 2],
    made: 12,
    says: 'their uid is empty now',
  },
  'two exports in one file, between which a title changed': {
    preset: 'vcard',
    source: 'in.vcf',
    nights: [`${withUid}${cards((_, at) => [`UID:${uidOf(at)}`, ...(at < 2 ? ['TITLE:Cook'] : [])])}`],
    codes: [1],
    made: 12,
    says: '2 of them with other contents',
  },
  'tasks that were done and moved': {
    preset: 'icalendar',
    source: 'in.ics',
    nights: [
      calendar(at => [`UID:${at}`, 'DUE;VALUE=DATE:20261110']),
      calendar(at => [
        `UID:${at}`,
        at < 4 ? 'STATUS:COMPLETED' : 'STATUS:NEEDS-ACTION',
        `DUE;VALUE=DATE:202611${at < 1 ? 20 : 10}`,
      ]),
    ],
    codes: [0, 0],
    made: 12,
    says: '1 of them changed since',
  },
  'tasks whose UIDs another program made longer, some of them done': {
    preset: 'icalendar',
    source: 'in.ics',
    nights: [
      calendar(at => [`UID:${at}`]),
      calendar(at => [
        `UID:${at}@example.com`,
        ...(at < 4 ? ['STATUS:COMPLETED', 'COMPLETED:20261101T100000Z'] : []),
      ]),
    ],
    codes: [0, 2],
    made: 12,
    says: /8 of the first 12 rows are known .*; 4 others would be created/,
  },
  'tasks whose UIDs another program made longer': {
    preset: 'icalendar',
    source: 'in.ics',
    nights: [calendar(at => [`UID:${at}`]), calendar(at => [`UID:${at}@example.com`])],
    codes: [0, 2],
    made: 12,
    says: 'uid has another value now: 0 became 0@example.com',
  },
  'labels in another order': {
    preset: 'google-contacts',
    nights: [google('* myContacts ::: Rowing'), google('Rowing ::: * myContacts')],
    codes: [0, 2],
    made: 12,
    says: 'only the cells of Labels differ',
  },
})

const move = (from: string, to: string) => async (cwd: string) => {
  await mkdir(dirname(join(cwd, to)), { recursive: true })
  await rename(join(cwd, from), join(cwd, to))
}
const edit = (change: (text: string) => string | Buffer) => async (cwd: string) => {
  const log = join(cwd, 'results.ndjson')
  await writeFile(log, change(await readFile(log, 'utf8')))
}
const after = (between: (cwd: string) => Promise<unknown>) => [undefined, between]

/** The log of the first night is put back before the third, with that of the second beside it. */
const olderBeside = (write: (text: string) => string | Buffer, name: string) => [
  undefined,
  (cwd: string) => copyFile(join(cwd, 'results.ndjson'), join(cwd, 'early.ndjson')),
  async (cwd: string) => {
    await writeFile(join(cwd, name), write(await readFile(join(cwd, 'results.ndjson'), 'utf8')))
    await move('early.ndjson', 'results.ndjson')(cwd)
  },
]

acts('logs that people put in order', {
  renamed: {
    nights: [all, all],
    between: after(move('results.ndjson', 'old.ndjson')),
    codes: [0, 2],
    made: 12,
    says: '12 of the first 12 rows have their record by old.ndjson',
  },
  rotated: {
    nights: [all, all],
    between: after(move('results.ndjson', 'results.ndjson.1')),
    codes: [0, 2],
    made: 12,
  },
  packed: {
    nights: [all, all],
    between: after(async cwd => {
      const log = join(cwd, 'results.ndjson')
      await writeFile(`${log}.gz`, gzipSync(await readFile(log)))
      await rm(log)
    }),
    codes: [0, 2],
    made: 12,
  },
  'copied as a backup beside itself': {
    nights: [all, grown],
    between: after(cwd => copyFile(join(cwd, 'results.ndjson'), join(cwd, 'backup.ndjson'))),
    codes: [0, 0],
    made: 13,
  },
  'saved with CRLF': {
    nights: [all, all],
    between: after(edit(text => text.replaceAll('\n', '\r\n'))),
    codes: [0, 2],
    made: 12,
    says: '--repair',
  },
  'saved with a mark': {
    nights: [all, all],
    between: after(edit(text => `\ufeff${text}`)),
    codes: [0, 2],
    made: 12,
    says: '--repair',
  },
  'without its last line end': {
    nights: [all, grown],
    between: after(edit(text => text.trimEnd())),
    codes: [0, 0],
    made: 13,
  },
  'with blank lines': {
    nights: [all, all],
    between: after(edit(text => text.replace('\n', '\n\n'))),
    codes: [0, 2],
    made: 12,
    says: '--repair',
  },
  'with lines in another order': {
    nights: [all, all],
    between: after(edit(text => `${text.trimEnd().split('\n').reverse().join('\n')}\n`)),
    codes: [0, 2],
    made: 12,
    says: '--repair',
  },
  'behind a link': {
    nights: [all, all],
    between: after(async cwd => {
      await move('results.ndjson', 'real.ndjson')(cwd)
      await symlink('real.ndjson', join(cwd, 'results.ndjson'))
    }),
    codes: [0, 0],
    made: 12,
  },
  'behind a link that leads nowhere today': {
    nights: [all, all],
    between: after(async cwd => {
      await move('results.ndjson', 'results.ndjson.off')(cwd)
      await rm(join(cwd, 'results.ndjson.off'))
      await symlink('away/results.ndjson', join(cwd, 'old.ndjson'))
    }),
    codes: [0, 2],
    made: 12,
  },
  'a conflicted copy that knows more': {
    nights: [[all, '--limit', '4'], all, all],
    between: [
      undefined,
      cwd => copyFile(join(cwd, 'results.ndjson'), join(cwd, 'early.ndjson')),
      async cwd => {
        await move('results.ndjson', 'results (conflicted copy).ndjson')(cwd)
        await move('early.ndjson', 'results.ndjson')(cwd)
      },
    ],
    codes: [0, 0, 2],
    made: 12,
  },
  'rotated, with an empty one in its place': {
    nights: [all, all],
    between: after(async cwd => {
      await move('results.ndjson', 'results.ndjson.1')(cwd)
      await writeFile(join(cwd, 'results.ndjson'), '')
    }),
    codes: [0, 2],
    made: 12,
    says: 'by results.ndjson.1',
  },
  'saved by a spreadsheet': {
    nights: [all, all],
    between: after(edit(text => text.replace(/^.*$/gm, line => line && quoted(line)))),
    codes: [0, 2],
    made: 12,
    says: 'put the whole log back',
  },
  'with their last lines only': {
    nights: [all, all],
    between: after(edit(text => text.split('\n').slice(-6).join('\n'))),
    codes: [0, 2],
    made: 12,
    says: 'lines are missing',
  },
  'renamed, and the mapping has another key': {
    maps: [mapping(), mapping('key: Email\n')],
    nights: [all, all],
    between: after(move('results.ndjson', 'old.ndjson')),
    codes: [0, 2],
    made: 12,
    says: '12 of them read the same',
  },
  'a copy that knows more, saved with CRLF': {
    nights: [[all, '--limit', '4'], all, all],
    between: olderBeside(text => text.replaceAll('\n', '\r\n'), 'copy.ndjson'),
    codes: [0, 0, 2],
    made: 12,
    says: '8 of the first 12 rows have their record by copy.ndjson (',
  },
  'a copy that knows more, packed': {
    nights: [[all, '--limit', '4'], all, all],
    between: olderBeside(gzipSync, 'copy.ndjson.gz'),
    codes: [0, 0, 2],
    made: 12,
    says: 'unpack it, and go on with it',
  },
  'with the lines of an older copy behind': {
    nights: [[all, '--limit', '4'], all, grown],
    between: [
      undefined,
      cwd => copyFile(join(cwd, 'results.ndjson'), join(cwd, 'early.ndjson')),
      async cwd => {
        await appendFile(join(cwd, 'results.ndjson'), await readFile(join(cwd, 'early.ndjson')))
        await rm(join(cwd, 'early.ndjson'))
      },
    ],
    codes: [0, 0, 0],
    made: 13,
  },
  'a trial with --limit, then all': { nights: [[all, '--limit', '5'], all], codes: [0, 0], made: 12 },
})

describe('rejected rows', () => {
  const bad = 'Name,Note,Hours\nAda,,1\nBob,,x\nCy,,3\n'
  const good = bad.replace('x', '2')
  const hours = (key: string) => `${mapping(key)}  estimated_time: { from: Hours, as: number }\n`

  async function rejected(key: string, source = bad) {
    const service = await startService()
    const cwd = await folderWith({ 'm.yaml': hours(key), 'in.csv': source })
    const run = async (...args: string[]) =>
      rowlift(['import', ...args, '-m', 'm.yaml', ...into(service.url), '--log-format', 'pretty'], { cwd })
    expect((await run('in.csv', '--rejects', 'bad.csv')).exitCode).toBe(1)
    const rejects = await readFile(join(cwd, 'bad.csv'), 'utf8')
    const write = (name: string, text: string) => writeFile(join(cwd, name), text)
    return { run, write, cwd, rejects, fixed: rejects.replace(',x,', ',2,'), service }
  }

  it.each(['', 'key: Name\n'])('fixed there and then in the source are one (%s)', async key => {
    const { run, write, fixed, service } = await rejected(key)
    await write('fixed.csv', fixed)
    await write('in.csv', good)
    const ends = [await run('fixed.csv'), await run('in.csv'), await run('in.csv')]
    expect([ends.map(({ exitCode }) => exitCode), service.made.length]).toEqual([[0, 0, 0], 3])
  })

  it.each(['', 'key: Name\n'])('fixed in the source and then there are one (%s)', async key => {
    const { run, write, fixed, service } = await rejected(key)
    await write('in.csv', good)
    await write('fixed.csv', fixed)
    const ends = [await run('in.csv'), await run('fixed.csv'), await run('fixed.csv'), await run('in.csv')]
    expect([ends.map(({ exitCode }) => exitCode), service.made.length]).toEqual([[0, 0, 0, 0], 3])
  })

  it.each(['', 'key: Name\n'])('fixed and pasted under the source are one (%s)', async key => {
    const { run, write, fixed, service } = await rejected(key)
    const [head = '', line = ''] = fixed.split('\n')
    const old = bad.trimEnd().split('\n').slice(1)
    await write('in.csv', [head, ...old.map(cells => `${cells},,`), line, ''].join('\n'))
    const ends = [await run('in.csv'), await run('in.csv')]
    await write('in.csv', good)
    ends.push(await run('in.csv'))
    expect([ends.map(({ exitCode }) => exitCode), service.made.length]).toEqual([[1, 0, 0], 3])
  })

  it.each(['', 'key: Name\n'])('imported in one command with their source are one (%s)', async key => {
    const { run, write, fixed, service } = await rejected(key)
    await write('fixed.csv', fixed)
    const ends = [await run('fixed.csv', 'in.csv'), await run('fixed.csv', 'in.csv'), await run('in.csv')]
    expect([ends.map(({ exitCode }) => exitCode), service.made.length]).toEqual([[0, 0, 0], 3])
  })

  it('whose key was wrong are one with the source in which it is right later', async () => {
    const { run, write, rejects, service } = await rejected('key: Name\n', bad.replace('Bob', 'Bbo'))
    await write('fixed.csv', rejects.replace('Bbo', 'Bob').replace(',x,', ',2,'))
    const ends = [await run('fixed.csv'), await run('in.csv')]
    await write('in.csv', good)
    ends.push(await run('in.csv'))
    expect([ends.map(({ exitCode }) => exitCode), service.made.length]).toEqual([[0, 0, 0], 3])
  })

  it('whose keys lost their zeros stop, if the source was fixed before', async () => {
    const { run, write, fixed, service } = await rejected('key: Name\n', ids(bad))
    await write('in.csv', ids(good))
    await write('fixed.csv', zeroless(fixed))
    const ends = [await run('in.csv'), await run('fixed.csv'), await run('fixed.csv', '--respelled', 'same')]
    ends.push(await run('in.csv'))
    expect([ends.map(({ exitCode }) => exitCode), service.made.length]).toEqual([[0, 2, 0, 0], 3])
  })

  const zeroless = (text: string) => text.replace('002', '2')
  const ids = (text: string) => text.replace('Ada', '001').replace('Bob', '002').replace('Cy', '003')
  const numbered = 'Id,Name,Note,Hours\n001,Ada,,1\n002,Bob,,x\n003,Cy,,3\n'

  it.each([
    ['lost their zeros', '2', '2', 0],
    ['became others', '902', '2', 0],
    ['lost their zeros, and the source was fixed otherwise', '2', '7', 1],
  ])('whose keys %s are one with the source that is fixed later', async (_, key, hours, code) => {
    const { run, write, fixed, service } = await rejected('key: Id\n', numbered)
    await write('fixed.csv', fixed.replace('002', key))
    const ends = [await run('fixed.csv'), await run('in.csv')]
    await write('in.csv', numbered.replace('x', hours))
    ends.push(await run('in.csv'), await run('in.csv'), await run('fixed.csv', 'in.csv'))
    const codes = ends.map(({ exitCode }) => exitCode)
    expect([codes, service.made.length]).toEqual([[0, 0, code, code, code], 3])
  })

  it.each([
    ['before', ['fixed.csv', 'in.csv']],
    ['after', ['in.csv', 'fixed.csv']],
  ])('without zeros in one command %s the fixed source are one', async (_, sources) => {
    const { run, write, fixed, service } = await rejected('key: Id\n', numbered)
    await write('fixed.csv', zeroless(fixed))
    await write('in.csv', numbered.replace('x', '2'))
    const ends = [await run(...sources), await run(...sources), await run('in.csv'), await run('fixed.csv')]
    expect([ends.map(({ exitCode }) => exitCode), service.made.length]).toEqual([[0, 0, 0, 2], 3])
  })

  it.each(['', 'key: Name\n'])('imported with a log of their own stop (%s)', async key => {
    const { run, write, cwd, fixed, service } = await rejected(key)
    await write('fixed.csv', fixed)
    await move('results.ndjson', 'first.ndjson')(cwd)
    const { exitCode, stderr } = await run('fixed.csv')
    expect([exitCode, service.made.length], stderr).toEqual([2, 2])
    expect(stderr).toContain('1 of the first 1 row were sent or refused by first.ndjson')
    await move('first.ndjson', 'results.ndjson')(cwd)
    expect([(await run('fixed.csv')).exitCode, service.made.length]).toEqual([0, 3])
  })

  it('of another list with the same keys are not sent, and take no key', async () => {
    const { run, write, fixed, service } = await rejected('key: Id\n', numbered)
    const others = numbered
      .replace(/\n(.+)/g, '\n$1,NAME,bad')
      .replace('Hours', 'Hours,rowlift_key,rowlift_reason')
    await write(
      'others.csv',
      others.replace(/[A-Z]\w+,,\w/g, 'Zoe,,1').replace(/NAME/g, 'sha256:1111111111111111#1'),
    )
    const { exitCode, stderr } = await run('others.csv')
    expect([exitCode, service.made.length], stderr).toEqual([1, 2])
    expect(stderr).toMatch(/3 rows invalid: .*names a row that this log never refused/)
    await write('fixed.csv', fixed)
    expect([(await run('fixed.csv')).exitCode, service.made.length]).toEqual([0, 3])
  })

  it('of which one became two with other contents and one name are a conflict', async () => {
    const { run, write, fixed, service } = await rejected('')
    const [head = '', line = ''] = fixed.split('\n')
    await write('fixed.csv', [head, line, line.replace('Bob', 'Bea'), line, ''].join('\n'))
    const { exitCode, stderr } = await run('fixed.csv', '--rejects', 'again.csv')
    expect([exitCode, service.made.length], stderr).toEqual([1, 3])
    expect(stderr).toMatch(/has the key of fixed.csv row 1, and differs in name/)
  })

  it('of which one became two with other keys are two', async () => {
    const { run, write, fixed, service } = await rejected('key: Name\n')
    const [head = '', line = ''] = fixed.split('\n')
    await write('fixed.csv', [head, line.replace('Bob', 'Bo'), line.replace('Bob', 'Bea'), ''].join('\n'))
    const ends = [await run('fixed.csv'), await run('fixed.csv'), await run('in.csv')]
    expect([ends.map(({ exitCode }) => exitCode), service.made.length]).toEqual([[0, 0, 0], 4])
  })

  it('in doubt that were corrected in the source are held', async () => {
    const service = await startService({
      react: (_, { body: { name } }) => (name === 'Bob' ? { cut: 'after creating' } : 'create'),
    })
    const cwd = await folderWith({
      'm.yaml': hours(''),
      'in.csv': 'Name,Note,Hours\nAda,,1\nBob,tea,2\nCy,,3\n',
    })
    const run = () =>
      rowlift(['import', 'in.csv', '-m', 'm.yaml', ...into(service.url), '--log-format', 'pretty'], { cwd })
    expect((await run()).exitCode).toBe(1)
    await writeFile(join(cwd, 'in.csv'), 'Name,Note,Hours\nAda,,1\nBob,tea,20\nCy,,3\nDee,,4\n')
    const { exitCode, stderr } = await run()
    expect([exitCode, service.made.map(({ name }) => name)]).toEqual([1, ['Ada', 'Bob', 'Cy', 'Dee']])
    expect(stderr).toMatch(
      /1 row held: may be in.csv row 2 .* and that row is in doubt; settle that row first/,
    )
  })
})

const pretty = ['--log-format', 'pretty']

describe('files beside the log', () => {
  it.each(['results.ndjson.inflight', 'results.ndjson.damaged', 'results.ndjson.lock', '.rowlift.lock'])(
    'are no file of rejected rows: %s',
    async name => {
      const service = await startService()
      const cwd = await folderWith({ 'm.yaml': mapping(), 'in.csv': all })
      const args = ['import', 'in.csv', '-m', 'm.yaml', ...into(service.url), '--rejects', name]
      const { exitCode, stderr } = await rowlift(args, { cwd })
      expect([exitCode, service.made.length]).toEqual([2, 0])
      expect(stderr).toContain('is the file beside the result log')
    },
  )
})

describe('rows in doubt', () => {
  const wrong = '00000000-1111-4222-8333-444444444444'

  /** Cy is in doubt; the record is made, unless the call was lost. */
  async function doubted(
    cut: 'after creating' | 'before reading' = 'after creating',
    map: string = mapping(),
  ) {
    let isCut = true
    const service = await startService({
      react: (_, { body }) => (isCut && body.name === 'Cy' ? { cut } : 'create'),
    })
    const cwd = await folderWith({ 'm.yaml': map, 'in.csv': all })
    const run = (...options: string[]) =>
      rowlift(['import', 'in.csv', '-m', 'm.yaml', ...into(service.url), ...options], { cwd })
    const resolve = (key: string, ...options: string[]) =>
      rowlift(['resolve', 'results.ndjson', '--key', key, ...options], { cwd })
    expect((await run()).exitCode).toBe(1)
    isCut = false
    const idOf = (name: string) => service.made.find(each => each.name === name)?.recordId ?? ''
    const write = (text: string) => writeFile(join(cwd, 'in.csv'), text)
    return { service, cwd, run, resolve, idOf, write }
  }
  const codesOf = (ends: readonly { readonly exitCode: number | null }[]) =>
    ends.map(({ exitCode }) => exitCode)

  it('settled with a wrong id are settled anew by --replace', async () => {
    const { service, cwd, run, resolve, idOf } = await doubted()
    const right = ['--record-id', idOf('Cy')]
    const ends = [
      await resolve('0003', '--record-id', wrong),
      await resolve('0003', ...right),
      await resolve('0003', ...right, '--replace'),
      await run(),
    ]
    expect([codesOf(ends), service.made.length]).toEqual([[0, 2, 0, 0], 12])
    const { stdout } = await rowlift(['log', 'results.ndjson', '--ids'], { cwd })
    expect([stdout.includes(idOf('Cy')), stdout.includes(wrong)]).toEqual([true, false])
  })

  it('settled with a wrong id are not forgotten, because it is not in the service', async () => {
    const { service, cwd, run, resolve } = await doubted()
    expect((await resolve('0003', '--record-id', wrong)).exitCode).toBe(0)
    const there = service.made.map(({ name, recordId }) => ({ Id: recordId, name: String(name) }))
    await writeFile(join(cwd, 'there.csv'), csv(there))
    await writeFile(join(cwd, 'keys.txt'), '0003\n')
    const forget = ['log', 'results.ndjson', '--forget', '--keys', 'keys.txt', '--from', 'there.csv']
    const { stderr } = await rowlift([...forget, '--id', 'Id', '--yes'], { cwd })
    expect(stderr).toContain('1 row left alone: 0003 (settled by hand: rowlift resolve --replace)')
    expect([(await run()).exitCode, service.made.length]).toEqual([0, 12])
  })

  it('whose keys changed, several of them, are to be settled first', async () => {
    const service = await startService({
      react: (_, { body: { name } }) =>
        ['Cy', 'Dee'].includes(`${name}`) ? { cut: 'after creating' } : 'create',
    })
    const cwd = await folderWith({ 'm.yaml': mapping(), 'in.csv': all })
    const run = (...options: string[]) =>
      rowlift(['import', 'in.csv', '-m', 'm.yaml', ...into(service.url), ...pretty, ...options], { cwd })
    expect((await run()).exitCode).toBe(1)
    await writeFile(
      join(cwd, 'in.csv'),
      each(({ Id }) => ({ Id: `${Number(Id)}` })),
    )
    const { exitCode, stderr } = await run('--respelled', 'same')
    expect([exitCode, service.made.length]).toEqual([1, 12])
    expect(stderr).toMatch(/2 rows held: may be .* that row is in doubt; settle that row first/)
  })

  it('said not to be created by mistake get their record by --replace', async () => {
    const { service, run, resolve, idOf } = await doubted()
    const right = ['--record-id', idOf('Cy')]
    const ends = [
      await resolve('0003', '--not-created'),
      await resolve('0003', ...right),
      await resolve('0003', ...right, '--replace'),
      await run(),
    ]
    expect([codesOf(ends), service.made.length]).toEqual([[0, 2, 0, 0], 12])
  })

  it('that got an id by mistake are sent once after --not-created --replace', async () => {
    const { service, run, resolve } = await doubted('before reading')
    const ends = [
      await resolve('0003', '--record-id', wrong),
      await resolve('0003', '--not-created'),
      await resolve('0003', '--not-created', '--replace'),
      await run(),
      await run(),
    ]
    expect([codesOf(ends), service.made.length]).toEqual([[0, 2, 0, 0, 0], 12])
  })

  it.each([
    ['the id of another row', '0003', 'Ada'],
    ['a key without its zeros', '3', 'Cy'],
  ])('are not settled by %s', async (_, key, name) => {
    const { service, run, resolve, idOf } = await doubted()
    const ends = [await resolve(key, '--record-id', idOf(name)), await run()]
    expect([codesOf(ends), service.made.length]).toEqual([[2, 1], 12])
  })

  it('that were corrected, without a key, are held until they are settled, and then, too', async () => {
    const { service, cwd, run, resolve, idOf, write } = await doubted('after creating', keyless)
    await write(each(({ Name }) => (Name === 'Cy' ? { Note: 'call him' } : {})))
    const lines = (await readFile(join(cwd, 'results.ndjson'), 'utf8')).split('\n')
    const { key } = JSON.parse(lines.find(line => line.includes('in_doubt')) ?? '')
    const ends = [
      await run(),
      await resolve(key, '--record-id', idOf('Cy')),
      await run(),
      await run('--respelled', 'same'),
      await run(),
    ]
    expect([codesOf(ends), service.made.length]).toEqual([[1, 0, 1, 0, 0], 12])
  })

  it.each([
    ['there', 'after creating', (id: string) => ['--record-id', id]],
    ['lost', 'before reading', () => ['--not-created']],
  ] as const)('whose keys lose their zeros are held until they are settled: %s', async (_, cut, say) => {
    const { service, run, resolve, idOf, write } = await doubted(cut)
    await write(each(({ Id }) => ({ Id: `${Number(Id)}` })))
    const ends = [
      await run(),
      await run('--respelled', 'same'),
      await resolve('0003', ...say(idOf('Cy'))),
      await run(),
      await run('--respelled', 'same'),
      await run(),
    ]
    expect([codesOf(ends), service.made.length]).toEqual([[2, 1, 0, 1, 0, 0], 12])
  })
})

describe('plans', () => {
  const steps = { orgs: 'orgs.yaml', people: 'people.yaml' }
  const files = {
    'orgs.csv': 'id,name\n1,Acme\n2,Bolt\n',
    'people.csv': 'id,person,company\n1,Ada,Acme\n2,Bob,Acme\n3,Cy,Bolt\n4,Dee,Bolt\n',
    'orgs.yaml': 'record: contact\nkey: name\nbody: { name: "{{name}}" }\n',
    'people.yaml':
      'record: contact\nkey: id\nlookups: { orgs: { step: orgs } }\nbody:\n  name: "{{person}}"\n  parent: { record_id: { from: company, lookup: orgs } }\n',
  }

  /** A plan that ran once. */
  async function planned() {
    const service = await startService()
    const cwd = await folderWith(files)
    const write = (name: string, text: string) => writeFile(join(cwd, name), text)
    const plan = (each: Readonly<Record<string, string>>) =>
      `base-url: ${service.url}\norganization-id: 7\nsteps:\n${Object.entries(each)
        .map(([name, mapping]) => `  ${name}: { source: ${name}.csv, mapping: ${mapping} }\n`)
        .join('')}`
    const run = (...options: string[]) =>
      rowlift(['import', '--plan', 'plan.yaml', '--log-format', 'pretty', ...options], { cwd })
    await write('plan.yaml', plan(steps))
    expect([(await run()).exitCode, service.made.length]).toEqual([0, 6])
    return { service, cwd, write, plan, run }
  }

  it('whose steps are in another order are the same', async () => {
    const { service, write, plan, run } = await planned()
    await write('plan.yaml', plan({ people: 'people.yaml', orgs: 'orgs.yaml' }))
    expect([(await run()).exitCode, service.made.length]).toEqual([0, 6])
  })

  it('of which a step is taken out and put back are the same', async () => {
    const { service, write, plan, run } = await planned()
    await write('plan.yaml', plan({ orgs: 'orgs.yaml' }))
    const less = await run()
    await write('plan.yaml', plan(steps))
    expect([less.exitCode, (await run()).exitCode, service.made.length]).toEqual([0, 0, 6])
  })

  it('of which a step and its files have other names stop, and go on with results:', async () => {
    const { service, cwd, write, plan, run } = await planned()
    await move('orgs.yaml', 'firms.yaml')(cwd)
    await move('orgs.csv', 'firms.csv')(cwd)
    await write('people.yaml', files['people.yaml'].replace('step: orgs', 'step: firms'))
    const renamed = plan({ firms: 'firms.yaml', people: 'people.yaml' })
    await write('plan.yaml', renamed)
    const { exitCode, stderr } = await run()
    expect([exitCode, service.made.length]).toEqual([2, 6])
    expect(stderr).toContain('2 of the first 2 rows have their record by orgs.results.ndjson')
    await write('plan.yaml', renamed.replace('firms.yaml', 'firms.yaml, results: orgs.results.ndjson'))
    expect([(await run()).exitCode, service.made.length]).toEqual([0, 6])
  })

  it('of which a step gets another list with the same ids stop before it', async () => {
    const { service, write, run } = await planned()
    await write('people.csv', 'id,person,company\n1,Zoe,Acme\n2,Yan,Acme\n3,Xi,Bolt\n4,Wes,Bolt\n')
    const { exitCode, stderr } = await run()
    expect([exitCode, service.made.length]).toEqual([2, 6])
    expect(stderr).toContain('4 of the 4 first rows that have their record there read differently')
  })

  it('link new rows to a record that was forgotten and made again', async () => {
    const { service, cwd, write, run } = await planned()
    await write('keys.txt', 'Acme\n')
    const forget = ['log', 'orgs.results.ndjson', '--forget', '--keys', 'keys.txt', '--yes']
    expect((await rowlift(forget, { cwd })).exitCode).toBe(0)
    await write('people.csv', `${files['people.csv']}5,Eve,Acme\n`)
    expect((await run()).exitCode).toBe(0)
    const [first, again] = service.made.filter(({ name }) => name === 'Acme')
    const parent = service.calls.find(({ body }) => body.name === 'Eve')?.body.parent
    expect([service.made.length, again === undefined, first === again]).toEqual([8, false, false])
    expect(parent).toEqual({ record_id: again?.recordId })
  })
})

describe('a service that was put back to an earlier state', () => {
  it('has its records again after verify, --forget and a run', async () => {
    const service = await startService()
    const keys = rows.slice(0, 4).map(({ Id }) => `${Id}\n`)
    const cwd = await folderWith({ 'm.yaml': mapping(), 'in.csv': all, 'keys.txt': keys.join('') })
    const run = () => rowlift(['import', 'in.csv', '-m', 'm.yaml', ...into(service.url)], { cwd })
    const exported = () =>
      writeFile(
        join(cwd, 'there.csv'),
        csv(service.made.map(({ name, recordId }) => ({ Id: recordId, name }))),
      )
    const verify = () =>
      rowlift(['verify', 'results.ndjson', '--against', 'there.csv', '--id', 'Id'], { cwd })
    expect((await run()).exitCode).toBe(0)
    const gone = service.made.filter(({ name }) => people.indexOf(name) < 4)
    for (const record of gone) service.made.splice(service.made.indexOf(record), 1)
    await exported()
    const ends = [
      await verify(),
      await rowlift(
        [
          ...['log', 'results.ndjson', '--forget', '--keys', 'keys.txt'],
          ...['--from', 'there.csv', '--id', 'Id', '--yes'],
        ],
        { cwd },
      ),
      await run(),
    ]
    await exported()
    ends.push(await verify())
    expect([ends.map(({ exitCode }) => exitCode), service.made.length]).toEqual([[1, 0, 0, 0], 12])
  })
})

const zeroless = each(({ Id }) => ({ Id: `${Number(Id)}` }))
const cents = each(({ Amount }) => ({ Amount: `${Amount}.00` }))
const french = csv(rows.map(({ Name, Note, Due }) => ({ Nom: Name, Texte: Note, Date: Due })))
const prefixed = each(({ Id, Name }, at) => ({ Id: `C-${Id}`, Name: at < 2 ? `${Name}!` : Name }))
const numbered = all.replace('Id,', 'Nr,')
const withoutEmail = csv(rows.map(({ Email, ...row }) => row))
const other = { ...rows[0], Name: 'Mo', Note: 'new' } as Cells
const nos = (list: readonly Cells[]) => csv(list.map((row, at) => ({ ...row, Id: `${at + 1}` })))
const otherLabels = google('Rowing ::: * myContacts')

acts('the way on that a stop names', {
  'a column of all rows was re-formatted, without a key': {
    map: keyless,
    nights: [all, cents, [cents, '--respelled', 'same'], cents],
    codes: [0, 2, 0, 0],
    made: 12,
  },
  'the same, and --all-new was given as well': {
    map: keyless,
    nights: [all, [cents, '--all-new'], [cents, '--all-new', '--respelled', 'same']],
    codes: [0, 2, 0],
    made: 12,
  },
  'labels of a preset in another order': {
    preset: 'google-contacts',
    nights: [google('* myContacts ::: Rowing'), otherLabels, [otherLabels, '--respelled', 'same']],
    codes: [0, 2, 0],
    made: 12,
  },
  'all columns have other names, without a key': {
    map: keyless,
    maps: [keyless, keyless.replace('{{Name}}', '{{Nom}}').replace('Note', 'Texte')],
    nights: [csv(rows.map(({ Name, Note, Due }) => ({ Name, Note, Due }))), french],
    codes: [0, 2],
    made: 12,
    says: 'they had Name, Note, Due; if they are the same rows, add --respelled same, which writes their new names into the log, or --renamed OLD=NEW for each column',
  },
  'leading zeros lost, and --all-new left in the job': {
    nights: [all, [zeroless, '--all-new']],
    codes: [0, 2],
    made: 12,
    says: '0001 became 1',
  },
  'leading zeros lost where equal contents are new rows': {
    map: mapping('key: Id\n', 'respelled: new\n'),
    nights: [all, zeroless],
    codes: [0, 2],
    made: 12,
  },
  'the key column has another name, in the mapping too': {
    maps: [mapping(), mapping('key: Nr\n')],
    nights: [all, numbered, [numbered, '--renamed', 'Id=Nr'], numbered],
    codes: [0, 2, 0, 0],
    made: 12,
  },
  'a column without a key is gone, and left out of the names': {
    map: keyless,
    maps: [keyless, keyless, mapping('', 'identity: { without: [Email] }\n')],
    nights: [all, withoutEmail, [withoutEmail, '--respelled', 'same']],
    between: [
      undefined,
      (cwd: string) => writeFile(join(cwd, 'old.csv'), all),
      (cwd: string) => rowlift(['log', 'results.ndjson', '--rekey', 'm.yaml', 'old.csv'], { cwd }),
    ],
    codes: [0, 2, 0],
    made: 12,
  },
  'a numbered list with a row put in': {
    nights: [nos(rows), nos([...rows.slice(0, 9), other, ...rows.slice(9)])],
    codes: [0, 1],
    made: 12,
    says: /1 row held: has the contents that in.csv row 12 of .* had, and its key 12 has others now/,
  },
  'the log renamed, and leading zeros lost': {
    nights: [all, zeroless, [zeroless, '--respelled', 'same']],
    between: [...after(move('results.ndjson', 'old.ndjson')), move('old.ndjson', 'results.ndjson')],
    codes: [0, 2, 0],
    made: 12,
  },
  'the log renamed, and a column re-formatted, without a key': {
    map: keyless,
    nights: [all, cents, [cents, '--respelled', 'same']],
    between: [...after(move('results.ndjson', 'old.ndjson')), move('old.ndjson', 'results.ndjson')],
    codes: [0, 2, 0],
    made: 12,
  },
  'a packed copy that knows more': {
    nights: [csv(rows.slice(0, 11)), all, all],
    between: olderBeside(gzipSync, 'results-old.ndjson.gz'),
    codes: [0, 0, 2],
    made: 12,
    says: 'unpack it beside the log',
  },
  '--new-log left in a job with a dated log': {
    nights: [all, [all, '--new-log', '--dry-run']],
    between: after(move('results.ndjson', 'monday.ndjson')),
    codes: [0, 0],
    made: 12,
    says: '12 of the first rows have their record by monday.ndjson; --new-log creates them again',
  },
  'a numbered list with a row on top': {
    nights: [nos(rows), nos([other, ...rows])],
    codes: [0, 2],
    made: 12,
    says: 'many read as other rows did: if the rows were numbered anew, take a key that stays',
  },
  'all keys with a prefix, and two of the rows edited': {
    nights: [
      all,
      prefixed,
      [prefixed, '--respelled', 'same'],
      [prefixed, '--respelled', 'same', '--all-new'],
    ],
    codes: [0, 2, 2, 0],
    made: 14,
  },
})

describe('records of rows with other names', () => {
  async function imported(map: string) {
    const service = await startService()
    const cwd = await folderWith({ 'm.yaml': map, 'in.csv': all })
    const run = (...words: string[]) => rowlift(words, { cwd })
    const load = (...more: string[]) => run('import', 'in.csv', '-m', 'm.yaml', ...into(service.url), ...more)
    expect((await load()).exitCode).toBe(0)
    const write = (name: string, text: string) => writeFile(join(cwd, name), text)
    return {
      service,
      run,
      load,
      write,
      idOf: (name: string) => service.made.find(each => each.name === name)?.recordId,
    }
  }

  it('that a re-key left without a row are named by a person, and are not created twice', async () => {
    const { service, run, load, write, idOf } = await imported(keyless)
    await write(
      'in.csv',
      each(({ Name }) => (Name === 'Cy' ? { Amount: '7' } : {})),
    )
    await write('m.yaml', mapping())
    const ends = [
      await run('log', 'results.ndjson', '--rekey', 'm.yaml', 'in.csv', '--leave-unfound'),
      await load(),
      await run('resolve', 'results.ndjson', '--key', '0003', '--record-id', `${idOf('Ada')}`),
      await run('resolve', 'results.ndjson', '--key', '0003', '--record-id', `${idOf('Cy')}`),
      await load(),
    ]
    expect([ends.map(({ exitCode }) => exitCode), service.made.length]).toEqual([[0, 1, 2, 0, 0], 12])
  })

  it('are compared with an export under their new names', async () => {
    const { service, run, load, write } = await imported(mapping())
    await write('in.csv', zeroless)
    expect((await load('--respelled', 'same')).exitCode).toBe(0)
    const lines = service.made.map(({ recordId, name }) => `${recordId},${name === 'Cy' ? 'Zoe' : name}\n`)
    await write('there.csv', `Id,Name\n${lines.join('')}`)
    const compare = ['--against', 'there.csv', '--id', 'Id', '--match', 'Name=name']
    const { exitCode, stderr } = await run('verify', 'results.ndjson', ...compare)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('11 same + 1 different + 0 not compared')])
  })
})
