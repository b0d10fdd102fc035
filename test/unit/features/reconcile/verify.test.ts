import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Comparison } from '../../../../src/features/reconcile/comparison.ts'
import { matcherFor } from '../../../../src/features/reconcile/matcher.ts'
import { mulberry32 } from '../../../../src/features/sandbox/faults.ts'
import type { ResultLine } from '../../../../src/store/files/lines.ts'
import { files, importOf, tasks } from '../../../support/imports.ts'
import { lineText, openingLine, rowLine } from '../../../support/log-files.ts'
import { repeats } from '../../../support/random.ts'
import { linesOf, outcomesIn, rowlift } from '../../../support/rowlift.ts'
import { type Reaction, startService } from '../../../support/service.ts'

const foreign = '9d2f0000-0000-4000-8000-000000000001'
const byName = ['--match', 'Name=name']

/** A finished import of tasks, and what the service says of each record. */
async function imported(count = 4) {
  const service = await startService()
  const cwd = await files({ 'tasks.csv': tasks(count) })
  const again = () => rowlift(importOf('tasks.csv', 'task.yaml', service.url), { cwd })
  expect((await again()).exitCode).toBe(0)
  const there = service.made.map(({ name, recordId }) => ({ name, recordId }))
  there.sort((a, b) => a.name.localeCompare(b.name))
  const verify = async (records: readonly { name: string; recordId: string }[], ...words: string[]) => {
    const rows = records.map(({ name, recordId }) => `${recordId},${name}\n`)
    await writeFile(join(cwd, 'export.csv'), `Id,Name\n${rows.join('')}`)
    return run(...words)
  }
  const args = ['verify', 'results.ndjson', '--against', 'export.csv', '--id', 'Id']
  const run = (...words: string[]) => rowlift([...args, ...words], { cwd })
  const onTerminal = (...words: string[]) => rowlift([...args, ...words], { cwd, onTerminal: true })
  return { service, cwd, again, there, verify, run, onTerminal }
}

