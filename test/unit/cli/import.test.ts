import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { contacts, files, importOf, mapping, taskMapping, taskNames, tasks } from '../../support/imports.ts'
import { into, linesOf, outcomesIn, rowlift, summaryOf } from '../../support/rowlift.ts'
import { madeBy, startService } from '../../support/service.ts'

describe('import', () => {
  it('an import creates a record per good row, and accounts for every row in the result log', async () => {
    const service = await startService()
    const cwd = await files()
    const run = await rowlift(importOf('contacts.csv', 'map.yaml', service.url), { cwd })
    expect(run.exitCode).toBe(1)
    expect(service.calls.map(call => call.body)).toEqual([
      { name: 'Ada', emails: [{ email: 'ada@example.com' }] },
      { name: 'Cy', emails: [{ email: 'cy@example.com' }] },
    ])
    const idOf = (name: string) => service.made.find(made => made.name === name)?.recordId
    expect(await outcomesIn(join(cwd, 'results.ndjson'))).toMatchObject([
      {
        source: 'contacts.csv',
        row: 1,
        line: 2,
        key: 'ada@example.com',
        status: 'created',
        record_type: 'contact',
        record_id: idOf('Ada'),
        http_status: 200,
        attempts: 1,
      },
      {
        row: 2,
        line: 3,
        key: 'nope',
        status: 'invalid',
        errors: [
          { path: 'emails.0.email', column: 'Email', value: 'nope', message: 'is not an e-mail address' },
        ],
      },
      { row: 3, line: 4, status: 'created', record_id: idOf('Cy') },
      {
        row: 4,
        line: 5,
        key: 'ada@example.com',
        status: 'duplicate',
        same_as: { source: 'contacts.csv', row: 1 },
      },
    ])
  })

  it('an import opens its log with what the run is, for the owner alone', async () => {
    const service = await startService()
    const cwd = await files()
    await rowlift(importOf('contacts.csv', 'map.yaml', service.url, '--no-use-created'), { cwd })
    const log = join(cwd, 'results.ndjson')
    const [opening, ...outcomes] = linesOf(await readFile(log, 'utf8'))
    expect(Object.keys(opening)).toEqual([
      ...['run', 'at', 'rowlift', 'base_url', 'organization_id', 'record', 'mapping', 'mapping_sha256'],
      ...[
        'key_columns',
        'use_created',
        'delivery',
        'sources',
        'columns',
        'first_rows',
        'host',
        'looked_through',
        'intents',
        'chain',
        'crc32',
      ],
    ])
    expect(opening).toMatchObject({
      base_url: service.url,
      organization_id: 7,
      record: 'contact',
      use_created: false,
      delivery: 'at-most-once',
      sources: ['contacts.csv'],
    })
    expect(new Set(outcomes.map(line => line.run))).toEqual(new Set([opening.run]))
    expect((await stat(log)).mode & 0o777).toBe(0o600)
  })

  it('an import leaves alone what has its record, and tries again what has none', async () => {
    const service = await startService({
      react: (attempt, { body }) => (body.name === 'Cy' && attempt === 1 ? { answer: 422 } : 'create'),
    })
    const cwd = await files()
    const args = importOf('contacts.csv', 'map.yaml', service.url)
    await rowlift(args, { cwd })
    await writeFile(
      join(cwd, 'contacts.csv'),
      contacts.replace('nope', 'bob@example.com').replace('Ada,', 'Ada Lovelace,'),
    )
    const second = await rowlift(args, { cwd })
    expect(second.exitCode).toBe(1)
    expect(madeBy(service)).toEqual(['Ada', 'Bob', 'Cy'])
    expect(summaryOf(second)).toMatchObject({ created: 2, done: 1, duplicate: 1, changed: 1, conflicts: 1 })
    const third = await rowlift([...args, '--expect-conflicts', '1'], { cwd })
    expect(third.exitCode).toBe(0)
    expect(summaryOf(third)).toMatchObject({ created: 0, done: 3, duplicate: 1 })
    const outcomes = await outcomesIn(join(cwd, 'results.ndjson'))
    expect(outcomes.filter(line => line.status === 'duplicate')).toHaveLength(1)
  })

  it('an import still tells of a row that is invalid when another row with its key was created', async () => {
    const service = await startService()
    const cwd = await files({ 'contacts.csv': 'Name,Email\n,ada@example.com\nAda,ada@example.com\n' })
    await writeFile(join(cwd, 'map.yaml'), mapping.replace('"{{Name}}"', '{ from: Name, required: true }'))
    const args = importOf('contacts.csv', 'map.yaml', service.url)
    const first = await rowlift(args, { cwd })
    expect([first.exitCode, summaryOf(first)]).toMatchObject([1, { invalid: 1, created: 1, duplicate: 0 }])
    const second = await rowlift(args, { cwd })
    expect([second.exitCode, summaryOf(second)]).toMatchObject([1, { invalid: 0, done: 1, conflicts: 1 }])
    expect(service.made).toHaveLength(1)
  })

  it('an import imports only what is new of a full export that grows, though it has no key', async () => {
    const service = await startService()
    const cwd = await files({ 'task.yaml': taskMapping.replace('key: Id\n', '') })
    const args = importOf('tasks.csv', 'task.yaml', service.url)
    await rowlift(args, { cwd })
    await writeFile(
      join(cwd, 'tasks.csv'),
      tasks(7)
        .replace('Id,Name', 'Id,Name,New')
        .replaceAll(/(\d)\n/g, '$1,\n'),
    )
    expect(summaryOf(await rowlift(args, { cwd }))).toMatchObject({ created: 2, done: 5 })
    expect(service.made).toHaveLength(7)
  })

  it('an import makes two records of two equal rows without a key', async () => {
    const service = await startService()
    const cwd = await files({
      'tasks.csv': 'Name\nCall\nCall\n',
      'task.yaml': 'record: task\nbody: { name: "{{Name}}" }\n',
    })
    await rowlift(importOf('tasks.csv', 'task.yaml', service.url), { cwd })
    const outcomes = await outcomesIn(join(cwd, 'results.ndjson'))
    expect(outcomes.map(line => line.key)).toEqual([
      expect.stringMatching(/^sha256:[0-9a-f]{16}#1$/),
      expect.stringMatching(/#2$/),
    ])
    expect(service.made).toHaveLength(2)
  })

  it('an import reads several files and standard input, packed and plain, in their order', async () => {
    const service = await startService()
    const cwd = await files({
      'a.csv': 'Id,Name\n1,One\n',
      'b.csv.gz': gzipSync('Name,Id\nTwo,2\nOne again,1\n'),
    })
    await rowlift(['import', 'a.csv', '-', 'b.csv.gz', '-m', 'task.yaml', '-c', '1', ...into(service.url)], {
      cwd,
      stdin: 'Id,Name\n3,Three\n',
    })
    expect(service.made.map(made => made.name)).toEqual(['One', 'Three', 'Two'])
    expect(
      (await outcomesIn(join(cwd, 'results.ndjson'))).find(line => line.status === 'duplicate'),
    ).toMatchObject({ source: 'b.csv.gz', row: 2, same_as: { source: 'a.csv', row: 1 } })
  })

  it('an import sends no more than --limit rows, and the rest the next time', async () => {
    const service = await startService()
    const cwd = await files()
    const args = importOf('tasks.csv', 'task.yaml', service.url)
    const first = await rowlift([...args, '--limit', '2'], { cwd })
    expect(first.exitCode).toBe(0)
    expect(summaryOf(first)).toMatchObject({ created: 2, limit_reached: 2 })
    await rowlift(args, { cwd })
    expect(madeBy(service)).toEqual(taskNames(5))
  })

  it('an import writes the result log to stdout on demand, and nothing else', async () => {
    const service = await startService()
    const cwd = await files()
    const run = await rowlift(['import', 'tasks.csv', '-m', 'task.yaml', ...into(service.url, '-')], { cwd })
    expect(linesOf(run.stdout).map(line => line.status)).toEqual([
      undefined,
      ...Array(5).fill('created'),
      undefined,
    ])
  })

  it('an import never has more calls in flight than --concurrency, and reads on only as they settle', async () => {
    let inFlight = 0
    let most = 0
    const service = await startService({
      latencyMs: 20,
      react: () => {
        inFlight += 1
        most = Math.max(most, inFlight)
        setTimeout(() => {
          inFlight -= 1
        }, 15)
        return 'create'
      },
    })
    const cwd = await files({ 'tasks.csv': tasks(60) })
    await rowlift(importOf('tasks.csv', 'task.yaml', service.url, '-c', '4'), { cwd })
    expect(most).toBeLessThanOrEqual(4)
    expect(most).toBeGreaterThan(1)
    expect(service.made).toHaveLength(60)
  })
})

describe('two rows that the service takes for one contact', () => {
  it('two rows that the service takes for one contact are both logged, and end with 1', async () => {
    const recordId = '9d2f1c3e-0000-4000-8000-123456789abc'
    const service = await startService({
      react: () => ({ existing: recordId, createdAt: new Date().toISOString() }),
    })
    const cwd = await files({ 'contacts.csv': 'Name,Email\nAda,ada@example.com\nAda,ada@example.org\n' })
    const args = importOf('contacts.csv', 'map.yaml', service.url, '--use-created', '-c', '1')
    const run = await rowlift(args, { cwd })
    expect(run.exitCode).toBe(1)
    const sameAs = { source: 'contacts.csv', row: 1 }
    expect(
      (await outcomesIn(join(cwd, 'results.ndjson'))).map(line => [
        line.status,
        line.record_id,
        line.same_as,
      ]),
    ).toEqual([
      ['created', recordId, undefined],
      ['merged', recordId, sameAs],
    ])
    const merged = { record_id: recordId, row: { source: 'contacts.csv', row: 2 }, same_as: sameAs }
    expect(summaryOf(run)).toMatchObject({ created: 1, merged: 1, merged_rows: [merged] })
    expect(summaryOf(run).unmet).toMatchObject([{ code: 'too_many_merged', params: { actual: 1 } }])
  })

  it('two rows that the service takes for one contact are found in a later run too', async () => {
    const service = await startService({ similar: ({ body }) => body.name as string })
    const cwd = await files({ 'contacts.csv': 'Name,Email\nAda,ada@example.com\n' })
    const args = importOf('contacts.csv', 'map.yaml', service.url, '--use-created')
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    await writeFile(join(cwd, 'contacts.csv'), 'Name,Email\nBob,bob@example.com\nAda,ada@example.net\n')
    const later = await rowlift(args, { cwd })
    expect(later.exitCode).toBe(1)
    expect(summaryOf(later).merged_rows).toMatchObject([{ row: { row: 2 }, same_as: { row: 1 } }])
    const again = await rowlift(args, { cwd })
    expect(again.exitCode).toBe(0)
    expect(summaryOf(again)).toMatchObject({ merged: 0, done: 2 })
  })
})

describe('row in doubt', () => {
  const cutOnce = () =>
    startService({
      react: (attempt, { body }) =>
        body.name === 'Task 3' && attempt === 1 ? { cut: 'after creating' } : 'create',
    })

  it('a row in doubt is held under at-most-once, with what was sent, until it is to be sent again', async () => {
    const service = await cutOnce()
    const cwd = await files()
    const args = importOf('tasks.csv', 'task.yaml', service.url)
    expect((await rowlift(args, { cwd })).exitCode).toBe(1)
    expect((await outcomesIn(join(cwd, 'results.ndjson')))[2]).toMatchObject({
      status: 'in_doubt',
      attempts: 1,
      body: { name: 'Task 3' },
    })
    const held = await rowlift(args, { cwd })
    expect(held.exitCode).toBe(1)
    expect(summaryOf(held)).toMatchObject({ held: 1, done: 4, tried_again: 0, in_doubt_total: 1 })
    expect(service.calls).toHaveLength(5)
    const resent = await rowlift([...args, '--in-doubt', 'resend'], { cwd })
    expect(resent.exitCode).toBe(1)
    expect(summaryOf(resent)).toMatchObject({ created: 1, done: 4, in_doubt_total: 0, unclear: 1 })
    expect(madeBy(service).filter(name => name === 'Task 3')).toHaveLength(2)
    expect(
      (await outcomesIn(join(cwd, 'results.ndjson'))).find(
        ({ row, status }) => row === 3 && status === 'created',
      ),
    ).toMatchObject({
      attempts: 1,
      unclear_attempts: 1,
    })
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
  })

  it('a row in doubt makes every later run end with 1, even when it is no longer in the source', async () => {
    const service = await cutOnce()
    const cwd = await files()
    const args = importOf('tasks.csv', 'task.yaml', service.url)
    await rowlift(args, { cwd })
    await writeFile(join(cwd, 'tasks.csv'), 'Id,Name\n1,Task 1\n')
    const run = await rowlift(args, { cwd })
    expect(run.exitCode).toBe(1)
    expect(summaryOf(run)).toMatchObject({ done: 1, held: 0, in_doubt_total: 1 })
  })

  it('a row in doubt is tried again at once and in the next run under at-least-once', async () => {
    const service = await cutOnce()
    const cwd = await files()
    const run = await rowlift(
      importOf('tasks.csv', 'task.yaml', service.url, '--delivery', 'at-least-once'),
      { cwd },
    )
    expect(run.exitCode).toBe(1)
    expect((await outcomesIn(join(cwd, 'results.ndjson')))[2]).toMatchObject({
      status: 'created',
      attempts: 2,
      unclear_attempts: 1,
    })
  })
})
