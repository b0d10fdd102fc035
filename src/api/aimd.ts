/** How long a run must go well before the limit rises. */
const increaseEveryMs = 1_000

/** Additive increase, multiplicative decrease, from 1 to `most`; never more than doubles. All times are milliseconds of one clock. */
export class AimdLimit {
  readonly most: number
  readonly #step: number
  #current: number
  #decreasedMs = Number.NEGATIVE_INFINITY
  #goesWellSinceMs = 0

  constructor(most: number) {
    this.most = most
    this.#current = most
    this.#step = Math.max(1, Math.round(most / 10))
  }

  get current(): number {
    return this.#current
  }

  /** After a throttled attempt, or another reason to go down `to` fewer; false if it began before the last decrease, and so says nothing new. */
  decrease(startedMs: number, nowMs: number, to = Math.max(1, Math.floor(this.#current / 2))): boolean {
    if (startedMs < this.#decreasedMs) return false
    this.#decreasedMs = nowMs
    this.#goesWellSinceMs = nowMs
    this.#current = to
    return true
  }

  /** No attempt starts before this time, so the time until then proves nothing. */
  pauseUntil(untilMs: number): void {
    this.#goesWellSinceMs = Math.max(this.#goesWellSinceMs, untilMs)
  }

  /** After an attempt that the service accepted; true if the limit rises. */
  increase(nowMs: number): boolean {
    if (this.#current === this.most || nowMs - this.#goesWellSinceMs < increaseEveryMs) return false
    this.#goesWellSinceMs = nowMs
    this.#current = Math.min(this.most, this.#current + Math.min(this.#current, this.#step))
    return true
  }
}
