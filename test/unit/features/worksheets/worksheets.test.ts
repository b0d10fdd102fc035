import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { missingTexts, type Worksheet } from '../../../../src/features/worksheets/missing-texts.ts'
import { addTexts } from '../../../../src/features/worksheets/sheet-file.ts'
import { importOf } from '../../../support/imports.ts'
import { mappingOf, rowOf } from '../../../support/mappings.ts'
import { recordsIn } from '../../../support/rejects-file.ts'
import { folderWith, linesOf, rowlift } from '../../../support/rowlift.ts'
import { startService } from '../../../support/service.ts'
import { sheetOf } from '../../../support/sheets.ts'

const tasks = `Title,Status,Who,Parent
House,Offen,Bob,
Paint,Erledigt,Ada Stone,Huose
Sweep,erledigt,Ada Stone,House
Mop,=1+1,Ada Stone,House
`

const mapping = `record: task
key: Title
lookups:
  users: { file: sheets/users.csv, key: name, value: user_id }
  tasks: { self: true, by: Title }
body:
  name: { from: Title, required: true }
  status: { from: Status, map: { Offen: 1 }, map_file: sheets/status.csv, otherwise: omit, as: integer }
  assigned_user: { user_id: { from: Who, lookup: users, as: integer, missing: omit } }
  parent: { record_id: { from: Parent, map_file: sheets/missing.csv, otherwise: keep, lookup: tasks, missing: omit } }
`

const files = { 'tasks.csv': tasks, 'tasks.yaml': mapping }
const args = ['import', 'tasks.csv', '-m', 'tasks.yaml', '--log-format', 'pretty']
const dryRun = [...args, '--dry-run', '--preview', '-']

/** A dry run that fills the tables in `sheets`, and what would be sent. */
async function fill(cwd: string) {
  const run = await rowlift([...dryRun, '--worksheets', 'sheets'], { cwd })
  return { ...run, bodies: linesOf(run.stdout).map(({ body }) => body) }
}

/** A dry run of another mapping that fills the tables in a folder. */
const fillOf = (source: string, mapping: string, folder: string, cwd: string) =>
  rowlift(['import', source, '-m', mapping, '--dry-run', '--worksheets', folder, '--log-format', 'pretty'], {
    cwd,
  })

async function tablesIn(folder: string) {
  const tables = (await readdir(folder)).map(async name => [name, await recordsIn(join(folder, name))])
  return Object.fromEntries(await Promise.all(tables))
}

async function folderWithSheets(sheets: Readonly<Record<string, string | Buffer>>, others = files) {
  const cwd = await folderWith(others)
  await mkdir(join(cwd, 'sheets'))
  for (const [name, text] of Object.entries(sheets)) await writeFile(join(cwd, 'sheets', name), text)
  return cwd
}

const users = 'name,user_id\nAda Stone,7\nBob,8\n'
const missing = 'name,use\nHuose,House\n'

