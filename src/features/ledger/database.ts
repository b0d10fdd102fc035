import pg from 'pg'
import { type Clock, sleep } from '../../model/clock.ts'
import { LogError, RowliftError, reasonOf, UsageError } from '../../model/errors.ts'
import type { RunEvent } from '../../model/events.ts'
import { digestOf, type Query } from './query.ts'

export interface DatabaseOptions {
  readonly clock: Clock
  /** The time to wait for a database that is away before giving up. */
  readonly patienceMs: number
  /** A statement that takes longer has lost its connection. */
  readonly timeoutMs: number
  /** Ends the wait for a database that is away. */
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: (event: Extract<RunEvent, { type: `ledger_${string}` }>) => void
}

const mostConnections = 5
const longestPauseMs = 2_000
/** The time for which a run that stops, or begins, waits for the database. */
const shortPatienceMs = 10_000

const { INT8, BYTEA } = pg.types.builtins
const parseBytes = pg.types.getTypeParser(BYTEA)

/** Values that statements return in another form than the client's. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: Number,
  [BYTEA]: text => `\\x${(parseBytes(text) as Buffer).toString('hex')}`,
}

export type Database = ReturnType<typeof databaseAt>

/** Connects, and calls `prepare`. Throws a UsageError if the server refuses something, or a LogError if there is none. */
export async function connect(
  url: string,
  options: DatabaseOptions,
  prepare: (database: Database) => Promise<void>,
): Promise<Database> {
  const database = databaseAt(url, options)
  try {
    await database.query('SELECT 1')
    await prepare(database)
    return database
  } catch (error) {
    await database.close()
    if (error instanceof RowliftError) throw error
    throw new UsageError('ledger_refused', { ledger: database.name, reason: messageOf(error) })
  }
}

/** The database of a ledger. Statements wait while it is away, and are repeated: they must not do harm when they come twice. */
function databaseAt(url: string, { clock, patienceMs, timeoutMs, signal, onEvent }: DatabaseOptions) {
  const { host, pathname } = new URL(url)
  /** Its address without the password. */
  const name = `postgres://${host}${pathname}`
  const pool = new pg.Pool({
    connectionString: url,
    max: mostConnections,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    application_name: 'rowlift',
    types: { getTypeParser: (oid, format) => parsers[oid] ?? pg.types.getTypeParser(oid, format) },
  })
  pool.on('error', ignore) // an idle connection broke; the next statement opens another
  let hasAnswered = false
  let awaySinceMs: number | undefined
  /** What was committed, and how long statements took until their answers were here. */
  const load = { commits: 0, statementMs: 0 }

  /** Runs a transaction; a connection that broke ends with it. */
  async function once<T>(begin: string, work: (query: Query) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    client.on('error', ignore) // the statement under way rejects too
    let isCommitted = false
    try {
      const query: Query = async (sql, values = [], timeoutMs) =>
        (await client.query(statementOf(sql, values, timeoutMs))).rows
      await query(begin)
      const result = await work(query)
      await query('COMMIT')
      isCommitted = true
      return result
    } finally {
      client.off('error', ignore)
      client.release(!isCommitted)
    }
  }

  async function repeat<T>(work: (attempt: number) => Promise<T>): Promise<T> {
    let sinceMs: number | undefined
    const startedMs = clock.elapsedMs()
    for (let attempt = 0; ; attempt += 1) {
      try {
        const result = await work(attempt)
        hasAnswered = true
        load.commits += 1
        load.statementMs += clock.elapsedMs() - startedMs
        noteBack()
        return result
      } catch (error) {
        if (isConflict(error)) continue
        if (!isAway(error, hasAnswered)) throw error
        sinceMs ??= clock.elapsedMs()
        noteAway(error, sinceMs)
      }
      const pauseMs = Math.min(longestPauseMs, 50 * 2 ** attempt)
      await sleep(clock, pauseMs, signal?.aborted ? undefined : signal).catch(ignore)
    }
  }

  function noteBack(): void {
    if (awaySinceMs === undefined) return
    const forMs = clock.elapsedMs() - awaySinceMs
    awaySinceMs = undefined
    onEvent?.({ type: 'ledger_back', ledger: name, forMs })
  }

  /** `sinceMs`: when the statement failed first; others may succeed, as on a database that is read only. */
  function noteAway(error: unknown, sinceMs: number): void {
    const reason = messageOf(error)
    if (awaySinceMs === undefined) {
      awaySinceMs = clock.elapsedMs()
      onEvent?.({ type: 'ledger_away', ledger: name, reason })
      database.onAway()
    }
    const fullMs = hasAnswered ? patienceMs : shortPatienceMs
    const mostMs = signal?.aborted ? Math.min(shortPatienceMs, fullMs) : fullMs
    if (clock.elapsedMs() - Math.min(sinceMs, awaySinceMs) >= mostMs)
      throw new LogError('ledger_away', { ledger: name, reason })
  }

  const close = (): Promise<void> => pool.end().catch(ignore)
  /** Runs one statement. Throws a LogError once the database was away for too long. */
  const query: Query = async <Row extends object>(
    sql: string,
    values: readonly unknown[] = [],
    timeoutMs?: number,
  ) => repeat(async () => (await pool.query<Row>(statementOf(sql, values, timeoutMs))).rows)

  const database = {
    ...{ name, query, close, load, onAway: () => {} },
    /**
     * Runs statements that count together or not at all; `attempt` counts from 0, and an earlier one may have been committed.
     * Throws a LogError once the database was away for too long.
     */
    transaction: <T>(work: (query: Query, attempt: number) => Promise<T>): Promise<T> =>
      repeat(at => once('BEGIN ISOLATION LEVEL READ COMMITTED', query => work(query, at))),
    /** Reads from one view of the database, and does not repeat. It may wait long in between, as for sources that are read again. */
    snapshot: <T>(read: (query: Query) => Promise<T>): Promise<T> =>
      once('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async query => {
        await query('SET LOCAL idle_in_transaction_session_timeout = 0')
        return read(query)
      }),
    isAway: () => awaySinceMs !== undefined,
    [Symbol.asyncDispose]: close,
  }
  return database
}

/** Names a statement, so that a connection reads and plans it only once: that takes longer than to run it. */
const statementOf = (text: string, values: readonly unknown[], timeoutMs?: number) => ({
  text,
  ...(values.length > 0 && { values: [...values], name: digestOf(text) }),
  ...(timeoutMs !== undefined && { query_timeout: timeoutMs }),
})

const ignore = () => {}

const codeOf = (error: unknown) => String((error as { code?: unknown }).code ?? '')

/** Another transaction was first; the same statements may be tried again at once. */
const isConflict = (error: unknown) => ['40001', '40P01'].includes(codeOf(error))

/** The connection or the server is gone, or has no room; by the classes of PostgreSQL's error codes. */
const isAway = (error: unknown, hasAnswered: boolean) =>
  (hasAnswered && failoverCodes.test(codeOf(error))) ||
  /^(08|53|57P)|^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)/.test(codeOf(error)) ||
  (error instanceof Error && awayMessages.test(error.message))

/** Codes of a server that has answered before, while another takes its place or if somebody cancels a statement. */
const failoverCodes = /^(25006|28|3D|57014|58|ENOTFOUND)/

/** Errors of the client have no code. */
const awayMessages = /terminated|timeout|timed out|not queryable|ended by|Client has encountered/i

export const messageOf = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : reasonOf(error)
