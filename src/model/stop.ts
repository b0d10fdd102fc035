import { setMaxListeners } from 'node:events'
import { LockError, LogError, SourceError, type StopReason } from './errors.ts'

/** The first reason counts, unless a later one means that outcomes may be missing from the log. */
export class Stop {
  readonly #controller = new AbortController()
  readonly signal: AbortSignal = this.#controller.signal
  #reason: StopReason | undefined

  constructor() {
    setMaxListeners(0, this.signal) // every call that waits listens, and there may be hundreds
  }

  get reason(): StopReason | undefined {
    return this.#reason
  }

  /** Ends the run early: no new row and no new attempt starts, calls under way are finished. */
  request(reason: StopReason): void {
    if (this.#reason !== undefined && rank(reason) <= rank(this.#reason)) return
    this.#reason = reason
    this.#controller.abort()
  }
}

const rank = ({ code }: StopReason) => (code === 'log' || code === 'lock' || code === 'defect' ? 1 : 0)

export function stopReasonOf(error: unknown): StopReason {
  if (error instanceof LogError) return { code: 'log', params: { problem: error.problem } }
  if (error instanceof LockError) return { code: 'lock', params: { problem: error.problem } }
  if (error instanceof SourceError) return { code: 'source', params: { problem: error.problem } }
  return { code: 'defect', params: { error } }
}