describe('the tables of a dry run', () => {
  it('the tables have what was found, how often, where first, and an empty column', async () => {
    const cwd = await folderWith(files)
    const { exitCode, stderr } = await fill(cwd)
    expect(exitCode).toBe(0)
    expect(await tablesIn(join(cwd, 'sheets'))).toEqual({
      'status.csv': [
        ['name', 'use', 'rows', 'first'],
        ['Erledigt', '', '2', 'tasks.csv:3'],
        ["'=1+1", '', '1', 'tasks.csv:5'],
      ],
      'users.csv': [
        ['name', 'user_id', 'rows', 'first'],
        ['Bob', '', '1', 'tasks.csv:2'],
        ['Ada Stone', '', '3', 'tasks.csv:3'],
      ],
      'missing.csv': [
        ['name', 'use', 'rows', 'first', 'nearest'],
        ['Huose', '', '1', 'tasks.csv:3', 'House'],
      ],
    })
    expect(stderr).toContain('INFO: sheets/status.csv: 2 texts to fill in')
    const bytes = await readFile(join(cwd, 'sheets', 'users.csv'))
    expect(bytes.toString('hex', 0, 3)).toBe('efbbbf')
    expect((await stat(join(cwd, 'sheets', 'users.csv'))).mode & 0o777).toBe(0o600)
  })

  it('filled in, the tables are read, and nothing is left to fill in', async () => {
    const cwd = await folderWith(files)
    await fill(cwd)
    await writeFile(join(cwd, 'sheets/status.csv'), 'name,use,rows,first\nErledigt,3,2,\n"\'=1+1",4,1,\n')
    await writeFile(join(cwd, 'sheets/users.csv'), users)
    await writeFile(join(cwd, 'sheets/missing.csv'), missing)
    const { exitCode, stderr, bodies } = await fill(cwd)
    expect([exitCode, stderr]).toEqual([0, expect.not.stringMatching(/fill in|no answer|Values left out/)])
    const parent = { record_id: '00000000-0000-0000-0000-000000000000' }
    expect(bodies).toEqual([
      { name: 'House', status: 1, assigned_user: { user_id: 8 } },
      { name: 'Paint', status: 3, assigned_user: { user_id: 7 }, parent },
      { name: 'Sweep', status: 3, assigned_user: { user_id: 7 }, parent },
      { name: 'Mop', status: 4, assigned_user: { user_id: 7 }, parent },
    ])
  })

  it('new values come at the end, and the lines that are there stay as they are', async () => {
    const before = 'extra;use;name;rows\r\n\r\nx;3;Erledigt;1\r\n;;;;\r\n;;"Wartet";7'
    const cwd = await folderWithSheets({ 'status.csv': before, 'users.csv': users, 'missing.csv': missing })
    const { stderr } = await fill(cwd)
    expect(await readFile(join(cwd, 'sheets/status.csv'), 'utf8')).toBe(`\ufeff${before}\n;;'=1+1;1\n`)
    expect(stderr).toContain('WARN: sheets/status.csv: 1 text has no answer yet: Wartet')
    expect(stderr).toContain('INFO: sheets/status.csv: 1 text to fill in')
    await utimes(join(cwd, 'sheets/status.csv'), 1_000, 1_000)
    await fill(cwd)
    expect((await stat(join(cwd, 'sheets/status.csv'))).mtimeMs).toBe(1_000_000) // nothing is new
  })

  it('a run without the option and an import say what is still empty, of people only how many', async () => {
    const status = 'name,use,rows\nErledigt,,2\n=1+1,9,1\nErledigt,,1\n'
    const people = 'name,user_id,rows\nBob,,1\nAda Stone,7,3\n'
    const cwd = await folderWithSheets({ 'status.csv': status, 'users.csv': people, 'missing.csv': missing })
    const service = await startService()
    const runs = [
      await rowlift(dryRun, { cwd }),
      await rowlift([...importOf('tasks.csv', 'tasks.yaml', service.url), '--log-format', 'pretty'], { cwd }),
    ]
    for (const { stderr } of runs) {
      expect(stderr).toContain('sheets/status.csv: 1 text has no answer yet: Erledigt\n')
      expect(stderr).toMatch(/sheets\/users.csv: 1 text has no answer yet\n/)
    }
    expect(await readFile(join(cwd, 'sheets/status.csv'), 'utf8')).toBe(status)
  })

  it('a run that needs a table which is not there does not begin, unless it is to be made', async () => {
    const cwd = await folderWith(files)
    const { exitCode, stderr } = await rowlift(dryRun, { cwd })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('sheets/status.csv')])
    const service = await startService()
    const made = await rowlift(
      [...importOf('tasks.csv', 'tasks.yaml', service.url), '--worksheets', 'sheets'],
      { cwd },
    )
    expect([made.exitCode, service.calls]).toEqual([2, []])
  })

  it('a table that nothing lacks is made, too, for the mapping reads it', async () => {
    const cwd = await folderWith({ ...files, 'tasks.csv': 'Title,Status,Who,Parent\nHouse,Offen,,\n' })
    await fill(cwd)
    expect(await recordsIn(join(cwd, 'sheets/status.csv'))).toEqual([['name', 'use', 'rows', 'first']])
    expect((await rowlift(dryRun, { cwd })).exitCode).toBe(0)
  })

  it('names that a result log lacks are in missing.csv, with the nearest name there, and how to have it read', async () => {
    const results = 'record: contact\nkey: Name\nbody: { name: "{{Name}}" }\n'
    const body =
      'body: { name: "{{Name}}", parent: { record_id: { from: Firm, lookup: firms, missing: omit } } }\n'
    const cwd = await folderWith({
      'firms.csv': 'Name\nGlobex Inc\n"x;=cmd"\n',
      'firms.yaml': results,
      'people.csv': 'Name;Firm\nAda;Globex Inc.\nBob;globex inc\n',
      'people.yaml': `record: contact\nsource: { delimiter: ";" }\nlookups: { firms: { results: results.ndjson } }\nallow_unknown_fields: true\n${body}`,
    })
    const service = await startService()
    const imported = await rowlift(importOf('firms.csv', 'firms.yaml', service.url), { cwd })
    expect(imported.exitCode, imported.stderr).toBe(0)
    const run = await fillOf('people.csv', 'people.yaml', '.', cwd)
    expect(run.stderr).toContain(
      'missing.csv: 1 text to fill in; name it as map_file, with otherwise: keep, beside lookup: firms',
    )
    const text = await readFile(join(cwd, 'missing.csv'), 'utf8')
    expect(text).toBe('\ufeffname;use;rows;first;nearest\nGlobex Inc.;;1;people.csv:2;Globex Inc\n')
  })

  it('an import adds new values as well', async () => {
    const cwd = await folderWithSheets({
      'status.csv': 'name,use\n',
      'users.csv': users,
      'missing.csv': missing,
    })
    const service = await startService()
    await rowlift([...importOf('tasks.csv', 'tasks.yaml', service.url), '--worksheets', 'sheets'], { cwd })
    expect(service.calls.length).toBe(4)
    expect(await recordsIn(join(cwd, 'sheets/status.csv'))).toEqual([
      ['name', 'use'],
      ['Erledigt', ''],
      ["'=1+1", ''],
    ])
  })
})

