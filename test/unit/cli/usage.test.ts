import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { lineText, openingLine, rowLine } from '../../support/log-files.ts'
import { folderWith, into, rowlift } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'

const files = (changes: Record<string, string> = {}) =>
  folderWith({
    'tasks.csv': 'Id,Name\n1,One\n',
    'map.yaml': 'record: task\nkey: Id\nbody: { name: "{{Name}}" }\n',
    'notes.txt': 'Remember the milk\n',
    ...changes,
  })
const run = ['import', 'tasks.csv', '-m', 'map.yaml']
const nowhere = into('http://127.0.0.1:9')

const refused: readonly (readonly [string, readonly string[], string])[] = [
  ['no command', [], 'Missing command: import'],
  ['an unknown command', ['imprt'], 'did you mean "import"?'],
  ['an unknown command, though help is asked for', ['imprt', '--help'], 'did you mean "import"?'],
  ['help of an unknown command', ['help', 'imprt'], 'did you mean "import"?'],
  ['no source', ['import', '-m', 'map.yaml', ...nowhere], 'no source'],
  [
    'a source that is not there',
    ['import', 'none.csv', '-m', 'map.yaml', ...nowhere],
    'none.csv: there is no such file',
  ],
  ['a folder as source', ['import', '.', '-m', 'map.yaml', ...nowhere], '.: is a folder, not a file'],
  ['no mapping', ['import', 'tasks.csv', ...nowhere], '--mapping is required'],
  [
    'a mapping that is not there',
    ['import', 'tasks.csv', '-m', 'none.yaml', ...nowhere],
    'none.yaml: there is no such mapping file',
  ],
  ['no base URL', [...run, '-o', 'r', '--organization-id', '7'], '--base-url is required'],
  [
    'no organization',
    [...run, '-o', 'r', '--base-url', 'http://127.0.0.1:9'],
    '--organization-id is required',
  ],
  ['a base URL that is none', [...run, ...into('example')], '--base-url: is not a web address'],
  [
    'a token that would go in the clear',
    [...run, ...into('http://api.example.com')],
    'use https://, or allow it with --allow-http',
  ],
  [
    'no result log of a preset where nobody looks',
    [...run.with(3, 'preset:trello'), '--base-url', 'http://127.0.0.1:9', '--organization-id', '7'],
    '--results is required',
  ],
  [
    'an unknown flag',
    [...run, ...nowhere, '--concurency', '2'],
    'unknown option --concurency; did you mean --concurrency?',
  ],
  [
    'an unknown flag of two words',
    [...run, '--base-ulr', 'x'],
    'unknown option --base-ulr; did you mean --base-url?',
  ],
  ['a number that is none', [...run, ...nowhere, '--rate', 'fast'], '--rate: must be a number above 0'],
  [
    'a lock that is never alive',
    [...run, ...nowhere, '--lock-timeout', '0'],
    '--lock-timeout: must be above 0',
  ],
  [
    'a lock that is never alive, to be settled',
    ['resolve', 'notes.txt', '--lock-timeout', 'x'],
    '--lock-timeout: must be a number above 0',
  ],
  ['an empty address', [...run, '-o', 'r', '--base-url', ''], '--base-url: must not be empty'],
  ['an empty path', [...run, ...nowhere, '--report='], '--report: must not be empty'],
  ['a flag of another command', ['init', 'tasks.csv', '--mapping', 'x'], 'unknown option --mapping\n'],
  ['a flag given twice', [...run, ...nowhere, '-c', '1', '-c', '2'], '--concurrency: must be given once'],
  ['a preview without a dry run', [...run, ...nowhere, '--preview', 'p'], '--preview needs --dry-run'],
  [
    'use_created for tasks',
    [...run, ...nowhere, '--use-created'],
    '--use-created does not work for record: task of ',
  ],
  [
    'an unknown encoding',
    [...run, ...nowhere, '--encoding', 'klingon'],
    '--encoding: is not an encoding that is known here',
  ],
  [
    'a result log that is a folder',
    ['import', 'tasks.csv', '-m', 'map.yaml', ...nowhere.slice(0, -1), '.'],
    '.: is a folder',
  ],
  [
    'a token file that is not there',
    [...run, ...nowhere, '--token-file', 'none'],
    'none: there is no such token file',
  ],
  [
    'a result log that is something else',
    [...run, ...into('http://127.0.0.1:9', 'notes.txt')],
    'notes.txt: is not a result log',
  ],
  [
    'a result log that is the source',
    [...run, ...into('http://127.0.0.1:9', 'tasks.csv')],
    'tasks.csv: is the source; give the result log another name',
  ],
]

