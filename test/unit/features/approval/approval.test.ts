import { writeFileSync } from 'node:fs'
import { appendFile, chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { portsOf } from '../../../../src/cli/context.ts'
import { logFacts } from '../../../../src/features/approval/approval.ts'
import { withFeatures } from '../../../../src/features.ts'
import { isObject } from '../../../../src/model/values.ts'
import { prepare } from '../../../../src/run/prepare.ts'
import { run } from '../../../../src/run/run.ts'
import { importOptions, optionOf } from '../../../../src/settings/options.ts'
import { parseSettings } from '../../../../src/settings/settings.ts'
import { silentContext } from '../../../support/context.ts'
import { importOf } from '../../../support/imports.ts'
import { callOf, leaveCalls, logOf, openingLine, rowLine } from '../../../support/log-files.ts'
import { migrating } from '../../../support/migration.ts'
import { folderWith, linesOf, outcomesIn, rowlift } from '../../../support/rowlift.ts'
import { madeBy, type Service, startService } from '../../../support/service.ts'
import { zipOf } from '../../../support/zip.ts'

const mapping = `
record: task
key: Id
lookups:
  owners: { file: owners.csv, key: Mail, value: Name }
body:
  name: { from: Name, required: true }
  description: { from: Owner, lookup: owners }
`
const source = 'Id,Name,Owner\n1,Call,ada@example.com\n2,,ada@example.com\n3,Write,ada@example.com\n'
const world = {
  'work.csv': source,
  'work.yaml': mapping,
  'more.csv': 'Id,Name,Owner\n9,More,\n',
  'more.yaml': 'record: task\nkey: Id\nbody: { name: "{{Name}}" }\n',
  's.yaml': 'responses: [{ status: 400, means: throttled }]\n',
  'owners.csv': 'Mail,Name\nada@example.com,Ada Sample\n',
}

let service: Service
let cwd: string
const at = (file: string) => join(cwd, file)
type Given = Readonly<Record<string, string | true>>
/** The words of the import; what is given replaces what it has. */
const words = (given: Given = {}, ...sources: string[]) => {
  const usual = { m: 'work.yaml', 'base-url': service.url, 'organization-id': '7', o: 'results.ndjson' }
  const flags = Object.entries<string | true>({ ...usual, ...given }).flatMap(([flag, value]) => [
    flag.length === 1 ? `-${flag}` : `--${flag}`,
    ...(value === true ? [] : [value]),
  ])
  return ['import', 'work.csv', ...sources, ...flags]
}
const approved = (given: Given = {}, ...sources: string[]) =>
  rowlift(words({ approval: 'ok.json', ...given }, ...sources), { cwd })
const dryRun = (given: Given = {}, ...sources: string[]) =>
  approved({ 'dry-run': true, ...given }, ...sources)
const unapproved = () => rowlift(words(), { cwd })
const read = async (file = 'ok.json') => JSON.parse(await readFile(at(file), 'utf8'))
const edit = async (file: string, from: string | RegExp, to: string) =>
  writeFile(at(file), (await readFile(at(file), 'utf8')).replace(from, to))

beforeEach(async () => {
  service = await startService()
  cwd = await folderWith(world)
})

describe('approval', () => {
  it('an approval is a file for review: what was checked, and what became of the rows', async () => {
    expect((await dryRun()).exitCode).toBe(1)
    const { at: when, by, ...content } = await read()
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect([Date.parse(when), by]).toEqual([expect.any(Number), expect.stringMatching(/^\S+@\S+$/)])
    expect(content).toMatchObject({
      rowlift: expect.any(String),
      schema_version: 1,
      imports: [
        {
          settings: { 'base-url': service.url, 'organization-id': 7, 'in-doubt': 'hold' },
          record: 'task',
          mapping: { name: 'work.yaml', sha256 },
          sources: [{ name: 'work.csv', bytes: source.length, sha256, read_as: 'csv by "," in utf-8' }],
          lookups: [{ name: 'owners.csv', sha256 }],
          log: { name: 'results.ndjson', bytes: 0, under_way: 0 },
          rows: { valid: 2, invalid: 1 },
          first_bodies: [
            { source: 'work.csv', row: 1, sha256 },
            { source: 'work.csv', row: 3, sha256 },
          ],
        },
      ],
    })
    expect(JSON.stringify(content)).not.toMatch(/Ada|Call|ada@/)
    expect((await stat(at('ok.json'))).mode & 0o777).toBe(0o644)
  })

  it('an approval lets the import run that was checked, and again', async () => {
    const { stderr } = await dryRun()
    expect(stderr).toContain('Have the approval reviewed, then import:')
    expect((await approved()).exitCode).toBe(1)
    expect((await approved()).exitCode).toBe(1)
    expect(madeBy(service)).toEqual(['Call', 'Write'])
    const [opening] = linesOf(await readFile(at('results.ndjson'), 'utf8'))
    expect(opening.approval).toMatch(/^[0-9a-f]{64}$/)
  })

  it('an approval holds for the same content under other names, paths and order of keys', async () => {
    await dryRun()
    const turned = (_: string, value: unknown) =>
      isObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value
    await writeFile(at('ok.json'), JSON.stringify(await read(), turned))
    await mkdir(at('there'))
    for (const [from, to] of [
      ['work.csv', 'today.csv'],
      ['work.yaml', 'map.yaml'],
      ['owners.csv', 'owners.csv'],
      ['ok.json', 'signed.json'],
    ] as const)
      await rename(at(from), at(`there/${to}`))
    await chmod(at('there/signed.json'), 0o444)
    const others = [
      '-c',
      '2',
      '--quiet',
      '--summary',
      'sum.json',
      '--rejects',
      'bad.csv',
      '--approval',
      'signed.json',
    ]
    const end = await rowlift(importOf('today.csv', 'map.yaml', service.url, ...others), { cwd: at('there') })
    expect([end.exitCode, madeBy(service)]).toEqual([1, ['Call', 'Write']])
  })

  const none = () => {}
  type Change = readonly [string, () => unknown, string | RegExp, Given?, string?]
  const changes: readonly Change[] = [
    [
      'a source was edited',
      () => edit('work.csv', 'Call', 'Cull'),
      /source 1: .*work\.csv.*sha256":"[0-9a-f]{12}…/,
    ],
    [
      'a source grew',
      () => appendFile(at('work.csv'), '4,M,\n'),
      /source 1: .*"bytes":80,.*now .*"bytes":85,/,
    ],
    [
      'a source has another encoding',
      () => writeFile(at('work.csv'), Buffer.from(source, 'utf16le')),
      /source 1: .*in utf-8.*in utf-16le/,
      { encoding: 'utf-16le' },
    ],
    ['a source is read in another way', none, 'read_as":"ndjson in utf-8', { format: 'ndjson' }],
    ['there is one more source', none, /source 2: approved nothing, now .*more\.csv/, {}, 'more.csv'],
    [
      'the mapping changed',
      () => edit('work.yaml', 'required: true', 'required: false'),
      /^ {2}mapping: .*work\.yaml/m,
    ],
    ['a lookup changed', () => edit('owners.csv', 'Sample', 'Simple'), /lookup 1: approved .*owners\.csv/],
    ['another expectation holds', none, 'expect-invalid', { 'expect-invalid': '5' }],
    ['another limit holds', none, 'limit: approved nothing, now 1', { limit: '1' }],
    ['it may fail more often', none, 'max-failures: approved nothing, now', { 'max-failures': '9' }],
    [
      'a lost answer means something else',
      none,
      /delivery: .*"at-least-once"/,
      { delivery: 'at-least-once' },
    ],
    ['doubts are sent again', none, 'in-doubt: approved "hold", now "resend"', { 'in-doubt': 'resend' }],
    [
      'it goes to another organization',
      none,
      'organization-id: approved 7, now 8',
      { 'organization-id': '8' },
    ],
    ['it goes to another service', none, 'base-url: approved "http', { 'base-url': 'http://127.0.0.1:1' }],
    ['it goes to another version', none, 'api-version: approved "1.0", now "2.0"', { 'api-version': '2.0' }],
    ['near duplicates wait', none, 'approved nothing, now "hold"', { 'near-duplicates': 'hold' }],
    ['encodings are trusted', none, 'trust-encoding: approved false, now true', { 'trust-encoding': true }],
    ['answers mean something else', none, /responses: approved \[\], now \[.*400/, { config: 's.yaml' }],
    [
      'rowlift is another one',
      () => edit('ok.json', /"rowlift": ".*?"/, '"rowlift": "0.0.1"'),
      '  rowlift: approved "0.0.1"',
    ],
    [
      'the approval lost a part',
      () => edit('ok.json', /"imports": \[[\s\S]*$/, '"imports": 7 }'),
      'source 1: approved nothing',
    ],
    ['another run wrote the log', unapproved, /^ {2}log: approved .*"bytes":0,.*now .*results\.ndjson/m],
  ]
  it('an approval is refused with exit code 2 where any one of them moved, and says which', async () => {
    await dryRun()
    const before = await readFile(at('ok.json'))
    for (const [what, change, difference, given = {}, source] of changes) {
      await change()
      const calls = service.calls.length
      const end = await approved(given, ...(source === undefined ? [] : [source]))
      expect([what, end.exitCode, service.calls.length]).toEqual([what, 2, calls])
      expect(end.stderr, what).toMatch(difference)
      for (const [name, content] of Object.entries({ ...world, 'ok.json': before }))
        await writeFile(at(name), content)
    }
  })

  it('an approval is of the logs that are looked up in, also those that are not there yet', async () => {
    await edit('work.yaml', 'lookups:', 'lookups:\n  others: { results: others.ndjson }')
    await dryRun()
    await rowlift(importOf('more.csv', 'more.yaml', service.url).with(-1, 'others.ndjson'), { cwd })
    const { exitCode, stderr } = await approved()
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/lookup 1: approved .*"sha256":null}, now .*others/),
    ])
    await dryRun()
    expect((await approved()).exitCode).toBe(1)
  })

  it('an approval tells everything that differs at once', async () => {
    await dryRun()
    await appendFile(at('work.csv'), '4,M,\n')
    await appendFile(at('owners.csv'), '\n')
    const { stderr } = await approved({ limit: '3' })
    expect(stderr.match(/^ {2}[^:]*(?=: approved)/gm)).toEqual(['  source 1', '  lookup 1', '  limit'])
    expect(stderr).toContain('; dry-run again with the same options, and have the new approval reviewed')
  })
})