describe('a table as a spreadsheet saved it', () => {
  const saved: Readonly<Record<string, Buffer>> = {
    semicolons: Buffer.from("name;use;rows;first\r\nErledigt;3;2;\r\n'=1+1;4;1;\r\n"),
    'windows-1252': Buffer.from(
      "name;use;rows;first\r\nM\xfcll;9;;\r\nErledigt;3;2;\r\n'=1+1;4;1;\r\n",
      'latin1',
    ),
    'tabs in UTF-16': Buffer.from("\ufeffname\tuse\trows\r\nErledigt\t3\t2\r\n'=1+1\t4\t1\r\n", 'utf16le'),
    'quotes, and no guard': Buffer.from('"name","use","rows"\n"Erledigt","3","2"\n"=1+1","4","1"\n'),
    'line ends of an old Mac': Buffer.from("name,use,rows\rErledigt,3,2\r'=1+1,4,1\r"),
    'other columns in another order': Buffer.from("rows,note,use,name\n2,,3,Erledigt\n1,a note,4,'=1+1\n"),
    'short, long and blank lines': Buffer.from("name,use,rows\n\nErledigt,3\n,,,,\n'=1+1,4,1,what?\n\n"),
    'a byte-order mark twice': Buffer.from("\ufeffname,use\nErledigt,3\n'=1+1,4\n"),
  }

  it.each(Object.keys(saved))('a table is read with %s', async how => {
    const cwd = await folderWithSheets({
      'status.csv': saved[how] ?? '',
      'users.csv': users,
      'missing.csv': missing,
    })
    const { exitCode, stderr, bodies } = await fill(cwd)
    expect([exitCode, stderr]).toEqual([0, expect.not.stringMatching(/fill in|no answer/)])
    expect(bodies.map(({ status }) => status)).toEqual([1, 3, 3, 4])
    expect(await readFile(join(cwd, 'sheets/status.csv'))).toEqual(saved[how])
  })

  it('letters of another encoding stay when new values are added', async () => {
    const status = Buffer.from('name;use;rows\r\nM\xfcll;9;1\r\n', 'latin1')
    const cwd = await folderWithSheets({ 'status.csv': status, 'users.csv': users, 'missing.csv': missing })
    await fill(cwd)
    const text = await readFile(join(cwd, 'sheets/status.csv'), 'utf8')
    expect(text).toBe("\ufeffname;use;rows\r\nMüll;9;1\r\nErledigt;;2\n'=1+1;;1\n")
  })

  it('a table of people with semicolons is read like one with commas', async () => {
    const cwd = await folderWithSheets({
      'status.csv': 'name,use\nErledigt,3\n=1+1,4\n',
      'users.csv': 'name;user_id;rows\r\nAda Stone;7;3\r\nBob;8;1\r\n',
      'missing.csv': missing,
    })
    const { bodies } = await fill(cwd)
    expect(bodies.map(body => body.assigned_user.user_id)).toEqual([8, 7, 7, 7])
  })

  it('a word with two answers makes its rows invalid, and both lines are named', async () => {
    const cwd = await folderWithSheets({
      'status.csv': 'name,use\nErledigt,3\n=1+1,4\nERLEDIGT ,5\n',
      'users.csv': users,
      'missing.csv': missing,
    })
    const { exitCode, stdout } = await fill(cwd)
    const [, paint, sweep] = linesOf(stdout)
    expect([exitCode, paint.body.status]).toEqual([1, 3]) // as it is written there
    expect(sweep.errors).toMatchObject([
      {
        path: 'status',
        message: 'is ambiguous: sheets/status.csv:2 and sheets/status.csv:4 differ; make it unique',
      },
    ])
  })

  it('a table without its columns, or of another kind, is a sentence', async () => {
    const sheets = { 'users.csv': users, 'missing.csv': missing }
    for (const [text, said] of [
      ['Wort,Antwort\nErledigt,3\n', 'unknown column "name"'],
      ['', 'is empty'],
      [Buffer.from('504b0304140000000800', 'hex'), 'sheets/status.csv'],
      ['name,use\n"Erledigt,3\n', 'quote'],
    ] as const) {
      const cwd = await folderWithSheets({ ...sheets, 'status.csv': text })
      const { exitCode, stderr } = await fill(cwd)
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)])
      expect(stderr).not.toContain('defect')
    }
  })
})