describe('command that cannot begin', () => {
  it.each(refused)('the command ends with 2 before anything is sent for %s', async (_, args, message) => {
    const cwd = await files()
    const ended = await rowlift(args, { cwd })
    expect(ended.stderr).toContain(message)
    expect(ended.exitCode).toBe(2)
    expect(ended.stdout).toBe('')
  })

  it('the command ends with 2 before anything is sent for no token', async () => {
    const ended = await rowlift([...run, ...nowhere], { cwd: await files(), env: { ROWLIFT_TOKEN: '' } })
    expect(ended).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no token; put the bearer token into ROWLIFT_TOKEN'),
    })
  })

  it('the command ends with 2 for a column that the header lacks, and suggests another', async () => {
    const cwd = await files({ 'map.yaml': 'record: task\nkey: Id\nbody:\n  name: "{{Nmae}}"\n' })
    const ended = await rowlift([...run, ...nowhere], { cwd })
    expect(ended.exitCode).toBe(2)
    expect(ended.stderr).toContain('map.yaml:4:9: unknown column "Nmae"; did you mean "Name"?')
  })

  it('the command ends with 2 for a result log of another import, and says what differs', async () => {
    const service = await startService()
    const cwd = await files({
      'contact.yaml': 'record: contact\nkey: Id\nbody: { name: "{{Name}}" }\n',
      'keyless.yaml': 'record: task\nbody: { name: "{{Name}}" }\n',
    })
    await rowlift([...run, ...into(service.url)], { cwd })
    const again = (map: string, url: string, organization: string) =>
      rowlift(
        [
          'import',
          'tasks.csv',
          '-m',
          map,
          '-o',
          'results.ndjson',
          '--base-url',
          url,
          '--organization-id',
          organization,
        ],
        { cwd },
      )
    const ends = [
      await again('map.yaml', 'http://127.0.0.1:9', '7'), // one after the other: each holds the log
      await again('map.yaml', service.url, '8'),
      await again('contact.yaml', service.url, '7'),
      await again('keyless.yaml', service.url, '7'),
    ]
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2])
    expect(ends.map(({ stderr }) => /with another ([\w ]+) \(/.exec(stderr)?.[1])).toEqual([
      'base URL',
      'organization',
      'kind of record',
      'key',
    ])
    expect(service.calls).toHaveLength(1)
  })
})