describe('log of an approved import', () => {
  it('the log of an approval goes on after settled doubts, and not after another run', async () => {
    const lost = await startService({ react: n => (n === 1 ? { cut: 'after creating' } : 'create') })
    const there = { 'base-url': lost.url }
    await dryRun(there)
    expect((await approved(there)).exitCode).toBe(1)
    const settled = await rowlift(['resolve', 'results.ndjson', '--all', '--not-created'], { cwd })
    expect(settled.exitCode).toBe(0)
    expect((await approved(there)).exitCode).toBe(1)
    expect(await rowlift(['log', 'results.ndjson', '--ids'], { cwd })).toMatchObject({ exitCode: 0 })
    await rowlift(words(there), { cwd })
    expect((await approved(there)).stderr).toContain('  log: approved')
  })

  it('the log of an approval has moved if a doubt was settled after it, or it was cut', async () => {
    const lost = await startService({ react: () => ({ cut: 'in the answer' }) })
    const there = { 'base-url': lost.url }
    await rowlift(words(there), { cwd })
    await dryRun(there)
    const log = await readFile(at('results.ndjson'))
    await rowlift(['resolve', 'results.ndjson', '--all', '--not-created'], { cwd })
    expect(await approved(there)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('  log: approved'),
    })
    await writeFile(at('results.ndjson'), log)
    await writeFile(at('results.ndjson'), log.subarray(0, log.lastIndexOf('\n', -2) + 1))
    expect((await approved(there)).exitCode).toBe(2)
  })

  it('the log of an approval may end with a torn line and calls under way', async () => {
    await rowlift(words({ limit: '1' }), { cwd })
    const [opening = '', ...lines] = (await readFile(at('results.ndjson'), 'utf8')).split(/(?<=\n)/)
    const call = lines.map(line => JSON.parse(line)).find(({ status }) => status === 'created')
    const killed = async () => {
      await writeFile(at('results.ndjson'), opening)
      await leaveCalls(at('results.ndjson'), callOf(call, 'Call'))
      await appendFile(at('results.ndjson'), lines.join('').slice(0, 40))
    }
    await killed()
    await dryRun()
    await writeFile(at('results.ndjson'), opening)
    await leaveCalls(at('results.ndjson'))
    expect((await approved()).stderr).toMatch(/log: approved .*"under_way":1.* now .*"under_way":0/)
    await killed()
    expect((await approved()).exitCode).toBe(1)
    expect((await approved()).exitCode).toBe(1)
    expect((await outcomesIn(at('results.ndjson'))).map(each => `${each.row} ${each.status}`).sort()).toEqual(
      ['1 in_doubt', '2 invalid', '3 created'],
    )
  })

  it('the log of an approval is looked at again under the lock', async () => {
    await dryRun()
    const given = {
      mapping: at('work.yaml'),
      'base-url': service.url,
      'organization-id': '7',
      results: at('results.ndjson'),
    }
    const settings = parseSettings(
      importOptions,
      new Map([
        ...Object.entries(given).map(([flag, value]) => [optionOf(flag), { value, from: flag }] as const),
        ['approval', { value: at('ok.json'), from: 'approval' }],
      ]),
    )
    const ports = { ...portsOf(silentContext()), emit: () => {} }
    const prepared = await withFeatures(await prepare({ sources: [at('work.csv')], settings }, ports))
    await unapproved()
    await expect(run(prepared)).rejects.toMatchObject({ code: 'approval_differs' })
    expect(madeBy(service)).toEqual(['Call', 'Write'])
  })

  it('the log of an approval sends nothing of a source that is edited while it is read', async () => {
    const rows = Array.from({ length: 300 }, (_, id) => `${id},Good,,${'x'.repeat(10_000)}\n`).join('')
    const text = `Id,Name,Owner,Note\n${rows}`
    await writeFile(at('work.csv'), text)
    const edited = text.replace(/(?<=\n150,)Good/, 'Evil')
    const react = () => {
      if (service.calls.length === 1) writeFileSync(at('work.csv'), edited)
      return 'create' as const
    }
    service = await startService({ react })
    await dryRun()
    const { exitCode, stderr } = await approved({ c: '1' })
    expect(exitCode).toBe(3)
    expect(stderr).toContain('work.csv: has changed since the run began')
    expect(madeBy(service)).not.toContain('Evil')
  })
})

