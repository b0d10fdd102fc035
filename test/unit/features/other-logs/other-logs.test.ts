import { execFileSync } from 'node:child_process'
import {
  appendFile,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { importRows } from '../../../../src/index.ts'
import { intoService, taskMapping, taskRows } from '../../../support/library.ts'
import { callOf, leaveCalls, resealed } from '../../../support/log-files.ts'
import { migrating, migrationFiles } from '../../../support/migration.ts'
import { startProxy } from '../../../support/proxy.ts'
import { folderWith, into, linesOf, outcomesIn, rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, type Service, startService } from '../../../support/service.ts'

const people = 'Mail;Name\nmia@x.example;Mia\nnoor@x.example;Noor\n'
const mapping =
  'record: contact\nkey: Mail\nsource: { delimiter: ";" }\nbody: { name: { from: Name, required: true } }\n'
const files = {
  'spring.csv': people,
  'autumn.csv': `${people}otto@x.example;Otto\n`,
  'people.yaml': mapping,
}

let service: Service
let cwd: string
beforeEach(async () => {
  service = await startService()
  cwd = await folderWith(files)
})
const at = (name: string) => join(cwd, name)

const words = (source: string, results: string) => [
  'import',
  source,
  '-m',
  'people.yaml',
  ...into(service.url, results),
]
const importing = (source: string, results: string, ...more: string[]) =>
  rowlift([...words(source, results), ...more], { cwd })
const openingsOf = async (log: string) =>
  linesOf(await readFile(at(log), 'utf8')).filter(line => line.rowlift)

describe('rows that have their record by another log', () => {
  beforeEach(async () => {
    expect((await importing('spring.csv', 'spring.results.ndjson')).exitCode).toBe(0)
  })

  it('of another organization are told before they are created', async () => {
    const args = words('spring.csv', 'other.results.ndjson')
    const ended = await rowlift([...args.with(args.indexOf('7'), '8'), '--dry-run'], { cwd })
    expect([ended.exitCode, ended.stderr]).toEqual([
      0,
      expect.stringContaining(
        '2 of the first rows have their record by spring.results.ndjson, of organization 7 at',
      ),
    ])
  })

  it('stop the run before its first call with both commands, which work', async () => {
    const refused = await importing('autumn.csv', 'autumn.results.ndjson')
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toMatch(
      /autumn\.results\.ndjson: 2 of the first 3 rows have their record by spring\.results\.ndjson \(\d{4}-\d\d-\d\d\), 2 of them read the same/,
    )
    const commands = refused.stderr.split('\n').flatMap(line => line.split('  rowlift ').slice(1))
    expect(commands.map(command => command.split(' ').slice(-2).join(' '))).toEqual([
      '-o spring.results.ndjson',
      'autumn.results.ndjson --new-log',
    ])
    const [goingOn = '', beginning = ''] = commands
    expect(summaryOf(await rowlift(goingOn.split(' '), { cwd }))).toMatchObject({ created: 1, done: 2 })
    expect(summaryOf(await rowlift(beginning.split(' '), { cwd }))).toMatchObject({ created: 3 })
    // it was allowed to begin, and goes on from then on
    expect(summaryOf(await rowlift(beginning.split(' '), { cwd }))).toMatchObject({ created: 0, done: 3 })
  })

  it('stop a dry run too, if it names the service', async () => {
    expect((await importing('autumn.csv', 'autumn.ndjson', '--dry-run')).exitCode).toBe(2)
    const args = ['import', 'autumn.csv', '-m', 'people.yaml', '--dry-run', '-o', 'autumn.ndjson']
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
  })

  it.each<[string, (args: string[]) => string[], Record<string, string>]>([
    ['a copy of the mapping', args => args.with(3, 'staff.yaml'), { 'staff.yaml': mapping }],
    ['another key', args => args, { 'people.yaml': mapping.replace('Mail', 'Name') }],
    ['another folder', args => [...args.slice(0, -1), 'new/x.ndjson'], {}],
    ['standard output', args => [...args.slice(0, -1), '-'], {}],
  ])('are recognized with %s', async (_, changed, other) => {
    await mkdir(at('new'))
    for (const [name, text] of Object.entries(other)) await writeFile(at(name), text)
    expect((await rowlift(changed(words('autumn.csv', 'autumn.ndjson')), { cwd })).exitCode).toBe(2)
    expect(service.made).toHaveLength(2)
  })

  it('are recognized from a folder in which only the source or the mapping is beside the log', async () => {
    const elsewhere = await folderWith({ 'people.yaml': mapping, 'spring.csv': people })
    const from = (source: string, map: string) =>
      rowlift(words(source, 'x.ndjson').with(3, map), { cwd: elsewhere })
    expect((await from(at('spring.csv'), 'people.yaml')).exitCode).toBe(2)
    expect((await from('spring.csv', at('people.yaml'))).exitCode).toBe(2)
    expect((await from('spring.csv', 'people.yaml')).exitCode).toBe(0)
  })

  it('are none for another organization, and none for a new list', async () => {
    const args = words('autumn.csv', 'autumn.ndjson')
    expect((await rowlift(args.with(args.indexOf('7'), '8'), { cwd })).exitCode).toBe(0)
    await writeFile(at('new.csv'), 'Mail;Name\nzoe@x.example;Zoe\n')
    expect((await importing('new.csv', 'new.ndjson')).exitCode).toBe(0)
  })

  it('that none reads the same may be of another list, and then are passed over', async () => {
    const numbered = mapping.replace('Mail', 'No')
    await writeFile(at('people.yaml'), numbered)
    await writeFile(at('customers.csv'), 'No;Name\n1;Ann\n2;Ben\n')
    await writeFile(at('suppliers.csv'), 'No;Name\n1;Zinc Ltd\n2;Yarn Ltd\n')
    expect((await importing('customers.csv', 'customers.ndjson')).exitCode).toBe(0)
    const refused = await importing('suppliers.csv', 'suppliers.ndjson')
    expect(refused.stderr).toContain('0 of them read the same')
    expect(refused.stderr.indexOf('--new-log\n')).toBeLessThan(refused.stderr.indexOf('-o customers.ndjson'))
    expect((await importing('suppliers.csv', 'suppliers.ndjson', '--new-log')).exitCode).toBe(0)
    await appendFile(at('customers.csv'), '3;Cid\n')
    expect((await importing('customers.csv', 'customers.ndjson')).exitCode).toBe(0)
    await appendFile(at('suppliers.csv'), '3;Xero Ltd\n')
    expect((await importing('suppliers.csv', 'suppliers.ndjson')).exitCode).toBe(0)
    expect(service.made).toHaveLength(8)
  })

  it('are told with the log that has most of them, or that was written last', async () => {
    await copyFile(at('spring.results.ndjson'), at('a-copy'))
    await utimes(at('spring.results.ndjson'), 2e9, 2e9)
    const { stderr } = await importing('autumn.csv', 'autumn.ndjson')
    expect(stderr).toContain('by spring.results.ndjson (')
    expect(stderr).toContain('others by a-copy')
  })

  it.each([
    ['gz', () => writeFile(at('o.ndjson.gz'), gzipSync(execFileSync('cat', [at('spring.results.ndjson')])))],
    [
      'zip',
      async () =>
        void execFileSync('python3', ['-m', 'zipfile', '-c', 'o.zip', 'spring.results.ndjson'], { cwd }),
    ],
  ])('are found in a log that was packed as %s', async (_, pack) => {
    await pack()
    await rm(at('spring.results.ndjson'))
    const { exitCode, stderr } = await importing('autumn.csv', 'autumn.ndjson')
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('unpack it, and go on with it by --results'),
    ])
    expect((await importing('autumn.csv', 'autumn.ndjson', '--new-log')).exitCode).toBe(0)
    expect((await importing('autumn.csv', 'autumn.ndjson')).exitCode).toBe(0)
  })

  it('may be in a log that a link leads to, and that is not there', async () => {
    await mkdir(at('mounted'))
    await rename(at('spring.results.ndjson'), at('mounted/people.ndjson'))
    await symlink('mounted/people.ndjson', at('people.ndjson'))
    expect((await importing('spring.csv', 'people.ndjson')).exitCode).toBe(0)
    await rename(at('mounted/people.ndjson'), at('mounted/away'))
    await rename(at('mounted'), at('elsewhere'))
    await mkdir(at('mounted'))
    for (const log of ['people.ndjson', 'new.ndjson']) {
      const { exitCode, stderr } = await importing('spring.csv', log)
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining('people.ndjson: is a link to a file that is not there'),
      ])
    }
  })

  it('are not looked for in a file that a killed run did not finish', async () => {
    const name = 'autumn.ndjson.inflight.01JDBBBBBBBBBBBBBBBBBBBBBB.new'
    await rename(at('spring.results.ndjson'), at(name))
    expect((await importing('spring.csv', 'autumn.ndjson')).exitCode).toBe(0)
  })

  it('may be in a log whose calls were in flight, and that was moved away', async () => {
    const outcomes = await outcomesIn(at('spring.results.ndjson'))
    await leaveCalls(
      at('spring.results.ndjson'),
      ...outcomes.map(outcome => callOf({ ...outcome, key: 'other', hash: '0'.repeat(16) })),
    )
    await rename(at('spring.results.ndjson.inflight'), at('old.ndjson.inflight'))
    await rm(at('spring.results.ndjson'))
    expect((await importing('spring.csv', 'autumn.ndjson')).stderr).toContain(
      'old.ndjson: was the log of an import like',
    )
    expect((await importing('spring.csv', 'old.ndjson')).stderr).toContain('old.ndjson: is gone')
    expect(service.made).toHaveLength(2)
  })

  it('are found in a log whose first line names a thousand sources', async () => {
    const log = at('spring.results.ndjson')
    const many = Array.from({ length: 1000 }, (_, n) => `/srv/exports/of/the/house/people-${n}.csv`)
    const text = await readFile(log, 'utf8')
    await writeFile(log, text.replace('["spring.csv"]', JSON.stringify([...many, ...many])))
    expect((await importing('autumn.csv', 'autumn.ndjson')).exitCode).toBe(2)
  })

  it('are not forgotten by a command that came to no end', async () => {
    const forgetting = ['log', 'spring.results.ndjson', '--forget', '--run', 'last', '--yes']
    expect((await rowlift(forgetting, { cwd })).exitCode).toBe(0)
    const whole = await readFile(at('spring.results.ndjson'), 'utf8')
    await writeFile(at('spring.results.ndjson'), whole.replace(/[^\n]*\n$/, '')) // its closing line is not written yet
    expect((await importing('autumn.csv', 'autumn.ndjson')).stderr).toContain(
      '2 of the first 3 rows have their record',
    )
    await writeFile(at('spring.results.ndjson'), whole)
    expect((await importing('autumn.csv', 'autumn.ndjson')).exitCode).toBe(0)
  })

  it('are not looked for again in a log that has not changed', async () => {
    await writeFile(at('new.csv'), 'Mail;Name\nzoe@x.example;Zoe\n')
    await importing('new.csv', 'new.ndjson')
    await writeFile(at('new.csv'), 'Mail;Name\nyan@x.example;Yan\n')
    await importing('new.csv', 'new.ndjson')
    const [first, second] = await openingsOf('new.ndjson')
    expect(first.looked_through).toHaveLength(1)
    expect(second.looked_through).toEqual(first.looked_through)
  })
})