describe('a worksheet that cannot be written', () => {
  it('the others are written, the run says why, and its exit code is 3', async () => {
    const cwd = await folderWith(files)
    await writeFile(join(cwd, 'elsewhere.yaml'), mapping.replaceAll('sheets/', 'tables/'))
    await mkdir(join(cwd, 'sheets/status.csv'), { recursive: true })
    const run = await fillOf('tasks.csv', 'elsewhere.yaml', 'sheets', cwd)
    expect([run.exitCode, run.stderr]).toEqual([
      3,
      expect.stringContaining('ERROR: sheets/status.csv: cannot be written'),
    ])
    expect(run.stderr).toContain('sheets/users.csv: 2 texts to fill in; the mapping reads tables/users.csv')
    expect((await readdir(join(cwd, 'sheets'))).sort()).toEqual(['missing.csv', 'status.csv', 'users.csv'])
  })

  it('a table that nobody would fill in by hand is read, and stays as it is', async () => {
    const lines = Array.from({ length: 90_000 }, (_, at) => `another word ${at},${at}\n`)
    const large = `name,use\n${lines.join('')}Erledigt,3\n`
    const cwd = await folderWithSheets({ 'status.csv': large, 'users.csv': users, 'missing.csv': missing })
    const { exitCode, stderr, bodies } = await fill(cwd)
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining('sheets/status.csv: cannot be written (EFBIG)'),
    ])
    expect(bodies.map(({ status }) => status)).toEqual([1, 3, 3, undefined])
    expect(await readFile(join(cwd, 'sheets/status.csv'), 'utf8')).toBe(large)
  })

  it('a folder that is a file is refused before the first row', async () => {
    const cwd = await folderWith({ ...files, sheets: '' })
    const { exitCode, stderr } = await rowlift([...dryRun, '--worksheets', 'sheets'], { cwd })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('folder of worksheets cannot be written')])
  })

  it('a file that is no worksheet stays as it is, and so does a source', async () => {
    const cwd = await folderWith({
      'people.csv': 'name,boss\nAda,Bob\nDan,\n',
      'missing.csv': 'another,table\n1,2\n',
      'people.yaml': `record: contact
lookups: { bosses: { file: people.csv, key: name, value: boss }, here: { self: true, by: name } }
allow_unknown_fields: true
body:
  name: { from: name }
  a: { from: boss, lookup: bosses, missing: omit }
  b: { from: boss, lookup: here, missing: omit }
`,
    })
    const run = await fillOf('people.csv', 'people.yaml', '.', cwd)
    expect([run.exitCode, run.stderr]).toEqual([
      3,
      expect.stringContaining('missing.csv: is the file without the columns name and use'),
    ])
    expect(await readFile(join(cwd, 'people.csv'), 'utf8')).toBe('name,boss\nAda,Bob\nDan,\n')
    expect(await readFile(join(cwd, 'missing.csv'), 'utf8')).toBe('another,table\n1,2\n')
  })

  it('a worker of a ledger fills no worksheets, for it has some of the rows', async () => {
    const cwd = await folderWith(files)
    const ledger = ['--ledger', 'postgres://x@localhost/x', '--import', 'x', '--worksheets', 'sheets']
    const run = await rowlift([...args, ...ledger], { cwd })
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('--worksheets needs all rows')])
  })
})

