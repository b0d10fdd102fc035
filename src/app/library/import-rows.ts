import { UsageError } from '../../model/errors.ts'
import { Stop } from '../../model/stop.ts'
import type { ProcessInfo } from '../ports.ts'
import type { ImportRowsOptions } from './options.ts'
import type { RowOutcome } from './outcome.ts'
import type { ImportSummary } from './summary.ts'

/**
 * An import that begins when it is first looped over or when `summary` is called; until then nothing is read or sent. An error
 * before the start is thrown into the loop, and the summary rejects with it: a {@link UsageError}, {@link SourceError}, {@link
 * LockError} or {@link LogError}. A later stop is in the summary (`stopped`).
 */
export interface ImportRun {
  /**
   * Each row's outcome once it is in the result log. The run waits for a slow loop. Leaving the loop early stops the run: the
   * calls in flight are settled first, and their outcomes are in the result log. There can be one loop.
   */
  [Symbol.asyncIterator](): AsyncIterator<RowOutcome, void, undefined>
  /** The result of the run. Without a loop, or after one, this runs it to its end; inside the loop it would wait for itself. */
  summary(): Promise<ImportSummary>
}

export class LibraryRun implements ImportRun {
  readonly #options: ImportRowsOptions
  readonly #info: () => ProcessInfo
  readonly #stop = new Stop()
  readonly #outcomes = new OutcomeQueue()
  #isLooped = false
  #end: Promise<ImportSummary> | undefined

  constructor(options: ImportRowsOptions, info: () => ProcessInfo) {
    this.#options = { ...options }
    this.#info = info
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RowOutcome, void, undefined> {
    if (this.#isLooped || this.#end !== undefined) {
      const { withMessage } = await import('./run.ts')
      throw withMessage(new UsageError('already_iterated'))
    }
    this.#isLooped = true
    const end = this.#begin()
    let isLeft = true
    try {
      for (let next = await this.#outcomes.take(); next !== undefined; next = await this.#outcomes.take())
        yield next
      isLeft = false
      await end
    } finally {
      if (isLeft) await this.#leave(end)
    }
  }

  summary(): Promise<ImportSummary> {
    if (!this.#isLooped) this.#outcomes.abandon()
    return this.#begin()
  }

  /** The calls in flight are settled, and their outcomes dropped. */
  async #leave(end: Promise<ImportSummary>): Promise<void> {
    this.#stop.request({ code: 'aborted', params: { by: 'loop' } })
    this.#outcomes.abandon()
    await end.catch(() => {}) // the summary rejects with it
  }

  #begin(): Promise<ImportSummary> {
    this.#end ??= this.#run()
    this.#end.catch(() => {}) // whoever awaits it gets the error
    return this.#end
  }

  async #run(): Promise<ImportSummary> {
    const { signal } = this.#options
    const abort = () => this.#stop.request({ code: 'aborted', params: { by: 'signal' } })
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    try {
      const { runToEnd } = await import('./run.ts')
      return await runToEnd(this.#options, {
        info: this.#info(),
        stop: this.#stop,
        take: outcome => this.#outcomes.put(outcome),
      })
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#outcomes.close()
    }
  }
}

/** Hands outcomes to the one loop that takes them. */
class OutcomeQueue {
  readonly #waiting: { readonly outcome: RowOutcome; readonly taken: () => void }[] = []
  #taker: ((outcome: RowOutcome | undefined) => void) | undefined
  #isClosed = false

  /** Resolves when the outcome is taken; undefined if it is already. */
  put(outcome: RowOutcome): Promise<void> | undefined {
    if (this.#isClosed) return undefined
    const taker = this.#taker
    if (taker === undefined)
      return new Promise(taken => {
        this.#waiting.push({ outcome, taken })
      })
    this.#taker = undefined
    taker(outcome)
    return undefined
  }

  take(): Promise<RowOutcome | undefined> {
    const first = this.#waiting.shift()
    first?.taken()
    if (first !== undefined || this.#isClosed) return Promise.resolve(first?.outcome)
    return new Promise(resolve => {
      this.#taker = resolve
    })
  }

  /** Outcomes in the queue can still be taken. */
  close(): void {
    this.#isClosed = true
    this.#taker?.(undefined)
    this.#taker = undefined
  }

  abandon(): void {
    this.close()
    for (const { taken } of this.#waiting.splice(0)) taken()
  }
}
