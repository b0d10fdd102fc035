import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { describeStop } from '../../../src/output/words.ts'
import { atEnd } from '../../support/cleanup.ts'
import {
  formsOfToken,
  commandingText as hostile,
  obeyedIn,
  oddToken,
  tokensIn,
} from '../../support/hostile-text.ts'
import { files, tasks } from '../../support/imports.ts'
import { lineText } from '../../support/log-files.ts'
import { folderWith, into, linesOf, outcomesIn, type RunHere, rowlift } from '../../support/rowlift.ts'
import type { Ended } from '../../support/running.ts'
import { startService } from '../../support/service.ts'

const name = (text: string) => `${text}${hostile}`

/** For people and for programs. */
const ways: readonly (readonly [name: string, log: readonly string[], options: Partial<RunHere>])[] = [
  ['as JSON', [], {}],
  ['for people', ['--log-format', 'pretty'], {}],
  ['on a terminal', ['--log-level', 'trace'], { onTerminal: true, hasColors: true }],
]

/** Nothing of what it says commands a terminal. */
async function isPlain(running: Promise<Ended>): Promise<Ended> {
  const ended = await running
  expect(obeyedIn(ended.stdout + ended.stderr), ended.stderr).toEqual([])
  return ended
}

const mapping = stringify({
  record: 'contact',
  key: name('Key'),
  lookups: { [name('look')]: { file: name('look.csv'), key: 'Key', value: 'Id' } },
  body: {
    name: { from: name('Name'), required: true },
    emails: [{ email: { from: name('Mail'), as: 'email' } }],
    designation: { from: name('Kind'), map: { [name('a')]: 'A' }, otherwise: 'omit' },
    parent: { record_id: { from: name('Kind'), lookup: name('look'), missing: 'omit' } },
  },
  tests: [
    { name: name('t'), row: { [name('Key')]: '1', [name('Name')]: hostile }, body: { name: name('x') } },
  ],
})
const columns = ['Key', 'Name', 'Mail', 'Kind', 'More'].map(name)
const rows = [1, 2, 3, 4].map(n => [
  name(`${n}`),
  name(`Person ${n}`),
  n === 1 ? hostile : '',
  hostile,
  hostile,
])
/** In JSON each sign is escaped; a table of all of them is taken for no text. */
const asObjects = rows.map(row =>
  JSON.stringify(Object.fromEntries(row.map((text, at) => [columns[at], text]))),
)
const tame = (text: string) =>
  `"${text.replaceAll(/[^\t\r\n\P{Cc}]/gu, sign => (sign < ' ' ? '' : sign)).replaceAll('"', '""')}"`
const asTable = [columns, ...rows].map(row => row.map(tame).join(','))
const folder = () =>
  folderWith({
    [name('rows')]: `${asObjects.join('\n')}\n`,
    [name('rows.csv')]: `${asTable.join('\n')}\n`,
    [name('map.yaml')]: mapping,
    [name('look.csv')]: 'Key,Id\nx,9d2f0000-0000-4000-8000-000000000001\n',
  })