describe('two first runs at once', () => {
  it('are one: the second sees that the first has begun', async () => {
    const ends = await Promise.all(['a.ndjson', 'b.ndjson'].map(log => importing('autumn.csv', log)))
    expect(ends.map(({ exitCode }) => exitCode).sort()).toEqual([0, 2])
    expect(madeBy(service)).toEqual(['Mia', 'Noor', 'Otto'])
    expect((await readdir(cwd)).filter(name => name.includes('rowlift'))).toEqual([])
  })
})

describe('copies of a log', () => {
  it('that lack its last lines are backups, and those with other records stop the run', async () => {
    await importing('spring.csv', 'o.ndjson')
    await copyFile(at('o.ndjson'), at('o (1).ndjson'))
    await importing('autumn.csv', 'o.ndjson')
    expect((await importing('autumn.csv', 'o.ndjson')).exitCode).toBe(0)
    await rename(at('o.ndjson'), at('o (conflicted copy).ndjson'))
    await rename(at('o (1).ndjson'), at('o.ndjson'))
    const { exitCode, stderr } = await importing('autumn.csv', 'o.ndjson')
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('o (conflicted copy).ndjson: is a copy of o.ndjson, and has 1 record of which'),
    ])
    await appendFile(at('o.ndjson'), await readFile(at('o (conflicted copy).ndjson')))
    expect(summaryOf(await importing('autumn.csv', 'o.ndjson'))).toMatchObject({ done: 3, created: 0 })
    expect(service.made).toHaveLength(3)
  })
})