describe('records of a log and of an export', () => {
  it('records of a log and of an export are the same after an import', async () => {
    const { there, verify } = await imported()
    const alike = there.map(({ name, recordId }) => ({
      name: ` ${name}  `,
      recordId: recordId.toUpperCase(),
    }))
    const plain = await verify([...alike, ...there])
    expect(JSON.parse(plain.stdout)).toMatchObject({
      counts: { records: 4, exported: 4, found: 4, missing: 0, unknown: 0, not_compared: 4 },
    })
    const compared = await verify([...alike, ...there], ...byName)
    expect(compared.stderr).toBe(`results.ndjson: 4 records = 4 found + 0 missing there
export.csv: 4 records = 4 found + 0 that no row made
4 found = 4 same + 0 different + 0 not compared
`)
    expect([plain.exitCode, compared.exitCode]).toEqual([0, 0])
    expect(JSON.parse(compared.stdout)).toMatchObject({ missing: [], unknown: [], different: [] })
  })

  it('records of both are reported with their place if missing, unknown or different', async () => {
    const { there, verify, onTerminal } = await imported()
    const [first, second, ...others] = there
    const { exitCode, stdout, stderr } = await verify(
      [{ name: 'Task two', recordId: second?.recordId ?? '' }, { name: 'Eve', recordId: foreign }, ...others],
      ...byName,
    )
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      counts: expect.objectContaining({ missing: 1, unknown: 1, same: 2, different: 1, not_compared: 0 }),
      missing: [{ record_id: first?.recordId, key: '1', source: 'tasks.csv', row: 1, line: 2 }],
      unknown: [{ record_id: foreign, line: 3 }],
      different: [
        {
          ...{ record_id: second?.recordId, key: '2', source: 'tasks.csv', row: 2 },
          ...{ path: 'name', column: 'Name', sent: 'Task 2', found: 'Task two' },
        },
      ],
    })
    expect(stderr).toContain('results.ndjson: 4 records = 3 found + 1 missing there\n')
    expect(stderr).toContain('export.csv: 4 records = 3 found + 1 that no row made\n')
    const shown = (await onTerminal(...byName)).stdout.split('\n').map(line => line.split(/ {2,}/))
    expect(shown.slice(0, 3)).toEqual([
      ['missing'],
      ['record_id', 'key', 'source', 'row', 'line'],
      [first?.recordId, '1', 'tasks.csv', '1', '2'],
    ])
    expect(shown.flat()).toContain('Task two')
  })

  it('records of both are as they should be if only other records are there', async () => {
    const { there, verify } = await imported()
    const { exitCode, stderr } = await verify([...there, { name: 'Eve', recordId: foreign }])
    expect(exitCode).toBe(0)
    expect(stderr).toContain('5 records = 4 found + 1 that no row made')
  })

  it('records of both are not compared if a row reads differently now, or is gone', async () => {
    const { there, verify, cwd } = await imported()
    await writeFile(join(cwd, 'tasks.csv'), tasks(3).replace('Task 2', 'Task two'))
    const { exitCode, stdout, stderr } = await verify(there, ...byName)
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout).counts).toMatchObject({ found: 4, same: 2, not_compared: 2, changed: 1 })
    expect(stderr).toContain(
      '4 found = 2 same + 0 different + 2 not compared (1 read differently now, 1 do not come any more or were not made by the last mapping)',
    )
  })

  it('records of both are not compared if they were made by another mapping', async () => {
    const { there, verify, cwd, again } = await imported()
    await writeFile(join(cwd, 'tasks.csv'), tasks(5))
    const mapping = join(cwd, 'task.yaml')
    await writeFile(mapping, (await readFile(mapping, 'utf8')).replace('{{Name}}', '{{Name}}!'))
    expect((await again()).exitCode).toBe(0)
    const { stdout } = await verify(there, ...byName)
    expect(JSON.parse(stdout).counts).toMatchObject({ found: 4, missing: 1, different: 0, not_compared: 4 })
  })

  it.each([
    ['compared if a person settled a row of the last mapping', 'a1', { different: 1, not_compared: 0 }],
    ['not compared if a person settled a row of another mapping', 'b2', { different: 0, not_compared: 1 }],
  ])('records of both are %s', (_, mapping_sha256, counts) => {
    const compared = new Comparison(matcherFor([{ column: 'Name', path: 'name' }], 'contact', undefined))
    const by_hand = { by_hand: true, record_id: foreign }
    const lines = [openingLine(), openingLine('R2', { mapping_sha256 }), rowLine('in_doubt', 1)]
    for (const line of [...lines, rowLine('created', 1, by_hand)]) compared.addLine(line as ResultLine)
    compared.addRow({ id: foreign, line: 2, values: ['Ada'], name: () => 'Ada' })
    compared.addAgain({ status: 'done', identity: rowLine('', 1), changed: false }, () => ({ name: 'Bob' }))
    expect(compared.counts()).toMatchObject(counts)
  })

  it('records of both are not compared if a source or the mapping is gone or another', async () => {
    const { there, verify, cwd } = await imported()
    const other = 'record: task\nkey: Id\nbody: { name: "{{Name}}?" }\n'
    const otherKey = 'record: task\nkey: Name\nbody: { name: "{{Name}}" }\n'
    const cases = [['tasks.csv'], ['task.yaml'], ['task.yaml', other], ['task.yaml', otherKey]] as const
    for (const [file, text] of cases) {
      const path = join(cwd, file)
      const before = await readFile(path)
      await (text === undefined ? rm(path) : writeFile(path, text))
      const { exitCode, stderr } = await verify(there, ...byName)
      expect(stderr).toBe(
        `rowlift: ${file}: is gone, or is not what the last run of results.ndjson read; put it back, or verify without --match, or settle by hand\n`,
      )
      expect(exitCode).toBe(2)
      await writeFile(path, before)
    }
    expect((await verify(there, ...byName)).exitCode).toBe(0)
  })

  it('records of both are not compared if a result log that is looked up in is gone', async () => {
    const mapping =
      'record: task\nkey: Id\nlookups: { o: { results: o.ndjson } }\nbody: { name: { from: Id, lookup: o } }\n'
    const cwd = await files({
      'tasks.csv': tasks(1),
      'm.yaml': mapping,
      'export.csv': `Id,Name\n${foreign},x\n`,
    })
    const last = { record: 'task', key_columns: ['Id'], sources: ['tasks.csv'], mapping: 'm.yaml' }
    const opening = openingLine('R1', { ...last, mapping_sha256: hash('sha256', mapping) })
    const created = rowLine('created', 1, { key: '1', record_id: foreign })
    await writeFile(join(cwd, 'r.ndjson'), lineText(opening) + lineText(created))
    const args = ['verify', 'r.ndjson', '--against', 'export.csv', '--id', 'Id', ...byName]
    const { exitCode, stderr } = await rowlift(args, { cwd })
    expect(stderr).toContain('o.ndjson: is gone')
    expect(exitCode).toBe(2)
  })

  it('records of both are on a page for its owner, which is written over pages alone', async () => {
    const { there, verify, cwd } = await imported()
    const page = join(cwd, 'page.html')
    const changed = there.map(({ recordId }) => ({ name: '"<b>Eve</b>"', recordId }))
    const { stderr } = await verify(changed.slice(1), ...byName, '--report', 'page.html')
    expect(stderr).toContain('the page is page.html\n')
    const html = await readFile(page, 'utf8')
    expect(html).toContain('<title>results.ndjson compared with export.csv – rowlift</title>')
    expect(html).toContain(
      '<p class="verdict attention">3 of 4 records are in the export, 1 is missing, 3 have other values than were sent.</p>',
    )
    expect(html).toContain('4 records = 3 found + 1 missing there')
    expect(html).toContain('&lt;b&gt;Eve&lt;/b&gt;')
    expect((await verify(there, '--report', 'page.html')).exitCode).toBe(0)
    for (const other of ['tasks.csv', 'results.ndjson', 'export.csv'])
      expect((await verify(there, '--report', other)).exitCode).toBe(2)
  })

  it('records of both stand on the page with the names of their rows, or those that the export has', async () => {
    const { there, verify, cwd } = await imported()
    const cellsOf = async (section: string) => {
      const html = await readFile(join(cwd, 'page.html'), 'utf8')
      const [, table = ''] = html.split(`<section id="${section}"`)
      const [row = ''] = /(?<=<tbody>)<tr>.*?<\/tr>/s.exec(table) ?? []
      return [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) =>
        cell
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      )
    }
    const [first, second, ...others] = there
    const records = [
      { name: 'Task two', recordId: second?.recordId ?? '' },
      { name: 'Eve', recordId: foreign },
      ...others,
    ]
    await verify(records, ...byName, '--report', 'page.html')
    expect(await cellsOf('missing')).toEqual([`Task 1 ${first?.recordId}`, '1 tasks.csv, row 1'])
    expect(await cellsOf('unknown')).toEqual([`Eve ${foreign}`, '3'])
    expect(await cellsOf('different')).toEqual([
      ...[`Task 2 ${second?.recordId}`, '2 tasks.csv, row 2'],
      ...['name', 'Task 2', 'Task two'],
    ])
    await verify([...there, { name: 'Eve', recordId: foreign }], '--report', 'page.html')
    expect(await cellsOf('unknown')).toEqual([`Eve ${foreign}`, '6'])
  })

  it('records of both that are there and the same are said so in the sentence of the page', async () => {
    const { there, verify, cwd } = await imported()
    const verdict = async () =>
      /(?<=class="verdict done">).*?(?=<)/.exec(await readFile(join(cwd, 'p.html'), 'utf8'))
    await verify(there, '--report', 'p.html')
    expect(await verdict()).toContain('All 4 records are in the export.')
    await verify(there, ...byName, '--report', 'p.html')
    expect(await verdict()).toContain('All 4 records are in the export, with the values that were sent.')
  })

  it('records of both need a log, an export and its ids', async () => {
    const { cwd } = await imported(1)
    for (const [args, message] of [
      [[], 'name one result log: rowlift verify RESULTS'],
      [['results.ndjson', '--id', 'Id'], '--against is required'],
      [['results.ndjson', '--id', 'Id', '--against', '-'], '--against: must be a file'],
      [['none.ndjson', '--id', 'Id', '--against', 'tasks.csv'], 'there is no such result log'],
      [['results.ndjson', '--against', 'tasks.csv'], '--id is required'],
      [['results.ndjson', '--against', 'tasks.csv', '--id', 'id'], 'did you mean "Id"'],
    ] as const) {
      const { exitCode, stderr } = await rowlift(['verify', ...args], { cwd })
      expect(stderr).toContain(message)
      expect(exitCode).toBe(2)
    }
  })
})

