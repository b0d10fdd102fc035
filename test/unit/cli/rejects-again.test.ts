import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { itLong } from '../../support/long.ts'
import { editRejects, importWithRejects, recordsIn } from '../../support/rejects-file.ts'
import { folderWith, outcomesIn, rowlift, summaryOf } from '../../support/rowlift.ts'
import { madeBy, startService } from '../../support/service.ts'
import { smallDisk } from '../../support/small-disk.ts'

const mapping =
  'record: contact\nkey: Email\nbody:\n  name: { from: Name, required: true }\n  emails: [{ email: { from: Email, as: email, required: true } }]\n'
const people = (...rows: string[]) => `Name,Email\n${rows.map(row => `${row}\n`).join('')}`
const importing = (...rows: string[]) =>
  importWithRejects({ 'map.yaml': mapping, 'a.csv': people('Ada,ada@example.com', ...rows) }, ['a.csv'])

describe('file of rejected rows', () => {
  it('a file of rejected rows without repaired rows changes nothing', async () => {
    const { service, cwd, bad, log, exported } = await importing('Bob,nope', 'forbidden,cy@example.com')
    const { next } = summaryOf(await exported())
    const [, command = ''] = /import them:\n {2}rowlift (.*)\nOr fix the cause/.exec(next) ?? []
    const again = await rowlift(command.split(' '), { cwd })
    expect(summaryOf(again)).toMatchObject({ invalid: 1, failed: 1, rejects: 'bad.again.csv' })
    expect(await readFile(join(cwd, 'bad.again.csv'))).toEqual(await readFile(bad))
    expect(madeBy(service)).toEqual(['Ada'])
    const lines = await outcomesIn(log)
    const nameOf = (asked: string) => `sha256:${lines.find(({ key }) => key === asked)?.hash}#1`
    expect((await recordsIn(bad)).map(cells => cells.slice(2))).toEqual([
      ['rowlift_key', 'rowlift_reason'],
      [nameOf('nope'), 'Email is not an e-mail address'],
      [nameOf('cy@example.com'), 'the service answered 422: no such word'],
    ])
  })

  it.each(['the rejected rows first', 'the source first'])(
    'a file of rejected rows and its source may both be repaired: %s',
    async order => {
      const { service, cwd, bad, exported, repaired } = await importing('Bob,nope', ',cy@example.com')
      await exported()
      const mendBad = async () => {
        await editRejects(bad, row =>
          Object.assign(row, row.Name === 'Bob' ? { Email: 'bob@example.com' } : { Name: 'Cy' }),
        )
        return repaired()
      }
      const mendSource = async () => {
        await writeFile(
          join(cwd, 'a.csv'),
          people('Ada,ada@example.com', 'Bob,bob@example.com', 'Cy,cy@example.com'),
        )
        return rowlift([...(await mending), 'a.csv'], { cwd })
      }
      const mending = Promise.resolve([
        'import',
        '-m',
        'map.yaml',
        '--base-url',
        service.url,
        '--organization-id',
        '7',
        '-o',
        'results.ndjson',
      ])
      const [one, other] = order === 'the source first' ? [mendSource, mendBad] : [mendBad, mendSource]
      await one()
      await other()
      expect(madeBy(service)).toEqual(['Ada', 'Bob', 'Cy'])
    },
  )

  it('a file of rejected rows with a shared bad key settles the repaired ones only', async () => {
    const { service, bad, exported, repaired } = await importing('Bob,n/a', 'Cy,n/a', 'Di,n/a')
    await exported()
    await editRejects(bad, row => {
      if (row.Name !== 'Cy') row.Email = `${row.Name}@example.com`
    })
    expect((await repaired()).exitCode).toBe(1)
    expect(madeBy(service)).toEqual(['Ada', 'Bob', 'Di'])
    const next = await exported()
    expect(summaryOf(next)).toMatchObject({ created: 0, done: 3, invalid: 1, rejected_rows: 1 })
    expect((await recordsIn(bad)).map(([name]) => name)).toEqual(['Name', 'Cy'])
    await editRejects(bad, row => Object.assign(row, { Email: 'cy@example.com' }))
    expect((await repaired()).exitCode).toBe(0)
    expect((await exported()).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(['Ada', 'Bob', 'Cy', 'Di'])
  })

  it('a file of rejected rows lets a ragged row come back under another key', async () => {
    const { service, cwd, bad, exported, repaired } = await importing(
      'Bob,Cy,bob@example.com',
      'Di,Cy,di@example.com',
    )
    await exported()
    await editRejects(bad, row =>
      Object.assign(row, { Email: `${row.Name?.toLowerCase()}@example.com`, rowlift_reason: '' }),
    )
    expect((await repaired()).exitCode).toBe(0)
    await writeFile(
      join(cwd, 'a.csv'),
      people('Ada,ada@example.com', 'Bob,Cy,bob@example.com', 'Di,di@example.com', 'Ed,Cy,ed@example.com'),
    )
    const last = await exported()
    expect(summaryOf(last)).toMatchObject({ created: 0, done: 3, changed: 0, invalid: 1, rejected_rows: 1 })
    expect(madeBy(service)).toEqual(['Ada', 'Bob', 'Di'])
  })

  it('a file of rejected rows may come back after a later run refused one of its keys', async () => {
    const { service, cwd, bad, exported, repaired } = await importing('Bob,n/a')
    await exported()
    const mended = await readFile(bad)
    await writeFile(join(cwd, 'a.csv'), people('Cy,n/a'))
    await exported()
    await writeFile(bad, mended)
    await editRejects(bad, row => Object.assign(row, { Email: 'bob@example.com' }))
    expect((await repaired()).exitCode).toBe(0)
    expect(summaryOf(await exported())).toMatchObject({ done: 0, invalid: 1, rejected_rows: 1 })
    await editRejects(bad, row => Object.assign(row, { Email: 'cy@example.com' }))
    expect((await repaired()).exitCode).toBe(0)
    expect(summaryOf(await exported())).toMatchObject({ done: 1, invalid: 0 })
    expect(madeBy(service)).toEqual(['Ada', 'Bob', 'Cy'])
  })

  it('a file of rejected rows may hold rows repaired to equal others, without a key', async () => {
    const { service, bad, exported, repaired } = await importWithRejects(
      {
        'map.yaml': mapping.replace('key: Email\n', ''),
        'a.csv': people('Ada,ada@example.com', 'Ada,n/a', ',x@example.com'),
      },
      ['a.csv'],
    )
    await exported()
    for (const mended of [
      { Name: 'Bob', Email: 'x@example.com' },
      { Name: 'Ada', Email: 'ada@example.com' },
    ]) {
      await editRejects(bad, row =>
        Object.assign(row, row.Name === mended.Name || row.Email === mended.Email ? mended : {}),
      )
      await repaired()
      await exported()
    }
    expect(madeBy(service)).toEqual(['Ada', 'Ada', 'Bob'])
  })

  it('a file of rejected rows that gives a row another key leaves its key to a row that comes later', async () => {
    const { service, cwd, bad, log, exported, repaired } = await importing(',cy@example.com')
    await exported()
    await editRejects(bad, row => Object.assign(row, { Name: 'Bob', Email: 'bob@example.com' }))
    await repaired()
    await writeFile(join(cwd, 'a.csv'), people(',cy@example.com', 'Cy,cy@example.com'))
    expect(summaryOf(await exported())).toMatchObject({ created: 1, done: 1, invalid: 0, changed: 0 })
    expect(summaryOf(await exported())).toMatchObject({ done: 2, invalid: 0 })
    expect(madeBy(service)).toEqual(['Ada', 'Bob', 'Cy'])
    const lines = await outcomesIn(log)
    const { hash } = lines.find(({ status }) => status === 'invalid') ?? {}
    expect(lines.filter(({ status }) => status === 'created')).toMatchObject([
      { key: 'ada@example.com' },
      { key: 'bob@example.com', replaces: hash },
      { key: 'cy@example.com' },
    ])
  })

  it('a file of rejected rows with a second new key makes no second record', async () => {
    const { service, bad, exported, repaired } = await importing('Bob,nope')
    await exported()
    const name = (Email: string) => editRejects(bad, row => Object.assign(row, { Email }))
    await name('bob@exmaple.com')
    expect(summaryOf(await repaired())).toMatchObject({ created: 1 })
    await name('bob@example.com')
    const told = summaryOf(await repaired())
    expect(told).toMatchObject({ created: 0, invalid: 1 })
    expect(told.reasons[0].reason).toContain('empty rowlift_key')
    expect(madeBy(service)).toEqual(['Ada', 'Bob'])
  })

  it('a file of rejected rows may be given with its source, in either order', async () => {
    for (const files of [
      ['bad.csv', 'a.csv'],
      ['a.csv', 'bad.csv'],
    ]) {
      const { service, cwd, args, bad, exported } = await importing('forbidden,cy@example.com')
      await exported()
      await editRejects(bad, row => Object.assign(row, { Name: 'Cy', Email: 'cy@a.example' }))
      const run = summaryOf(await rowlift(args(files), { cwd }))
      expect(run).toMatchObject({ duplicate: 1, created: files[0] === 'bad.csv' ? 1 : 0 })
      await rowlift(args(['bad.csv', 'a.csv']), { cwd })
      expect(summaryOf(await exported())).toMatchObject({ created: 0, done: 2 })
      expect(madeBy(service)).toEqual(['Ada', 'Cy'])
    }
  })

  itLong(
    'a file of rejected rows that does not find room stops the run with 3, and nothing is lost',
    async context => {
      const { service, cwd, args, log } = await importing(
        ...Array.from({ length: 1500 }, (_, at) => `Bob ${at},nope ${at} ${'x'.repeat(100)}`),
      )
      const small = join(cwd, 'small')
      const { grow } = await smallDisk(small, context)
      await writeFile(join(small, 'bad.csv'), 'of yesterday\n')
      const run = await rowlift(args(['a.csv'], '--rejects', 'small/bad.csv'), { cwd })
      expect(run.exitCode).toBe(3)
      expect(summaryOf(run).stopped).toContain('small/bad.csv: cannot be written (ENOSPC)')
      expect(await readFile(join(small, 'bad.csv'), 'utf8')).toBe('of yesterday\n')
      expect(await readdir(small)).toEqual(['bad.csv'])
      grow()
      const again = await rowlift(args(['a.csv'], '--rejects', 'small/bad.csv'), { cwd })
      expect(summaryOf(again)).toMatchObject({ invalid: 1500, rejected_rows: 1500 })
      expect(madeBy(service)).toEqual(['Ada'])
      expect(new Set((await outcomesIn(log)).map(({ row }) => row)).size).toBe(1501)
    },
  )
})

describe('--rejects', () => {
  const refused: readonly (readonly [string, string[], string])[] = [
    [
      'its source',
      ['a.csv', '--rejects', './a.csv'],
      './a.csv: is the source; give the file of rejected rows another name',
    ],
    ['the mapping', ['a.csv', '--rejects', 'map.yaml'], 'map.yaml: is the mapping'],
    [
      'a result log that is not there yet',
      ['a.csv', '-o', 'r', '--rejects', './r'],
      './r: is the result log',
    ],
    ['standard output', ['a.csv', '--rejects', '-'], '--rejects needs a file'],
    ['a packed file', ['a.csv', '--rejects', 'bad.csv.gz'], 'does not end in .gz'],
    ['a folder', ['a.csv', '--rejects', '.'], '.: is not a file that can be replaced'],
    [
      'a folder that is not there',
      ['a.csv', '--rejects', 'none/bad.csv'],
      'none/bad.csv: the rejected rows cannot be written there (ENOENT)',
    ],
    [
      'a name that is read as another format',
      ['a.ndjson', '--rejects', 'bad.csv'],
      'bad.csv: the rejected rows are NDJSON',
    ],
    [
      'rows of two formats',
      ['a.csv', 'a.ndjson', '--rejects', 'bad.csv'],
      'rows of tables (CSV, sheets) and objects do not fit into one file',
    ],
    [
      'rows of a tree',
      ['a.csv', '--rejects', 'bad.csv', '-m', 'tree.yaml'],
      'tree.yaml: has a lookup with indent',
    ],
  ]
  it.each(refused)('--rejects refuses: %s', async (_, args, words) => {
    const cwd = await folderWith({
      'map.yaml': mapping,
      'tree.yaml':
        'record: task\nlookups: { up: { self: true, indent: Name } }\nbody: { name: "{{Name}}", parent: { record_id: { from: Email, lookup: up } } }\n',
      'a.csv': people('Bob,nope'),
      'a.ndjson': '{"Name":"Bob","Email":"nope"}\n',
    })
    const files = await readdir(cwd)
    const mapped = args.includes('-m') ? args : [...args, '-m', 'map.yaml']
    const run = await rowlift(['import', ...mapped, '--dry-run'], { cwd })
    expect(run.stderr).toContain(words)
    expect(run.exitCode).toBe(2)
    expect(await readdir(cwd)).toEqual(files)
  })
})

describe('rejects file that another run wrote', () => {
  const files = {
    'map.yaml': 'record: task\nkey: Id\nbody: { name: "{{Name}}" }\n',
    'a.csv': 'Id,Name\nK1,Ada\nK2,Bob\n',
  }
  const trials = [
    ['dry run', ['--dry-run']],
    ['trial of another service', ['-o', 'trial.ndjson']],
  ] as const
  const orders = [
    [['a.csv'], ['bad.csv']],
    [['bad.csv'], ['a.csv']],
    [['a.csv', 'bad.csv']],
    [['bad.csv', 'a.csv']],
  ]

  it.each(
    trials.flatMap(([name, options]) =>
      orders.map(order => ({ name, options, order, title: order.join(' then ') })),
    ),
  )('a rejects file of another run creates no row twice: $name, $title', async ({ name, options, order }) => {
    const strict = await startService({
      react: (_, { body }) => (body.name === 'Bob' ? { answer: 422, body: 'no' } : 'create'),
    })
    const service = await startService()
    const cwd = await folderWith(files)
    const isDry = name === 'dry run'
    if (isDry)
      await writeFile(
        join(cwd, 'strict.yaml'),
        `${files['map.yaml'].replace('"{{Name}}"', '{ from: Name, map: { Ada: Ada } }')}`,
      )
    const common = ['--organization-id', '7']
    await rowlift(
      [
        'import',
        'a.csv',
        '-m',
        isDry ? 'strict.yaml' : 'map.yaml',
        '--base-url',
        strict.url,
        ...common,
        ...options,
        '--rejects',
        'bad.csv',
      ],
      { cwd },
    )
    await editRejects(join(cwd, 'bad.csv'), row => Object.assign(row, { Id: 'K9' }))
    for (const sources of order)
      await rowlift(
        ['import', ...sources, '-m', 'map.yaml', '--base-url', service.url, ...common, '-o', 'r.ndjson'],
        { cwd },
      )
    expect(madeBy(service).sort()).toEqual(['Ada', 'Bob'])
  })
})
