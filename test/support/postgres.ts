import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import * as server from '../../scripts/postgres.js'
import { atEnd } from './cleanup.ts'

/** A database of a test's own, on the server that all tests share. */
export interface TestDatabase {
  readonly url: string
  /** The rows that a statement returns. */
  // biome-ignore lint/suspicious/noExplicitAny: what is in them is what the test asserts
  query(sql: string, params?: readonly unknown[]): Promise<any[]>
  /** Drops it. Otherwise it goes with the process. */
  close(): Promise<void>
}

/** Makes an empty database. It stays until it is closed, so that the tests of a file can share it: close it in `afterAll`. */
export async function testDatabase(): Promise<TestDatabase> {
  const door = connect(Number(process.env.ROWLIFT_TEST_POSTGRES_DOOR), '127.0.0.1').setEncoding('utf8')
  const [said] = await once(door, 'data')
  door.unref()
  const url = String(said).trim()
  if (!url.startsWith('postgres')) throw new Error(url)
  const { query, close } = clientOf(url)
  return {
    url,
    query,
    async close() {
      await close()
      if (door.closed) return
      door.ref().end()
      await once(door.resume(), 'close')
    },
  }
}

/** A client that connects with the first statement, and again after its connection was cut. */
export function clientOf(url: string): Pick<TestDatabase, 'query' | 'close'> {
  const pool = new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true })
  pool.on('error', () => {}) // the server was killed: the next statement says so if it is still away
  let ended: Promise<void> | undefined
  return {
    query: async (sql, params = []) => (await pool.query(sql, [...params])).rows,
    close() {
      ended ??= pool.end()
      return ended
    },
  }
}

/** A server of a test's own, which it may kill and start again; it ends with the test. */
export async function startPostgres(
  options?: Parameters<typeof server.startPostgres>[0],
): Promise<server.Postgres> {
  const started = await server.startPostgres(options)
  atEnd(() => started.close())
  return started
}

/** A server and a synchronous standby of it; they end with the test. */
export async function startWithStandby(): ReturnType<typeof server.startWithStandby> {
  const started = await server.startWithStandby()
  for (const each of Object.values(started)) atEnd(() => each.close())
  return started
}
