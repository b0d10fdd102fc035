/** Timers are late. The time lost is made up for at once, but no more than this: a rate is there to prevent bursts. */
const mostLateMs = 50
/** At higher rates the starts of a part of a second are remembered. */
const mostRemembered = 10_000

/** No second sees more than `perSecond`, rounded up, however late attempts start; it may be below one. All times are of one clock. */
export class Spacing {
  readonly #gapMs: number
  /** When the attempts of the last second started, the first of them at index `#first`. */
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

  /** The first moment at which another attempt may start. */
  get freeMs(): number {
    return Math.max(this.#nextMs, (this.#started[this.#first] ?? 0) + this.#spanMs)
  }

  /** Starts an attempt that has waited for the rate alone since `readyMs`; the caller makes sure that `nowMs` is not before `freeMs`. */
  start(nowMs: number, readyMs: number): void {
    this.#nextMs = Math.max(this.#nextMs, readyMs, nowMs - mostLateMs) + this.#gapMs
    this.#started[this.#first] = nowMs
    this.#first = (this.#first + 1) % this.#started.length
  }
}
