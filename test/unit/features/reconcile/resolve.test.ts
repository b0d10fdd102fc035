import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, importOf, tasks } from '../../../support/imports.ts'
import { logOf, openingLine, rowLine } from '../../../support/log-files.ts'
import { linesOf, outcomesIn, rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, startService } from '../../../support/service.ts'

const log = 'results.ndjson'
const id = '9d2f0000-0000-4000-8000-000000000001'

/** A log of four tasks, the second and third of which hang and are in doubt. */
async function withDoubts() {
  let hangs = true
  const service = await startService({
    react: (_, { body }) =>
      hangs && /^Task [23]$/.test(String(body.name)) ? { cut: 'before reading' } : 'create',
  })
  const cwd = await files({ 'tasks.csv': tasks(4) })
  const args = importOf('tasks.csv', 'task.yaml', service.url)
  expect((await rowlift(args, { cwd })).exitCode).toBe(1)
  hangs = false
  return { service, cwd, args, resolve: (...words: string[]) => rowlift(['resolve', log, ...words], { cwd }) }
}

describe('rows in doubt', () => {
  it('rows in doubt are listed with what was sent, and with what to do', async () => {
    const { resolve } = await withDoubts()
    const { exitCode, stdout, stderr } = await resolve()
    expect(exitCode).toBe(0)
    expect(linesOf(stdout)).toMatchObject([
      { source: 'tasks.csv', row: 2, key: '2', status: 'in_doubt', body: { name: 'Task 2' } },
      { source: 'tasks.csv', row: 3, key: '3', status: 'in_doubt', body: { name: 'Task 3' } },
    ])
    expect(stderr).toContain('2 rows are in doubt in results.ndjson')
    expect(stderr).toContain('rowlift resolve results.ndjson --key KEY --record-id ID')
  })

  it('rows in doubt are listed on a terminal each on a line, by what a person can look for', async () => {
    const { cwd } = await withDoubts()
    const terminal = (...words: string[]) => rowlift(['resolve', log, ...words], { cwd, onTerminal: true })
    const { stdout, stderr } = await terminal()
    expect(stdout.split('\n').map(line => line.trim().split(/ {2,}/))).toEqual([
      ['key', 'name', 'since (UTC)', 'run'],
      ['2', 'Task 2', expect.stringMatching(/^[\d-]{10} [\d:]{8}$/), expect.any(String)],
      ['3', 'Task 3', expect.stringMatching(/^[\d-]{10} [\d:]{8}$/), expect.any(String)],
      [''],
      [''],
    ])
    expect(stderr).toContain('all that was sent:      rowlift resolve results.ndjson --key KEY')

    const one = await terminal('--key', '3')
    expect(one.stdout).toContain('tasks.csv:4 (row 3)')
    expect(one.stdout).toContain('"name": "Task 3"')
    expect(one.stdout).not.toContain('Task 2')
    expect(one.stderr).toContain('rowlift resolve results.ndjson --key 3 --not-created')
    expect(linesOf((await rowlift(['resolve', log, '--key', '3'], { cwd })).stdout)).toMatchObject([
      { key: '3', body: { name: 'Task 3' } },
    ])
  })

  it('rows in doubt are cut on a terminal if there are many, and whole elsewhere', async () => {
    const contact = (row: number) => ({
      name: row === 7 ? 'Ann\u001b[31m' : `N${row}`,
      emails: [{ email: `${row}@example.org` }],
      phones: [{ phone_number: '+49 30 1' }],
    })
    const doubts = Array.from({ length: 70 }, (_, at) =>
      rowLine('in_doubt', at, { errors: [], body: contact(at) }),
    )
    const file = await logOf(openingLine(), ...doubts)
    const options = { cwd: dirname(file) }
    const listed = await rowlift(['resolve', log], { ...options, onTerminal: true })
    const lines = listed.stdout.split('\n')
    expect(lines.filter(line => line.includes('@example.org'))).toHaveLength(50)
    expect(lines[8]).toMatch(/^k7 +Ann␛\[31m +7@example\.org +\+49 30 1 +2026-11-21 08:00:01 +R1$/)
    expect(listed.stderr).toContain(
      '70 rows are in doubt in results.ndjson, of which the first 50 are shown.',
    )
    expect(listed.stderr).toContain('all of them:            rowlift resolve results.ndjson > doubts.ndjson')
    expect(linesOf((await rowlift(['resolve', log], options)).stdout)).toEqual(doubts)
  })

  it('rows in doubt are settled one by one, by their record or without one', async () => {
    const { service, cwd, args, resolve } = await withDoubts()
    expect(await resolve('--key', '2', '--record-id', id)).toMatchObject({
      exitCode: 0,
      stderr: 'results.ndjson: 1 row settled; 1 row is in doubt still.\n',
    })
    expect(await resolve('--key', '3', '--not-created')).toMatchObject({
      exitCode: 0,
      stderr: 'results.ndjson: 1 row settled; no row is in doubt any more.\n',
    })
    const byHand = (await outcomesIn(join(cwd, log))).filter(line => line.by_hand)
    expect(byHand).toMatchObject([
      { row: 2, line: 3, key: '2', status: 'created', record_type: 'task', record_id: id, by_hand: true },
      { row: 3, line: 4, key: '3', status: 'failed', record_type: 'task', by_hand: true },
    ])

    const next = await rowlift(args, { cwd })
    expect(next.exitCode).toBe(0)
    expect(summaryOf(next)).toMatchObject({ done: 3, created: 1, tried_again: 1, in_doubt_total: 0 })
    expect(madeBy(service)).toEqual(['Task 1', 'Task 3', 'Task 4'])
  })

  it('rows in doubt are settled all at once if none was created', async () => {
    const { service, cwd, args, resolve } = await withDoubts()
    expect((await resolve('--all', '--not-created')).stderr).toBe(
      'results.ndjson: 2 rows settled; no row is in doubt any more.\n',
    )
    expect((await resolve()).stderr).toBe('No row is in doubt in results.ndjson.\n')
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
    expect(service.made).toHaveLength(4)
  })

  it('rows in doubt are sent again by an import on request, and reported as settled', async () => {
    const { service, cwd, args } = await withDoubts()
    const resent = await rowlift([...args, '--in-doubt', 'resend'], { cwd })
    expect(resent.exitCode, 'a doubt that is sent again may be made twice').toBe(1)
    expect(summaryOf(resent)).toMatchObject({ created: 2, done: 2, in_doubt_total: 0, unclear: 2 })
    expect(service.made).toHaveLength(4)
  })

  it('rows in doubt are not settled by words that leave it open which rows or how', async () => {
    const { cwd, resolve } = await withDoubts()
    const before = await readFile(join(cwd, log), 'utf8')
    const open = 'say which rows, and what became of them'
    for (const [words, message] of [
      [['--key', '1', '--not-created'], 'its record is known'],
      [['--key', '77', '--not-created'], 'the log has no such row'],
      [['--key', '2', '--record-id', 'x'], '--record-id: must be a UUID'],
      [['--key', '2', '--record-id', '00000000-0000-0000-0000-000000000000'], '--record-id: is no record'],
      [['--key', '2', '--record-id', id, '--not-created'], open],
      [['--key', '77'], 'the log has no such row'],
      [['--all', '--record-id', id], open],
      [['--all', '--key', '2', '--not-created'], open],
      [['other.ndjson'], 'name one result log'],
    ] as const) {
      const { exitCode, stderr } = await resolve(...words)
      expect(stderr).toContain(message)
      expect(exitCode).toBe(2)
    }
    expect(await readFile(join(cwd, log), 'utf8')).toBe(before)
  }, 30_000)

  it('rows in doubt are not settled by the record of another row', async () => {
    const { cwd, resolve } = await withDoubts()
    const created = (await outcomesIn(join(cwd, log))).find(line => line.status === 'created')
    const { exitCode, stderr } = await resolve('--key', '2', '--record-id', created.record_id.toUpperCase())
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/results\.ndjson: the record \S+ is that of tasks\.csv row \d/)
  })

  it('rows in doubt are not looked for in a log that is not there, or is none', async () => {
    const cwd = await files()
    const none = await rowlift(['resolve', 'none.ndjson'], { cwd })
    expect(none).toMatchObject({ exitCode: 2 })
    expect(none.stderr).toContain('none.ndjson: there is no such result log')
    await writeFile(join(cwd, 'x'), 'hello\n')
    expect((await rowlift(['resolve', 'x'], { cwd })).stderr).toContain(
      'x: is not a result log, or its beginning is missing',
    )
  })
})

