import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'

const longestConnectMs = 30_000

/** With the code of got's own timeouts. */
const timedOut = () => Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })

/** Ends requests that take longer than they may. All may take as long, so the oldest ends first, and one timer serves all. */
export class Deadline {
  readonly #afterMs: number
  /** When each is due, in the order of their starts. */
  readonly #dueMs = new Map<ClientRequest, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(afterMs: number) {
    this.#afterMs = afterMs
  }

  /** Returns what takes it back. */
  start(request: ClientRequest): () => void {
    this.#dueMs.set(request, performance.now() + this.#afterMs)
    this.#timer ??= this.#wait(this.#afterMs)
    return () => this.#dueMs.delete(request)
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
    for (const [request, dueMs] of this.#dueMs) {
      if (dueMs > nowMs) {
        this.#timer = this.#wait(dueMs - nowMs)
        return
      }
      this.#dueMs.delete(request)
      request.destroy(timedOut())
    }
  }
}