const worksheetOf = (...texts: readonly string[]): Worksheet => ({
  ...{ file: undefined, header: ['name', 'use', 'rows', 'first', 'nearest'], delimiter: ',', lookup: 'x' },
  texts: new Map(texts.map(text => [text.toLowerCase(), { text, rows: 1, first: 'a.csv:2' }])),
})

describe('the file of a worksheet', () => {
  it('an answer that somebody saves meanwhile is not lost: the table is as it was saved', async () => {
    const cwd = await folderWith({ 'missing.csv': 'name,use,nearest\nAcme,,\n' })
    const path = join(cwd, 'missing.csv')
    const answered = 'name,use,nearest\nAcme,Acme Ltd,\n'
    const adding = addTexts(path, worksheetOf('Globex'), async () => {
      await writeFile(path, answered)
      return []
    })
    await expect(adding).rejects.toMatchObject({ code: 'EBUSY' })
    expect(await readFile(path, 'utf8')).toBe(answered)
    expect(await readdir(cwd)).toEqual(['missing.csv'])
    expect(await addTexts(path, worksheetOf('Globex'), async () => ['Globex Inc'])).toBe(1)
    expect(await readFile(path, 'utf8')).toBe(`\ufeff${answered}Globex,,Globex Inc\n`)
  })

  it('a table that two runs make at a time is whole, with the texts of one of them', async () => {
    const path = join(await folderWith({}), 'missing.csv')
    const ends = await Promise.allSettled(
      ['A', 'B', 'C'].map(text => addTexts(path, worksheetOf(text), async () => [])),
    )
    expect(ends.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    const records = await recordsIn(path)
    expect(records[0]).toEqual(['name', 'use', 'rows', 'first', 'nearest'])
    for (const text of ['A', 'B', 'C']) await addTexts(path, worksheetOf(text), async () => [])
    expect((await recordsIn(path)).map(([name]) => name).sort()).toEqual(['A', 'B', 'C', 'name'])
  })

  it('a link stays one, and the mode of a table, too', async () => {
    const cwd = await folderWithSheets({
      'status.csv': 'name,use\n',
      'users.csv': users,
      'missing.csv': missing,
    })
    await writeFile(join(cwd, 'shared.csv'), 'name,use\n', { mode: 0o644 })
    await symlink('../shared.csv', join(cwd, 'sheets/priority.csv'))
    await writeFile(join(cwd, 'tasks.yaml'), mapping.replace('status.csv', 'priority.csv'))
    await fill(cwd)
    expect(await readFile(join(cwd, 'shared.csv'), 'utf8')).toContain('Erledigt')
    expect((await stat(join(cwd, 'shared.csv'))).mode & 0o777).toBe(0o644)
  })

  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30', "'+49 30"],
    ['-', "'-"],
    ['@ada', "'@ada"],
    ['0012', "'0012"],
    ['123456789012345', "'123456789012345"],
    ['1-2', "'1-2"],
    ['1E5', "'1E5"],
    ["'s-Hertogenbosch", "'s-Hertogenbosch"],
    ['a;=1+1', 'a;=1+1'],
    ['two\nlines', 'two\nlines'],
  ])('the text %j is written as %j, and read back', async (text, cell) => {
    const cwd = await folderWith({
      'a.csv': `Name,X\nAda,"${text}"\n`,
      'm.yaml': `record: contact\nbody: { name: "{{Name}}", description: { from: X, map_file: m.csv, otherwise: keep } }\n`,
    })
    const run = ['import', 'a.csv', '-m', 'm.yaml', '--dry-run', '--worksheets', '.', '--preview', '-']
    await rowlift(run, { cwd })
    const path = join(cwd, 'm.csv')
    expect((await recordsIn(path))[1]).toEqual([cell, '', '1', 'a.csv:2'])
    const written = await readFile(path, 'utf8')
    if (cell.includes(';')) expect(written).toContain(`\n"${cell}",`) // else it would be two cells where lists have semicolons
    await writeFile(path, written.replace(',,1,', ',found,1,'))
    expect(linesOf((await rowlift(run, { cwd })).stdout)[0].body.description).toBe('found')
  })
})

