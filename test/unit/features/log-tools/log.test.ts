import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { answered, logOf, openingLine, rowLine } from '../../../support/log-files.ts'
import { linesOf, rowlift } from '../../../support/rowlift.ts'

const made = (id: number, more: object = {}) => ({
  record_id: `00000000-0000-4000-8000-00000000000${id}`,
  ...more,
})
const took = (ms: number) => ({ attempts: 2, duration_ms: ms, http_status: 200 })

/** Three runs, of which the last says how it ended; between them a person settled a row. */
const threeRuns = () =>
  logOf(
    openingLine('R1'),
    rowLine('created', 1, made(1, took(40))),
    rowLine('failed', 2, answered(500, 'no')),
    rowLine('in_doubt', 3, { errors: [{ message: 'the connection was cut' }], body: { name: 'C' } }),
    rowLine('created', 3, made(3, { run: 'H1', by_hand: true })),
    openingLine('R2', { at: '2026-11-22T08:00:00.000Z' }),
    rowLine('failed', 2, { run: 'R2', at: '2026-11-22T08:01:05.000Z', ...answered(500, 'no') }),
    rowLine('existing', 4, made(4, { run: 'R2', ...took(95_000) })),
    rowLine('duplicate', 5, { run: 'R2', same_as: { source: 'contacts.csv', row: 4 } }),
    openingLine('R33', { at: '2026-11-23T08:00:00.000Z' }),
    rowLine('created', 6, made(6, { run: 'R33', key: 'a "b", c\n', ...took(7) })),
    rowLine('merged', 7, made(6, { run: 'R33', same_as: { source: 'contacts.csv', row: 6 } })),
    rowLine('invalid', 8, {
      run: 'R33',
      errors: [{ column: 'Mail', code: 'not_email', message: 'is no address' }],
    }),
    { run: 'R33', at: '2026-11-23T08:02:00.000Z', ended: { rows: 8, created: 1, known: 1 } },
  )

const ask = async (file: string, ...words: string[]) =>
  rowlift(['log', 'results.ndjson', ...words], { cwd: dirname(file) })

