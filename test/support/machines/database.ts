import { randomBytes } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Postgres } from '../../../scripts/postgres.js'
import { type Cable, layCable, through } from '../cable.ts'
import { clientOf, startPostgres, startWithStandby, type TestDatabase, testDatabase } from '../postgres.ts'
import type { DatabaseFaults } from './faults.ts'

/** The server of a round: in a folder that has little room, or with a standby; otherwise any. */
export type ServerKind = { readonly folder: string } | 'with a standby'

/** The database of a round. It is one that only the round uses, so that it can be ended; not where one is named. */
export interface RoundDatabase extends Pick<TestDatabase, 'url' | 'query' | 'close'> {
  /** What can be done to it, by the ways that lead there. */
  faultsOn(cables: readonly Cable[]): DatabaseFaults
}

/** Makes a database for a round. */
export async function databaseFor(kind?: ServerKind): Promise<RoundDatabase> {
  if (kind === undefined && process.env.ROWLIFT_TEST_POSTGRES) {
    const named = await testDatabase()
    return { ...named, faultsOn: () => faultsOn(named.url, named.query, {}) }
  }
  const { primary, standby } = await serversFor(kind)
  const own = await layCable(primary.port)
  const { query, close } = clientOf(through(own, primary.url))
  const folder = typeof kind === 'object' ? kind.folder : undefined
  return {
    url: primary.url,
    query,
    async close() {
      await close()
      for (const server of [primary, standby]) await server?.close()
    },
    faultsOn: cables => faultsOn(primary.url, query, { primary, standby, folder, cables: [own, ...cables] }),
  }
}

async function serversFor(kind: ServerKind | undefined): Promise<{ primary: Postgres; standby?: Postgres }> {
  if (kind === 'with a standby') return startWithStandby()
  const settings = { max_wal_size: '64MB', min_wal_size: '32MB' }
  return { primary: await startPostgres(kind && { folder: kind.folder, settings }) }
}

interface OwnServer {
  readonly primary?: Postgres
  readonly standby?: Postgres | undefined
  /** The disk of the server, if it is one of its own. */
  readonly folder?: string | undefined
  readonly cables?: readonly Cable[]
}

function faultsOn(
  url: string,
  query: TestDatabase['query'],
  { primary, standby, folder, cables = [] }: OwnServer,
): DatabaseFaults {
  let last: Promise<unknown> = Promise.resolve()
  /** One at a time: a server that is being ended cannot be ended once more. */
  const inTurn = (act: () => Promise<boolean>): Promise<boolean> => {
    const done = last.then(act)
    last = done.catch(() => {})
    return done
  }
  let isOver = false
  return {
    restart: (how, forMs) =>
      inTurn(async () => {
        if (primary === undefined) return false
        await (how === 'kill' ? primary.kill() : primary.stop(how))
        await sleep(forMs)
        await primary.start()
        return true
      }),
    terminate: () =>
      inTurn(async () => {
        const terminated = await query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'rowlift'`,
        )
        return terminated.length > 0
      }),
    async lockRows(forMs) {
      const other = clientOf(url)
      try {
        await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
        const locked = await other.query(
          `WITH chunks AS (SELECT FROM rowlift.chunk WHERE lease IS NOT NULL LIMIT 1 FOR UPDATE SKIP LOCKED),
             entries AS (SELECT FROM rowlift.entry WHERE state = 'o' LIMIT 4 FOR UPDATE SKIP LOCKED)
           SELECT FROM chunks UNION ALL SELECT FROM entries`,
        )
        await sleep(forMs)
        return locked.length > 0
      } catch {
        return false // there are no tables yet, or the server was ended
      } finally {
        await other.close().catch(() => {})
      }
    },
    fillDisk: forMs =>
      inTurn(async () => {
        if (primary === undefined || folder === undefined) return false
        const ballast = join(folder, 'ballast')
        const isFull = await fill(ballast)
        await sleep(forMs)
        await rm(ballast)
        await primary.start() // it ends itself if there is no room for its log
        return isFull
      }),
    failOver: () =>
      inTurn(async () => {
        if (primary === undefined || standby === undefined || isOver) return false
        isOver = true
        await primary.kill()
        const { query: ask, close } = clientOf(standby.url)
        await ask('SELECT pg_promote()')
        await close()
        for (const cable of cables) cable.lead(standby.port)
        return true
      }),
  }
}

/** Writes a file until there is no room left; resolves with whether there is none. */
async function fill(path: string): Promise<boolean> {
  const file = await open(path, 'a')
  try {
    for (const size of [2 ** 20, 2 ** 12])
      for (let isFull = false; !isFull; )
        isFull = await file.appendFile(randomBytes(size)).then(
          () => false,
          () => true,
        )
    return true
  } finally {
    await file.close()
  }
}