describe('log of another machine', () => {
  it('is told of, before the first call', async () => {
    await importing('spring.csv', 'o.ndjson')
    const text = await readFile(at('o.ndjson'), 'utf8')
    await writeFile(
      at('o.ndjson'),
      resealed(text, line => ('host' in line ? { ...line, host: 'elsewhere' } : line)),
    )
    const told = 'the result log was last written on elsewhere'
    expect((await importing('spring.csv', 'o.ndjson', '--dry-run')).stderr).toContain(told)
    expect((await importing('autumn.csv', 'o.ndjson')).stderr).toContain(told)
    expect((await importing('autumn.csv', 'o.ndjson')).stderr).not.toContain(told)
  })
})

describe('files beside a new log', () => {
  it('may be anything, and are not waited for', async () => {
    execFileSync('mkfifo', [at('pipe.ndjson')])
    await symlink('/dev/zero', at('zero'))
    await symlink('pipe.ndjson', at('to-pipe'))
    await symlink('gone', at('to-nothing'))
    await mkdir(at('{"run":'))
    await writeFile(at('short'), '{"run')
    await writeFile(at('torn'), '{"run":"R1","rowlift":"0.1.0","ma')
    await writeFile(at('foreign'), '{"run":"R1","rowlift":5}\n')
    await writeFile(
      at('odd.ndjson'),
      '{"run":"R1","rowlift":"1","record":"contact","organization_id":7}\n{"key":"1"',
    )
    const odd = {
      run: 'R1',
      rowlift: '1',
      record: 'contact',
      organization_id: 7,
      base_url: service.url,
      at: '',
      key_columns: ['Mail'],
    }
    await writeFile(at('odder.ndjson'), `${JSON.stringify(odd)}\n${JSON.stringify({ ...odd, columns: 5 })}\n`)
    await writeFile(
      at('oddest.ndjson'),
      `${JSON.stringify({ ...odd, renamed: 5, first_rows: { Mail: 5 } })}\n`,
    )
    await writeFile(at('endless'), `{"run":"${'x'.repeat(9_000_000)}`)
    await writeFile(at('broken.gz'), 'no gzip')
    await writeFile(at('broken.zip'), 'no zip')
    expect((await importing('spring.csv', 'spring.ndjson')).exitCode).toBe(0)
  })
})

