import { TransformStream } from 'node:stream/web'
import { UsageError } from '../model/errors.ts'
import { Stop } from '../model/stop.ts'
import type { ProcessInfo } from '../platform/process-info.ts'
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
  /** Hands outcomes to the loop: a write ends when the outcome is taken, or never will be. */
  readonly #queue = new TransformStream<RowOutcome, RowOutcome>({}, { highWaterMark: 0 })
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
      yield* this.#queue.readable // leaving the loop abandons the rest
      isLeft = false
      await end
    } finally {
      if (isLeft) {
        this.#stop.request({ code: 'aborted', params: { by: 'loop' } })
        await end.catch(() => {}) // the summary rejects with it
      }
    }
  }

  summary(): Promise<ImportSummary> {
    if (!this.#isLooped) void this.#queue.readable.cancel()
    return this.#begin()
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
    const queue = this.#queue.writable.getWriter()
    const take = (outcome: RowOutcome) => queue.write(outcome).catch(() => {})
    try {
      const { runToEnd } = await import('./run.ts')
      return await runToEnd(this.#options, this.#info(), this.#stop, take)
    } finally {
      signal?.removeEventListener('abort', abort)
      void queue.close().catch(() => {}) // outcomes in the queue can still be taken
    }
  }
}
