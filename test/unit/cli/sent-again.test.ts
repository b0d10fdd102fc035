import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withoutPassword } from '../../../src/model/secrets.ts'
import { fastClock } from '../../support/clock.ts'
import { metricsIn, summaryIn } from '../../support/end-files.ts'
import { importing, taskMapping, tasks } from '../../support/imports.ts'
import { machine, sharing } from '../../support/machines.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { linesOf, outcomesIn, rowlift, summaryOf } from '../../support/rowlift.ts'
import { type Service, type ServiceOptions, startService } from '../../support/service.ts'

/** The first answer of each row gets lost after its record was made. */
const losesFirst: ServiceOptions = {
  react: attempt => (attempt === 1 ? { cut: 'after creating' } : 'create'),
}

/** An import under at-least-once into a service that makes the records and cuts every second answer. */
async function repeating(count: number, options = losesFirst) {
  const imported = await importing(count, options, '--delivery', 'at-least-once')
  const { cwd, args } = imported
  return {
    ...imported,
    run: (...more: string[]) => rowlift([...args, ...more], { cwd, clock: fastClock(new Date()) }),
  }
}

/** Writes what the service has of each record, and returns the words that verify a log by it. */
async function verifying(service: Service, cwd: string, log: string) {
  const rows = service.made.map(({ name, recordId }) => `${recordId},${name}\n`)
  await writeFile(join(cwd, 'export.csv'), `Id,Name\n${rows.join('')}`)
  return ['verify', log, '--against', 'export.csv', '--id', 'Id']
}

describe('rows that were sent again after an unclear answer', () => {
  it('rows sent again are named in log, summary, metrics and page, and end with 1', async () => {
    const { service, cwd, log, run } = await repeating(6)
    const ended = await run('--summary', 's.json', '--metrics', 'm.prom', '--report', 'p.html')
    expect(service.made).toHaveLength(12)
    expect(ended.exitCode).toBe(1)
    const lines = await outcomesIn(log)
    expect(lines.map(({ attempts, unclear_attempts }) => [attempts, unclear_attempts])).toEqual(
      Array.from({ length: 6 }, () => [2, 1]),
    )
    expect(linesOf(await readFile(log, 'utf8')).at(-1)).toMatchObject({
      ended: { rows: 6, created: 6, unclear: 6 },
      unmet: ['too_many_unclear'],
    })
    expect(await summaryIn(join(cwd, 's.json'))).toMatchObject({
      ...{
        created: 6,
        unclear: 6,
        unmet: [{ code: 'too_many_unclear', params: { expected: '0', actual: 6 } }],
      },
      next: expect.stringContaining(
        'rowlift verify results.ndjson --against EXPORT --id COLUMN --match COLUMN=PATH',
      ),
    })
    expect(await metricsIn(join(cwd, 'm.prom'))).toMatchObject({ rowlift_unclear_rows: 6 })
    const page = await readFile(join(cwd, 'p.html'), 'utf8')
    expect(page).toContain('sent again after an unclear answer: 6 rows')
    expect(page).toContain('<span>verify</span> <span>results.ndjson</span> <span>--against</span>')
  })

  it('rows sent again are told on a page and in a list that are made later of the log', async () => {
    const { cwd, run } = await repeating(2)
    await run()
    await rowlift(['report', 'results.ndjson', '-o', 'later.html'], { cwd })
    const page = await readFile(join(cwd, 'later.html'), 'utf8')
    expect(page).toContain('class="verdict attention"')
    expect(page).toContain('<span>verify</span> <span>results.ndjson</span> <span>--against</span>')
    const [text, json] = [
      await rowlift(['log', 'results.ndjson'], { cwd }),
      await rowlift(['log', 'results.ndjson', '--json'], { cwd }),
    ]
    expect(text.stdout).toContain('Sent again after an unclear answer:\n  2 rows, perhaps made twice\n')
    expect(JSON.parse(json.stdout)).toMatchObject({ unclear: 2 })
  })

  it.each([
    [['--expect-unclear', '2'], 0],
    [['--expect-unclear', '1'], 1],
    [['--expect-unclear', '50%'], 0],
    [['--expect-unclear', '49%'], 1],
  ])('rows sent again end with 1 unless as many are expected: %s', async (flags, exitCode) => {
    const { cwd, run } = await repeating(4, {
      react: (attempt, { body }) =>
        attempt === 1 && /[12]/.test(String(body.name)) ? { answer: 500, creates: true } : 'create',
    })
    const ended = await run('--log-format', 'pretty', '--summary', 's.json', ...flags)
    expect([ended.exitCode, (await summaryIn(join(cwd, 's.json'))).unclear]).toEqual([exitCode, 2])
    expect(ended.stderr).toContain('2 rows were sent again after an unclear answer, and may be there twice')
  })

  it('rows sent again are allowed by the mapping, and a flag is stricter', async () => {
    const { cwd, run } = await repeating(3)
    await writeFile(join(cwd, 'task.yaml'), `${taskMapping}expect: { unclear: any }\n`)
    const ended = await run()
    expect([ended.exitCode, summaryOf(ended)]).toMatchObject([0, { unclear: 3, unmet: [] }])
    const stricter = await repeating(3)
    await writeFile(join(stricter.cwd, 'task.yaml'), `${taskMapping}expect: { unclear: any }\n`)
    expect((await stricter.run('--expect-unclear', '2')).exitCode).toBe(1)
  })

  it('rows sent again because the service asked to slow down, or was not reached, are clear', async () => {
    const { log, run } = await repeating(3, {
      react: attempt => (attempt === 1 ? { answer: 429 } : 'create'),
    })
    const ended = await run()
    expect([ended.exitCode, summaryOf(ended)]).toMatchObject([0, { throttled: 3, unclear: 0 }])
    for (const line of await outcomesIn(log)) expect(line).not.toHaveProperty('unclear_attempts')
  })
})

