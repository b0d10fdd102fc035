import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { lineText } from '../../support/log-files.ts'
import { finalStatuses, importTree, treeMapping } from '../../support/record-tree.ts'
import { bodyOf, idOf, parentsIn, startCheckingService } from '../../support/references.ts'
import { folderWith, into, type Line, linesOf, outcomesIn, rowlift } from '../../support/rowlift.ts'
import { madeBy } from '../../support/service.ts'

/** The messages of the rows that are invalid, by their keys. */
async function refusalsIn(log: string): Promise<Record<string, string>> {
  const lines = (await outcomesIn(log)).filter(line => line.status === 'invalid')
  return Object.fromEntries(
    lines.map(line => [line.key, line.errors.map((error: Line) => error.message).join()]),
  )
}

describe('migration in three imports', () => {
  const organizations = 'Name,City\nAcme,Bonn\nBell,Ulm\nCora,Kiel\nCORA,Jena\n'
  const people =
    'Name,Email,Company\nAda,ada@x.example, acme\nBob,bob@x.example,Bell\nCy,cy@x.example,Gone\nDi,di@x.example,cora\n'
  const tasks =
    'Id,Name,Parent,Who\n3,Grandchild,2,\n2,Child,1,BOB@x.example;ada@x.example\n1,Root,,Cy@x.example\n4,Alone,,\n'
  const files = {
    'o.csv': organizations,
    'p.csv': people,
    't.csv': tasks,
    'o.yaml': 'record: contact\nkey: Name\nbody: { name: "{{Name}}", record_sub_type: organization }\n',
    'p.yaml': `
record: contact
key: Email
lookups: { organizations: { results: o.ndjson } }
body:
  name: "{{Name}}"
  parent: { record_id: { from: Company, lookup: organizations, missing: omit } }
`,
    't.yaml': `
record: task
key: Id
lookups:
  people: { results: p.ndjson }
  tasks: { self: true, by: Id }
body:
  name: "{{Name}}"
  parent: { record_id: { from: Parent, lookup: tasks } }
  contacts: { from: Who, split: ";", each: { record_id: { from: ".", lookup: people } } }
`,
  }

  it('a migration in three imports links all its records, whatever comes first', async () => {
    const service = await startCheckingService()
    const cwd = await folderWith(files)
    const run = (name: string) =>
      rowlift(['import', `${name}.csv`, '-m', `${name}.yaml`, ...into(service.url, `${name}.ndjson`)], {
        cwd,
      })
    expect((await run('o')).exitCode).toBe(0)
    expect((await run('p')).exitCode).toBe(1)
    expect((await run('t')).exitCode).toBe(0)
    expect(service.violations).toEqual([])
    expect(parentsIn(service)).toMatchObject({ Ada: 'Acme', Bob: 'Bell', Grandchild: 'Child', Child: 'Root' })
    expect(bodyOf(service, 'Cy')).toEqual({ name: 'Cy' })
    expect(bodyOf(service, 'Alone')).toEqual({ name: 'Alone' })
    const people = ['Bob', 'Ada'].map(name => ({ record_id: idOf(service, name) }))
    expect(bodyOf(service, 'Child')?.contacts).toEqual(people)
    expect(madeBy(service)).toHaveLength(11)
    expect((await refusalsIn(join(cwd, 'p.ndjson')))['di@x.example']).toMatch(
      /^is ambiguous: o\.ndjson:\d and o\.ndjson:\d differ; make it unique$/,
    )
  })

  it('a migration in three imports finds keys that hold | or \\ by the text of the cells', async () => {
    const service = await startCheckingService()
    const cwd = await folderWith({
      ...files,
      'o.csv': 'Name\nAT|T\nC:\\D\n',
      'p.csv': 'Name,Email,Company\nAda,a,AT|T\nBob,b,C:\\D\n',
    })
    for (const name of ['o', 'p'])
      await rowlift(['import', `${name}.csv`, '-m', `${name}.yaml`, ...into(service.url, `${name}.ndjson`)], {
        cwd,
      })
    expect(parentsIn(service)).toMatchObject({ Ada: 'AT|T', Bob: 'C:\\D' })
  })
})

