import { UsageError } from '../../model/errors.ts'
import { Stop } from '../../model/stop.ts'
import type { ImportRowsOptions } from './options.ts'
import type { RowOutcome } from './outcome.ts'
import { OutcomeQueue } from './outcome-queue.ts'
import type { ImportSummary } from './summary.ts'
import { errorInCode } from './words.ts'

/**
 * An import that begins when it is first looped over or asked for its summary; until then nothing is read or sent.
 *
 * Whatever keeps it from beginning is thrown into the loop, and the summary rejects with it: a {@link UsageError},
 * {@link SourceError}, {@link LockError} or {@link LogError}. What stops it later stands in the summary (`stopped`).
 */
export interface ImportRun {
  /**
   * What became of each row, as soon as that is safe in the result log, in the order in which rows come to their end. The
   * run waits for a loop that is slow. Leaving the loop early stops the run: the calls in flight are settled, and only then
   * does the loop end; their outcomes are in the result log. There can be one loop.
   */
  [Symbol.asyncIterator](): AsyncIterator<RowOutcome, void, undefined>
  /**
   * What the run came to. Without a loop, or after one, this runs it to its end; inside the loop it would wait for itself.
   */
  summary(): Promise<ImportSummary>
}

/**
 * Imports rows, as the command `rowlift import` does: one record for each, none twice, and every one accounted for in the
 * result log. The same call goes on where an earlier one ended.
 *
 * Prints nothing, sets no exit code and listens to no signals. `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and
 * `NO_PROXY` are followed as by the command. Several imports may run at the same time, each with a result log of its own.
 *
 * @example
 * const run = importRows({
 *   source: 'contacts.csv', mapping: 'contacts.yaml', results: 'contacts.results.ndjson',
 *   baseUrl: 'https://api.example.com', organizationId: 42, token,
 * })
 * for await (const outcome of run) if (outcome.status === 'created') console.log(outcome.key, outcome.recordId)
 * console.log(await run.summary())
 */
export function importRows(options: ImportRowsOptions): ImportRun {
  return new Run(options)
}

class Run implements ImportRun {
  readonly #options: ImportRowsOptions
  readonly #stop = new Stop()
  readonly #outcomes = new OutcomeQueue()
  #isLooped = false
  #end: Promise<ImportSummary> | undefined

  constructor(options: ImportRowsOptions) {
    this.#options = { ...options }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RowOutcome, void, undefined> {
    if (this.#isLooped || this.#end !== undefined) throw errorInCode(new UsageError('one_loop'))
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

  /** The calls in flight are settled without anybody to take their outcomes. */
  async #leave(end: Promise<ImportSummary>): Promise<void> {
    this.#stop.request({ code: 'aborted', params: { by: 'loop' } })
    this.#outcomes.abandon()
    await end.catch(() => {}) // the summary tells
  }

  #begin(): Promise<ImportSummary> {
    this.#end ??= this.#run()
    this.#end.catch(() => {}) // it is thrown where it is waited for
    return this.#end
  }

  async #run(): Promise<ImportSummary> {
    const { signal } = this.#options
    const abort = () => this.#stop.request({ code: 'aborted', params: { by: 'signal' } })
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    try {
      const { runToEnd } = await import('./run.ts')
      return await runToEnd(this.#options, this.#stop, outcome => this.#outcomes.put(outcome))
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#outcomes.close()
    }
  }
}