describe('spare records', () => {
  it('spare records are named with the row by which they were made, and make the exit code 1', async () => {
    const { service, cwd, log, run } = await repeating(2)
    await run()
    const own = new Map((await outcomesIn(log)).map(line => [line.record_id, line.key]))
    const spare = service.made.filter(({ recordId }) => !own.has(recordId))
    service.made.push({ name: 'Another', recordId: '9d2f0000-0000-4000-8000-000000000001' })
    const args = await verifying(service, cwd, 'results.ndjson')
    const verified = await rowlift([...args, '--match', 'Name=name'], { cwd })
    expect(verified.exitCode).toBe(1)
    const { counts, spare: named } = JSON.parse(verified.stdout)
    expect(counts).toMatchObject({ records: 2, unknown: 3, sent_again: 2, spare: 2, different: 0 })
    expect(named).toHaveLength(2)
    for (const { name, recordId } of spare)
      expect(named).toContainEqual({
        record_id: recordId,
        line: 2 + service.made.findIndex(made => made.recordId === recordId),
        same_as: [...own].find(([, key]) => name === `Task ${key}`)?.[0],
        ...{ key: name.slice(-1), source: 'tasks.csv', row: Number(name.slice(-1)) },
      })
    expect(verified.stderr).toContain(
      '2 rows were sent again after an unclear answer: 2 of the records that no row made have the values of one, and are spare\n',
    )
  })

  it('spare records are found by what was sent, if the record of the row is gone', async () => {
    const { service, cwd, log, run } = await repeating(1)
    await run()
    const [{ record_id: own }] = await outcomesIn(log)
    const left = { ...service, made: service.made.filter(({ recordId }) => recordId !== own) }
    const args = await verifying(left, cwd, 'results.ndjson')
    const verified = await rowlift([...args, '--match', 'Name=name'], { cwd })
    expect(JSON.parse(verified.stdout)).toMatchObject({
      counts: { missing: 1, spare: 1 },
      spare: [{ same_as: own }],
    })
  })

  it('spare records need fields to compare, and the next step says so', async () => {
    const { service, cwd, run } = await repeating(1)
    await run()
    const verified = await rowlift(await verifying(service, cwd, 'results.ndjson'), { cwd })
    expect([verified.exitCode, JSON.parse(verified.stdout)]).toMatchObject([
      0,
      { counts: { spare: 0 }, spare: [] },
    ])
    expect(verified.stderr).toContain('--match COLUMN=PATH finds their spare records')
  })

  it('spare records are not looked for if no row was sent again', async () => {
    const { service, cwd, run } = await repeating(2, {})
    expect((await run()).exitCode).toBe(0)
    service.made.push({ name: 'Task 1', recordId: '9d2f0000-0000-4000-8000-000000000001' })
    const args = await verifying(service, cwd, 'results.ndjson')
    const verified = await rowlift([...args, '--match', 'Name=name'], { cwd })
    expect(verified.exitCode).toBe(0)
    expect(JSON.parse(verified.stdout)).not.toHaveProperty('spare')
  })
})

describe('rows of several machines that were sent again', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await testDatabase()
  })
  afterAll(() => database.close())

  it('rows of all workers are told by each, in the export and in the list of workers', async () => {
    const service = await startService(losesFirst)
    const cwd = await machine(tasks(220), taskMapping)
    const args = sharing(service, database.url, 'twice', '--delivery', 'at-least-once')
    const work = (...more: string[]) => rowlift([...args, ...more], { cwd })
    const ends = await Promise.all([work('-c', '50'), work('-c', '50')])
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([1, 1])
    expect(ends.reduce((sum, end) => sum + summaryOf(end).unclear, 0)).toBe(220)
    const ofLedger = ['--ledger', database.url, '--import', 'twice']
    const named = `--ledger ${withoutPassword(database.url)} --import twice`
    for (const end of ends) {
      expect(summaryOf(end).unmet).toMatchObject([{ code: 'too_many_unclear', params: { actual: 220 } }])
      expect(summaryOf(end).ledger.all).toEqual({ created: 220 })
      expect(end.stderr).toContain(`rowlift verify ${named} --against EXPORT`)
    }
    const exported = await rowlift(['export', ...ofLedger, '-o', 'twice.results.ndjson'], { cwd })
    expect(exported.exitCode).toBe(0)
    const lines = linesOf(await readFile(join(cwd, 'twice.results.ndjson'), 'utf8'))
    expect(lines.filter(line => line.unclear_attempts === 1)).toHaveLength(220)
    expect(lines.at(-1)).toMatchObject({ ended: { created: 220, unclear: 220 }, unmet: ['too_many_unclear'] })
    const workers = await rowlift(['workers', ...ofLedger], { cwd })
    expect(workers.stdout).toContain('220 rows sent again after an unclear answer: perhaps made twice')
    const verify = await verifying(service, cwd, 'twice.results.ndjson')
    const { stdout } = await rowlift([...verify, '--match', 'Name=name'], { cwd })
    expect(JSON.parse(stdout).counts).toMatchObject({ records: 220, unknown: 220, spare: 220 })
  })

  it('rows of all workers are allowed by an expectation', async () => {
    const service = await startService(losesFirst)
    const cwd = await machine(tasks(3), `${taskMapping}expect: { unclear: any }\n`)
    const args = sharing(service, database.url, 'allowed', '--delivery', 'at-least-once')
    const ended = await rowlift(args, { cwd })
    expect([ended.exitCode, summaryOf(ended)]).toMatchObject([0, { unclear: 3, unmet: [] }])
  })
})