describe('rows whose parent has no record', () => {
  it('rows without a parent are invalid and say why, and are created once it is fixed', async () => {
    let isBroken = true
    const { service, log, run, write } = await importTree(
      [
        'Id,Name,Parent',
        'a,Child of failed,f',
        'b,Child of invalid,i',
        'f,Failed,',
        'i,,',
        'x,X,y',
        'y,Y,z',
        'z,Z,x',
        'c,Child of a circle,x',
        's,Self,s',
        'u,Unknown,nobody',
        'd,Child of child,a',
        'p,P,',
        'p,P again,',
        'k,Child of P,P ',
        '',
      ].join('\n'),
      { react: (_, { body }) => (isBroken && body.name === 'Failed' ? { answer: 422 } : 'create') },
    )
    expect((await run()).exitCode).toBe(1)
    expect(parentsIn(service)).toEqual({ P: undefined, 'Child of P': 'P' })
    expect(await finalStatuses(log)).toMatchObject({ f: 'failed', i: 'invalid', p: 'created', k: 'created' })
    const circle = 'is part of a circle in which each row waits for the next: rows.csv row'
    expect(await refusalsIn(log)).toMatchObject({
      a: expect.stringContaining('names rows.csv row 3, which failed; this row is tried again'),
      b: expect.stringContaining('names rows.csv row 4, which is invalid'),
      d: expect.stringContaining('names rows.csv row 1, which is invalid'),
      x: `${circle} 5, rows.csv row 6, rows.csv row 7, rows.csv row 5`,
      y: `${circle} 6, rows.csv row 7, rows.csv row 5, rows.csv row 6`,
      z: `${circle} 7, rows.csv row 5, rows.csv row 6, rows.csv row 7`,
      c: expect.stringContaining('names rows.csv row 5, which is invalid'),
      s: `${circle} 9, rows.csv row 9`,
      u: expect.stringContaining('matches no row: no row has this value in the column Id'),
    })

    isBroken = false
    const again = await run()
    expect(again.exitCode).toBe(1)
    expect(parentsIn(service)).toMatchObject({
      'Child of failed': 'Failed',
      'Child of child': 'Child of failed',
    })
    await write(
      'Id,Name,Parent\nb,Child of invalid,i\ni,I,\nx,X,y\ny,Y,z\nz,Z,\nc,Child of a circle,x\ns,Self,\nu,Unknown,k\n',
    )
    expect((await run()).exitCode).toBe(0)
    expect(parentsIn(service)).toMatchObject({
      ...{ 'Child of invalid': 'I', X: 'Y', Y: 'Z', Z: undefined },
      ...{ 'Child of a circle': 'X', Unknown: 'Child of P' },
    })
    expect(service.violations).toEqual([])
    expect(new Set(madeBy(service)).size).toBe(service.made.length)
  }, 30_000)

  it('rows without a parent wait if it is in doubt, and follow its record later', async () => {
    const { service, cwd, log, run } = await importTree('Id,Name,Parent\n2,Child,1\n1,Parent,\n', {
      react: (_, { body }) => (body.name === 'Parent' ? { cut: 'after creating' } : 'create'),
    })
    expect((await run()).exitCode).toBe(1)
    expect((await refusalsIn(log))['2']).toContain('names rows.csv row 2, which is in doubt')
    const recordId = idOf(service, 'Parent') ?? ''
    await rowlift(['resolve', 'results.ndjson', '--key', '1', '--record-id', recordId], { cwd })
    expect((await run()).exitCode).toBe(0)
    expect(parentsIn(service)).toEqual({ Parent: undefined, Child: 'Parent' })
  })

  it('rows without a parent are not refused for a broken row of the same key', async () => {
    const { service, run } = await importTree(
      'Id,Name,Parent\n1,Parent,\n1,Parent,,more\n8,Other,\n9,More,\n2,Child,1\n',
    )
    expect((await run('-c', '1')).exitCode).toBe(1)
    expect(parentsIn(service)).toMatchObject({ Child: 'Parent' })
  })

  it('rows without a parent wait for a good row of the same key that follows them', async () => {
    const { service, run } = await importTree('Id,Name,Parent\n1,,\n8,Other,\n2,Child,1\n1,Parent,\n')
    await run('-c', '1')
    expect(parentsIn(service)).toMatchObject({ Child: 'Parent' })
  })
})

