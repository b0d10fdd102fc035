import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../../../../../src/cli/cli.ts'
import type { Signal } from '../../../../../src/platform/signals.ts'
import { tempFolder } from '../../../../support/cleanup.ts'
import { fastClock } from '../../../../support/clock.ts'
import { silentContext } from '../../../../support/context.ts'
import { created, doubt, fillImport, makeTables } from '../../../../support/ledger-tables.ts'
import { pollOptions } from '../../../../support/polling.ts'
import { type TestDatabase, testDatabase } from '../../../../support/postgres.ts'
import { linesOf, rowlift } from '../../../../support/rowlift.ts'

let database: TestDatabase
let env: Record<string, string>
beforeEach(async () => {
  database = await testDatabase()
  env = { ROWLIFT_LEDGER: database.url }
  await makeTables(database)
  const id = await fillImport(database, 'contacts', [
    { run: 'R1', rows: [doubt(8)], isOver: true },
    { run: 'R2', rows: [created(1), created(2), { row: 3, status: 'failed' }, doubt(4)], of: 10 },
  ])
  await database.query(
    `INSERT INTO rowlift.worker (import, id, name, since, seen, lease_s, rows, commits, statement_ms) VALUES
     ($1, 'Z', 'long ago', clock_timestamp() - interval '1 day', clock_timestamp() - interval '1 day', 30, 5, 0, 0),
     ($1, 'A', 'north', clock_timestamp() - interval '40 seconds', clock_timestamp() + interval '60 seconds', 30, 200, 20, 500),
     ($1, 'B', 'south', clock_timestamp() - interval '30 seconds', clock_timestamp() - interval '60 seconds', 30, 7, 1, 20)`,
    [id],
  )
  await database.query(`UPDATE rowlift.run SET registered = clock_timestamp() - interval '2 minutes'`)
  await database.query(
    `UPDATE rowlift.chunk SET unlogged = '{"done": 2}', worker = 'A', lease = clock_timestamp() + interval '30 seconds'
      WHERE run = (SELECT max(id) FROM rowlift.run)`,
  )
  await database.query(
    `INSERT INTO rowlift.pace (import, held_until, cuts) VALUES ($1, clock_timestamp() + interval '59 seconds', 2)`,
    [id],
  )
  return () => database.close()
})

const words = ['workers', '--import', 'contacts']

describe('rowlift workers', () => {
  it('rowlift workers shows who works, on what, how far it is, and what waits for a person', async () => {
    const { exitCode, stdout } = await rowlift(words, { cwd: await tempFolder(), env })
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^contacts: run 2 \(R2\), began [\d-]+ [\d:]+ UTC\n/)
    expect(stdout).toMatch(
      /Rows: 6 of 10, 2\.0 a second, about 2\.0 s left, 2 created, 2 left alone, 1 failed, 1 in doubt/,
    )
    expect(stdout).toContain('Chunks: 0 done, 1 under way, 0 free\n')
    expect(stdout).toContain('2 rows in doubt')
    expect(stdout).toMatch(/Waiting: 5\d s/)
    expect(stdout).toContain('Slowed down: 2 times')
    expect(stdout).toContain('Database: 0.101 commits and 2.512 ms of statements a row\n')
    expect(stdout).toMatch(/north {2,}\S+ \S+ {2,}0\.\d s ago +200 +1\n/)
    expect(stdout).toMatch(/south {2,}\S+ \S+ {2,}gone, 1 min \d+ s ago +7 +0\n/)
  })

  it('rowlift workers shows programs the same under names that stay', async () => {
    const { stdout } = await rowlift([...words, '--json'], { cwd: await tempFolder(), env })
    expect(linesOf(stdout)).toMatchObject([
      {
        import: 'contacts',
        run: 'R2',
        runs: 2,
        rows: 10,
        by_status: { created: 2, failed: 1, done: 2, in_doubt: 1 },
        in_doubt: 2,
        chunks: { done: 0, under_way: 1, free: 0, later: 0 },
        workers: [
          { name: 'north', rows: 200, chunks: 1, commits: 20, statement_ms: 500, is_gone: false },
          { name: 'south', is_gone: true },
        ],
        cuts: 2,
        rows_per_second: 2,
        seconds_left: 2,
        commits_per_row: 0.101,
        statement_ms_per_row: 2.512,
      },
    ])
  })

  it('rowlift workers goes on until the run has ended, or a signal comes', async () => {
    let signal: (signal: Signal) => void = () => {}
    const stdout = new PassThrough()
    const watching = runCli([...words, '--watch'], {
      ...silentContext(),
      environment: env,
      stdout,
      stdoutIsTerminal: true,
      interrupts: {
        ...silentContext().interrupts,
        onSignal: listener => {
          signal = listener
          return () => {}
        },
      },
    })
    await expect.poll(() => String(stdout.read() ?? ''), pollOptions).toContain('run 2')
    signal('SIGINT')
    expect(await watching).toBe(0)
    const blocks = rowlift([...words, '--watch'], { cwd: await tempFolder(), env, clock: fastClock() })
    await database.query('UPDATE rowlift.run SET ended = clock_timestamp() WHERE ended IS NULL')
    const last = (await blocks).stdout.split(/^(?=contacts: )/m).at(-1)
    expect(last).toMatch(/^contacts: run 2 \(R2\).*, ended /)
  })
})
