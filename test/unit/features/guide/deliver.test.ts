import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli } from '../../../../src/cli/cli.ts'
import '../../../../src/features.ts'
import { nightlyOf } from '../../../../src/features/guide/after.ts'
import type { RowFilter } from '../../../../src/features/guide/api.ts'
import { openGuide as openedGuide } from '../../../../src/features/guide/guide.ts'
import { startSandbox } from '../../../../src/features/sandbox/server.ts'
import { importOptions } from '../../../../src/settings/options.ts'
import { parseSettings, readSettings } from '../../../../src/settings/settings.ts'
import { atEnd, tempFolder } from '../../../support/cleanup.ts'
import { silentContext } from '../../../support/context.ts'
import { callsOf } from '../../../support/guide-calls.ts'

const mapping = `record: contact
key: Email
where: { Group: a }
body:
  record_sub_type: person
  name: { from: Name, required: true }
  emails: [{ email: { from: Email, as: email } }]
  phones: [{ phone_number: { from: Phone, as: phone, country: GB, otherwise: omit } }]
`

const people = [
  'Ada,ada@example.com,020 7946 0101,a',
  'Bert,nope,020 7946 0102,a',
  'Cleo,cleo@example.com,x,a',
  'Dora,dora@example.com,020 7946 0104,b',
  'Ede,ede@example.com,,a',
  'Cloe,cleo@example.com,020 7946 0106,a',
  'ADA,ada@example.org,020 7946 0107,a',
]

const rowsOfObjects = [
  { id: 11, name: 'Ada', mail: 'ada@example.com', tags: ['a', 'b'] },
  { id: 12, name: 'Bert', mail: 'nope', tags: [] },
]
const objectMapping = `record: contact
body: { name: { from: name }, emails: [{ email: { from: mail, as: email } }] }
`
const cardOf = ({ name, mail }: (typeof rowsOfObjects)[number]) =>
  `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:${name}\r\nEMAIL:${mail}\r\nEND:VCARD\r\n`
const cardMapping = objectMapping.replace('name }', 'fn }').replace('from: mail', 'from: email.0.value')

async function folderWith(rows: readonly string[] = people): Promise<string> {
  const folder = await tempFolder()
  writeFileSync(join(folder, 'people.csv'), `Name,Email,Phone,Group\n${rows.join('\n')}\n`)
  writeFileSync(join(folder, 'people.yaml'), mapping)
  return folder
}

/** The server's side of a page over a folder, until it is closed. */
async function openGuide(folder: string, source = 'people.csv', named = source) {
  const context = { ...silentContext(), cwd: folder, environment: {} }
  const layers = { outside: new Map(), inFile: new Map() }
  const guide = await openedGuide(context, layers, [source, 'Meine Kontakte.csv'])
  const { jobs, service } = guide
  const calls = callsOf(guide)
  const file = { file: named }
  const ended = async () => {
    while (jobs.isRunning()) await new Promise(resolve => setImmediate(resolve))
    expect(jobs.state()).toMatchObject({ status: 'ended', error: null })
    return jobs.state()
  }
  const rowsOf = async (filter: RowFilter, of?: 'try') =>
    (await calls.rows({ ...file, filter, from: 0, count: 200, ...(of && { of }) })).rows
  const check = async () => {
    await calls.check(file)
    return ended()
  }
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await guide.close()
  }
  atEnd(close)
  return { ...{ folder, service, jobs, calls, file, ended, rowsOf, check, close } }
}

function linkAt(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return '' // it was the list itself
  }
}

const numbers = (rows: readonly { readonly row: number }[]) => rows.map(({ row }) => row)
const text = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8')
const lines = (folder: string, name: string) =>
  text(folder, name)
    .split('\n')
    .flatMap(line => (line === '' ? [] : JSON.parse(line)))

/** Sends to a service of this computer, as if it were the real one. */
async function withService(folder: string, options: Parameters<typeof startSandbox>[0] = {}) {
  const sandbox = await startSandbox({ token: 'a-token-of-tests', ...options })
  atEnd(() => sandbox.close())
  const open = async (...of: [source?: string, named?: string]) => {
    const guide = await openGuide(folder, ...of)
    guide.service.change({
      practice: false,
      baseUrl: sandbox.url,
      organizationId: 42,
      token: 'a-token-of-tests',
    })
    return guide
  }
  const emails = async () => {
    const records = await (await fetch(`${sandbox.url}/sandbox/records`)).text()
    return records.split('\n').flatMap(line => (line === '' ? [] : JSON.parse(line).record.emails[0].email))
  }
  return { url: sandbox.url, open, emails }
}

