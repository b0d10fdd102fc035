import pg from 'pg'
import { type Clock, sleep } from '../../model/clock.ts'
import { LogError, RowliftError, reasonOf, UsageError } from '../../model/errors.ts'
import type { LedgerEvent } from '../../model/events.ts'
import { digestOf, type Query } from './query.ts'

export interface DatabaseOptions {
  readonly clock: Clock
  /** The time to wait for a database that is away before giving up. */
  readonly patienceMs: number
  /** A statement that takes longer has lost its connection. */
  readonly timeoutMs: number
  /** Ends the wait for a database that is away. */
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: (event: LedgerEvent) => void
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

/** The database of a ledger. Statements wait while it is away, and are repeated: they must not do harm when they come twice. */
export class Database {
  /** Its address without the password. */
  readonly name: string
  readonly #pool: pg.Pool
  readonly #options: DatabaseOptions
  onAway = () => {}
  #hasAnswered = false
  #awaySinceMs: number | undefined

  private constructor(url: string, options: DatabaseOptions) {
    const { host, pathname } = new URL(url)
    this.name = `postgres://${host}${pathname}`
    this.#options = options
    this.#pool = new pg.Pool({
      connectionString: url,
      max: mostConnections,
      connectionTimeoutMillis: options.timeoutMs,
      query_timeout: options.timeoutMs,
      keepAlive: true,
      application_name: 'rowlift',
      types: { getTypeParser: (oid, format) => parsers[oid] ?? pg.types.getTypeParser(oid, format) },
    })
    this.#pool.on('error', ignore) // an idle connection broke; the next statement opens another
  }

  /** Connects, and calls `prepare`. Throws a UsageError if the server refuses something, or a LogError if there is none. */
  static async open(
    url: string,
    options: DatabaseOptions,
    prepare: (database: Database) => Promise<void>,
  ): Promise<Database> {
    const database = new Database(url, options)
    try {
      await database.query('SELECT 1')
      database.#hasAnswered = true
      await prepare(database)
      return database
    } catch (error) {
      await database.close()
      if (error instanceof RowliftError) throw error
      throw new UsageError('ledger_refused', { ledger: database.name, reason: messageOf(error) })
    }
  }

  /** Runs one statement. Throws a LogError once the database was away for too long. */
  query: Query = async <Row extends object>(
    sql: string,
    values: readonly unknown[] = [],
    timeoutMs?: number,
  ) => this.#repeat(async () => (await this.#pool.query<Row>(statementOf(sql, values, timeoutMs))).rows)

  /**
   * Runs statements that count together or not at all; `attempt` counts from 0, and an earlier one may have been committed.
   * Throws a LogError once the database was away for too long.
   */
  transaction<T>(work: (query: Query, attempt: number) => Promise<T>): Promise<T> {
    return this.#repeat(at => this.#once('BEGIN ISOLATION LEVEL READ COMMITTED', query => work(query, at)))
  }

  /** Reads from one view of the database, and does not repeat. */
  snapshot<T>(read: (query: Query) => Promise<T>): Promise<T> {
    return this.#once('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', read)
  }

  get isAway(): boolean {
    return this.#awaySinceMs !== undefined
  }

  async close(): Promise<void> {
    await this.#pool.end().catch(ignore)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Runs a transaction; a connection that broke ends with it. */
  async #once<T>(begin: string, work: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    client.on('error', ignore) // the statement under way rejects too
    let isCommitted = false
    try {
      const query: Query = async (sql, values = []) => (await client.query(statementOf(sql, values))).rows
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

  async #repeat<T>(work: (attempt: number) => Promise<T>): Promise<T> {
    const { clock, signal } = this.#options
    let sinceMs: number | undefined
    for (let attempt = 0; ; attempt += 1) {
      try {
        const result = await work(attempt)
        this.#noteBack()
        return result
      } catch (error) {
        if (isConflict(error)) continue
        if (!isAway(error, this.#hasAnswered)) throw error
        sinceMs ??= clock.elapsedMs()
        this.#noteAway(error, sinceMs)
      }
      const pauseMs = Math.min(longestPauseMs, 50 * 2 ** attempt)
      await sleep(clock, pauseMs, signal?.aborted ? undefined : signal).catch(ignore)
    }
  }

  #noteBack(): void {
    if (this.#awaySinceMs === undefined) return
    const forMs = this.#options.clock.elapsedMs() - this.#awaySinceMs
    this.#awaySinceMs = undefined
    this.#options.onEvent?.({ type: 'ledger_back', ledger: this.name, forMs })
  }

  /** `sinceMs`: when the statement failed first; others may succeed, as on a database that is read only. */
  #noteAway(error: unknown, sinceMs: number): void {
    const { clock, signal, onEvent, patienceMs } = this.#options
    const reason = messageOf(error)
    if (this.#awaySinceMs === undefined) {
      this.#awaySinceMs = clock.elapsedMs()
      onEvent?.({ type: 'ledger_away', ledger: this.name, reason })
      this.onAway()
    }
    const fullMs = this.#hasAnswered ? patienceMs : shortPatienceMs
    const mostMs = signal?.aborted ? Math.min(shortPatienceMs, fullMs) : fullMs
    if (clock.elapsedMs() - Math.min(sinceMs, this.#awaySinceMs) >= mostMs)
      throw new LogError('ledger_away', { ledger: this.name, reason })
  }
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

const messageOf = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : reasonOf(error)