describe('parent of an earlier run', () => {
  it('a parent of an earlier run is found when the source no longer holds it', async () => {
    const { service, cwd, log, args, run, write } = await importTree(
      'Id,Name,Parent\n2,Child,1\n3,Second,2\n1,Parent,\n',
    )
    expect((await run('--limit', '1')).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(['Parent'])
    const dry = await run('--dry-run', '--preview', '-')
    expect(linesOf(dry.stdout).map(({ key, body }) => [key, body?.parent?.record_id])).toEqual([
      ['2', idOf(service, 'Parent')],
      ['3', '00000000-0000-0000-0000-000000000000'],
      ['1', undefined],
    ])
    await write('Id,Name,Parent\n3,Second,2\n2,Child,1\n')
    expect((await run()).exitCode).toBe(0)
    const [first, , ...options] = args
    const stdin = 'Id,Name,Parent\n6,Sixth,5\n5,Fifth, 3\n4,Fourth,1\n7,Seventh,6\n'
    expect((await rowlift([first ?? '', '-', ...options], { cwd, stdin })).exitCode).toBe(0)
    expect(parentsIn(service)).toEqual({
      ...{ Parent: undefined, Child: 'Parent', Second: 'Child' },
      ...{ Fourth: 'Parent', Fifth: 'Second', Sixth: 'Fifth', Seventh: 'Sixth' },
    })
    expect((await outcomesIn(log)).map(({ key, ref }) => key === ref)).not.toContain(false)
  })

  it('a parent of an earlier run is kept apart when the mapping has one key column more', async () => {
    const csv = 'Id,Old,Name,Parent,Boss\n'
    const { service, run, write } = await importTree(`${csv}1,7,Seven,,\n7,1,One,,\n`)
    await run()
    await write(
      treeMapping
        .replace('} }', '}, bosses: { self: true, by: Old } }')
        .replace('from: Parent, lookup: parents', 'from: Boss, lookup: bosses'),
      'm.yaml',
    )
    await write(`${csv}9,,Child,,1\n`)
    await run()
    expect(parentsIn(service).Child).not.toBe('Seven')
  })
})

describe('tree given by depth and order', () => {
  const tree = `
record: task
where: { TYPE: task }
lookups: { above: { self: true, indent: INDENT } }
body: { name: "{{Name}}", parent: { record_id: { from: INDENT, lookup: above } } }
`
  const csv =
    'TYPE,Name,INDENT\ntask,Root,1\nnote,a note,\ntask,Child,2\ntask,Grandchild,3\nsection,,\ntask,Second,2\ntask,Other,1\n'
  const parents = { Root: undefined, Child: 'Root', Grandchild: 'Child', Second: 'Root', Other: undefined }

  it.each(['rows.csv', '-'])(
    'a tree given by depth and order keeps its links from %s, and goes on after a careful bite',
    async source => {
      const service = await startCheckingService()
      const cwd = await folderWith({ 'rows.csv': csv, 'm.yaml': tree })
      const run = (...more: string[]) =>
        rowlift(['import', source, '-m', 'm.yaml', ...into(service.url), ...more], { cwd, stdin: csv })
      expect((await run('--limit', '2')).exitCode).toBe(0)
      expect((await run()).exitCode).toBe(0)
      expect(service.violations).toEqual([])
      expect(parentsIn(service)).toEqual(parents)
    },
  )
})

describe('tables', () => {
  const mapping = (lookup: string) => `
record: task
allow_unknown_fields: true
lookups:
  users: ${lookup}
body: { name: "{{Name}}", user: { from: User, lookup: users } }
`
  const rows = 'Name,User\nOne, MÜLLER\nTwo,Zoë\n'
  const users = { key: ['Müller', 'Zoë'], value: ['17', '18'] }
  const csv = `User;Id\n${users.key.map((key, at) => `${key};${users.value[at]}\n`).join('')}`
  const ndjson = users.key
    .map((key, at) => `${JSON.stringify({ User: key, Id: Number(users.value[at]) })}\n`)
    .join('')

  const dryRun = async (lookup: string, table: Record<string, string | Buffer>) => {
    const cwd = await folderWith({ 'rows.csv': rows, 'm.yaml': mapping(lookup), ...table })
    return rowlift(['import', 'rows.csv', '-m', 'm.yaml', '--dry-run'], { cwd })
  }

  const readable = [
    [
      'CSV with settings of its own',
      '{ file: u.csv, key: User, value: Id, source: { delimiter: ";", encoding: windows-1252 } }',
      { 'u.csv': Buffer.from(csv, 'latin1') },
    ],
    [
      'UTF-16 with a byte-order mark, and tabs',
      '{ file: u.tsv, key: User, value: Id }',
      { 'u.tsv': Buffer.from(`\ufeff${csv.replaceAll(';', '\t')}`, 'utf16le') },
    ],
    ['packed NDJSON', '{ file: u.ndjson.gz, key: User, value: Id }', { 'u.ndjson.gz': gzipSync(ndjson) }],
  ] as const

  it('tables are read in every form that a source may have', async () => {
    const runs = readable.map(async ([form, lookup, table]) => {
      const run = await dryRun(lookup, table)
      expect(
        linesOf(run.stdout).map(({ user }) => user),
        form,
      ).toEqual(users.value)
    })
    await Promise.all(runs)
  })

  const unreadable = [
    ['that are not there', '{ file: u.csv, key: User, value: Id }', {}, 'u.csv'],
    [
      'that are called logs',
      '{ results: u.ndjson }',
      { 'u.ndjson': ndjson },
      'u.ndjson: is not a result log',
    ],
    [
      'without the column',
      '{ file: u.csv, key: Usre, value: Id, source: { delimiter: ";" } }',
      { 'u.csv': csv },
      'm.yaml:5:30: unknown column "Usre"; did you mean "User"? (the header of u.csv',
    ],
    [
      'with a ragged row',
      '{ file: u.csv, key: User, value: Id, source: { delimiter: ";" } }',
      { 'u.csv': `${csv}Bob;19;20\n` },
      'u.csv:4: has 3 cells where the header has 2',
    ],
    [
      'with a broken line',
      '{ file: u.ndjson, key: User, value: Id }',
      { 'u.ndjson': `${ndjson}{\n` },
      'u.ndjson:3: ',
    ],
  ] as const

  it('tables that are logs of another service never leave links out', async () => {
    const opening = {
      run: 'r',
      rowlift: '0',
      base_url: 'http://127.0.0.1:9',
      organization_id: 7,
      key_columns: ['User'],
    }
    const doubt = { run: 'r', status: 'in_doubt', key: 'Müller' }
    const log = (first: object) => [first, doubt].map(lineText).join('')
    const omitting = mapping('{ results: u.ndjson }').replace('lookup: users', 'lookup: users, missing: omit')
    const cwd = await folderWith({ 'rows.csv': rows, 'm.yaml': omitting, 'u.ndjson': log(opening) })
    const preview = ['import', 'rows.csv', '-m', 'm.yaml', '--dry-run', '--preview', '-']
    const lines = linesOf((await rowlift(preview, { cwd })).stdout)
    expect(lines.map(({ status, body }) => [status, body?.user])).toEqual([
      ['invalid', undefined],
      ['valid', undefined],
    ])
    await writeFile(join(cwd, 'u.ndjson'), log({ ...opening, organization_id: 8 }))
    const real = await rowlift(['import', 'rows.csv', '-m', 'm.yaml', ...into('http://127.0.0.1:9')], { cwd })
    expect(real).toMatchObject({ exitCode: 2 })
    expect(real.stderr).toContain('u.ndjson: belongs to another organization (8, now 7)')
  })

  it('tables that are missing logs end an import with 2, and a dry run goes on', async () => {
    const cwd = await folderWith({ 'rows.csv': rows, 'm.yaml': mapping('{ results: u.ndjson }') })
    const real = await rowlift(['import', 'rows.csv', '-m', 'm.yaml', ...into('http://127.0.0.1:9')], { cwd })
    expect(real).toMatchObject({ exitCode: 2 })
    expect(real.stderr).toContain('u.ndjson: there is no such result log (lookups.users')
    const dry = await rowlift(['import', 'rows.csv', '-m', 'm.yaml', '--dry-run'], { cwd })
    expect(dry.stderr).toContain('u.ndjson: there is no such result log yet')
    expect(new Set(linesOf(dry.stdout).map(({ user }) => user))).toEqual(
      new Set(['00000000-0000-0000-0000-000000000000']),
    )
  })

  it('tables that cannot be used end the run with 2, with the place and the reason', async () => {
    const runs = unreadable.map(async ([what, lookup, table, words]) => {
      const run = await dryRun(lookup, table)
      expect(run.stderr, what).toContain(words)
      expect(run.exitCode, what).toBe(2)
    })
    await Promise.all(runs)
  })
})