describe('the check of a page', () => {
  test('the check has all rows by filter, with what is wrong, and with the rows that they are like', async () => {
    const { check, rowsOf } = await openGuide(await folderWith())
    expect(await check()).toMatchObject({ counts: { valid: 4, invalid: 1, duplicate: 1, left_out: 1 } })
    expect(numbers(await rowsOf('all'))).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(numbers(await rowsOf('left_out'))).toEqual([4])
    expect(numbers(await rowsOf('omitted'))).toEqual([3])
    const [bert, cloe] = await rowsOf('refused')
    expect(bert).toMatchObject({
      row: 2,
      line: 3,
      errors: [{ column: 'Email', text: 'is not an e-mail address' }],
    })
    expect(cloe).toMatchObject({ row: 6, status: 'duplicate', near: [3] })
    expect(cloe?.errors[0]?.text).toMatch(/^has the key of people.csv row 3/)
    expect((await rowsOf('near')).map(({ row, near }) => [row, near])).toEqual([
      [1, [7]],
      [3, [6]],
      [6, [3]],
      [7, [1]],
    ])
  })

  test.runIf(process.platform === 'linux')(
    'the check keeps its rows in a file without a name, for its owner alone',
    async () => {
      const { check } = await openGuide(await folderWith())
      const opened = () => readdirSync('/proc/self/fd').filter(fd => / \(deleted\)$/.test(linkAt(fd)))
      const before = opened()
      await check()
      const [rows, ...others] = opened().filter(fd => !before.includes(fd))
      expect(fstatSync(Number(rows)).mode & 0o777).toBe(0o600)
      expect(others).toEqual([])
    },
  )

  test('a corrected row goes into a file beside the source, is checked at once, and leaves the source alone', async () => {
    const { folder, check, calls, file, rowsOf } = await openGuide(await folderWith())
    await check()
    const before = text(folder, 'people.csv')
    const wrong = await calls.correct({ ...file, row: 2, cells: { Email: 'still nope' } })
    expect(wrong.row).toMatchObject({ isCorrected: true, status: 'invalid' })
    const { row } = await calls.correct({ ...file, row: 2, cells: { Email: 'bert@example.com' } })
    expect(row).toMatchObject({
      row: 2,
      line: 3,
      isCorrected: true,
      status: 'valid',
      record: { name: 'Bert' },
    })
    expect(numbers(await rowsOf('refused'))).toEqual([6])
    expect(text(folder, 'people.csv')).toBe(before)
    expect(text(folder, 'people.csv.corrected.csv')).toMatch(
      /^\ufeffName,Email,Phone,Group,rowlift_key,rowlift_reason\nBert,bert@example.com,020 7946 0102,a,sha256:\w+#1,\n$/,
    )
    const both = ['cleo2@example.com', 'cloe@example.com'].map(Email =>
      calls.correct({ ...file, row: 6, cells: { Email } }),
    )
    await Promise.all(both)
    await check()
    expect(numbers(await rowsOf('corrected'))).toEqual([2, 6])
    expect(numbers(await rowsOf('refused'))).toEqual([])
  })

  test.each([
    ['people.ndjson', rowsOfObjects.map(row => `${JSON.stringify(row)}\n`).join('')],
    ['people.json', JSON.stringify({ people: rowsOfObjects, no: 1 }, null, 2)],
    ['people.vcf', rowsOfObjects.map(cardOf).join('')],
  ])('a row of %s is corrected by the value of a member', async (name, content) => {
    const folder = await folderWith()
    const isCards = name.endsWith('.vcf')
    writeFileSync(join(folder, name), content)
    writeFileSync(join(folder, 'people.yaml'), isCards ? cardMapping : objectMapping)
    const { check, calls, file, rowsOf, ended } = await openGuide(folder, name)
    await check()
    const [refused] = await rowsOf('refused')
    expect(refused).toMatchObject({ row: 2 })
    const cells: Record<string, string> = isCards
      ? { email: '[{"value":"bert@example.com"}]' }
      : { mail: 'bert@example.com', tags: '["x"]' }
    const { row } = await calls.correct({ ...file, row: 2, cells })
    expect(row).toMatchObject({ row: 2, isCorrected: true, status: 'valid' })
    expect(lines(folder, `${name}.corrected.ndjson`)).toMatchObject([
      isCards
        ? { email: [{ value: 'bert@example.com' }] }
        : { mail: 'bert@example.com', tags: ['x'], id: 12 },
    ])
    await check()
    await calls.run(file)
    expect(await ended()).toMatchObject({ counts: { created: 2 }, summary: { rejected_rows: 0 } })
  })

  test('a row that was not refused, a column that is not there, and another file are refused', async () => {
    const { check, calls, file } = await openGuide(await folderWith())
    await expect(calls.correct({ ...file, row: 2, cells: {} })).rejects.toThrow('check them first')
    await check()
    await expect(calls.correct({ ...file, row: 1, cells: {} })).rejects.toThrow('row 1 was not refused')
    await expect(calls.correct({ ...file, row: 2, cells: { Mail: '' } })).rejects.toThrow('no column Mail')
    await expect(calls.check({ file: '../people.csv' })).rejects.toThrow('is no source of this page')
  })
})

