/** How long a run must go well before it tries more at once. */
const raiseEveryMs = 1_000

/**
 * How many attempts may be under way at once, from 1 to `most`: halved when the service asks to slow down, a tenth of `most`
 * more, but no more than twice as many, for each second that goes well (additive increase, multiplicative decrease). All times
 * are milliseconds of one clock.
 */
export class Level {
  readonly most: number
  readonly #step: number
  #now: number
  #loweredMs = Number.NEGATIVE_INFINITY
  #goesWellSinceMs = 0

  constructor(most: number) {
    this.most = most
    this.#now = most
    this.#step = Math.max(1, Math.round(most / 10))
  }

  get now(): number {
    return this.#now
  }

  /** Hears that an attempt was throttled; false where it began before the level was last lowered, and so says nothing new. */
  lower(startedMs: number, nowMs: number): boolean {
    if (startedMs < this.#loweredMs) return false
    this.#loweredMs = nowMs
    this.#goesWellSinceMs = nowMs
    this.#now = Math.max(1, Math.floor(this.#now / 2))
    return true
  }

  /** Hears that no attempt may start before a time. */
  rest(untilMs: number): void {
    this.#goesWellSinceMs = Math.max(this.#goesWellSinceMs, untilMs)
  }

  /** Hears that the service took an attempt; true where the level rises. */
  raise(nowMs: number): boolean {
    if (this.#now === this.most || nowMs - this.#goesWellSinceMs < raiseEveryMs) return false
    this.#goesWellSinceMs = nowMs
    this.#now = Math.min(this.most, this.#now + Math.min(this.#now, this.#step))
    return true
  }
}
