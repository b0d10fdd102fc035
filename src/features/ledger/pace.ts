import { type Clock, every } from '../../model/clock.ts'
import type { Query } from './query.ts'

/** How often a worker looks at the pace of the others. */
const lookEveryMs = 250

// Times are in seconds from now: the clock of the database is not that of this machine.
const state = 'coalesce(extract(epoch FROM held_until - clock_timestamp()), 0)::float8 AS held, cuts::float8'
const openSql = 'INSERT INTO rowlift.pace (import) VALUES ($1) ON CONFLICT DO NOTHING'
const lookSql = `SELECT ${state} FROM rowlift.pace WHERE import = $1`
const tellSql = `UPDATE rowlift.pace SET cuts = cuts + $3::int,
  held_until = greatest(held_until, clock_timestamp() + make_interval(secs => $2::float8))
  WHERE import = $1 RETURNING ${state}`
const takeSql = `UPDATE rowlift.pace
  SET next_start = greatest(next_start, clock_timestamp()) + make_interval(secs => $2::float8) WHERE import = $1
  RETURNING extract(epoch FROM next_start - clock_timestamp())::float8 - $2::float8 AS begins, ${state}`

/** One pace for all workers of an import: a row of the ledger. While the database is away nothing is taken and nothing shared. */
export class Pace {
  readonly #query: Query
  readonly #import: number
  readonly #clock: Clock
  #onOtherWorker = (_untilMs: number, _isCut: boolean) => {}
  #sharedUntilMs = 0
  /** Cuts that are known, such as this worker's own. */
  #cuts: number | undefined
  #opened: Promise<unknown> | undefined
  #isLooking = false
  /** No longer looks. */
  close = () => {}

  /** The import must be registered. */
  constructor(query: Query, importId: number, clock: Clock) {
    this.#query = query
    this.#import = importId
    this.#clock = clock
  }

  async take(starts: number, perSecond: number): Promise<number | undefined> {
    await this.#opened
    const answer = await this.#ask(takeSql, starts / perSecond)
    return answer && this.#clock.elapsedMs() + answer.begins * 1000
  }

  /** Calls that are throttled together are to wait until nearly the same time; that is shared once. */
  tell(untilMs: number, isCut: boolean): void {
    if (!isCut && untilMs <= this.#sharedUntilMs) return
    this.#sharedUntilMs = Math.ceil(untilMs / lookEveryMs) * lookEveryMs
    if (this.#cuts !== undefined) this.#cuts += Number(isCut)
    void this.#ask(tellSql, (this.#sharedUntilMs - this.#clock.elapsedMs()) / 1000, Number(isCut))
  }

  follow(onOtherWorker: (untilMs: number, isCut: boolean) => void): void {
    this.#onOtherWorker = onOtherWorker
    this.#opened = this.#ask(openSql)
    void this.#opened.then(() => this.#look())
    this.close = every(this.#clock, lookEveryMs, () => void this.#look())
  }

  /** One at a time, however slow the database. */
  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    await this.#ask(lookSql)
    this.#isLooking = false
  }

  /** Every answer has the pace of all; there is none while the database is away, or if the import was dropped. */
  async #ask(sql: string, ...params: readonly number[]) {
    type Answer = Readonly<Record<'begins' | 'held' | 'cuts', number>>
    const [answer] = await this.#query<Answer>(sql, [this.#import, ...params]).catch(() => [])
    if (answer === undefined) return undefined
    const { held, cuts } = answer
    const isCut = cuts > (this.#cuts ?? cuts)
    if (isCut || held > 0) this.#onOtherWorker(this.#clock.elapsedMs() + held * 1000, isCut)
    this.#cuts = Math.max(this.#cuts ?? 0, cuts)
    return answer
  }
}