describe('approval file', () => {
  it.each([
    ['is missing', undefined, 'ok.json: there is no such dry-run approval'],
    ['is cut off', '{ "rowlift": "1", "imports": [', /ok\.json:1:\d+: /],
    ['is empty', '', 'schema_version: approved nothing, now 1'],
    ['is of a newer version', '{\n  "schema_version": 2\n}', 'schema_version: approved 2, now 1'],
    ['is something else', '[1, 2]', 'schema_version: approved nothing, now 1'],
    ['is too large', `"${'x'.repeat(600_000)}"`, 'larger than 500 kB'],
    [
      'holds strange parts',
      '{"schema_version": 1, "imports": [null, {"log": 5, "sources": 1}]}',
      'log: approved 5',
    ],
  ])('an approval file that %s is refused with its place', async (_, content, words) => {
    if (content !== undefined) await writeFile(at('ok.json'), content)
    const { exitCode, stderr } = await approved()
    expect([exitCode, service.made]).toEqual([2, []])
    expect(stderr).toMatch(words)
  })

  it.each([
    ['a stream', ['import', '-', '-m', 'work.yaml'], '-: cannot be approved yet'],
    [
      'a log on standard output',
      ['import', 'work.csv', '-m', 'work.yaml', '-o', '-'],
      '--results -: cannot be approved',
    ],
    [
      'an import with a ledger and a limit',
      [
        'import',
        'work.csv',
        '-m',
        'work.yaml',
        '--ledger',
        'postgres://h/d',
        '--import',
        'a',
        '--limit',
        '1',
      ],
      '--limit: is of each worker of --ledger',
    ],
    ['an import without a service', ['import', 'work.csv', '-m', 'work.yaml'], '--base-url is required'],
  ])('an approval file cannot be made of %s', async (_, args, words) => {
    const { exitCode, stderr } = await rowlift([...args, '--dry-run', '--approval', 'ok.json'], {
      cwd,
      stdin: source,
    })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(words)])
    await expect(stat(at('ok.json'))).rejects.toThrow()
  })

  it('an approval file is written at the end of a dry run, also at its limit, but not when it stopped', async () => {
    expect((await dryRun({ 'max-failures': '0' })).exitCode).toBe(3)
    await expect(stat(at('ok.json'))).rejects.toThrow()
    expect((await dryRun({ limit: '1' })).exitCode).toBe(0)
    expect((await read()).imports[0].rows).toMatchObject({ valid: 1 })
  })

  it('an approval file has one limit for all runs with it', async () => {
    await dryRun({ limit: '1' })
    for (const summary of ['first', 'second']) await approved({ limit: '1', summary })
    expect(await outcomesIn(at('results.ndjson'))).toHaveLength(1)
    expect(await read('second')).toMatchObject({ limit_reached: 1 })
  })

  it('an approval file counts the calls of its own runs only, not those that were under way before', async () => {
    const before = openingLine('R0')
    const bytes = JSON.stringify(before).length + 1
    const created = rowLine('created', 2, { record_id: '9d2f0000-0000-4000-8000-000000000002' })
    const log = await logOf(
      before,
      openingLine('R1', { approval: 'a' }),
      rowLine('in_doubt', 1, { run: 'R0' }),
      created,
    )
    expect(await logFacts(log, { bytes }, 'a')).toMatchObject({ calls: 1 })
  })

  it('an approval file overwrites nothing, and nothing overwrites it', async () => {
    const end = await dryRun({ approval: 'work.csv' })
    expect(end).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('work.csv: is the source') })
    expect((await dryRun({ approval: 'owners.csv' })).stderr).toContain('owners.csv: is the lookup')
    await dryRun()
    const before = await readFile(at('ok.json'), 'utf8')
    for (const flag of ['rejects', 'summary', 'report', 'o'])
      expect((await approved({ [flag]: 'ok.json' })).exitCode).toBe(2)
    expect(await readFile(at('ok.json'), 'utf8')).toBe(before)
  })

  it('an approval file knows which file of an archive was read', async () => {
    const zip = zipOf([
      { name: 'a.csv', content: source },
      { name: 'b.csv', content: source },
    ])
    await writeFile(at('work.zip'), zip)
    const of = (file: string, ...more: string[]) =>
      rowlift(['import', `work.zip/${file}`, ...words({ approval: 'ok.json' }).slice(2), ...more], { cwd })
    await of('a.csv', '--dry-run')
    expect((await of('b.csv')).stderr).toMatch(/source 1: .*in utf-8\/a\.csv.*in utf-8\/b\.csv/)
    expect((await of('a.csv')).exitCode).toBe(1)
  })

  it('an approval file knows what a lookup in an archive holds', async () => {
    const owners = (text: string) =>
      writeFile(at('owners.zip'), zipOf([{ name: 'owners.csv', content: text }]))
    await owners(world['owners.csv'])
    await edit('work.yaml', 'owners.csv', 'owners.zip/owners.csv')
    await dryRun({ 'near-duplicates': 'off' })
    await owners(world['owners.csv'].replace('Sample', 'Simple'))
    expect((await approved()).stderr).toMatch(/lookup 1: approved .*owners\.zip/)
    await owners(world['owners.csv'])
    expect((await approved()).exitCode).toBe(1)
  })
})

