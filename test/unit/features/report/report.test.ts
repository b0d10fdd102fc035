import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runReport } from '../../../../src/features/report/run-report.ts'
import { UsageError } from '../../../../src/model/errors.ts'
import { logPart } from '../../../../src/run/page.ts'
import { fastClock } from '../../../support/clock.ts'
import { silentContext, watching } from '../../../support/context.ts'
import { files, importOf } from '../../../support/imports.ts'
import { answered, lineText, logOf, openingLine, rowLine } from '../../../support/log-files.ts'
import { importForReport, rowsOf } from '../../../support/report-import.ts'
import { folderWith, rowlift } from '../../../support/rowlift.ts'
import { startService } from '../../../support/service.ts'

const log = 'results.ndjson'
const page = 'results.report.html'

const noLedger = { ledger: undefined, import: undefined }

describe('page of real imports', () => {
  it('a page shows what the service and the log know: what was made, and what not', async () => {
    const { service, cwd, args, part } = await importForReport(6, {
      react: (_, { body }) => {
        if (body.name === 'Task 2') return { answer: 422, body: '{"error":"Name is taken"}' }
        if (body.name === 'Task 4') return { cut: 'after creating' }
        return 'create'
      },
    })
    expect((await rowlift(args, { cwd })).exitCode).toBe(1)
    const facts = await part()
    expect(facts.counts).toEqual({
      created: 4,
      existing: 0,
      merged: 0,
      forgotten: 0,
      invalid: 0,
      failed: 1,
      in_doubt: 1,
    })
    expect(facts.counts.created + facts.counts.in_doubt).toBe(service.made.length)
    expect(rowsOf(facts.attention.rows)).toEqual(['4 in_doubt', '2 failed'])
    expect(facts.reasons).toMatchObject([
      { status: 'failed', rows: 1, answer: '{"error":"Name is taken"}' },
      { status: 'in_doubt', rows: 1 },
    ])
    expect(facts.runs).toMatchObject([
      { counts: { created: 4, failed: 1, in_doubt: 1 }, sources: ['tasks.csv'] },
    ])
    expect(facts.opening).toMatchObject({ base_url: service.url, organization_id: 7, record: 'task' })
  })

  it('a page follows rows that are mended, settled by hand, and repaired in a file', async () => {
    let isStrict = true
    const { cwd, args, part } = await importForReport(5, {
      react: (_, { body }) => {
        if (isStrict && /[23]$/.test(String(body.name))) return { answer: 422, body: 'no' }
        if (isStrict && /[45]$/.test(String(body.name))) return { cut: 'before reading' }
        return 'create'
      },
    })
    await rowlift(args, { cwd })
    expect((await part()).counts).toMatchObject({ created: 1, failed: 2, in_doubt: 2 })

    isStrict = false
    const id = '9d2f0000-0000-4000-8000-000000000001'
    await rowlift(['resolve', log, '--key', '4', '--record-id', id], { cwd })
    await rowlift(['resolve', log, '--key', '5', '--not-created'], { cwd })
    await writeFile(join(cwd, 'repaired.csv'), 'rowlift_key,Id,Name\n2,,Task 2 repaired\n')
    const repairing = args.map(word => (word === 'tasks.csv' ? 'repaired.csv' : word))
    expect((await rowlift(repairing, { cwd })).exitCode).toBe(0)
    const between = await part()
    expect(between.counts).toEqual({
      created: 3,
      existing: 0,
      merged: 0,
      forgotten: 0,
      invalid: 0,
      failed: 2,
      in_doubt: 0,
    })
    expect(between).toMatchObject({ recovered: 2, byHand: 2 })
    expect(between.reasons.map(({ reason }) => reason).sort()).toEqual([
      'the service answered 422',
      'was settled by hand: the service has no record of this row',
    ])

    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    const facts = await part()
    expect(facts.counts).toEqual({
      created: 5,
      existing: 0,
      merged: 0,
      forgotten: 0,
      invalid: 0,
      failed: 0,
      in_doubt: 0,
    })
    expect(facts.attention).toEqual({ total: 0, known: 0, rows: [] })
    expect(facts).toMatchObject({ recovered: 4, byHand: 2, reasons: [], otherReasons: 0 })
    expect(facts.runs.map(({ byHand, counts: { created, failed } }) => [byHand, created, failed])).toEqual([
      [false, 1, 2],
      [true, 1, 0],
      [true, 0, 1],
      [false, 1, 0],
      [false, 2, 0],
    ])
  })

  it('a page names the rows that the service took for one contact', async () => {
    const service = await startService({ similar: ({ body }) => JSON.stringify(body.emails) })
    const cwd = await files({
      'map.yaml':
        'record: contact\nuse_created: true\nbody: { name: "{{Name}}", emails: [{ email: { from: Email } }] }\n',
    })
    await rowlift(importOf('contacts.csv', 'map.yaml', service.url, '-c', '1'), { cwd })
    const { merged, counts } = await logPart(join(cwd, log), log, watching)
    expect(counts).toMatchObject({ created: 3, merged: 1 })
    expect(merged).toMatchObject({ count: 1, pairs: [{ first: { row: 1 }, second: { row: 4 } }] })
    expect(service.made.map(({ recordId }) => recordId)).toContain(merged.pairs[0]?.recordId)
  })

  it('a page counts attempts that were repeated, and those made later on request', async () => {
    const { service, cwd, args, part } = await importForReport(4, {
      react: (attempt, { body }) =>
        attempt <= 2 && body.name === 'Task 3' ? { answer: 429, headers: { 'retry-after': '0' } } : 'create',
    })
    expect((await rowlift(args, { cwd, clock: fastClock() })).exitCode).toBe(0)
    const { runs } = await part()
    expect(runs).toMatchObject([{ counts: { created: 4 }, repeated: service.calls.length - 4, throttled: 2 }])
  })
})

