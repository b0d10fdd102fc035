import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importRows, LockError, SourceError, UsageError } from '../../../src/index.ts'
import { tempFolder } from '../../support/cleanup.ts'
import { files, taskNames } from '../../support/imports.ts'
import { closedLatch } from '../../support/latch.ts'
import { collected, intoService, taskMapping, taskRows, until } from '../../support/library.ts'
import { linesOf, outcomesIn } from '../../support/rowlift.ts'
import { madeBy, type Reaction, startService } from '../../support/service.ts'

const logIn = async () => join(await tempFolder(), 'results.ndjson')

/** An import of 100 rows from its beginning to its end: time enough for another one to do what it must not. */
async function anotherImport(): Promise<void> {
  const { url } = await startService()
  const run = importRows({ ...intoService(url, await logIn()), concurrency: 2, rows: taskRows(100) })
  expect((await run.summary()).rows.created).toBe(100)
}

describe('import by a program', () => {
  it('an import by a program returns every outcome once it is in the log, and then the summary', async () => {
    const service = await startService()
    const results = await logIn()
    const run = importRows({ ...intoService(service.url, results), rows: taskRows(5) })
    const seen: string[] = []
    for await (const outcome of run) {
      if (outcome.status !== 'created') throw new Error(outcome.status)
      const logged = (await outcomesIn(results)).find(line => line.key === outcome.key)
      expect(logged).toMatchObject({ record_id: outcome.recordId, hash: outcome.hash, source: '-' })
      seen.push(outcome.key)
    }
    expect(seen.sort()).toEqual(['1', '2', '3', '4', '5'])
    expect(await run.summary()).toMatchObject({
      rows: { created: 5 },
      stopped: undefined,
      exitCode: 0,
      inDoubt: 0,
      written: results,
      unwritten: [],
    })
    expect(madeBy(service)).toEqual(taskNames(5))
  })

  it('an import by a program returns outcomes of every kind, with their own fields', async () => {
    const reactions: Record<string, Reaction> = {
      Refused: { answer: 400, body: '{"error":"no"}' },
      Lost: { cut: 'after creating' },
    }
    const service = await startService({ react: (_, { body }) => reactions[String(body.name)] ?? 'create' })
    const results = await logIn()
    const options = {
      ...intoService(service.url, results),
      concurrency: 1,
      mapping: { record: 'task', key: 'Id', body: { name: { from: 'Name', required: true } } },
    }
    const rows = [
      { Id: 'a', Name: 'Fine' },
      { Id: 'a', Name: 'Again' },
      { Id: 'b', Name: '' },
      { Id: 'c', Name: 'Refused' },
      { Id: 'd', Name: 'Lost' },
    ]
    const outcomes = await collected(importRows({ ...options, rows }))
    expect(outcomes).toMatchObject([
      { status: 'created', row: 1, line: 1, key: 'a', attempts: 1, httpStatus: 200 },
      { status: 'duplicate', sameAs: { source: '-', row: 1 } },
      { status: 'invalid', errors: [{ path: 'name', column: 'Name' }] },
      { status: 'failed', httpStatus: 400, errors: [{ body: '{"error":"no"}' }] },
      { status: 'in_doubt', body: { name: 'Lost' } },
    ])
    const again = importRows({ ...options, rows: [{ Id: 'a', Name: 'Changed' }, rows[4] ?? {}] })
    expect(await collected(again)).toMatchObject([
      { status: 'done', changed: true, key: 'a' },
      { status: 'held', key: 'd' },
    ])
    expect(await again.summary()).toMatchObject({
      rows: { done: 1, held: 1, created: 0 },
      changed: 1,
      inDoubt: 1,
      exitCode: 1,
    })
    expect(service.calls).toHaveLength(3)
  })

  it('an import by a program runs to its end without a loop', async () => {
    const service = await startService()
    const run = importRows({ ...intoService(service.url, await logIn()), rows: taskRows(60) })
    const [first, second] = await Promise.all([run.summary(), run.summary()])
    expect(first.rows.created).toBe(60)
    expect(second).toBe(first)
    expect(madeBy(service)).toHaveLength(60)
  })

  it('an import by a program reads and sends nothing before it is asked', async () => {
    const service = await startService()
    let taken = 0
    function* rows() {
      taken += 1
      yield { Id: 1, Name: 'Task 1' }
    }
    const results = await logIn()
    const run = importRows({ ...intoService(service.url, results), rows: rows() })
    await anotherImport()
    expect(taken).toBe(0)
    await expect(stat(results)).rejects.toThrow('ENOENT')
    await run.summary()
    expect(madeBy(service)).toEqual(['Task 1'])
  })

  it('an import by a program waits for a loop that is slow', async () => {
    const service = await startService()
    const run = importRows({
      ...intoService(service.url, await logIn()),
      concurrency: 2,
      rows: taskRows(100),
    })
    const outcomes = run[Symbol.asyncIterator]()
    await outcomes.next()
    await anotherImport()
    expect(service.calls.length).toBeLessThan(20) // two calls a slot, and those that were being taken
    expect((await collected({ [Symbol.asyncIterator]: () => outcomes })).length).toBe(99)
  })

  it('an import by a program reads files, and lists of files, with the mapping of a file', async () => {
    const service = await startService()
    const cwd = await files({ 'more.csv': 'Id,Name\n6,Task 6\n' })
    const run = importRows({
      ...intoService(service.url, join(cwd, 'results.ndjson')),
      mapping: join(cwd, 'task.yaml'),
      source: [join(cwd, 'tasks.csv'), join(cwd, 'more.csv')],
    })
    expect((await run.summary()).rows.created).toBe(6)
    expect(madeBy(service)).toEqual(taskNames(6))
  })

  it('an import by a program goes on after the command ended, and the other way round', async () => {
    const service = await startService()
    const cwd = await files()
    const options = {
      ...intoService(service.url, join(cwd, 'results.ndjson')),
      mapping: join(cwd, 'task.yaml'),
      source: join(cwd, 'tasks.csv'),
    }
    expect((await importRows({ ...options, limit: 2 }).summary()).limitReached).toBe(2)
    expect((await importRows(options).summary()).rows).toMatchObject({ created: 3, done: 2 })
    expect(service.calls[0]?.headers.authorization).toBe('Bearer a-secret-token')
  })

  it('an import by a program returns what would be sent in a dry run, and writes nothing', async () => {
    const cwd = await tempFolder()
    const preview = join(cwd, 'preview.ndjson')
    const run = importRows({ rows: taskRows(2), mapping: taskMapping, dryRun: true, preview })
    expect(await collected(run)).toMatchObject([
      { status: 'valid', key: '1', body: { name: 'Task 1' }, hash: expect.stringMatching(/^[0-9a-f]{16}$/) },
      { status: 'valid', key: '2', body: { name: 'Task 2' } },
    ])
    expect(await run.summary()).toMatchObject({ dryRun: true, rows: { valid: 2 }, written: preview })
    expect(linesOf(await readFile(preview, 'utf8'))).toHaveLength(2)
  })

  it('an import by a program may run at the same time as others, each with its own log', async () => {
    const service = await startService({ latencyMs: 5 })
    const runs = await Promise.all(
      ['a', 'b', 'c'].map(async name => {
        const rows = Array.from({ length: 40 }, (_, at) => ({ Id: at, Name: `${name} ${at}` }))
        const run = importRows({ ...intoService(service.url, await logIn()), rows, concurrency: 4 })
        return { name, outcomes: await collected(run), summary: await run.summary() }
      }),
    )
    for (const { summary, outcomes } of runs) {
      expect(summary.rows.created).toBe(40)
      expect(new Set(outcomes.map(({ key }) => key)).size).toBe(40)
    }
    expect(new Set(madeBy(service)).size).toBe(120)
  })

  it('an import by a program follows lookups from the working directory, and its own', async () => {
    const service = await startService()
    const cwd = await tempFolder()
    await writeFile(join(cwd, 'users.csv'), 'email,user_id\na@example.com,12\n')
    const mapping = {
      record: 'task',
      key: 'Id',
      lookups: {
        users: { file: join(cwd, 'users.csv'), key: 'email', value: 'user_id' },
        tasks: { self: true, by: 'Id' },
      },
      body: {
        name: '{{Name}}',
        assigned_user_id: { from: 'User', lookup: 'users', as: 'integer' },
        parent: { record_id: { from: 'Parent', lookup: 'tasks' } },
      },
      allow_unknown_fields: true,
    }
    const rows = [
      { Id: 1, Name: 'Child', User: 'A@example.com', Parent: 2 },
      { Id: 2, Name: 'Parent', User: null, Parent: null },
    ]
    const summary = await importRows({
      ...intoService(service.url, await logIn()),
      mapping,
      rows,
    }).summary()
    expect(summary.reasons).toEqual([])
    expect(service.calls.map(({ body }) => body)).toEqual([
      { name: 'Parent' },
      { name: 'Child', assigned_user_id: 12, parent: { record_id: service.made[0]?.recordId } },
    ])
  })
})