describe('text from outside', () => {
  it.each(ways)(
    'a text from outside commands no terminal in an import and what is shown of it later %s',
    async (_, log, options) => {
      const service = await startService({
        react: (_, { body }) =>
          String(body.name).includes('Person 2')
            ? { answer: 422, body: hostile }
            : String(body.name).includes('Person 3')
              ? { cut: 'before reading' }
              : 'create',
      })
      const cwd = await folder()
      const results = name('log.ndjson')
      const command = [
        'import',
        name('rows'),
        '-m',
        name('map.yaml'),
        ...into(service.url, results),
        ...['--format', 'ndjson'],
        ...log,
      ]
      const ends = ['--summary', name('end.json'), '--report', name('page.html'), '--metrics', name('m.prom')]
      const run = (...args: string[]) => isPlain(rowlift(args, { cwd, ...options }))
      for (const args of [
        ['--preview', '-'],
        ['--quiet'],
        ['--preview', name('p.ndjson'), ...ends.slice(0, 4)],
        [],
      ])
        expect(await run(...command, '--dry-run', ...args)).toMatchObject({ exitCode: 1 })
      const imported = await run(...command, ...ends, '--rejects', name('r.csv'))
      expect([imported.exitCode, imported.stderr]).toEqual([1, expect.stringContaining('422')])

      await run('log', results)
      await run('log', results, '--json')
      if (options.onTerminal) {
        expect((await run('log', results, '--ids')).stdout).toContain('\n4Q')
        expect(
          (await run(...command.map(word => (word === results ? '-' : word)), '--new-log')).stdout,
        ).toContain('record_id')
      }
      await run('report', results)
      await run('resolve', results)
      const [doubt] = (await outcomesIn(join(cwd, results))).filter(line => line.status === 'in_doubt')
      expect((await run('resolve', results, '--key', doubt.key)).stdout).toContain('Person 3')
      await run('resolve', results, '--key', name('4'))
      await run('resolve', results, '--all', '--not-created')
      await run('log', results, '--repair')
      for (const file of await readdir(cwd))
        if (/\.(html|json|p\.ndjson)$/.test(file))
          expect(obeyedIn(await readFile(join(cwd, file), 'utf8')), file).toEqual([])
      const summary = JSON.parse(await readFile(join(cwd, name('end.json')), 'utf8'))
      expect(summary).toMatchObject({ sources: [name('rows')] })
    },
  )

  it.each(ways)(
    'a text from outside commands no terminal if a command refuses to begin %s',
    async (_, log, options) => {
      const cwd = await folder()
      await writeFile(
        join(cwd, name('bad.yaml')),
        `record: ${JSON.stringify(hostile)}\n${JSON.stringify(hostile)}: *x\n`,
      )
      await writeFile(join(cwd, name('plan.yaml')), stringify({ steps: { [hostile]: { source: hostile } } }))
      await writeFile(
        join(cwd, name('set.yaml')),
        stringify({ [hostile]: hostile, responses: [{ means: hostile }] }),
      )
      const known = [name('rows.csv'), '-m', name('map.yaml'), '-o', 'r.ndjson', ...log]
      const refused = [
        [hostile],
        [`--${hostile}`],
        ['import', name('no.csv'), '-m', name('map.yaml'), '--dry-run', ...log],
        ['import', name('rows.csv'), '-m', name('no.yaml'), '--dry-run', ...log],
        ['import', name('rows.csv'), '-m', name('bad.yaml'), '--dry-run', ...log],
        ['import', name('rows.csv'), '-m', `preset:${hostile}`, '--dry-run', ...log],
        ['import', name('look.csv'), '-m', name('map.yaml'), '--dry-run', ...log],
        ['import', ...known, '--config', name('set.yaml')],
        ['import', ...known, '--config', name('no')],
        ['import', ...known, '--base-url', hostile],
        [
          'import',
          ...known,
          '--base-url',
          'http://127.0.0.1:9',
          '--organization-id',
          '7',
          '--token-file',
          name('no'),
        ],
        ['import', ...known, '--concurrency', hostile, '--expect-rows-min', hostile],
        ['import', '--plan', name('plan.yaml'), ...log],
        ['import', '--plan', name('map.yaml'), ...log],
        ['test', name('map.yaml')],
        ['test', name('bad.yaml'), name('no.yaml')],
        ['fields', 'contact', hostile],
        ['log', name('rows.csv')],
        ['log', hostile, '--run', hostile],
        ['report', hostile, '-o', name('no/x')],
        ['resolve', hostile],
        ['init', name('no.csv')],
        ['sandbox', '--data', name('no/such/file')],
        ['sandbox', hostile],
      ]
      for (const args of refused)
        expect((await isPlain(rowlift(args, { cwd, ...options }))).exitCode, args.join(' ')).toBeGreaterThan(
          0,
        )
    },
  )

  it.each([
    ['rows', 'ndjson'],
    ['rows.csv', 'csv'],
  ])('a text from outside commands no terminal in the draft of a mapping for %s', async (file, format) => {
    const cwd = await folder()
    const { stdout, stderr } = await rowlift(['init', name(file), '--format', format], { cwd })
    expect(obeyedIn(stdout.replaceAll(/\n *# /g, ' ') + stderr)).toEqual([]) // long comments are wrapped
    expect(stderr).toContain('This is a draft')
    expect(Object.keys(parse(stdout))).toEqual(expect.arrayContaining(['record', 'body']))
    expect(stdout.split('\n').filter(line => !/^ *(?:#|- |[\w-]+:|$)/.test(line))).toEqual([])
    await writeFile(join(cwd, 'drafted.yaml'), stdout)
    const dry = ['import', name(file), '--format', format, '-m', 'drafted.yaml', '--dry-run']
    expect((await isPlain(rowlift(dry, { cwd }))).exitCode).toBeLessThan(2)
  })

  it('a text from outside commands no terminal in the name of a run, or in a log', async () => {
    const cwd = await files({ 'tasks.csv': tasks(1) })
    const service = await startService()
    const command = ['import', 'tasks.csv', '-m', 'task.yaml', ...into(service.url)]
    await mkdir(join(cwd, 'results.ndjson.lock'))
    const holder = { id: 'other', pid: hostile, host: hostile, since: hostile }
    await writeFile(join(cwd, 'results.ndjson.lock', 'other'), JSON.stringify(holder))
    const { stderr } = await isPlain(rowlift([...command, '--lock-timeout', '0.2'], { cwd }))
    expect(stderr).toContain('held by pid Q')

    const log = await readFile(join(cwd, 'results.ndjson'), 'utf8')
    const written = linesOf(log).map(line => ({
      ...line,
      run: hostile,
      base_url: hostile,
      at: hostile,
      source: hostile,
    }))
    await writeFile(join(cwd, 'other.ndjson'), written.map(lineText).join(''))
    for (const args of [['log'], ['log', '--json'], ['report', '-o', '-'], ['resolve']])
      await isPlain(rowlift([args[0] ?? '', 'other.ndjson', ...args.slice(1)], { cwd }))
  })

  it('a text from outside commands no terminal in a plan, whose steps have names', async () => {
    const service = await startService({ react: () => ({ answer: 422, body: hostile }) })
    const cwd = await folder()
    const step = hostile.replaceAll(/[^\x20-\x7e\u202e]/g, '')
    const steps = {
      [step]: { source: name('rows'), mapping: name('map.yaml'), results: 'x.ndjson', format: 'ndjson' },
    }
    await writeFile(
      join(cwd, 'plan.yaml'),
      stringify({ 'base-url': service.url, 'organization-id': 7, steps }),
    )
    for (const [, log, options] of ways)
      for (const more of [['--dry-run'], ['--summary', 's.json']]) {
        const ended = await isPlain(
          rowlift(['import', '--plan', 'plan.yaml', ...log, ...more], { cwd, ...options }),
        )
        expect(ended.exitCode, ended.stderr).toBe(1)
      }
  })

  it('a text from outside commands no terminal: every text for people has one way out', async () => {
    const folder = new URL('../../../src/cli/', import.meta.url)
    for (const file of await readdir(folder, { recursive: true }))
      if (file.endsWith('.ts'))
        expect(await readFile(new URL(file, folder), 'utf8'), file).not.toMatch(/stderr\.write\(/)
  })

  it('a text from outside commands no terminal in the trace of a defect', () => {
    const words = describeStop({ code: 'defect', params: { error: new Error(hostile) } })
    expect(obeyedIn(words)).toEqual([])
    expect(words).toMatch(/\n +at /)
  })
})

/** A service that answers each call with this head. */
async function redirecting(location: string): Promise<string> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () =>
      socket.end(`HTTP/1.1 302 ${location}\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`, 'latin1'),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('token', () => {
  const env = { ROWLIFT_TOKEN: oddToken }
  const ends = ['--summary', 's.json', '--report', 'page.html', '--metrics', 'm.prom', '--rejects', 'bad.csv']

  async function expectNoToken(ended: Ended, cwd: string): Promise<void> {
    expect(tokensIn(ended.stdout + ended.stderr, oddToken)).toEqual([])
    for (const file of await readdir(cwd))
      expect(tokensIn(await readFile(join(cwd, file), 'utf8'), oddToken), file).toEqual([])
  }

  it.each(ways)(
    'the token stays here in every form in which an answer gives it back %s',
    async (_, log, options) => {
      const forms = formsOfToken(oddToken)
      let at = 0
      const service = await startService({
        react: () => ({
          answer: 422,
          body: `{"error":"${'x'.repeat(490)} ${forms[at]}","again":"${forms[at++]}"}`,
        }),
      })
      const cwd = await files({ 'tasks.csv': tasks(forms.length) })
      const command = [
        'import',
        'tasks.csv',
        '-m',
        'task.yaml',
        ...into(service.url),
        ...log,
        ...ends,
        '-c',
        '1',
      ]
      await expectNoToken(await rowlift(command, { cwd, env, ...options }), cwd)
      const short = await startService({ react: () => ({ answer: 500, body: forms.slice(0, 6).join(' ') }) })
      const again = [...command.slice(0, 4), ...into(short.url, 'short.ndjson'), ...log, ...ends.slice(0, 4)]
      await expectNoToken(await rowlift(again, { cwd, env, ...options }), cwd)
      expect(await readFile(join(cwd, 'short.ndjson'), 'utf8')).toContain('[token]')
    },
  )

  it.each(ways.map(([way, ...run], at) => [way, at, ...run] as const))(
    'the token stays here when a redirect carries it, and signs that command a terminal %s',
    async (_, way, log, options) => {
      const forms = formsOfToken(oddToken).filter((_form, at) => at % ways.length === way)
      for (const form of forms) {
        const url = await redirecting(`https://elsewhere.example/Q\u009b2J?t=${form}&next=1`)
        const cwd = await files({ 'tasks.csv': tasks(1) })
        const command = ['import', 'tasks.csv', '-m', 'task.yaml', ...into(url), ...log, ...ends.slice(0, 6)]
        const ended = await isPlain(rowlift(command, { cwd, env, ...options }))
        expect([ended.exitCode, ended.stderr]).toEqual([3, expect.stringContaining('elsewhere.example')])
        await expectNoToken(ended, cwd)
      }
    },
  )

  it('the token is masked in cells, names and addresses that hold it, and every row keeps its key', async () => {
    const service = await startService()
    const token = 'abcd-1234-efgh'
    const cwd = await files({ [`${token}.csv`]: `Id,Name\n${token},Ada ${token}\n2,\n` })
    const address = `${service.url}/${token}`
    const command = ['import', `${token}.csv`, '-m', 'task.yaml', ...into(address), '--summary', 's.json']
    const run = (...more: string[]) =>
      rowlift([...command, ...more, '--log-format', 'pretty'], { cwd, env: { ROWLIFT_TOKEN: token } })
    const dry = await run('--dry-run')
    const first = await run()
    expect(service.made).toHaveLength(1)
    const second = await run()
    expect(service.made).toHaveLength(1)
    for (const { stdout, stderr } of [dry, first, second]) expect(stdout + stderr).not.toContain(token)
    expect(await readFile(join(cwd, 's.json'), 'utf8')).not.toContain(token)
    expect(await outcomesIn(join(cwd, 'results.ndjson'))).toMatchObject([
      { key: token, status: 'created' },
      {},
    ])
  })

  it('the token is masked as it was before it was read again', async () => {
    const [old, fresh] = ['the-old-token-1', 'the-new-token-2']
    const cwd = await files({ 'tasks.csv': tasks(2), token: old })
    const service = await startService({
      async holds({ headers }) {
        if (headers.authorization?.endsWith(old)) await writeFile(join(cwd, 'token'), fresh)
      },
      react: (_, { headers }) =>
        headers.authorization?.endsWith(old) ? { answer: 401 } : { answer: 422, body: `${old}, ${fresh}` },
    })
    const command = ['import', 'tasks.csv', '-m', 'task.yaml', ...into(service.url), '--token-file', 'token']
    const { stdout, stderr } = await rowlift([...command, '--log-level', 'trace', '-c', '1'], {
      cwd,
      env: {},
    })
    const log = await readFile(join(cwd, 'results.ndjson'), 'utf8')
    expect(log).toContain('[token], [token]')
    expect(stdout + stderr + log).not.toMatch(/the-(old|new)-token/)
  })
})