describe('what is collected', () => {
  const collected = (parts: object, cells: readonly string[]) => {
    const mapping = mappingOf({ name: '{{Name}}', x: { from: 'X', ...parts } })
    mapping.lookups.provide('s.csv', () => ({
      type: 'missing',
      problem: { code: 'row_not_found', params: { column: '' } },
    }))
    const sheets = missingTexts(mapping)
    for (const [at, X] of cells.entries()) mapping.map(rowOf({ Name: 'A', X }, at + 1))
    return [...(sheets.get('s.csv')?.texts.values() ?? [])]
  }

  it('the texts of a row count once, also if the row is invalid', () => {
    expect(collected({ map_file: 's.csv' }, ['a', 'A', '', 'b'])).toEqual([
      { text: 'a', rows: 2, first: 'rows.csv:2' },
      { text: 'b', rows: 1, first: 'rows.csv:5' },
    ])
  })

  it('each item of a cell is a text', () => {
    expect(collected({ split: ';', map_file: 's.csv', otherwise: 'keep' }, ['a;b', 'b'])).toMatchObject([
      { text: 'a', rows: 1 },
      { text: 'b', rows: 2 },
    ])
  })

  it('5,000 different texts are kept, and counted on', () => {
    const cells = Array.from({ length: 6_000 }, (_, at) => `word ${at}`)
    const texts = collected({ map_file: 's.csv', otherwise: 'omit' }, [...cells, 'word 1', 'word 5999'])
    expect([texts.length, texts[1]?.rows]).toEqual([5_000, 2])
  })
})