describe('settings', () => {
  it('settings come from the file, are beaten by the environment, and that by a flag', async () => {
    const service = await startService()
    const cwd = await files({
      'settings.yaml': `mapping: map.yaml\nbase-url: ${service.url}\norganization-id: 1\nresults: file.ndjson\napi-version: "3.0"\n`,
    })
    const ended = await rowlift(['import', 'tasks.csv', '--config', 'settings.yaml', '-o', 'flag.ndjson'], {
      cwd,
      env: { ROWLIFT_RESULTS: 'environment.ndjson', ROWLIFT_ORGANIZATION_ID: '2' },
    })
    expect(ended.exitCode).toBe(0)
    expect(service.calls[0]?.url).toBe('/v3.0/record/task/create/2')
    await stat(join(cwd, 'flag.ndjson'))
  })

  it('settings of the file are taken as they are written, so that a version 1.0 is not version 1', async () => {
    const service = await startService()
    const cwd = await files({
      'settings.yaml': `api-version: 1.0\norganization-id: 7\nresponses: [{ status: 418, means: refused }]\n`,
    })
    const ended = await rowlift(
      [...run, '--config', 'settings.yaml', '--base-url', service.url, '-o', 'r.ndjson'],
      { cwd },
    )
    expect(ended.exitCode).toBe(0)
    expect(service.calls[0]?.url).toBe('/v1.0/record/task/create/7')
  })

  it('settings of the example that ships are all known', async () => {
    const example = fileURLToPath(new URL('../../../config/settings.example.yaml', import.meta.url))
    const ended = await rowlift([...run, '--config', example, '--dry-run'], { cwd: await files() })
    expect(ended.exitCode).toBe(0)
  })

  it('settings that are misspelt in the file are reported with their place', async () => {
    const cwd = await files({ 'settings.yaml': 'retries: 2\nconcurency: 3\n' })
    const ended = await rowlift([...run, ...nowhere, '--config', 'settings.yaml'], { cwd })
    expect(ended).toMatchObject({
      exitCode: 2,
      stderr: 'rowlift: settings.yaml:2:1: unknown setting "concurency"; did you mean "concurrency"?\n',
    })
  })

  it('settings that are wrong are reported with the place that set them', async () => {
    const cwd = await files({ 'settings.yaml': 'retries: many\n' })
    const ended = await rowlift([...run, ...nowhere, '--config', 'settings.yaml'], {
      cwd,
      env: { ROWLIFT_TIMEOUT: 'long' },
    })
    expect(ended.stderr).toContain('ROWLIFT_TIMEOUT: must be a number above 0')
    expect(ended.stderr).toContain('retries in settings.yaml: must be a whole number')
  })
})

describe('result log', () => {
  const firstFor = (base_url: string) =>
    lineText(openingLine('1', { base_url, record: 'task', key_columns: ['Id'] }))
  const record_id = '9d2f1c3e-0000-4000-8000-123456789abc'
  const created = lineText(rowLine('created', 1, { run: '1', key: '1', record_id })).trimEnd()

  it.each([
    ['a torn last line', `${created}\n{"run":"1","sour`, `${created}\n`],
    [
      'a line cut inside a character',
      Buffer.concat([Buffer.from(`${created}\n{"run":"1","key":"`), Buffer.from([0xc3])]),
      `${created}\n`,
    ],
    ['a last line that lacks only its line end', created, `${created}\n`],
    [
      'zeros at its end, as a lost power supply leaves them',
      `${created}\n${'\0'.repeat(4096)}`,
      `${created}\n`,
    ],
  ])('a result log with %s is repaired, and nothing is sent twice', async (_, end, mended) => {
    const service = await startService()
    const cwd = await files()
    const log = join(cwd, 'results.ndjson')
    const start = firstFor(service.url)
    await writeFile(log, Buffer.concat([Buffer.from(start), Buffer.from(end)]))
    expect((await rowlift([...run, ...into(service.url)], { cwd })).exitCode).toBe(0)
    expect(service.calls).toHaveLength(0)
    expect(await readFile(log, 'utf8')).toMatch(
      new RegExp(`^${escaped(start + mended)}\\{"run":"[0-9A-Z]{26}"`),
    )
  })

  it('a result log with a damaged line in its middle is left alone, and the place is reported', async () => {
    const cwd = await files({
      'results.ndjson': `${firstFor('http://127.0.0.1:9')}{"run":"1","sour\n${created}\n`,
    })
    const ended = await rowlift([...run, ...nowhere], { cwd })
    expect(ended).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('results.ndjson:2: is not a line of a result log'),
    })
  })

  it('a result log may be reached by a link', async () => {
    const service = await startService()
    const cwd = await files({ 'real.ndjson': '' })
    await symlink('real.ndjson', join(cwd, 'results.ndjson'))
    await rowlift([...run, ...into(service.url)], { cwd })
    expect(await readFile(join(cwd, 'real.ndjson'), 'utf8')).toContain('"status":"created"')
  })
})

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
