import { rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { atEnd } from '../support/cleanup.ts'
import { taskMapping, tasks } from '../support/imports.ts'
import type { ServerKind } from '../support/machines/database.ts'
import { concurrency, playRound, type Round } from '../support/machines/round.ts'
import { doubtsIn, wrongIn } from '../support/machines/truth.ts'
import { machine, sharing } from '../support/machines.ts'
import { startWithStandby } from '../support/postgres.ts'
import { seed } from '../support/random.ts'
import { rowlift } from '../support/rowlift.ts'
import { startService } from '../support/service.ts'
import { smallDisk } from '../support/small-disk.ts'

// Three workers share an import while one thing goes wrong again and again: what benchmarks of queues do to them.
// ROWLIFT_CHAOS_FAULTS=N: how often.

const faultCount = Number(process.env.ROWLIFT_CHAOS_FAULTS || 5)
const rowsPerFault = 160

// biome-ignore lint/suspicious/noConsole: whoever repeats a round that failed needs its seed
const say = console.log

async function playChaos(name: string, faults: readonly string[], server?: ServerKind): Promise<Round> {
  const of = { faults: faultCount, rows: rowsPerFault * faultCount, mode: 'at-most-once' } as const
  const round = await playRound({ name, ...of, only: faults, isServiceCalm: true, ...(server && { server }) })
  const { met, rows, made, takeovers } = round
  const doubts = doubtsIn(round).length
  say(`${name}: ${met.length} times, ${rows.length} rows, ${made.length} records, ${doubts} doubts`)
  say(`  after ${takeovers} takeovers; ${[...new Set(met)].join(', ')}; seed ${seed}`)
  expect(wrongIn(round)).toEqual([])
  expect(met.length).toBeGreaterThan(0)
  // the calls that a worker had under way when another one took a chunk of it; the service leaves no doubt
  expect(doubts).toBeLessThanOrEqual(takeovers * concurrency)
  return round
}

/** Each while a worker has calls under way. */
const kills = [
  'killed during a call',
  'killed between intent and call',
  'killed before an outcome',
  'killed after an outcome',
]

const timeoutMs = 300_000 + 60_000 * faultCount

describe('three workers', () => {
  it.each([
    ['whose processes are killed again and again', kills],
    ['whose database is restarted', ['before a database that is restarted']],
    ['whose database is ended at once and recovers', ['before a database that is ended at once']],
    ['whose database is killed', ['before a database that is killed']],
    ['whose connections the database ends', ['before a database that ends all connections']],
    ['beside a long idle transaction', ['beside a long transaction that has locked its rows']],
  ])(
    'three workers %s make no row twice, lose none, and doubt only what may have been under way',
    async (name, faults) => void (await playChaos(name, faults)),
    timeoutMs,
  )

  it(
    'three workers whose database has no room left wait, and go on when it has',
    async context => {
      const folder = join(tmpdir(), `rowlift-small-disk-${process.pid}`) // which the user of the server can reach
      atEnd(() => rmdir(folder))
      await smallDisk(folder, context, '160m')
      await playChaos('on a full disk', ['before a database without room on its disk'], { folder })
    },
    timeoutMs,
  )

  it(
    'three workers whose database fails over to a synchronous standby go on with all that was committed',
    async () => {
      const failsOver = ['before a database that fails over to its standby']
      const { met } = await playChaos('that fail over', failsOver, 'with a standby')
      expect(met).toEqual(failsOver)
    },
    timeoutMs,
  )

  it('a worker is refused by a standby, which keeps nothing of it', async () => {
    const { standby } = await startWithStandby()
    const service = await startService()
    const cwd = await machine(tasks(2), taskMapping)
    const { exitCode, stderr } = await rowlift(sharing(service, standby.url, 'tasks'), { cwd })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('transaction_read_only')])
    expect(service.calls).toEqual([])
  })
})
