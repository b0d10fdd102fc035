import { copyFile, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
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
  readonly maps?: readonly string[]
  readonly nights: readonly Night[]
  readonly codes: readonly number[]
  /** Records in the end. */
  readonly made: number
  readonly says?: string | RegExp
  /** What a person does with the files of the folder before each night. */
  readonly between?: readonly (((cwd: string) => Promise<unknown>) | undefined)[]
}

async function play({ map = mapping(), maps = [], nights, between = [] }: Act) {
  const source = 'in.csv'
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
        ['import', source, '-m', 'm.yaml', ...into(service.url), '--log-format', 'pretty', ...options],
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
  'where the log knows the second': {
    nights: ['Id,Name,Note\n1,A,\n2,C,\n', 'Id,Name,Note\n1,B,\n1,A,\n2,C,\n'],
    codes: [0, 1],
    made: 2,
    says: /in.csv:2 \(row 1/,
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

const move = (from: string, to: string) => async (cwd: string) => {
  await mkdir(dirname(join(cwd, to)), { recursive: true })
  await rename(join(cwd, from), join(cwd, to))
}
const edit = (change: (text: string) => string | Buffer) => async (cwd: string) => {
  const log = join(cwd, 'results.ndjson')
  await writeFile(log, change(await readFile(log, 'utf8')))
}
const after = (between: (cwd: string) => Promise<unknown>) => [undefined, between]
const grown = csv([...rows, { ...rows[0], Id: '0013', Name: 'Mo' } as Cells])

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
  'with sorted lines': {
    nights: [all, all],
    between: after(edit(text => `${text.trimEnd().split('\n').sort().join('\n')}\n`)),
    codes: [0, 0],
    made: 12,
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
  'a trial with --limit, then all': { nights: [[all, '--limit', '5'], all], codes: [0, 0], made: 12 },
})

describe('rejected rows', () => {
  const bad = 'Name,Note,Hours\nAda,,1\nBob,,x\nCy,,3\n'
  const good = bad.replace('x', '2')
  const hours = (key: string) => `${mapping(key)}  estimated_time: { from: Hours, as: number }\n`

  async function rejected(key: string, source = bad) {
    const service = await startService()
    const cwd = await folderWith({ 'm.yaml': hours(key), 'in.csv': source })
    const run = async (name: string, ...options: string[]) =>
      rowlift(['import', name, '-m', 'm.yaml', ...into(service.url), '--log-format', 'pretty', ...options], {
        cwd,
      })
    expect((await run('in.csv', '--rejects', 'bad.csv')).exitCode).toBe(1)
    const rejects = await readFile(join(cwd, 'bad.csv'), 'utf8')
    const write = (name: string, text: string) => writeFile(join(cwd, name), text)
    return { run, write, rejects, fixed: rejects.replace(',x,', ',2,'), service }
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
    expect(stderr).toMatch(/1 row held: may be in.csv row 2 .* which is in doubt: settle it first/)
  })
})
