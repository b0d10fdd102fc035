import { randomUUID } from 'node:crypto'
import { appendFile, copyFile, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { portsOf } from '../../../../src/cli/context.ts'
import { withFinished } from '../../../../src/features/finished/finished.ts'
import { withFeatures } from '../../../../src/features.ts'
import type { RunEvent } from '../../../../src/model/events.ts'
import { endReport } from '../../../../src/output/summary-text.ts'
import { fieldsOf } from '../../../../src/result/run-result.ts'
import { prepare } from '../../../../src/run/prepare.ts'
import type { OutcomeSink } from '../../../../src/run/prepared-import.ts'
import { run } from '../../../../src/run/run.ts'
import { importOptions } from '../../../../src/settings/options.ts'
import { parseSettings } from '../../../../src/settings/settings.ts'
import { withChecksum } from '../../../../src/store/files/checksum.ts'
import { intentLogPath } from '../../../../src/store/files/whole-lines.ts'
import { silentContext } from '../../../support/context.ts'
import { folderWith, into, linesOf, rowlift } from '../../../support/rowlift.ts'
import { type Service, type ServiceOptions, startService } from '../../../support/service.ts'

const mapping = `
record: task
key: Id
where: { Kind: task }
lookups:
  owners: { file: owners.csv, key: Mail, value: Name }
body:
  name: "{{Name}}"
  description: { from: Owner, lookup: owners, missing: omit }
`
const table = 'Id,Kind,Name,Owner\n1,task,Call,ada@example.com\n2,note,Rest,\n3,task,Write,nan\n'
const objects = '{"Id":4,"Kind":"task","Name":"Sing"}\n{"Id":5,"Kind":"task","Name":"Read","More":1}\n'
const world = {
  'work.csv': table,
  'more.ndjson.gz': gzipSync(objects),
  'work.yaml': mapping,
  'owners.csv': 'Mail,Name\nada@example.com,Ada Sample\n',
}

let service: Service
let cwd: string
const at = (name: string) => join(cwd, name)
const read = (name: string) => readFile(at(name), 'utf8')
const log = 'results.ndjson'
const file = `${log}.finished`

const sameId = randomUUID()

interface Given {
  readonly sources?: readonly string[]
  readonly settings?: object
  readonly version?: string
  readonly sinks?: readonly OutcomeSink[]
}

/** Runs the import, by its file if it has one, whatever the size of the log. */
async function importing({ sources = ['work.csv', 'more.ndjson.gz'], sinks = [], ...given }: Given = {}) {
  const events: RunEvent[] = []
  const { version = '1.0.0', settings } = given
  const ports = {
    ...portsOf({ ...silentContext(), version }),
    emit: (event: RunEvent) => void events.push(event),
  }
  const values = {
    mapping: at('work.yaml'),
    results: at(log),
    baseUrl: service.url,
    organizationId: 7,
    ...settings,
  }
  const named = new Map(Object.entries(values).map(([from, value]) => [from, { value, from }]))
  const job = { sources: sources.map(at), settings: parseSettings(importOptions, named) }
  const before = (await read(log).catch(() => '')).length
  const end = await run(withFinished(await withFeatures(await prepare(job, ports)), 0), { sinks })
  return { end, events, added: linesOf((await read(log)).slice(before)) }
}

const ofReading = ['reading_ahead', 'bytes_read', 'batch', 'row_settled', 'row_skipped']
const ofTime = ['run', 'at', 'chain', 'crc32', 'intents', 'duration_ms']

/** All that a run says and writes, without the names of runs and their time. */
async function saidBy(running: ReturnType<typeof importing>) {
  const { end, events, added } = await running
  const timeless = (value: object) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => !ofTime.includes(name)))
  return {
    fields: timeless(fieldsOf(end)),
    text: endReport(end, [])
      .text(true, false)
      .replace(/ after .*/, ''),
    events: events.filter(({ type }) => !ofReading.includes(type)),
    lines: added.map(timeless),
  }
}