describe('rowlift log', () => {
  it('rowlift log shows what became of the rows, run by run, and which calls were slow', async () => {
    const { exitCode, stdout, stderr } = await ask(await threeRuns())
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toBe(`results.ndjson: contacts of organization 7 at https://api.example.com

Rows now:
  created   3
  existing  1
  merged    1
  failed    1
  invalid   1

Runs:
  run  began (UTC)          took       rows     created  existing  merged  in doubt  failed  invalid  duplicate  known
  R1   2026-11-21 08:00:00  1.0 s      -              1         0       0         1       1        0          0      0
  H1   2026-11-21 08:00:01  0.0 s      by hand        1         0       0         0       0        0          0      0
  R2   2026-11-22 08:00:00  1 min 5 s  -              0         1       0         0       1        0          1      0
  R33  2026-11-23 08:00:00  2 min 0 s  8              1         0       1         0       0        1          0      1

Why rows have no record:
  1 × invalid: Mail is no address
      contacts.csv:9, key k8
      Fix the rows (--rejects FILE writes them to a file: fix it, and import it with the same mapping and log) or the mapping. Then run the same command again: it sends only rows that have no record yet.
  1 × failed: the service answered 500: no
      contacts.csv:3, key k2
      The service has a problem of its own. Wait until it is over, or send this answer to its administrator. Then run the same command again: it sends only rows that have no record yet.

The slowest calls:
      ms  attempts  row             key        run
  95,000         2  contacts.csv:5  k4         R2
      40         2  contacts.csv:2  k1         R1
      20         1  contacts.csv:3  k2         R1
      20         1  contacts.csv:3  k2         R2
       7         2  contacts.csv:7  a "b", c↵  R33
`)
  })

  it('rowlift log gives programs the same as one object', async () => {
    const { stdout } = await ask(await threeRuns(), '--json')
    const [log, ...more] = linesOf(stdout)
    expect(more).toEqual([])
    expect(log).toMatchObject({
      results: 'results.ndjson',
      organization_id: 7,
      counts: { created: 3, existing: 1, merged: 1, in_doubt: 0, failed: 1, invalid: 1 },
      settled_by_hand: 1,
      duplicates: 1,
      earlier_runs: 0,
      reasons: [
        { status: 'invalid', rows: 1, code: 'not_email', examples: [{ row: 8, key: 'k8' }] },
        { status: 'failed', rows: 1, answer: 'no' },
      ],
    })
    expect(log.runs[3]).toEqual({
      ...{ run: 'R33', started_at: '2026-11-23T08:00:00.000Z', last_at: '2026-11-23T08:02:00.000Z' },
      ...{
        rowlift: '0.1.0',
        sources: ['contacts.csv'],
        mapping_changed: false,
        by_hand: false,
        rows: 8,
        known: 1,
      },
      counts: {
        created: 1,
        existing: 0,
        merged: 1,
        in_doubt: 0,
        failed: 0,
        invalid: 1,
        forgotten: 0,
        duplicate: 0,
      },
      ...{ repeated: 1, throttled: 0, duration_ms: 120_000 },
    })
    expect(log.slowest.map((call: { duration_ms: number }) => call.duration_ms)).toEqual([
      95_000, 40, 20, 20, 7,
    ])
    expect(log.slowest[0]).toMatchObject({
      source: 'contacts.csv',
      row: 4,
      line: 5,
      key: 'k4',
      attempts: 2,
      run: 'R2',
    })
  })

  it('rowlift log lists the records that a run made, and not those that it found', async () => {
    const file = await threeRuns()
    const ids = async (...words: string[]) => {
      const { stdout } = await ask(file, '--ids', ...words)
      return parse(stdout, { columns: true })
    }
    expect(await ids()).toMatchObject([{ key: 'k1' }, { key: 'k3' }, { key: 'a "b", c\n' }])
    expect(await ids('--run', 'last')).toEqual([
      { ...made(6), key: 'a "b", c\n', status: 'created', source: 'contacts.csv', row: '6' },
    ])
    expect(await ids('--run', 'R2')).toEqual([])
    expect(await ids('--run', 'R3', '--all')).toMatchObject([{ status: 'created' }, { status: 'merged' }])
    expect(await ids('--run', 'R2', '--all')).toMatchObject([{ status: 'existing', ...made(4) }])
    expect(await ids('--run', 'H')).toMatchObject([{ key: 'k3', ...made(3) }])
  })

  it('rowlift log says so where rows in doubt may have records that it cannot list', async () => {
    const file = await logOf(openingLine(), rowLine('in_doubt', 1, { errors: [], body: {} }))
    expect(await ask(file, '--ids')).toMatchObject({
      stdout: 'key,record_id,status,source,row\n',
      stderr:
        '1 row is in doubt in results.ndjson: a record that was made for such a row is not listed (rowlift resolve results.ndjson).\n',
    })
  })

  it('rowlift log does nothing if it is not clear what to do', async () => {
    const file = await threeRuns()
    const before = await readFile(file, 'utf8')
    for (const [words, message] of [
      [['--ids', '--run', 'R'], 'several runs have an id that begins with "R"'],
      [
        ['--ids', '--run', 'X'],
        'no run has an id that begins with "X"; rowlift log results.ndjson lists the runs',
      ],
      [['--run', 'last'], 'these options do not go together'],
      [['--all'], 'these options do not go together'],
      [['--ids', '--json'], 'these options do not go together'],
      [['--repair', '--json'], 'these options do not go together'],
      [['other.ndjson'], 'name one result log: rowlift log RESULTS'],
    ] as const) {
      const { exitCode, stderr } = await ask(file, ...words)
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
    }
    expect(await readFile(file, 'utf8')).toBe(before)
    const none = await rowlift(['log', 'none.ndjson', '--repair'], { cwd: dirname(file) })
    expect(none).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('there is no such result log'),
    })
  })
})