describe('practice of a page', () => {
  test('the files of a source have the name of its mapping', async () => {
    const { folder, service, calls } = await openGuide(await folderWith())
    const { mapping: path, log, rejects } = service.namesOf('Meine Kontakte.csv')
    expect([path, log, rejects].map(each => each.replace(join(folder, '/'), ''))).toEqual([
      ...['Meine-Kontakte.yaml', 'Meine-Kontakte.practice.results.ndjson'],
      'Meine Kontakte.csv.practice.rejects.csv',
    ])
    await expect(calls.run({ file: '../people.csv' })).rejects.toThrow(
      '../people.csv is no source of this page',
    )
  })

  test('practice sends to a service inside, and has a log of its own, which follows it', async () => {
    const folder = await folderWith()
    const first = await openGuide(folder)
    await first.check()
    await first.calls.try(first.file)
    await first.ended()
    await first.close()
    const second = await openGuide(folder)
    expect(await second.rowsOf('all', 'try')).toHaveLength(4)
    await second.calls.run(second.file)
    expect(await second.ended()).toMatchObject({ counts: { done: 4, invalid: 1 } })
    expect(readdirSync(folder).sort()).toEqual([
      ...['people.csv', 'people.csv.practice.rejects.csv', 'people.practice.changes.csv'],
      ...['people.practice.results.ndjson', 'people.practice.results.report.html', 'people.yaml'],
    ])
  })

  test('a trial sends five rows that differ, and the log forgets those that were wrong', async () => {
    const more = Array.from({ length: 20 }, (_, at) => `Person ${at},p${at}@example.com,,a`)
    const { check, calls, file, ended, rowsOf } = await openGuide(await folderWith([...people, ...more]))
    await check()
    await calls.try(file)
    expect(await ended()).toMatchObject({ counts: { created: 5 } })
    const sent = await rowsOf('all', 'try')
    expect(numbers(sent)).toEqual(expect.arrayContaining([1, 3, 5]))
    expect(sent.every(({ recordId, record }) => recordId !== null && record !== null)).toBe(true)
    await expect(calls.forget({ ...file, keys: ['p9@example.org'] })).rejects.toThrow(
      'only rows of the last trial',
    )
    await calls.forget({ ...file, keys: [sent[0]?.key ?? ''] })
    expect(await rowsOf('all', 'try')).toEqual(sent.slice(1))
    await calls.run(file)
    expect(await ended()).toMatchObject({ counts: { created: 20, done: 4 } })
  })

  test('an import of a few rows is no trial', async () => {
    const { check, calls, file, ended, rowsOf } = await openGuide(await folderWith())
    await check()
    await calls.run(file)
    expect(await ended()).toMatchObject({ counts: { created: 4 } })
    expect(await rowsOf('all', 'try')).toEqual([])
  })

  test('the rows of a trial are read from the end of the log', async () => {
    const { folder, check, calls, file, ended, rowsOf } = await openGuide(await folderWith())
    await check()
    await calls.try(file)
    await ended()
    const name = 'people.practice.results.ndjson'
    writeFileSync(join(folder, name), `${'é'.repeat(1_000_000)}\n${text(folder, name)}`)
    expect(await rowsOf('all', 'try')).toHaveLength(4)
  })

  test('one job is on at a time, and ends when it is stopped', async () => {
    const more = Array.from({ length: 5_000 }, (_, at) => `Person ${at},p${at}@example.com,,a`)
    const { calls, file, ended } = await openGuide(await folderWith(more))
    await calls.check(file)
    await expect(calls.check(file)).rejects.toThrow('a job is on')
    await calls.stop({})
    expect(await ended()).toMatchObject({ summary: { finished: false } })
    await expect(calls.run(file)).rejects.toThrow('check them first')
  })
})

