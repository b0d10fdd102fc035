import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { intentLine } from '../../../../src/store/files/lines.ts'
import { importing, tasks } from '../../../support/imports.ts'
import { lineText, openingLine } from '../../../support/log-files.ts'
import { linesOf, outcomesIn, rowlift } from '../../../support/rowlift.ts'
import type { Reaction } from '../../../support/service.ts'

interface Exported {
  readonly name: string
  readonly recordId: string
}

/** Cuts the call of each fifth task once it made its record, and of each seventh before. */
function cutSome(name: unknown): Reaction {
  const number = Number(String(name).slice(5))
  if (number % 5 === 0) return { cut: 'after creating' }
  return number % 7 === 0 ? { cut: 'before reading' } : 'create'
}

/** An import of tasks with rows in doubt, and the records that its log knows. */
async function imported(count: number, react = cutSome) {
  let isFaulty = true
  const { service, cwd, args, log } = await importing(
    count,
    { react: (_, { body }) => (isFaulty ? react(body.name) : 'create') },
    ...['-c', '50', '--retries', '0', '--max-failures', '100%'],
  )
  const again = () => rowlift(args, { cwd })
  const write = (name: string, text: string) => writeFile(join(cwd, name), text)
  expect((await again()).exitCode).toBe(1)
  isFaulty = false
  const outcomes = await outcomesIn(log)
  const ids = new Set(outcomes.map(({ record_id }) => record_id))
  const known = service.made.filter(({ recordId }) => ids.has(recordId))
  const unknown = service.made.filter(({ recordId }) => !ids.has(recordId))
  const command = ['resolve', 'results.ndjson', '--from', 'export.csv', '--id', 'Id', '--match', 'Name=name']
  const resolve = (...words: string[]) => rowlift([...command, ...words], { cwd })
  const complete = async (records: readonly Exported[], ...words: string[]) => {
    await write(
      'export.csv',
      `Id,Name\n${records.map(({ recordId, name }) => `${recordId},${name}\n`).join('')}`,
    )
    const { exitCode, stderr, stdout } = await resolve('--complete', ...words)
    return { exitCode, stderr, decided: linesOf(stdout).map(({ decision }) => decision) }
  }
  const refused = { exitCode: 2, decided: [] }
  return { service, cwd, log, again, write, known, unknown, resolve, complete, refused }
}

const namesOf = (records: readonly Exported[]) => records.map(({ name }) => name).sort()

