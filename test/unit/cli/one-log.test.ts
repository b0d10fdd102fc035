import { execFileSync } from 'node:child_process'
import {
  chmod,
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
import { beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/cli.ts'
import { importRows } from '../../../src/index.ts'
import { silentContext } from '../../support/context.ts'
import { intoService, taskMapping, taskRows } from '../../support/library.ts'
import { migrating, migrationFiles } from '../../support/migration.ts'
import { folderWith, into, rowlift, summaryOf } from '../../support/rowlift.ts'
import { madeBy, type Service, startService } from '../../support/service.ts'

const people = 'Mail;Name\nmia@x.example;Mia\nnoor@x.example;Noor\n'
const files = {
  'spring.csv': people,
  'autumn.csv': `${people}otto@x.example;Otto\n`,
  'people.yaml':
    'record: contact\nkey: Mail\nsource: { delimiter: ";" }\nbody: { name: { from: Name, required: true } }\n',
}

let service: Service
let cwd: string
beforeEach(async () => {
  service = await startService()
  cwd = await folderWith(files)
})

const words = (source: string, results?: string) => [
  ...['import', source, '-m', 'people.yaml'],
  ...into(service.url, results).slice(0, results === undefined ? -2 : undefined),
]
/** Imports into a log of that name. */
const importing = (source: string, results: string, ...more: string[]) =>
  rowlift([...words(source, results), ...more], { cwd })
/** Imports by the default name, which needs a terminal. */
const onTerminal = (...args: string[]) => runCli(args, { ...silentContext(), cwd, stderrIsTerminal: true })
const logs = async () => (await readdir(cwd)).filter(name => name.endsWith('.ndjson')).sort()

describe('log without a name', () => {
  it('a log without a name is named after the mapping, for all exports', async () => {
    expect(await onTerminal(...words('spring.csv'))).toBe(0)
    expect(await onTerminal(...words('autumn.csv'))).toBe(0)
    expect(await logs()).toEqual(['people.results.ndjson'])
    expect(madeBy(service)).toEqual(['Mia', 'Noor', 'Otto'])
  })

  it('a log without a name has that of its preset', async () => {
    await writeFile(join(cwd, 'cards.csv'), 'Card Name,Card ID\nMend the roof,c1\n')
    const args = words('cards.csv').map(word => (word === 'people.yaml' ? 'preset:trello' : word))
    expect(await onTerminal(...args)).toBe(0)
    expect(await logs()).toEqual(['trello.results.ndjson'])
  })

  it('a log without a name is looked at by a dry run, too', async () => {
    await onTerminal(...words('spring.csv'))
    const dry = await rowlift([...words('autumn.csv'), '--dry-run'], { cwd })
    expect(summaryOf(dry)).toMatchObject({ done: 2, valid: 1 })
  })

  it.each([
    ['where one of the sources is standard input', ['spring.csv', '-']],
    ['where nobody watches', ['spring.csv']],
  ])('a log without a name is refused %s', async (_, sources) => {
    const [command = '', , ...rest] = words('spring.csv')
    const refused = await rowlift([command, ...sources, ...rest], { cwd, stdin: people })
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain(
      '--results is required for standard input and without a terminal: a default log name could change between runs',
    )
    expect(service.calls).toEqual([])
  })
})

describe('run with a second log of its import', () => {
  beforeEach(async () => {
    expect((await importing('spring.csv', 'spring.results.ndjson')).exitCode).toBe(0)
  })

  it('a second log ends the run with 2 and shows both commands, which work', async () => {
    const refused = await importing('autumn.csv', 'autumn.results.ndjson')
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain('autumn.results.ndjson: would be a new result log')
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

  it('a second log is refused next to one with the default name of 0.2', async () => {
    expect(await onTerminal(...words('spring.csv'))).toBe(2)
    expect(await logs()).toEqual(['spring.results.ndjson'])
  })

  it('a second log is refused with the name of the log that was written last', async () => {
    await copyFile(join(cwd, 'spring.results.ndjson'), join(cwd, 'a-copy'))
    await utimes(join(cwd, 'spring.results.ndjson'), 2e9, 2e9)
    const { stderr } = await importing('autumn.csv', 'autumn.ndjson')
    expect(stderr).toContain('already has spring.results.ndjson, a-copy,')
  })

  it('a second log is refused in a dry run only if it names the service', async () => {
    expect((await importing('autumn.csv', 'autumn.ndjson', '--dry-run')).exitCode).toBe(2)
    const args = ['import', 'autumn.csv', '-m', 'people.yaml', '--dry-run']
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
  })

  it.each<[string, (args: string[]) => string[], Record<string, string>]>([
    ['another organization', args => args.with(args.indexOf('7'), '8'), {}],
    ['another mapping', args => args.with(3, 'staff.yaml'), { 'staff.yaml': files['people.yaml'] }],
    ['another key', args => args, { 'people.yaml': files['people.yaml'].replace('Mail', 'Name') }],
    ['another folder', args => [...args.slice(0, -1), 'new/x.ndjson'], {}],
  ])('a second log is begun for %s', async (_, changed, other) => {
    await mkdir(join(cwd, 'new'))
    for (const [name, text] of Object.entries(other)) await writeFile(join(cwd, name), text)
    expect((await rowlift(changed(words('autumn.csv', 'autumn.ndjson')), { cwd })).exitCode).toBe(0)
    expect(service.made).toHaveLength(5)
  })

  it('a second log is refused if the mapping is the same in another folder', async () => {
    await mkdir(join(cwd, 'maps'))
    await rename(join(cwd, 'people.yaml'), join(cwd, 'maps/people.yaml'))
    const args = words('autumn.csv', 'autumn.ndjson').with(3, 'maps/people.yaml')
    expect((await rowlift(args, { cwd })).exitCode).toBe(2)
  })

  it('a second log is refused for calls in flight whose log was moved away', async () => {
    const [opening] = (await readFile(join(cwd, 'spring.results.ndjson'), 'utf8')).split('\n')
    await writeFile(join(cwd, 'old.ndjson.inflight'), `${opening}\n`)
    await rm(join(cwd, 'spring.results.ndjson'))
    expect((await importing('spring.csv', 'autumn.ndjson')).stderr).toContain('already has old.ndjson,')
    expect((await importing('spring.csv', 'old.ndjson')).stderr).toContain('old.ndjson: is gone')
    expect(service.made).toHaveLength(2)
  })

  it('a second log is refused for a log whose first line names a thousand sources', async () => {
    const log = join(cwd, 'spring.results.ndjson')
    const many = Array.from({ length: 1000 }, (_, at) => `/srv/exports/of/the/house/people-${at}.csv`)
    const text = await readFile(log, 'utf8')
    await writeFile(log, text.replace('["spring.csv"]', JSON.stringify([...many, ...many])))
    expect((await importing('autumn.csv', 'autumn.ndjson')).exitCode).toBe(2)
  })
})

describe('files next to a new log', () => {
  it('a file next to a new log may be anything, and is not waited for', async () => {
    execFileSync('mkfifo', [join(cwd, 'pipe')])
    await symlink('/dev/zero', join(cwd, 'zero'))
    await symlink('pipe', join(cwd, 'to-pipe'))
    await symlink('gone', join(cwd, 'to-nothing'))
    await mkdir(join(cwd, '{"run":'))
    await writeFile(join(cwd, 'short'), '{"run')
    await writeFile(join(cwd, 'torn'), '{"run":"R1","rowlift":"0.1.0","ma')
    await writeFile(join(cwd, 'foreign'), '{"run":"R1","rowlift":5}\n')
    await writeFile(join(cwd, 'endless'), `{"run":"${'x'.repeat(9_000_000)}`)
    await writeFile(join(cwd, 'secret'), '{"run":"R1"}')
    await chmod(join(cwd, 'secret'), 0)
    expect((await importing('spring.csv', 'spring.ndjson')).exitCode).toBe(0)
  })

  it('a file next to a new log may be the log under another name of a link', async () => {
    await mkdir(join(cwd, 'logs'))
    await importing('spring.csv', 'logs/people.ndjson')
    await symlink('logs/people.ndjson', join(cwd, 'people.ndjson'))
    expect((await importing('spring.csv', 'people.ndjson')).exitCode).toBe(0)
    const { stderr } = await importing('autumn.csv', 'autumn.ndjson')
    expect(stderr).toContain('already has people.ndjson,')
  })
})

describe('second log', () => {
  it('a second log of a step is refused, but steps may share a mapping', async () => {
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
    await writeFile(
      join(migration.cwd, 't.yaml'),
      migrationFiles['t.yaml'].replace('results: people.results.ndjson', 'step: persons'),
    )
    const refused = await runPlan()
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain('go on with that log by results: in the step')
    expect(refused.stderr).toMatch(/\n {2}rowlift import --plan plan.yaml --new-log\n$/)
  })

  it('a second log of a program is refused with a code, and allowed by newLog', async () => {
    const options = { ...intoService(service.url, join(cwd, 'one.ndjson')), rows: taskRows(2) }
    await importRows(options).summary()
    const second = { ...options, results: join(cwd, 'two.ndjson') }
    await expect(importRows(second).summary()).rejects.toMatchObject({
      code: 'other_log',
      message: expect.stringMatching(/by results, or begin another by newLog$/),
    })
    const other = { ...taskMapping, body: { name: 'Task {{Name}}' } }
    await importRows({ ...second, mapping: other }).summary() // an object is named by what it holds
    await importRows({ ...second, results: join(cwd, 'three.ndjson'), newLog: true }).summary()
    expect(service.made).toHaveLength(6)
  })
})

describe('paths in a settings file', () => {
  const settings = (more = '') =>
    `base-url: ${service.url}\norganization-id: 7\nmapping: people.yaml\nresults: out/people.ndjson\n${more}`

  beforeEach(async () => {
    await mkdir(join(cwd, 'conf/out'), { recursive: true })
    await rename(join(cwd, 'people.yaml'), join(cwd, 'conf/people.yaml'))
  })

  it('paths in a settings file are relative to it, those of flags to the working directory', async () => {
    const more = 'token-file: token\nrejects: bad.csv\nreport: page.html\nsummary: "-"\n'
    await writeFile(join(cwd, 'conf/night.yaml'), settings(more))
    await writeFile(join(cwd, 'conf/token'), 'a-secret-token')
    const env = { ROWLIFT_REPORT: 'here.html', ROWLIFT_TOKEN: '' }
    const args = ['import', 'spring.csv', '--config', 'conf/night.yaml']
    const ended = await rowlift([...args, '--rejects', 'here.csv'], { cwd, env })
    expect(JSON.parse(ended.stdout)).toMatchObject({ exit_code: 0, mapping: 'conf/people.yaml' })
    expect((await readdir(cwd)).sort()).toEqual(['autumn.csv', 'conf', 'here.csv', 'here.html', 'spring.csv'])
    expect((await readdir(join(cwd, 'conf'), { recursive: true })).sort()).toEqual([
      ...['night.yaml', 'out', 'out/people.ndjson', 'people.yaml', 'token'],
    ])
    const elsewhere = await folderWith(files)
    const again = await rowlift(['import', 'autumn.csv', '--config', join(cwd, 'conf/night.yaml')], {
      cwd: elsewhere,
    })
    expect(JSON.parse(again.stdout)).toMatchObject({ created: 1, done: 2 })
  })

  it('paths in a settings file may name a preset', async () => {
    await writeFile(join(cwd, 'conf/night.yaml'), 'mapping: preset:trello\n')
    await writeFile(join(cwd, 'cards.csv'), 'Card Name,Card ID\nMend the roof,c1\n')
    const args = ['import', 'cards.csv', '--config', 'conf/night.yaml', '--dry-run']
    expect(summaryOf(await rowlift(args, { cwd }))).toMatchObject({ valid: 1 })
  })
})