describe('approval of a plan', () => {
  it('the approval of a plan covers all steps, and is refused before the first call', async () => {
    const plan = await migrating()
    const { service } = plan
    await plan.run('--approval', 'ok.json', '--dry-run')
    const content = JSON.parse(await readFile(join(plan.cwd, 'ok.json'), 'utf8'))
    expect(content.plan.name).toBe('plan.yaml')
    expect(content.imports.map(({ step }: { step: string }) => step)).toEqual([
      'organizations',
      'people',
      'tasks',
    ])
    await writeFile(join(plan.cwd, 'plan.yaml'), `${plan.plan}# edited\n`)
    await appendFile(join(plan.cwd, 'p.csv'), '\n')
    await appendFile(join(plan.cwd, 't.yaml'), '\n')
    const { exitCode, stderr } = await plan.run('--approval', 'ok.json')
    const told = ['  plan', '  source 1 of the step people', '  mapping of the step tasks']
    expect([exitCode, stderr.match(/^ {2}[^:]*(?=: approved)/gm), service.calls]).toEqual([2, told, []])
  })

  it('the approval of a plan lets it run, and run again, although the logs of its steps grow', async () => {
    const plan = await migrating()
    await plan.run('--approval', 'ok.json', '--dry-run')
    expect((await plan.run('--approval', 'ok.json')).exitCode).toBe(0)
    const again = await plan.run('--approval', 'ok.json')
    expect([again.exitCode, plan.service.made.length]).toEqual([0, 8])
  })
})