describe('a run of a page', () => {
  test('a run imports the source and its corrections, each row once, and only what is left stays in the rejects', async () => {
    const folder = await folderWith()
    const { open, emails } = await withService(folder)
    const { check, calls, file, ended, jobs } = await open()
    await expect(calls.run(file)).rejects.toThrow('check them first')
    await check()
    await calls.correct({ ...file, row: 2, cells: { Email: 'bert@example.com' } })
    await expect(calls.run(file)).rejects.toThrow('check them first')
    await check()
    await calls.run(file)
    expect(await ended()).toMatchObject({ counts: { created: 5 }, summary: { rejected_rows: 1 } })
    expect((await emails()).sort()).toEqual(
      [
        'ada@example.com',
        'ada@example.org',
        'bert@example.com',
        'cleo@example.com',
        'ede@example.com',
      ].sort(),
    )
    expect(text(folder, 'people.csv.rejects.csv').split('\n')).toEqual([
      expect.anything(),
      expect.stringMatching(/^Cloe,/),
      '',
    ])
    const { log, corrected } = await jobs.fileState('people.csv')
    expect(log).toEqual({ name: 'people.results.ndjson', records: 5, invalid: 0, failed: 0, inDoubt: 0 })
    expect(corrected).toEqual({ name: 'people.csv.corrected.csv', rows: 1 })
    await calls.run(file)
    expect(await ended()).toMatchObject({ counts: { done: 6 } })
    expect(await emails()).toHaveLength(5)
  })

  test('an approval is agreed to by a name, holds for a trial and the run, and not for another mapping', async () => {
    const folder = await folderWith()
    const { open } = await withService(folder)
    const { check, calls, file, ended, jobs } = await open()
    await expect(calls.approve({ ...file, by: 'Grace' })).rejects.toThrow('nothing was checked')
    await check()
    expect((await jobs.fileState('people.csv')).approval).toMatchObject({ agreed: null })
    await calls.approve({ ...file, by: ' Grace ' })
    expect((await jobs.fileState('people.csv')).approval).toMatchObject({ agreed: 'Grace' })
    await calls.try(file)
    await ended()
    await calls.run(file)
    await ended()
    const approvals = lines(folder, 'people.results.ndjson').flatMap(({ rowlift, approval }) =>
      rowlift ? approval : [],
    )
    expect(new Set(approvals)).toEqual(new Set([expect.stringMatching(/^[0-9a-f]{64}$/)]))
    writeFileSync(join(folder, 'people.yaml'), `${mapping}  archived: false\n`)
    await expect(calls.run(file)).rejects.toThrow('check them first')
    await check()
    expect((await jobs.fileState('people.csv')).approval).toMatchObject({ agreed: null })
  })

  test.skipIf(process.platform === 'win32').each(["Ada's list.csv", "Ada's list.csv:task"])(
    'what was approved of %s is imported by the command that the page shows for elsewhere',
    async file => {
      const [source = '', record = 'contact'] = file.split(':')
      const folder = await folderWith()
      writeFileSync(join(folder, source), 'Name,Email\nAda,ada@example.com\nBert,nope\n')
      const { open } = await withService(folder)
      const { check, calls, ended, service } = await open(source, file)
      const { mapping, log, approval } = service.namesOf(file)
      writeFileSync(
        mapping,
        `record: ${record}\nbody: { name: { from: Name }, description: { from: Email, as: email } }\n`,
      )
      await check()
      await calls.correct({ file, row: 2, cells: { Email: 'bert@example.com' } })
      await check()
      await calls.try({ file })
      await ended()
      const { command } = await calls.elsewhere({ file })
      const shell = `rowlift() { printf '%s\\0' "$@"; }\n${command}`
      const words = execFileSync('sh', ['-c', shell], { encoding: 'utf8' }).split('\0').slice(0, -1)
      const environment = { ROWLIFT_TOKEN: 'a-token-of-tests' }
      await runCli(words, { ...silentContext(), cwd: folder, environment })
      const logged = readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      expect(logged.filter(({ status }) => status === 'created')).toHaveLength(2)
      const sha256 = createHash('sha256').update(readFileSync(approval)).digest('hex')
      expect(logged.flatMap(({ rowlift, approval }) => (rowlift ? approval : []))).toEqual([sha256, sha256])
    },
  )

  test('a run that the service stops says why', async () => {
    const { open } = await withService(await folderWith(), { token: 'another' })
    const { check, calls, file, ended } = await open()
    await check()
    await calls.run(file)
    const { notices, summary } = (await ended()) ?? {}
    expect(summary).toMatchObject({ finished: false })
    expect(notices).toEqual([expect.stringMatching(/^the service refuses the token \(401\)/)])
  })

  test('a page that is opened again goes on with the service of the log, and asks for the token', async () => {
    const folder = await folderWith()
    const { open, url } = await withService(folder)
    const first = await open()
    await first.check()
    await first.calls.run(first.file)
    await first.ended()
    await first.close()
    const { service, calls, jobs, file } = await openGuide(folder)
    expect(service.state()).toEqual({ practice: false, baseUrl: url, organizationId: 42, token: 'none' })
    await calls.run(file)
    while (jobs.isRunning()) await new Promise(resolve => setImmediate(resolve))
    expect(jobs.state()).toMatchObject({ status: 'failed', error: expect.stringMatching(/^no token/) })
  })

  test('a row in doubt is settled by the address of its record', async () => {
    const folder = await folderWith(['Ada,ada@example.com,,a'])
    const { open, url } = await withService(folder, { dropShare: 1 })
    const { check, calls, file, ended, jobs } = await open()
    await check()
    await calls.run(file)
    await ended()
    const { doubts } = await calls.after(file)
    expect(doubts).toMatchObject([{ key: 'ada@example.com', row: 1, record: { name: 'Ada' } }])
    expect((await jobs.fileState(file.file)).log).toMatchObject({ records: 0, inDoubt: 1 })
    await expect(
      calls.settle({ ...file, key: 'ada@example.com', recordId: 'https://example.com/' }),
    ).rejects.toThrow('no id of a record')
    const { record } = JSON.parse(await (await fetch(`${url}/sandbox/records`)).text())
    const address = `https://example.com/records/${record.record_id}?tab=1`
    await calls.settle({ ...file, key: 'ada@example.com', recordId: address })
    expect((await calls.after(file)).doubts).toEqual([])
    expect((await jobs.fileState(file.file)).log).toMatchObject({ records: 1, inDoubt: 0 })
  })

  test('the way to the service is tested as doctor does it, with the token that was typed', async () => {
    const folder = await folderWith()
    const { open } = await withService(folder)
    const { calls, file } = await open()
    const { lines } = await calls.probe(file)
    expect(lines.map(({ text }) => text.split(':')[0])).toEqual(
      expect.arrayContaining(['node', 'import', 'service', 'token', 'log']),
    )
    expect(lines.filter(({ isGood }) => !isGood)).toEqual([])
  })
})