describe('second log', () => {
  it('of a step is refused, but steps may share a mapping', async () => {
    const shared = '  more: { source: q.csv, mapping: p.yaml }\n'
    const {
      run: runPlan,
      plan,
      ...migration
    } = await migrating({
      'q.csv': migrationFiles['p.csv'].replaceAll('x.example', 'y.example'),
    })
    await writeFile(join(migration.cwd, 'plan.yaml'), plan + shared)
    expect((await runPlan()).exitCode).toBe(0)
    await rm(migration.log('more'))
    expect((await runPlan()).exitCode).toBe(0) // a plan that was stopped after one of the two
    await writeFile(
      join(migration.cwd, 'plan.yaml'),
      plan.replace('  people:', '  persons:').replace(/lookups.*/, ''),
    )
    const tasks = migrationFiles['t.yaml'].replace('results: people.results.ndjson', 'step: persons')
    await writeFile(join(migration.cwd, 't.yaml'), tasks)
    const refused = await runPlan()
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain('go on with it by results: in the step')
  })

  it('of a program is refused with a code, and allowed by newLog', async () => {
    const options = { ...intoService(service.url, at('one.ndjson')), rows: taskRows(2) }
    await importRows(options).summary()
    const second = { ...options, results: at('two.ndjson') }
    await expect(importRows(second).summary()).rejects.toMatchObject({
      code: 'other_log',
      message: expect.stringMatching(/by results, or begin another log by newLog/),
    })
    const other = { ...taskMapping, body: { name: 'Task {{Name}}' } }
    await expect(importRows({ ...second, mapping: other }).summary()).rejects.toMatchObject({
      code: 'other_log',
    })
    await importRows({ ...second, results: at('three.ndjson'), newLog: true }).summary()
    expect(service.made).toHaveLength(4)
  })
})