describe('import that cannot begin', () => {
  const refused: readonly (readonly [string, object, string])[] = [
    [
      'an option that is none',
      { concurency: 2 },
      'concurency: there is no such option; did you mean "concurrency"?',
    ],
    ['a value that is none', { concurrency: 0 }, 'concurrency: must be at least 1'],
    ['a lock that is never alive', { lockTimeout: 0 }, 'lockTimeout: must be above 0'],
    ['no results', { results: undefined }, 'results is required'],
    ['no token', { token: undefined }, 'token is required'],
    ['an empty token', { token: ' ' }, 'token: contains no token'],
    ['no mapping', { mapping: undefined }, 'mapping is required'],
    ['no rows', { rows: undefined }, 'either source or rows'],
    ['rows and source', { source: 'a.csv' }, 'either source or rows'],
    ['rows that are none', { rows: { a: 1 } }, 'rows: must be a list of objects'],
    ['standard input', { rows: undefined, source: '-' }, 'source: "-" is a stream of the process'],
    ['standard output', { results: '-' }, 'results: "-" is a stream of the process'],
    ['a format of rows', { format: 'csv' }, 'belong to source'],
    [
      'a host in the clear',
      { baseUrl: 'http://example.com' },
      'baseUrl: http://example.com would send the token',
    ],
    ['a mapping with a fault', { mapping: { record: 'tsk', body: {} } }, 'mapping object:2:13: record:'],
    ['a mapping that is in a circle', { mapping: circle() }, 'mapping: JSON cannot represent it'],
    ['a preview of no dry run', { preview: 'p.ndjson' }, 'preview needs dryRun'],
  ]
  it.each(refused)(
    'an import that cannot begin rejects with a UsageError, in the words of code, for %s',
    async (_, changes, message) => {
      const options = { ...intoService('http://127.0.0.1:9', await logIn()), rows: taskRows(1), ...changes }
      const error = await importRows(options as never)
        .summary()
        .catch(error => error)
      expect(error).toBeInstanceOf(UsageError)
      expect(error.message).toContain(message)
      expect(error.message).not.toContain('--')
      await expect(collected(importRows(options as never))).rejects.toThrow(UsageError)
    },
  )

  it('an import that cannot begin rejects with a SourceError for a source that is not there', async () => {
    const run = importRows({ ...intoService('http://127.0.0.1:9', await logIn()), source: 'none.csv' })
    await expect(collected(run)).rejects.toThrow(SourceError)
    await expect(run.summary()).rejects.toThrow('none.csv: there is no such file')
  })

  it('an import that cannot begin rejects with a LockError while another holds the log', async () => {
    const refused = closedLatch()
    const service = await startService({ holds: () => refused.opened })
    const options = { ...intoService(service.url, await logIn()), rows: taskRows(2), concurrency: 1 }
    const first = importRows({ ...options, lockTimeout: 1 }).summary()
    await until(() => service.calls.length > 0)
    await expect(importRows(options).summary()).rejects.toThrow(LockError)
    refused.open()
    expect((await first).rows.created).toBe(2)
  })
})

function circle(): object {
  const mapping: Record<string, unknown> = { record: 'task' }
  mapping.body = mapping
  return mapping
}
