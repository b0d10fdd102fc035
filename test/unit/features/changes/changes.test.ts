import { access, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { atEnd } from '../../../support/cleanup.ts'
import { files, importOf } from '../../../support/imports.ts'
import { sharing } from '../../../support/machines.ts'
import { testDatabase } from '../../../support/postgres.ts'
import { recordsIn } from '../../../support/rejects-file.ts'
import { outcomesIn, rowlift, summaryOf } from '../../../support/rowlift.ts'
import { type ServiceOptions, startService } from '../../../support/service.ts'

const byMail = `record: contact
key: Id
body:
  name: "{{Name}}"
  emails: [{ email: { from: Mail, as: email } }]
  phones: [{ phone_number: { from: Phone, optional: true } }]
`
const people = `Id,Name,Mail,Phone,Seen
1,Ada,ada@example.com,1,1
2,"Bob ""B"", the second",bob@example.com,,1
3,Cy,cy@example.com,3,1
4,Dee,dee@example.com,4,1
`

/** An import that has made its records, and what comes after it. */
async function imported(
  first: string,
  { map = byMail, source = 'in.csv', service: of = {} as ServiceOptions } = {},
) {
  const service = await startService(of)
  const cwd = await files({ 'map.yaml': map, [source]: first, 'last.csv': first })
  const args = importOf(source, 'map.yaml', service.url, '--changed-rows')
  const run = (...more: string[]) => rowlift([...args, ...more], { cwd })
  expect((await run()).exitCode).toBe(0)
  const log = join(cwd, 'results.ndjson')
  return {
    ...{ service, cwd, run, log },
    path: (name: string) => join(cwd, name),
    save: (text: string, name = source) => writeFile(join(cwd, name), text),
    recordOf: async (key: string) => (await outcomesIn(log)).find(line => line.key === key)?.record_id,
    listed: (name = 'changes.csv', delimiter?: string) => recordsIn(join(cwd, name), delimiter),
  }
}

/** The rows of a list by its columns. */
const objectsOf = ([header = [], ...rows]: string[][]) =>
  rows.map(cells => Object.fromEntries(header.map((column, at) => [column, cells[at]])))

describe('the list of changed rows', () => {
  it('the list of changed rows has each with its record, its place and what would be sent now', async () => {
    const { run, save, listed, recordOf, service, path } = await imported(people)
    await save(
      'Phone,Id,Name,Mail,Seen\n10,1,Ada,ada@new.example,2\n,2,"Bob ""B"",\nthe third",bob@example.com,2\n3,3,Cy,cy@example.com,2\n4,4,Dee,not an address,2\n5,5,Eve,eve@example.com,2\n',
    )
    const ended = await run('--changes', 'changes.csv')
    expect(ended.exitCode).toBe(0)
    expect(summaryOf(ended)).toMatchObject({ done: 4, changed: 3, created: 1, changes: 'changes.csv' })
    expect(await listed()).toEqual([
      [
        ...['key', 'record_id', 'source', 'row', 'line', 'status', 'note'],
        ...['name', 'emails.0.email', 'phones.0.phone_number'],
      ],
      ['1', await recordOf('1'), 'in.csv', '1', '2', 'changed', '', 'Ada', 'ada@new.example', '10'],
      [
        ...['2', await recordOf('2'), 'in.csv', '2', '3', 'changed', ''],
        ...['Bob "B", the third', 'bob@example.com', ''],
      ],
      [
        ...['4', await recordOf('4'), 'in.csv', '4', '6', 'no longer valid'],
        ...['Mail is not an e-mail address', '', '', ''],
      ],
    ])
    expect(service.made.length).toBe(5)
    expect((await stat(path('changes.csv'))).mode & 0o777).toBe(0o600)
    expect(await readFile(path('changes.csv'), 'utf8')).toMatch(/^\uFEFFkey,record_id,/)
  })

  it('the list of changed rows is the same in a dry run, which sends nothing', async () => {
    const { run, save, path, service, log } = await imported(people)
    await save(people.replace('ada@', 'ada.l@').replace('Cy', 'Cyd'))
    const before = await readFile(log, 'utf8')
    const dry = await run('--dry-run', '--changes', 'dry.csv')
    expect([dry.exitCode, summaryOf(dry).changes, await readFile(log, 'utf8')]).toEqual([
      0,
      'dry.csv',
      before,
    ])
    await run('--changes', 'wet.csv')
    expect(await readFile(path('dry.csv'), 'utf8')).toBe(await readFile(path('wet.csv'), 'utf8'))
    expect(service.made.length).toBe(4)
  })

  it('the list of changed rows lacks those whose cells alone differ, and has only its header if there are no others', async () => {
    const { run, save, listed } = await imported(people)
    await save(people.replaceAll(',1\n', ',2\n').replace('Ada', '  Ada '))
    const ended = await run('--changes', 'changes.csv')
    expect([ended.exitCode, summaryOf(ended).changed]).toEqual([0, 0])
    expect(await listed()).toEqual([['key', 'record_id', 'source', 'row', 'line', 'status', 'note']])
  })

  it('the list of changed rows has the last record of a key', async () => {
    const { run, save, listed, cwd, log } = await imported(people)
    await save('1\n', 'gone.txt')
    const forget = ['log', 'results.ndjson', '--forget', '--keys', 'gone.txt', '--yes']
    expect((await rowlift(forget, { cwd })).exitCode).toBe(0)
    expect(summaryOf(await run())).toMatchObject({ created: 1, done: 3 })
    await save(people.replace('Ada', 'Ada L'))
    await run('--changes', 'changes.csv')
    const made = (await outcomesIn(log)).filter(line => line.key === '1' && line.status === 'created')
    expect(made.length).toBe(2)
    expect(objectsOf(await listed())).toMatchObject([{ key: '1', record_id: made[1].record_id }])
  })

  it('the list of changed rows has none without a key, for there a row that changed is a new one', async () => {
    const map = 'record: task\nbody: { name: "{{Name}}" }\n'
    const { run, save, listed } = await imported('Name\nAda\nBob\n', { map })
    await save('Name\nAda\nBobby\n')
    const ended = await run('--changes', 'changes.csv')
    expect(summaryOf(ended)).toMatchObject({ done: 1, created: 1, changed: 0 })
    expect((await listed()).length).toBe(1)
  })

  it('the list of changed rows has the delimiter of the mapping, and quotes what holds it', async () => {
    const map = `${byMail}source: { delimiter: ";" }\n`
    const { run, save, path } = await imported('Id;Name;Mail\n1;Ada;ada@example.com\n', { map })
    await save('Id;Name;Mail\n1;"Ada; L, ""x""";ada@example.com\n')
    await run('--changes', 'changes.csv')
    expect(await readFile(path('changes.csv'), 'utf8')).toMatch(
      /;changed;;"Ada; L, ""x""";ada@example\.com\n$/,
    )
  })

  it('the list of changed rows of objects has the fields of their bodies', async () => {
    const { run, save, listed, recordOf } = await imported('{"Id":1,"Name":"Ada","Mail":"a@x.com"}\n', {
      source: 'in.ndjson',
    })
    await save('{"Id":1,"Name":"Ada L","Mail":"a@x.com"}\n')
    await run('--changes', 'changes.csv')
    expect(objectsOf(await listed())).toMatchObject([
      { key: '1', record_id: await recordOf('1'), name: 'Ada L', 'emails.0.email': 'a@x.com' },
    ])
  })

  it('the list of changed rows has all fields of all rows, those of the first row first', async () => {
    const map =
      'record: contact\nkey: Id\nbody: { name: "{{Name}}", emails: { from: Mails, split: ";", each: { email: { from: . } } }, address: { from: City } }\n'
    const { run, save, listed } = await imported('Id,Name,Mails,City\n1,A,,X\n2,B,,X\n', { map })
    await save('Id,Name,Mails,City\n1,A,,Y\n2,B,b@x.com;b@y.com,X\n')
    await run('--changes', 'changes.csv')
    expect((await listed()).map(cells => cells.slice(7))).toEqual([
      ['name', 'address', 'emails.0.email', 'emails.1.email'],
      ['A', 'Y', '', ''],
      ['B', 'X', 'b@x.com', 'b@y.com'],
    ])
  })
})

describe('the list of changed rows of several imports', () => {
  const task = 'record: task\nkey: Id\nbody: { name: "{{Name}}" }\n'

  it('the list of changed rows of several imports is one for each step of a plan', async () => {
    const service = await startService()
    const plan = `base-url: ${service.url}
organization-id: 7
changed-rows: true
steps:
  one: { source: one.csv, mapping: map.yaml, changes: one.changes.csv, previous: last.csv }
  two: { source: two.csv, mapping: map.yaml, changes: two.changes.csv }
`
    const csv = 'Id,Name\n1,One\n2,Two\n'
    const cwd = await files({
      'plan.yaml': plan,
      'map.yaml': task,
      'last.csv': csv,
      'one.csv': csv,
      'two.csv': csv,
    })
    const args = ['import', '--plan', 'plan.yaml']
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    await writeFile(join(cwd, 'one.csv'), 'Id,Name\n1,Uno\n2,Two\n')
    await writeFile(join(cwd, 'two.csv'), 'Id,Name\n1,One\n2,Due\n')
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    const [one, two] = await Promise.all(
      ['one', 'two'].map(name => recordsIn(join(cwd, `${name}.changes.csv`))),
    )
    expect(objectsOf(one ?? [])).toMatchObject([{ key: '1', was: 'One', is: 'Uno', name: 'Uno' }])
    expect(objectsOf(two ?? [])).toMatchObject([{ key: '2', name: 'Due' }])
    await writeFile(join(cwd, 'plan.yaml'), plan.replace('two.changes.csv', './one.changes.csv'))
    const twice = await rowlift(args, { cwd })
    expect([twice.exitCode, twice.stderr]).toEqual([
      2,
      expect.stringContaining('one.changes.csv: is the list of changed rows of the step one'),
    ])
  })

  it('the list of changed rows of several imports has those that each worker of a ledger met', async () => {
    const database = await testDatabase()
    atEnd(() => database.close())
    const service = await startService()
    const text = (name: string) =>
      `Id,Name\n${Array.from({ length: 300 }, (_, at) => `${at + 1},${at % 100 === 0 ? name : 'Task'} ${at + 1}\n`).join('')}`
    const cwd = await files({ 'tasks.csv': text('Old'), 'last.csv': text('Old'), 'task.yaml': task })
    const args = (worker: number) => [
      ...sharing(service, database.url, 'changes'),
      ...['--changes', `${worker}.csv`, '--previous', 'last.csv', '--report', `${worker}.html`],
    ]
    expect((await rowlift(args(1), { cwd })).exitCode).toBe(0)
    await writeFile(join(cwd, 'tasks.csv'), text('New'))
    const dry = await rowlift([...args(3), '--dry-run'], { cwd })
    const ends = await Promise.all([1, 2].map(worker => rowlift(args(worker), { cwd })))
    expect([dry, ...ends].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
    const lists = await Promise.all([1, 2, 3].map(worker => recordsIn(join(cwd, `${worker}.csv`))))
    const [, , ofDryRun] = lists
    const ofWorkers = lists.slice(0, 2).flatMap(objectsOf) // one that comes after the end of the other's run meets all rows again
    const met = [...new Map(ofWorkers.map(each => [each.row, each])).values()].sort(
      (a, b) => Number(a.row) - Number(b.row),
    )
    expect(met).toMatchObject([
      { key: '1', was: 'Old 1', is: 'New 1', name: 'New 1' },
      { key: '101', was: 'Old 101', is: 'New 101', name: 'New 101' },
      { key: '201', was: 'Old 201', is: 'New 201', name: 'New 201' },
    ])
    expect(met.every(({ record_id }) => record_id !== '')).toBe(true)
    expect(objectsOf(ofDryRun ?? [])).toEqual(met)
  })
})

describe('a list of changed rows that cannot be whole', () => {
  it('a list of changed rows that cannot be whole leaves the old one: of a run that its limit ends', async () => {
    const { run, save, path } = await imported(people)
    await save(`${people.replace('Ada', 'Ada L')}5,Eve,eve@example.com,5,1\n6,Flo,flo@example.com,6,1\n`)
    await writeFile(path('changes.csv'), 'the list of yesterday')
    const ended = await run('--changes', 'changes.csv', '--limit', '1')
    expect(summaryOf(ended)).not.toHaveProperty('changes')
    expect(await readFile(path('changes.csv'), 'utf8')).toBe('the list of yesterday')
  })

  it('a list of changed rows that cannot be whole leaves the old one: of a run that is stopped', async () => {
    const { run, save, path, cwd } = await imported(people, {
      service: { react: (_, { body }) => (body.name === 'Eve' ? { answer: 401 } : 'create') },
    })
    await save(`${people.replace('Ada', 'Ada L')}5,Eve,eve@example.com,5,1\n`)
    await writeFile(path('changes.csv'), 'the list of yesterday')
    const ended = await run('--changes', 'changes.csv')
    expect(ended.exitCode).toBe(3)
    expect(await readFile(path('changes.csv'), 'utf8')).toBe('the list of yesterday')
    expect((await readdir(cwd)).filter(name => name.endsWith('.part'))).toEqual([])
  })

  it('a list of changed rows that cannot be whole is not begun: of a run that cannot start', async () => {
    const { run, cwd } = await imported(people)
    const ended = await run('--changes', 'none/changes.csv')
    expect([ended.exitCode, ended.stderr]).toEqual([
      2,
      expect.stringContaining('changes.csv: the list of changed rows cannot be written'),
    ])
    expect(await readdir(cwd)).not.toContain('none')
  })
})

describe('the file of --changes', () => {
  it.each([
    ['changes.xlsx', 'the list of changed rows is CSV'],
    ['changes.csv.gz', 'the list of changed rows is CSV'],
    ['folder', 'the list of changed rows is CSV'],
    ['-', 'must be a file'],
    ['in.csv', 'source'],
    ['map.yaml', 'mapping'],
    ['results.ndjson', 'result log'],
    ['link.csv', 'source'],
    ['bad.csv', 'file of rejected rows'],
    ['last.csv', 'last export'],
    ['page.html', 'page'],
  ])('the file of --changes is not %s', async (name, words) => {
    const { run, path, service } = await imported(people)
    await mkdir(path('folder'))
    await symlink('in.csv', path('link.csv'))
    const before = await readFile(path('in.csv'), 'utf8')
    const others = ['--rejects', 'bad.csv', '--previous', 'last.csv', '--report', 'page.html']
    const ended = await run('--changes', name, ...others)
    expect(ended.exitCode).toBe(2)
    expect(ended.stderr).toContain(words)
    expect(await readFile(path('in.csv'), 'utf8')).toBe(before)
    expect(service.made.length).toBe(4)
    await expect(access(path(`${name}.part`))).rejects.toThrow()
  })
})

describe('the file of --changes', () => {
  it('the file of --changes is not that of --approval, and --watch writes none', async () => {
    const { run, path } = await imported(people)
    expect((await run('--dry-run', '--approval', 'approved.csv')).exitCode).toBe(0)
    const approved = await readFile(path('approved.csv'), 'utf8')
    const ended = await run('--approval', 'approved.csv', '--changes', 'approved.csv')
    expect([ended.exitCode, ended.stderr]).toEqual([
      2,
      expect.stringContaining('approved.csv: is the approval'),
    ])
    expect(await readFile(path('approved.csv'), 'utf8')).toBe(approved)
    const watching = await run('--dry-run', '--watch', '--changes', 'changes.csv')
    expect([watching.exitCode, watching.stderr]).toEqual([2, expect.stringContaining('--changes')])
  })
})

describe('the end of a run with changed rows', () => {
  it('the end of a run with changed rows names --changes, and the page has the first hundred', async () => {
    const many = (name: string) =>
      `Id,Name,Mail,Phone\n${Array.from({ length: 150 }, (_, at) => `${at + 1},${name} ${at + 1},a${at}@example.com,\n`).join('')}`
    const { run, save, path, recordOf } = await imported(many('Ada'))
    await save(many('<b>Eve</b>'))
    for (const more of [[], ['--dry-run']]) {
      const ended = await run('--report', 'page.html', '--log-format', 'pretty', ...more)
      expect(ended.stderr).toContain('Changed rows: --changes FILE lists them')
      const page = await readFile(path('page.html'), 'utf8')
      expect(page).toContain('150 rows changed')
      expect(page).toContain('The first 100 are here')
      expect(page).toContain(`<code>${await recordOf('100')}</code>`)
      expect(page).not.toContain(`<code>${await recordOf('101')}</code>`)
      expect(page).toContain('<small>name</small> <bdi>&lt;b&gt;Eve&lt;/b&gt; 100</bdi>')
    }
  })

  it('the end of a run without changed rows says nothing of them', async () => {
    const { run, path } = await imported(people)
    const ended = await run('--report', 'page.html', '--log-format', 'pretty')
    expect(ended.stderr).not.toContain('--changes')
    expect(await readFile(path('page.html'), 'utf8')).not.toContain('Changed rows')
  })
})
