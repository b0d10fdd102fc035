import type { Database } from '../../../src/features/ledger/database.ts'
import type { Query } from '../../../src/features/ledger/query.ts'
import { turns } from '../clock.ts'

/** A statement that waits for the test before it goes to the database. */
export interface Gate {
  readonly sql: string
  open(): void
  /** Ends the statement, and the transaction that it is in, as when its process is killed. */
  refuse(): void
}

/** Changes the text of a statement. */
export type Patch = (sql: string) => string

/** The statements of one worker, each of which waits at its gate. */
export class Gates {
  /** Until it is set, statements go through. */
  isClosed = false
  /** How many statements have gone through. */
  opened = 0
  isInTransaction = false
  readonly database: Database
  readonly #patch: Patch
  readonly #waiting: Gate[] = []
  #underWay = 0
  readonly #waitForIdle: (() => void)[] = []

  constructor(real: Database, patch: Patch) {
    this.#patch = patch
    this.database = {
      ...real,
      query: (sql, values, timeoutMs) =>
        this.#pass(sql, () => real.query(this.#patch(sql), values, timeoutMs)),
      transaction: work => this.#transact(real, work),
    }
  }

  /** The statement whose turn is next. */
  get next(): Gate | undefined {
    return this.#waiting[0]
  }

  /** Lets the next statement through. */
  open(): void {
    this.#waiting.shift()?.open()
  }

  /** Ends all statements that wait. */
  refuse(): void {
    for (const gate of this.#waiting.splice(0)) gate.refuse()
  }

  /** Resolves when every statement that went through has its answer, and what waited for that has had its turn. */
  async idle(): Promise<void> {
    await turns()
    while (this.#underWay > 0) {
      await new Promise<void>(resolve => this.#waitForIdle.push(resolve))
      await turns()
    }
  }

  async #pass<T>(sql: string, run: () => Promise<T>): Promise<T> {
    await this.#gate(sql)
    return this.#count(run)
  }

  async #count<T>(run: () => Promise<T>): Promise<T> {
    this.#underWay += 1
    try {
      return await run()
    } finally {
      this.#underWay -= 1
      if (this.#underWay === 0) for (const resolve of this.#waitForIdle.splice(0)) resolve()
    }
  }

  async #gate(sql: string): Promise<void> {
    if (!this.isClosed) return
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ sql, open: resolve, refuse: () => reject(new Error('its process was ended')) })
    })
    this.opened += 1
  }

  /** A transaction waits before it begins, before each statement but its first, and before its commit. */
  async #transact<T>(real: Database, work: (query: Query, attempt: number) => Promise<T>): Promise<T> {
    await this.#gate('BEGIN')
    this.isInTransaction = this.isClosed
    const beginning = this.#underWayUntil()
    const committing = { end: () => {} }
    let isFirst = true
    try {
      return await real.transaction(async (query, attempt) => {
        const gated: Query = async (sql, values, timeoutMs) => {
          const run = () => query(this.#patch(sql), values, timeoutMs) as Promise<never>
          if (!isFirst) return this.#pass(sql, run)
          isFirst = false
          return run().finally(beginning.end)
        }
        const result = await work(gated, attempt)
        await this.#gate('COMMIT')
        committing.end = this.#underWayUntil().end
        return result
      })
    } finally {
      this.isInTransaction = false
      beginning.end()
      committing.end()
    }
  }

  #underWayUntil(): { readonly end: () => void } {
    let end = () => {}
    void this.#count(
      () =>
        new Promise<void>(resolve => {
          end = resolve
        }),
    )
    return { end }
  }
}