describe('rowlift report', () => {
  it('rowlift report writes a page for its owner alone beside the log, and says where', async () => {
    const { cwd, args, report } = await importForReport(3)
    await rowlift(args, { cwd })
    await mkdir(join(cwd, 'elsewhere'))
    const { exitCode, stdout, stderr } = await rowlift(['report', join('..', log)], {
      cwd: join(cwd, 'elsewhere'),
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    expect(stderr).toMatch(
      /^3 rows, \d+\.\d s\nPage: \.\.[\\/]results\.report\.html\. It holds personal data/,
    )
    expect(await readdir(join(cwd, 'elsewhere'))).toEqual([])
    expect((await stat(join(cwd, page))).mode & 0o777).toBe(0o600)
    const text = await readFile(join(cwd, page), 'utf8')
    expect(text).toMatch(/^<!-- rowlift report -->\n<!doctype html>/i)
    expect(text).toContain('results.ndjson')

    expect((await report(log, '-o', 'a page.html')).exitCode).toBe(0)
    await rowlift(['resolve', log], { cwd })
    expect((await report(log, '--output', 'a page.html')).exitCode).toBe(0)
    expect((await readdir(cwd)).filter(name => name.includes('page'))).toEqual(['a page.html'])
  })

  it('rowlift report writes the page of several logs beside the first of them', async () => {
    const cwd = await folderWith({})
    await mkdir(join(cwd, 'logs'))
    for (const name of ['a', 'b'])
      await writeFile(join(cwd, 'logs', `${name}.ndjson`), lineText(openingLine()))
    const { exitCode } = await rowlift(['report', 'logs/a.ndjson', 'logs/b.ndjson'], { cwd })
    expect(exitCode).toBe(0)
    expect(await readdir(cwd)).toEqual(['logs'])
    expect(await readFile(join(cwd, 'logs', 'a.report.html'), 'utf8')).toContain('b.ndjson')
  })

  it('rowlift report names a log that is not there before it looks at where the page goes', async () => {
    const { exitCode, stderr } = await rowlift(['report', 'none/*.ndjson'], { cwd: await folderWith({}) })
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^rowlift: none[\\/]\*\.ndjson: there is no such result log/)
  })

  it('rowlift report shows several logs on one page, those of the same name by their paths', async () => {
    const first = await logOf(openingLine(), rowLine('created', 1))
    const second = await logOf(openingLine(), rowLine('failed', 2, answered(422, 'the second log')))
    const cwd = await folderWith({})
    const { exitCode, stdout, stderr } = await rowlift(['report', first, second, '-o', '-'], { cwd })
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/^2 rows, /)
    expect(stdout).toContain('the second log')
    for (const path of [first, second]) expect(stdout).toContain(path)
    expect(await readdir(cwd)).toEqual([])
  })

  it('rowlift report never writes over anything but a page, or what is empty', async () => {
    const file = await logOf(openingLine(), rowLine('created', 1))
    const cwd = dirname(file)
    const before = await readFile(file, 'utf8')
    await writeFile(join(cwd, 'tasks.csv'), 'Id,Name\n')
    await writeFile(join(cwd, 'notes.html'), '<!doctype html><p>mine')
    await writeFile(join(cwd, 'empty.html'), '')
    await symlink(file, join(cwd, 'link.html'))
    for (const [output, message] of [
      [log, 'is the result log; give the page another name'],
      ['link.html', 'is the result log; give the page another name'],
      [`${log}.inflight`, 'is the result log; give the page another name'],
      ['tasks.csv', 'exists, is not a page of rowlift report'],
      ['notes.html', 'exists, is not a page of rowlift report'],
      ['.', 'is a folder or a device'],
      ['none/page.html', 'the page cannot be written there (ENOENT)'],
      ['tasks.csv/page.html', 'the page cannot be written there (ENOTDIR)'],
    ] as const) {
      const refusal = runReport(
        { positionals: [file], flags: {}, values: { ...noLedger, output: join(cwd, output) } },
        silentContext(),
      )
      await expect(refusal).rejects.toThrow(message)
      await expect(refusal).rejects.toBeInstanceOf(UsageError)
    }
    await expect(
      runReport(
        { positionals: [file], flags: {}, values: { ...noLedger, output: '/dev/null' } },
        silentContext(),
      ),
    ).rejects.toThrow('a device')
    expect(await readFile(file, 'utf8')).toBe(before)
    expect(await readFile(join(cwd, 'notes.html'), 'utf8')).toBe('<!doctype html><p>mine')
    expect(
      await runReport(
        { positionals: [file], flags: {}, values: { ...noLedger, output: join(cwd, 'empty.html') } },
        silentContext(),
      ),
    ).toBe(0)
  })

  it('rowlift report writes through a link to a page, so that the link stays one', async () => {
    const file = await logOf(openingLine(), rowLine('created', 1))
    const cwd = await folderWith({ 'page.html': '' })
    await symlink('page.html', join(cwd, 'link.html'))
    expect((await rowlift(['report', file, '-o', 'link.html'], { cwd })).exitCode).toBe(0)
    expect(await readFile(join(cwd, 'page.html'), 'utf8')).toMatch(/^<!-- rowlift report -->/)
  })

  it('rowlift report says what is wrong with a log that it cannot read, or with its options', async () => {
    const cwd = await folderWith({ x: 'hello\n' })
    for (const [words, message] of [
      [[], 'name the result logs to show'],
      [['none.ndjson'], 'none.ndjson: there is no such result log'],
      [['x'], 'x: is not a result log'],
      [['x', '--frobnicate'], 'unknown option --frobnicate'],
      [['x', '-o', 'a', '-o', 'b'], '--output: must be given once'],
      [['x', '--output='], '--output: '],
    ] as const) {
      const { exitCode, stderr } = await rowlift(['report', ...words], { cwd })
      expect(stderr).toContain(message)
      expect(exitCode).toBe(2)
    }
    expect(await readdir(cwd)).toEqual(['x'])
  }, 60_000)

  it('rowlift report is made of 20,000 lines, a torn one at their end left out', async () => {
    const row = (at: number) =>
      at % 40 === 0 ? rowLine('failed', at, answered(422, `Name ${at} is taken`)) : rowLine('created', at)
    const rows = Array.from({ length: 20_000 }, (_, at) => row(at))
    const file = await logOf(openingLine(), ...rows, '{"run":"R1","status":"cre')
    const { exitCode, stderr } = await rowlift(['report', file, '-o', 'p.html'], {
      cwd: await folderWith({}),
    })
    expect(stderr).toMatch(/^20,000 rows, /)
    expect(exitCode).toBe(0)
  })
})
