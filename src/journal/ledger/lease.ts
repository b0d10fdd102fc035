import type { Clock } from '../../model/clock.ts'

/** A worker stops using a lease this share of its time before it ends. */
const marginShare = 0.2

/** A time on both clocks of this machine: one may stand still while it sleeps, the other may be set. */
interface Instant {
  readonly elapsedMs: number
  readonly wallMs: number
}

/** The lease of a chunk as the worker's own clocks see it, counted from before it was asked for. */
export class Lease {
  readonly #clock: Clock
  readonly #usableMs: number
  #since: Instant

  constructor(clock: Clock, leaseS: number, since: Instant) {
    this.#clock = clock
    this.#usableMs = leaseS * 1000 * (1 - marginShare)
    this.#since = since
  }

  static instant = (clock: Clock): Instant => ({
    elapsedMs: clock.elapsedMs(),
    wallMs: clock.now().getTime(),
  })

  /** Whether a call may start now. */
  get isLive(): boolean {
    const { elapsedMs, wallMs } = Lease.instant(this.#clock)
    return Math.max(elapsedMs - this.#since.elapsedMs, wallMs - this.#since.wallMs) < this.#usableMs
  }

  renewed(since: Instant): void {
    this.#since = since
  }
}