describe('register of a user', () => {
  const state = () => at('state')
  /** Imports into a service that only a proxy leads to, from a folder of its own. */
  const remote = async (folder: string, source: string, env: Record<string, string>, ...more: string[]) => {
    const proxy = await startProxy({ port: service.port })
    const args = words(source, 'log.ndjson')
    const there = args.with(args.indexOf(service.url), 'http://service.test')
    return rowlift([...there, '--allow-http', ...more], {
      cwd: folder,
      env: { HTTP_PROXY: proxy.url, ...env },
    })
  }
  const other = () => folderWith(files)
  const entries = async (folder = state()) =>
    (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.json'))

  it('finds a log wherever it lies, says if it is gone, and holds nothing of its rows', async () => {
    const env = { XDG_STATE_HOME: state() }
    expect((await remote(cwd, 'spring.csv', env)).exitCode).toBe(0)
    const [entry = '', ...more] = await entries()
    expect(more).toEqual([])
    const text = await readFile(join(state(), entry), 'utf8')
    expect(text).not.toMatch(/mia|Mia/)
    const { size } = await import('node:fs').then(({ statSync }) => statSync(at('log.ndjson')))
    expect(JSON.parse(text)).toMatchObject({
      ...{ base_url: 'http://service.test', organization_id: 7, record: 'contact', key_columns: ['Mail'] },
      ...{
        log: expect.stringMatching(/log\.ndjson$/),
        length: size,
        checksum: expect.stringMatching(/^\w{8}$/),
      },
    })
    const found = await remote(await other(), 'autumn.csv', env)
    expect([found.exitCode, found.stderr]).toEqual([2, expect.stringContaining(`by ${at('log.ndjson')} (`)])
    expect(found.stderr).not.toContain('cannot be written')
    await rename(at('log.ndjson'), at('tidy'))
    const gone = await remote(await other(), 'autumn.csv', env)
    expect([gone.exitCode, gone.stderr]).toEqual([
      2,
      expect.stringContaining('log.ndjson: was the log of an import like this one, and was moved or deleted'),
    ])
    expect((await remote(await other(), 'autumn.csv', env, '--new-log')).exitCode).toBe(0)
    expect(service.made).toHaveLength(5)
  })

  it.each([
    ['is gone', (log: string) => rename(log, at('kept/away')), 'was moved or deleted'],
    ['is empty', (log: string) => writeFile(log, ''), 'lacks what its last run wrote'],
    ['is an older copy', (log: string) => copyFile(at('kept/early'), log), 'lacks what its last run wrote'],
    [
      'is a copy that went on elsewhere',
      async (log: string) => {
        await copyFile(at('kept/early'), log)
        await appendFile(log, (await readFile(log, 'utf8')).repeat(3))
      },
      'lacks what its last run wrote',
    ],
  ])('stops a run whose own log %s, also a dry run, until the log is back', async (_, lose, says) => {
    const env = { XDG_STATE_HOME: state() }
    const log = at('log.ndjson')
    expect((await remote(cwd, 'spring.csv', env)).exitCode).toBe(0)
    await mkdir(at('kept'))
    await copyFile(log, at('kept/early'))
    expect((await remote(cwd, 'autumn.csv', env)).exitCode).toBe(0)
    await copyFile(log, at('kept/whole'))
    await lose(log)
    for (const more of [[], ['--dry-run']]) {
      const { exitCode, stderr } = await remote(cwd, 'autumn.csv', env, ...more)
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(says)])
    }
    await rename(at('kept/whole'), log)
    expect([(await remote(cwd, 'autumn.csv', env)).exitCode, service.made.length]).toEqual([0, 3])
  })

  it('knows a log that was written anew by another key', async () => {
    const env = { XDG_STATE_HOME: state() }
    expect((await remote(cwd, 'spring.csv', env)).exitCode).toBe(0)
    await writeFile(at('people.yaml'), mapping.replace('key: Mail', 'key: Name'))
    const rekey = ['log', 'log.ndjson', '--rekey', 'people.yaml', 'spring.csv']
    expect((await rowlift(rekey, { cwd })).exitCode).toBe(0)
    expect([(await remote(cwd, 'spring.csv', env)).exitCode, service.made.length]).toEqual([0, 2])
  })

  it('has no service on this machine, and is not needed', async () => {
    expect(
      (await rowlift(words('spring.csv', 'a.ndjson'), { cwd, env: { XDG_STATE_HOME: state() } })).exitCode,
    ).toBe(0)
    expect(await readdir(cwd)).not.toContain('state')
    const ended = await remote(cwd, 'spring.csv', { HOME: '', XDG_STATE_HOME: '' }, '--new-log')
    expect([ended.exitCode, ended.stderr]).toEqual([0, expect.not.stringContaining('register')])
  })

  it('that is broken costs a warning, and a quiet run says nothing', async () => {
    await writeFile(state(), 'a file')
    const env = { XDG_STATE_HOME: state() }
    const ended = await remote(cwd, 'spring.csv', env)
    expect([ended.exitCode, ended.stderr]).toEqual([
      0,
      expect.stringContaining('the register of logs cannot be written'),
    ])
    const quiet = await remote(cwd, 'autumn.csv', env, '--quiet')
    expect([quiet.exitCode, quiet.stderr]).toEqual([0, ''])
  })

  it('is of one user', async () => {
    expect((await remote(cwd, 'spring.csv', { XDG_STATE_HOME: state() })).exitCode).toBe(0)
    expect((await remote(await other(), 'spring.csv', { HOME: at('home') })).exitCode).toBe(0)
    expect(await entries(at('home/.local/state/rowlift'))).toHaveLength(1)
  })
})
