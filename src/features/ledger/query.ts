// How statements are run: the values they take, what texts go by in the tables, and many rows at once.
import { hash } from 'node:crypto'
import { setImmediate as endOfTurn } from 'node:timers/promises'

/** Runs one statement. Bytes are texts such as `\x0aff`, in both directions; many rows are one value, as JSON. */
export type Query = <Row extends object = Record<string, unknown>>(
  sql: string,
  values?: readonly unknown[],
  /** Time limit of a statement that may take longer than others. */
  timeoutMs?: number,
) => Promise<Row[]>

/** Returns the first of the items that go by the same text. */
export function firstOfEach<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const seen = new Set<string>()
  return items.filter(item => !seen.has(textOf(item)) && seen.add(textOf(item)))
}

const digestBytes = 16

/** Returns the bytes that a text goes by in the ledger. */
export const digestOf = (text: string): string =>
  `\\x${hash('sha256', text, 'hex').slice(0, digestBytes * 2)}`

const mostInBatch = 500

/** Does work for many callers at once: what comes while batches are under way is the next one. */
export class Batches<Item, Result = void> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>
  readonly #mostAtOnce: number
  #waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = []
  #running = 0
  #last: Promise<void> = Promise.resolve()

  /** `work` returns a result for each item, in their order. */
  constructor(work: (items: readonly Item[]) => Promise<readonly Result[]>, mostAtOnce = 1) {
    this.#work = work
    this.#mostAtOnce = mostAtOnce
  }

  add(item: Item): Promise<Result> {
    const result = new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#running < this.#mostAtOnce) void this.#run()
    })
    this.#last = Promise.allSettled([this.#last, result]).then(() => {})
    return result
  }

  /** Resolves when what was added so far has ended. */
  drained(): Promise<void> {
    return this.#last
  }

  async #run(): Promise<void> {
    this.#running += 1
    await endOfTurn() // answers that came together share the first batch
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, mostInBatch)
      try {
        const results = await this.#work(batch.map(({ item }) => item))
        for (const [at, { resolve }] of batch.entries()) resolve(results[at] as Result)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#running -= 1
  }
}