const kills = repeats(40)
const rows = 120

it('an import that was killed several times is settled from an export, and verified', async () => {
  const random = mulberry32(7)
  const log = 'results.ndjson'
  const cwd = await files({ 'tasks.csv': tasks(rows) })
  const names = [log, `${log}.inflight`].map(name => join(cwd, name))
  let left = Number.POSITIVE_INFINITY
  let isFaulty = true
  let end = () => {}
  let killed: (Buffer | undefined)[] | undefined
  const react = (): Reaction => {
    left -= 1
    if (left === 0) {
      killed = names.map(name => (existsSync(name) ? readFileSync(name) : undefined))
      end()
    }
    if (left <= 0) return { cut: 'before reading' } // nobody is there any more
    const fault = isFaulty ? random() : 1
    return fault < 0.1 ? { cut: 'after creating' } : fault < 0.2 ? { cut: 'before reading' } : 'create'
  }
  const service = await startService({ react })
  const run = () => {
    const interrupted = new Promise<'SIGTERM'>(resolve => {
      end = () => resolve('SIGTERM')
    })
    return rowlift(importOf('tasks.csv', 'task.yaml', service.url, '-c', '5'), { cwd, interrupted })
  }
  for (let kill = 0; kill < kills; kill += 1) {
    left = 3 + Math.floor(random() * 5)
    killed = undefined
    await run()
    for (const [at, bytes] of (killed ?? []).entries())
      await (bytes === undefined
        ? rm(String(names[at]), { force: true })
        : writeFile(String(names[at]), bytes))
  }
  left = Number.POSITIVE_INFINITY
  await run()

  const exported = (records = service.made) =>
    writeFile(
      join(cwd, 'export.csv'),
      `Id,Name\n${records.map(({ recordId, name }) => `${recordId},${name}\n`).join('')}`,
    )
  const from = ['--id', 'Id', '--match', 'Name=name']
  await exported()
  const settled = await rowlift(['resolve', log, '--from', 'export.csv', ...from, '--complete'], { cwd })
  expect(settled.stderr).toContain('no row is in doubt any more')
  const decided = linesOf(settled.stdout)
  expect(decided.length).toBeGreaterThan(10)
  expect(new Set(decided.map(({ decision }) => decision))).toEqual(new Set(['created', 'failed']))
  isFaulty = false
  await run()
  await exported()
  expect(service.made).toHaveLength(rows)
  const there = new Map(service.made.map(({ name, recordId }) => [name, recordId]))
  const created = (await outcomesIn(join(cwd, log))).filter(({ status }) => status === 'created')
  expect(created.map(({ key, record_id }) => record_id === there.get(`Task ${key}`))).toEqual(
    Array(rows).fill(true),
  )

  const verify = () => rowlift(['verify', log, '--against', 'export.csv', ...from], { cwd })
  expect((await verify()).exitCode).toBe(0)
  const [first, second, ...others] = service.made
  await exported([{ name: 'Task X', recordId: String(second?.recordId) }, ...others])
  const { exitCode, stdout } = await verify()
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    missing: [{ record_id: first?.recordId }],
    unknown: [],
    different: [{ record_id: second?.recordId, sent: second?.name, found: 'Task X' }],
  })
  expect(await readFile(join(cwd, log), 'utf8')).toContain('"export":"export.csv"')
})