describe('a map file', () => {
  it('is part of what was approved', async () => {
    const cwd = await folderWithSheets({
      'status.csv': 'name,use\nErledigt,3\n',
      'users.csv': users,
      'missing.csv': missing,
    })
    const service = await startService()
    const approval = ['--approval', 'approval.json']
    const run = importOf('tasks.csv', 'tasks.yaml', service.url, ...approval)
    await rowlift([...run, '--dry-run'], { cwd })
    await writeFile(join(cwd, 'sheets/status.csv'), 'name,use\nErledigt,4\n')
    const { exitCode, stderr } = await rowlift(run, { cwd })
    expect([exitCode, stderr, service.calls]).toEqual([2, expect.stringMatching(/lookup \d/), []])
  })

  it('is named where a word is in neither', async () => {
    const cwd = await folderWithSheets({
      'status.csv': 'name,use\n',
      'users.csv': users,
      'missing.csv': missing,
    })
    await writeFile(join(cwd, 'tasks.yaml'), mapping.replace('status.csv, otherwise: omit', 'status.csv'))
    const { stdout } = await fill(cwd)
    expect(linesOf(stdout)[1].errors).toMatchObject([
      {
        code: 'not_in_map',
        message: 'is not in the map (Offen, sheets/status.csv); add it there, or set otherwise: keep or omit',
      },
    ])
  })

  it('cannot be the page, the preview or the rejects of the same run', async () => {
    const cwd = await folderWithSheets({
      'status.csv': 'name,use\n',
      'users.csv': users,
      'missing.csv': missing,
    })
    for (const option of ['--preview', '--rejects', '--summary']) {
      const run = await rowlift([...args, '--dry-run', option, 'sheets/status.csv'], { cwd })
      expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('is the lookup')])
    }
    expect(await readFile(join(cwd, 'sheets/status.csv'), 'utf8')).toBe('name,use\n')
  })

  it('may be a sheet of Excel, whose new words are in a table beside it', async () => {
    const cells = [
      ['name', 'use'],
      ['Erledigt', '3'],
    ].map(row => `<row>${row.map(text => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`)
    const cwd = await folderWithSheets({
      'status.xlsx': sheetOf(cells.join('')),
      'users.csv': users,
      'missing.csv': missing,
    })
    await writeFile(join(cwd, 'tasks.yaml'), mapping.replace('status.csv', 'status.xlsx'))
    const { bodies, stderr } = await fill(cwd)
    expect(bodies.map(({ status }) => status)).toEqual([1, 3, 3, undefined])
    expect(stderr).toContain('sheets/status.csv: 1 text to fill in; the mapping reads sheets/status.xlsx')
  })

  it('may be NDJSON, as a table of a lookup', async () => {
    const cwd = await folderWithSheets({
      'status.ndjson': '{"name":"Erledigt","use":3}\n{"name":"=1+1","use":"4"}\n',
      'users.csv': users,
      'missing.csv': missing,
    })
    await writeFile(join(cwd, 'tasks.yaml'), mapping.replace('status.csv', 'status.ndjson'))
    const { stdout } = await rowlift(dryRun, { cwd })
    expect(linesOf(stdout).map(({ body }) => body.status)).toEqual([1, 3, 3, 4])
  })

  it('has its answers in a test of the mapping, by its path', async () => {
    const cwd = await folderWith({
      'm.yaml': `record: task
body: { name: { from: A, map: { x: y }, map_file: words.csv } }
tests:
  - { row: { A: a }, lookups: { words.csv: { a: b } }, body: { name: b } }
  - { row: { A: x }, body: { name: y } }
  - { row: { A: c }, errors: [name] }
`,
    })
    expect((await rowlift(['test', 'm.yaml'], { cwd })).exitCode).toBe(0)
  })
})

describe('tables that lookups share', () => {
  it('texts for another column of a table are not put into the first one', async () => {
    const body = `  name: { from: A, lookup: by_name, missing: omit, default: x }
  description: { from: B, lookup: by_mail, missing: omit }
`
    const cwd = await folderWith({
      'a.csv': 'A,B\nAda,ada@example.com\n',
      'users.csv': 'name,mail,id\nBob,bob@example.com,7\n',
      'm.yaml': `record: contact
lookups:
  by_name: { file: users.csv, key: name, value: id }
  by_mail: { file: users.csv, key: mail, value: id }
body:
${body}`,
    })
    await fillOf('a.csv', 'm.yaml', '.', cwd)
    expect(await recordsIn(join(cwd, 'users.csv'))).toEqual([
      ['name', 'mail', 'id'],
      ['Bob', 'bob@example.com', '7'],
      ['Ada', '', ''],
    ])
  })
})
