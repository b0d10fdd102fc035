import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'

const longestConnectMs = 30_000

/** With the code of got's own timeouts. */
const timedOut = () => Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })

/** A request under way; those that started before and after it. */
interface Entry {
  readonly request: ClientRequest
  readonly dueMs: number
  before: Entry | undefined
  after: Entry | undefined
}

/**
 * Ends requests that take longer than they may. All may take as long, so the oldest ends first, and one timer serves all. They are
 * a list, because the tables that a Map leaves behind would keep ended requests for the garbage collector's next long run.
 */
export class Deadline {
  readonly #afterMs: number
  #oldest: Entry | undefined
  #newest: Entry | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(afterMs: number) {
    this.#afterMs = afterMs
  }

  /** Returns what takes it back. */
  start(request: ClientRequest): () => void {
    const dueMs = performance.now() + this.#afterMs
    const entry: Entry = { request, dueMs, before: this.#newest, after: undefined }
    if (this.#newest) this.#newest.after = entry
    else this.#oldest = entry
    this.#newest = entry
    this.#timer ??= this.#wait(this.#afterMs)
    return () => this.#remove(entry)
  }

  #remove(entry: Entry): void {
    const { before, after } = entry
    if (before === undefined && entry !== this.#oldest) return // it was removed before
    if (before) before.after = after
    else this.#oldest = after
    if (after) after.before = before
    else this.#newest = before
    entry.before = undefined
    entry.after = undefined
  }

  /** Ends a request whose connection takes too long to open. */
  startConnecting(request: ClientRequest, socket: Socket): void {
    const timer = setTimeout(() => request.destroy(timedOut()), Math.min(this.#afterMs, longestConnectMs))
    const cancel = () => clearTimeout(timer)
    socket.once('connect', cancel).once('close', cancel)
  }

  #wait(forMs: number): NodeJS.Timeout {
    // an answer that came while the process was busy is read first
    return setTimeout(() => setImmediate(() => this.#endOverdue()), Math.ceil(forMs)).unref()
  }

  #endOverdue(): void {
    this.#timer = undefined
    const nowMs = performance.now()
    while (this.#oldest !== undefined && this.#oldest.dueMs <= nowMs) {
      const { request } = this.#oldest
      this.#remove(this.#oldest)
      request.destroy(timedOut())
    }
    if (this.#oldest !== undefined) this.#timer = this.#wait(this.#oldest.dueMs - nowMs)
  }
}
