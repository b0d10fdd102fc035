import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
  readonly source?: string
}

async function play({ map = mapping(), maps = [], nights, source = 'in.csv' }: Act) {
  const service = await startService()
  const cwd = await folderWith({ 'm.yaml': map })
  const ends = []
  for (const [at, night] of nights.entries()) {
    const [text = '', ...options] = [night].flat() as string[]
    await writeFile(join(cwd, source), text)
    const changed = maps[at]
    if (changed !== undefined) await writeFile(join(cwd, 'm.yaml'), changed)
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
  allowed: { nights: [[conflicting, '--expect-conflicts', '1']], codes: [0], made: 2 },
  'where the log knows the second': {
    nights: ['Id,Name,Note\n1,A,\n2,C,\n', 'Id,Name,Note\n1,B,\n1,A,\n2,C,\n'],
    codes: [0, 1],
    made: 2,
    says: /in.csv:2 \(row 1/,
  },
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
    expect(stderr).toMatch(/1 row held in doubt: may be in.csv row 2 .* which is in doubt: settle it first/)
  })
})