describe('the import of every night', () => {
  test.each([true, false])(
    'it has no rejects if the tree of rows is one by indentation: %s',
    async isTree => {
      const folder = await folderWith()
      const { open } = await withService(folder)
      const { calls, file } = await open()
      const lookups = 'lookups: { above: { self: true, indent: Group } }\n'
      const parent = '  parent: { record_id: { from: Group, lookup: above, missing: omit } }\n'
      writeFileSync(join(folder, 'people.yaml'), isTree ? lookups + mapping + parent : mapping)
      const { nightly } = await calls.after(file)
      expect(nightly?.settings.includes('rejects: ')).toBe(!isTree)
    },
  )

  test('it has settings that the command reads, and lines for schedulers whose words are quoted', async () => {
    const folder = await folderWith()
    const { open, url } = await withService(folder)
    const { calls, file, service } = await open()
    const { nightly } = await calls.after(file)
    writeFileSync(join(folder, 'people.settings.yaml'), nightly?.settings ?? '')
    const place = { cwd: folder, environment: {} }
    const layers = await readSettings(importOptions, { config: join(folder, 'people.settings.yaml') }, place)
    expect(parseSettings(importOptions, layers.inFile)).toMatchObject({
      ...{ baseUrl: url, organizationId: 42, tokenFile: join(folder, 'people.token'), quiet: true },
      ...{ mapping: join(folder, 'people.yaml'), results: join(folder, 'people.results.ndjson') },
    })
    expect(JSON.stringify(nightly)).not.toContain('a-token-of-tests')
    const names = { ...service.namesOf('people.csv'), source: '/data/50% of "us"/$a.csv' }
    const { cron, systemd, taskScheduler } = nightlyOf(names, await service.settings({}), ['/bin/rowlift'])
    expect(cron).toContain(`15 2 * * * /bin/rowlift import '/data/50\\% of "us"/$a.csv' --config ${folder}`)
    expect(systemd).toContain('ExecStart="/bin/rowlift" "import" "/data/50%% of \\"us\\"/$$a.csv" "--config"')
    expect(taskScheduler).toMatch(/^schtasks \/Create \/SC DAILY \/ST 02:15 \/TN "rowlift people" \/TR "/)
  })
})