describe('record of an earlier run that another row gets', () => {
  it.each([
    ['tasks', 'tasks.csv', 'task.yaml'],
    ['contacts without --use-created', 'contacts.csv', 'map.yaml'],
  ])(
    'a record of an earlier run that another row gets leaves it in doubt, for %s',
    async (_kind, source, map) => {
      const given = ['a', 'b', 'a', 'B'].map(last => `9d2f0000-0000-4000-8000-00000000000${last}`)
      const service = await startService({
        react: () => ({ answer: 200, body: JSON.stringify({ record_id: given.shift() }) }),
      })
      const header = source === 'tasks.csv' ? 'Id' : 'Email'
      const rows = (count: number) =>
        `Name,${header}\n${['Ada', 'Bob', 'Cy', 'Di']
          .slice(0, count)
          .map(name => `${name},${name}@example.com\n`)
          .join('')}`
      const cwd = await files({ [source]: rows(2) })
      const args = importOf(source, map, service.url, '-c', '1')
      expect((await rowlift(args, { cwd })).exitCode).toBe(0)
      await writeFile(join(cwd, source), rows(4))
      expect((await rowlift(args, { cwd })).exitCode).toBe(1)
      const outcomes = await outcomesIn(join(cwd, log))
      expect(outcomes.slice(2)).toMatchObject(
        [3, 4].map(row => ({
          row,
          status: 'in_doubt',
          errors: [
            {
              code: 'record_id_taken',
              message: expect.stringContaining(`the record_id of ${source} row ${row - 2}: 9d2f`),
            },
          ],
          body: { name: row === 3 ? 'Cy' : 'Di' },
        })),
      )
      expect(outcomes[2]).not.toHaveProperty('record_id')
      await rowlift(args, { cwd })
      expect(service.calls).toHaveLength(4) // they are held
      const taken = ['--key', String(outcomes[2]?.key), '--record-id', '9d2f0000-0000-4000-8000-00000000000A']
      const refused = await rowlift(['resolve', log, ...taken], { cwd })
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`${source} row 1`)])
    },
  )
})