/** Changes what the file says, so that a run that believes it says so. */
async function mark(): Promise<void> {
  const { crc32, ...noted } = JSON.parse(await read(file))
  await writeFile(at(file), `${withChecksum(JSON.stringify({ ...noted, done: 77 }))}\n`)
}
const isBelieved = async (given?: Given) => (await importing(given)).end.done === 77
const isNoted = () =>
  stat(at(file)).then(
    () => true,
    () => false,
  )

/** Changes a byte in the middle of a file, and nothing else of it. */
async function flip(name: string): Promise<void> {
  const { atime, mtime, size } = await stat(at(name))
  const bytes = await readFile(at(name))
  const place = size >> 1
  bytes[place] = (bytes[place] ?? 0) ^ 1
  await writeFile(at(name), bytes)
  await utimes(at(name), atime, mtime)
}

/** Lets the service answer as it will, in a folder with files that are other than usual. */
async function begin(files: Record<string, string> = {}, react: ServiceOptions['react'] = () => 'create') {
  service = await startService({ react })
  cwd = await folderWith({ ...world, ...files })
}
beforeEach(() => begin())

const tree = `${mapping.replace('lookups:', 'lookups:\n  rows: { self: true, by: Name }')}  parent: { record_id: { from: Owner, lookup: rows, missing: omit } }\n`
const similar = mapping.replace(
  /record: task.*/s,
  'record: contact\nkey: Id\nuse_created: true\nbody: { name: "{{Name}}" }\n',
)

describe('an import in which nothing is left to do', () => {
  it.each([
    ['rows of several sources', {}],
    [
      'a row below the one that it needs',
      { 'work.csv': 'Id,Kind,Name,Owner\n1,task,Call,Sing\n', 'work.yaml': tree },
    ],
    [
      'equal rows without a key',
      { 'work.csv': `${table}3,task,Write,nan\n`, 'work.yaml': mapping.replace('key: Id', '') },
    ],
    [
      'records that the service had',
      { 'work.yaml': similar },
      () => ({ existing: randomUUID(), createdAt: '2020-01-01T00:00:00Z' }),
    ],
  ] as const)('is told from its file as it is from its rows: %s', async (_, files, react?) => {
    await begin(files, react)
    await importing()
    expect(await isNoted()).toBe(true)
    const calls = service.calls.length
    const byFile = await saidBy(importing())
    await rm(at(file))
    expect(await saidBy(importing())).toEqual(byFile)
    expect(await saidBy(importing())).toEqual(byFile)
    await mark()
    expect(await isBelieved()).toBe(true)
    expect(service.calls).toHaveLength(calls)
  })

  it.each([
    ['equal rows with one key', { 'work.csv': `${table}1,task,Call,ada@example.com\n` }],
    [
      'rows of a key of which one is enough',
      { 'work.yaml': mapping.replace('key: Id\nwhere: {', 'where: { distinct: Name,') },
    ],
    [
      'a record of another row',
      { 'work.yaml': similar },
      () => ({ existing: sameId, createdAt: '2020-01-01T00:00:00Z' }),
    ],
  ] as const)('is noted by the run after it if it had %s', async (_, files, react?) => {
    await begin(files, react)
    await importing()
    expect(await isNoted()).toBe(false)
    const byRows = await saidBy(importing())
    expect(await saidBy(importing())).toEqual(byRows)
    await mark()
    expect(await isBelieved()).toBe(true)
  })

  it('is told with the same rejects file, and the same expectations', async () => {
    const given = {
      sources: ['work.csv'],
      settings: { rejects: at('bad.csv'), expectRowsMin: 2, expectRowsOfLast: '100%' },
    }
    await importing(given)
    const byFile = await saidBy(importing(given))
    expect(byFile.fields).toMatchObject({ done: 2, left_out: 1, rows: 3, exit_code: 0, rejected_rows: 0 })
    const rejects = await read('bad.csv')
    await rm(at(file))
    expect(await saidBy(importing(given))).toEqual(byFile)
    expect(await read('bad.csv')).toBe(rejects)
  })

  it.each([
    ['a row is invalid', { 'work.csv': `${table},task,,\n` }],
    ['two rows have one key and other contents', { 'work.csv': `${table}1,task,Other,\n` }],
  ])('has no file if %s', async (_, files) => {
    await begin(files)
    await importing()
    await importing()
    expect(await isNoted()).toBe(false)
  })

  it('has no file if a row is refused, or in doubt', async () => {
    for (const answer of [400, 500]) {
      await begin({}, (_, { body }) => (body.name === 'Sing' ? { answer } : 'create'))
      await importing()
      await importing()
      expect(await isNoted()).toBe(false)
    }
  })

  it('has no file if its log is small, or its rows come from a pipe', async () => {
    const usual = ['import', 'work.csv', '-m', 'work.yaml', ...into(service.url)]
    await rowlift(usual, { cwd })
    await rowlift(usual, { cwd })
    await rowlift(usual.with(1, '-'), { cwd, stdin: table })
    expect(await isNoted()).toBe(false)
  })

  it('has no file if a row was mapped again, for then a table has a say', async () => {
    await importing()
    await rm(at(file))
    await writeFile(at('work.csv'), table.replace(',nan', ', nan'))
    expect((await importing()).end).toMatchObject({ done: 4, changed: 0 })
    expect(await isNoted()).toBe(false)
  })

  it('is told as it is from its rows if a table has changed, for none of them is mapped', async () => {
    await importing()
    await writeFile(at('owners.csv'), 'Mail,Name\nbob@example.com,Bob\n')
    const byFile = await saidBy(importing())
    await rm(at(file))
    expect(await saidBy(importing())).toEqual(byFile)
  })
})

