import { type Clock, sleep } from '../model/clock.ts'

/** Timers are late. What that costs is made good at once, but no more of it than this: a burst is what a rate is to prevent. */
const mostLateMs = 50
/** Of higher rates the starts of a part of a second are remembered. */
const mostRemembered = 10_000

/**
 * When attempts may start so that they are spread evenly, and no second sees more than `perSecond`, rounded up, however late
 * they start; `perSecond` may be below one. All times are milliseconds of one clock.
 */
export class Spacing {
  readonly #gapMs: number
  /** When as many as a second may see started, the first of them at `#first`. */
  readonly #started: Float64Array
  readonly #spanMs: number
  #first = 0
  #nextMs = Number.NEGATIVE_INFINITY

  constructor(perSecond: number) {
    const remembered = Math.min(Math.ceil(perSecond), mostRemembered)
    this.#gapMs = 1000 / perSecond
    this.#started = new Float64Array(remembered).fill(Number.NEGATIVE_INFINITY)
    this.#spanMs = (remembered * 1000) / perSecond
  }

  /** The first moment at which another one may start. */
  get freeMs(): number {
    return Math.max(this.#nextMs, (this.#started[this.#first] ?? 0) + this.#spanMs)
  }

  /** Starts one that was asked for at `askedMs`; the caller sees to it that `nowMs` is not before `freeMs`. */
  start(nowMs: number, askedMs: number): void {
    this.#nextMs = Math.max(this.#nextMs, askedMs, nowMs - mostLateMs) + this.#gapMs
    this.#started[this.#first] = nowMs
    this.#first = (this.#first + 1) % this.#started.length
  }
}

/**
 * Makes what waits until the next attempt may start at this rate, in the order of the asking; it rejects with the signal's
 * reason once that is aborted.
 */
export function spacedBy(perSecond: number, clock: Clock, signal: AbortSignal): () => Promise<void> {
  const spacing = new Spacing(perSecond)
  let before = Promise.resolve()
  const start = async (askedMs: number) => {
    for (;;) {
      const nowMs = clock.elapsedMs()
      const waitMs = spacing.freeMs - nowMs
      if (waitMs <= 0) return spacing.start(nowMs, askedMs)
      await sleep(clock, Math.ceil(waitMs), signal) // timers know whole milliseconds
    }
  }
  return () => {
    const askedMs = clock.elapsedMs()
    before = before.then(() => start(askedMs))
    return before
  }
}
