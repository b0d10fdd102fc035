import type { RowOutcome } from './outcome.ts'

/** Hands outcomes from a run to the one loop that takes them; the run waits for what was not taken yet. */
export class OutcomeQueue {
  readonly #waiting: { readonly outcome: RowOutcome; readonly taken: () => void }[] = []
  #asked: ((outcome: RowOutcome | undefined) => void) | undefined
  #isClosed = false

  /** Resolves when the outcome was taken; undefined where there is nothing to wait for. */
  put(outcome: RowOutcome): Promise<void> | undefined {
    if (this.#isClosed) return undefined
    const asked = this.#asked
    if (asked === undefined)
      return new Promise(taken => {
        this.#waiting.push({ outcome, taken })
      })
    this.#asked = undefined
    asked(outcome)
    return undefined
  }

  /** The next outcome; undefined when there will be none. */
  take(): Promise<RowOutcome | undefined> {
    const first = this.#waiting.shift()
    first?.taken()
    if (first !== undefined || this.#isClosed) return Promise.resolve(first?.outcome)
    return new Promise(resolve => {
      this.#asked = resolve
    })
  }

  /** No outcome comes any more; those that wait can still be taken. */
  close(): void {
    this.#isClosed = true
    this.#asked?.(undefined)
    this.#asked = undefined
  }

  /** Nobody takes outcomes any more. */
  abandon(): void {
    this.close()
    for (const { taken } of this.#waiting.splice(0)) taken()
  }
}