/** Each leaves the file as it was. */
const changes: Readonly<Record<string, () => Promise<unknown> | Given>> = {
  'a byte of a source, which has its size and time': () => flip('work.csv'),
  'a comment in the mapping': () => appendFile(at('work.yaml'), '# more\n'),
  'a setting': () => ({ settings: { concurrency: 3 } }),
  'the name of a source': () =>
    copyFile(at('work.csv'), at('b.csv')).then(() => ({ sources: ['b.csv', 'more.ndjson.gz'] })),
  'the version of rowlift': () => ({ version: '1.0.1' }),
  'a byte of the file': () => flip(file),
  'the half of the file': () => truncate(at(file), 100),
  'a program that takes each row': () => ({ sinks: [{ keep: () => undefined, close: async () => {} }] }),
  'a copy of the log beside it': () =>
    copyFile(at(log), at('results (1).ndjson')).then(() => appendFile(at('results (1).ndjson'), '{}\n')),
  'a run in between': async () => {
    const noted = await readFile(at(file))
    await importing({ version: '1.0.1' })
    await writeFile(at(file), noted)
  },
  'a row that a person forgets': () =>
    rowlift(['log', log, '--forget', '--keys', 'keys.txt', '--yes'], { cwd }),
}
const damages: typeof changes = {
  'a byte of the log': () => flip(log),
  'the last line of the log': async () =>
    truncate(at(log), (await read(log)).trimEnd().lastIndexOf('\n') + 1),
  'its calls under way': () => copyFile(at(log), at(intentLogPath(log))),
}

describe('the file of an import in which nothing is left to do', () => {
  it.each(Object.entries(changes))('counts no more after a change of %s', async (_, change) => {
    await importing()
    await mark()
    await writeFile(at('keys.txt'), '4\n')
    expect(await isBelieved((await change()) as Given)).toBe(false)
  })

  it.each(Object.entries(damages))('does not hide a change of %s', async (_, change) => {
    await importing()
    await change()
    await expect(importing()).rejects.toThrow()
  })
})