describe('an export that is said to be complete', () => {
  it('an export that is complete settles all rows, none of which is created twice', async () => {
    const { service, again, complete } = await imported(70)
    const { exitCode, decided } = await complete(service.made)
    expect(exitCode).toBe(0)
    expect(decided.filter(decision => decision === 'created')).toHaveLength(14)
    expect(decided.filter(decision => decision === 'failed')).toHaveLength(8)
    expect((await again()).exitCode).toBe(0)
    expect(new Set(namesOf(service.made)).size).toBe(70)
    expect(service.made).toHaveLength(70)
  })

  it('an export with half of the records is refused with those that it lacks, and nothing is written', async () => {
    const { service, log, complete, known, unknown, refused } = await imported(70)
    const inFlight = `${log}.inflight`
    const identity = { source: 'tasks.csv', row: 71, line: 72, key: '71', hash: '0123456789abcdef' }
    const call = intentLine('R2', new Date(), { identity, json: '{"name":"Task 71"}' })
    await writeFile(inFlight, lineText(openingLine('R2', { record: 'task' })) + lineText(JSON.parse(call)))
    const before = [await readFile(log), await readFile(inFlight)]
    const half = service.made.slice(0, service.made.length / 2)
    const lacking = known.filter(record => !half.includes(record))
    for (const words of [[], ['--dry-run']]) {
      const { stderr, ...end } = await complete(half, ...words)
      expect(end).toEqual(refused)
      const [message, ...rows] = stderr.trimEnd().split('\n')
      expect(message).toContain(
        `export.csv: does not show what was not created: of the 48 records that results.ndjson knows it lacks ${lacking.length}, and 0 have other values`,
      )
      expect(message).toContain(`${lacking.length - 20} others:`)
      const ids = new Map(lacking.map(({ recordId, name }) => [recordId, name.slice(5)]))
      expect(rows).toHaveLength(20)
      for (const row of rows) {
        const [, id = ''] = /: ([-\da-f]{36})/.exec(row) ?? []
        expect(row).toContain(`tasks.csv row ${ids.get(id)}, key ${ids.get(id)}: ${id}`)
      }
      expect(rows.at(-1)).toContain('; export all of them')
    }
    expect([await readFile(log), await readFile(inFlight)]).toEqual(before)
    expect((await complete([...known, ...unknown])).exitCode).toBe(0)
  })

  it('an export whose matched column is empty is refused', async () => {
    const { service, complete, refused } = await imported(10)
    const { stderr, ...end } = await complete(service.made.map(({ recordId }) => ({ recordId, name: ' ' })))
    expect(stderr).toContain('export.csv: its column "Name" is empty in every row')
    expect(end).toEqual(refused)
  })

  it('an export may lack one record in a hundred, and one of fifty is more', async () => {
    const small = await imported(50, name => (name === 'Task 1' ? { cut: 'after creating' } : 'create'))
    await rm(join(small.cwd, 'tasks.csv')) // what is missing is told first
    const { stderr, ...end } = await small.complete([...small.known.slice(1), ...small.unknown])
    expect(stderr).toContain('of the 49 records that results.ndjson knows it lacks 1, and 0 have')
    expect(end).toEqual(small.refused)
    const large = await imported(1001, name => (name === 'Task 1' ? { cut: 'after creating' } : 'create'))
    expect(await large.complete([...large.known.slice(11), ...large.unknown])).toMatchObject(large.refused)
    expect((await large.complete([...large.known.slice(10), ...large.unknown])).exitCode).toBe(0)
  })

  it.each<[string, (ids: readonly string[]) => string]>([
    ['one a line', ids => `${ids.join('\n')}\n`],
    ['one a line, in capitals', ids => `\n${ids.join('\r\n').toUpperCase()}`],
    ['a table', ids => `key;record_id\n${ids.map(id => `"a;b";${id}\n`).join('')}`],
    ['objects', ids => ids.map(record_id => `${JSON.stringify({ record_id })}\n`).join('')],
  ])('an export may lack records that are known to be gone: %s', async (_, textOf) => {
    const { complete, known, unknown, write } = await imported(20)
    const rest = [...known.slice(2), ...unknown]
    const ids = known.map(({ recordId }) => recordId)
    await write('gone.txt', textOf(ids.slice(0, 2)))
    expect((await complete(rest, '--known-gone', 'gone.txt', '--dry-run')).exitCode).toBe(0)
    await write('gone.txt', textOf(ids.slice(0, 1)))
    expect((await complete(rest, '--known-gone', 'gone.txt')).stderr).toContain('knows it lacks 1, and')
  })

  it('an export is not compared without a whole list of what is gone', async () => {
    const { complete, known, service, write, resolve, refused } = await imported(20)
    const id = known[0]?.recordId
    for (const [text, message] of [
      [`${id}\nTask 1\n`, 'gone.csv:2: is not the id of a record; write one in each line'],
      ['Task 1\n', 'gone.csv:1: is not the id'],
      [`key,record_id\n1,${id}\n2,\n`, 'gone.csv:3: is not the id'],
      [`record_id\n${id}\n${id},2\n`, 'gone.csv:3: has 2 cells'],
      [`key,recordid\n1,${id}\n`, 'there is no column "record_id"; did you mean "recordid"'],
    ] as const) {
      await write('gone.csv', text)
      const { stderr, ...end } = await complete(service.made, '--known-gone', 'gone.csv')
      expect(stderr).toContain(message)
      expect(end).toEqual(refused)
    }
    const { exitCode, stderr } = await resolve('--known-gone', 'gone.csv')
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('say which rows')])
  })

  it('an export is refused if records are not as their rows', async () => {
    const { complete, known, unknown, refused } = await imported(20)
    const [first, ...others] = known
    const renamed = { ...first, name: 'Task X' } as Exported
    const { stderr, ...end } = await complete([renamed, ...others, ...unknown])
    expect(end).toEqual(refused)
    expect(stderr).toContain('it lacks 0, and 1 have other values than were sent')
    expect(stderr).toContain(`: ${first?.recordId}; export all`)
  })

  it.each<[string, string, string | undefined]>([
    ['a source that is gone', 'tasks.csv', undefined],
    ['a source with fewer rows', 'tasks.csv', tasks(15)],
    ['a source with another row', 'tasks.csv', tasks(20).replace('Task 3\n', 'Task three\n')],
    ['a mapping that is gone', 'task.yaml', undefined],
    ['another mapping', 'task.yaml', 'record: task\nkey: Id\nbody: { name: "{{Name}}!" }\n'],
    ['a mapping with another key', 'task.yaml', 'record: task\nkey: Name\nbody: { name: "{{Name}}" }\n'],
  ])('an export is not compared with %s', async (_, file, text) => {
    const { complete, service, cwd, again, refused } = await imported(20)
    expect((await again()).exitCode).toBe(1) // all are left alone, or held
    const path = join(cwd, file)
    const before = await readFile(path)
    await (text === undefined ? rm(path) : writeFile(path, text))
    const { stderr, ...end } = await complete(service.made)
    expect(stderr).toContain(
      `${file}: is gone, or is not what the last run of results.ndjson read; put it back`,
    )
    expect(end).toEqual(refused)
    await writeFile(path, before)
    expect((await complete(service.made)).exitCode).toBe(0)
  })

  it('an export is compared although rows of earlier nights read differently or do not come any more', async () => {
    const { complete, service, cwd, again, write, refused } = await imported(20)
    const later = tasks(40).split('\n').slice(12).join('\n')
    await write('tasks.csv', `Id,Name\n12,Task twelve\n${later}`)
    expect((await again()).exitCode).toBe(1)
    const all = (await readFile(join(cwd, 'tasks.csv'), 'utf8')).replace('Task 33', 'Task 33!')
    const source = await readFile(join(cwd, 'tasks.csv'))
    await write('tasks.csv', all)
    expect(await complete(service.made)).toMatchObject(refused)
    await write('tasks.csv', String(source))
    expect((await complete(service.made)).exitCode).toBe(0)
  })

  it('an export is compared with the rows of the last mapping, of which there must be one', async () => {
    const { service, again, write, complete, refused } = await imported(10)
    await write('task.yaml', 'record: task\nkey: Id\nbody: { name: "Task {{Id}}" }\n')
    expect((await again()).exitCode).toBe(1)
    const none = await complete(service.made)
    expect(none).toMatchObject(refused)
    expect(none.stderr).toContain('no record that results.ndjson knows could be compared with it')
    await write('tasks.csv', tasks(12).replace('Task 3\n', 'Task three\n'))
    expect((await again()).exitCode).toBe(1)
    expect((await complete(service.made)).exitCode).toBe(0)
  })

  it('an export is not compared with a changed row although a person settled others', async () => {
    const { unknown, service, cwd, write, complete, refused } = await imported(20)
    const [{ name, recordId } = { name: '', recordId: '' }] = unknown
    const byHand = ['resolve', 'results.ndjson', '--key', name.slice(5), '--record-id', recordId]
    expect((await rowlift(byHand, { cwd })).exitCode).toBe(0)
    await write('tasks.csv', tasks(20).replace('Task 3\n', 'Task three\n'))
    expect(await complete(service.made)).toMatchObject(refused)
  })

  it('an export is shown to be complete by no record that it gave itself', async () => {
    const { complete, service, cwd, resolve, refused } = await imported(10, name =>
      Number(String(name).slice(5)) % 2 === 0 ? { cut: 'after creating' } : { cut: 'before reading' },
    )
    const none = await complete(service.made)
    expect(none).toMatchObject(refused)
    expect(none.stderr).toContain('no record that results.ndjson knows could be compared with it')
    await complete(service.made.slice(2), '--dry-run')
    expect((await resolve()).stderr).toContain(
      '3 have their record, 0 were not created; 7 rows are in doubt still',
    )
    expect(await complete(service.made.slice(2))).toMatchObject(refused)
    const byHand = ['resolve', 'results.ndjson', '--all', '--not-created']
    expect((await rowlift(byHand, { cwd })).exitCode).toBe(0)
  })

  it('an export is not tested if no row is in doubt', async () => {
    const { complete, service, cwd } = await imported(10)
    await complete(service.made)
    await rm(join(cwd, 'tasks.csv'))
    expect((await complete([])).exitCode).toBe(0)
  })

  it('an export may come from standard input', async () => {
    const { service, cwd } = await imported(10)
    const rows = service.made.map(({ recordId, name }) => `${recordId},${name}\n`)
    const words = ['--from', '-', '--id', 'Id', '--match', 'Name=name', '--complete']
    const from = (stdin: string) => rowlift(['resolve', 'results.ndjson', ...words], { cwd, stdin })
    expect((await from(`Id,Name\n${rows.slice(2).join('')}`)).exitCode).toBe(2)
    expect((await from(`Id,Name\n${rows.join('')}`)).exitCode).toBe(0)
  })

  it('an export is not compared with rows that came from standard input', async () => {
    const { service, cwd, args } = await importing(4, {
      react: (_, { body }) => (body.name === 'Task 1' ? { cut: 'after creating' } : 'create'),
    })
    const piped = args.map(word => (word === 'tasks.csv' ? '-' : word))
    expect((await rowlift(piped, { cwd, stdin: tasks(4) })).exitCode).toBe(1)
    const rows = service.made.map(({ recordId, name }) => `${recordId},${name}\n`)
    await writeFile(join(cwd, 'export.csv'), `Id,Name\n${rows.join('')}`)
    const words = ['--from', 'export.csv', '--id', 'Id', '--match', 'Name=name', '--complete']
    const { exitCode, stderr } = await rowlift(['resolve', 'results.ndjson', ...words], { cwd })
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('standard input: is gone, or is not what'),
    ])
  })
})
