import { type SharedPace, Spacing } from '../../api/limiter.ts'
import type { Clock } from '../../model/clock.ts'

/** Keeps what the limiters of all workers have in common. Times are of this machine's clock that never goes back. */
export interface PaceKeeper extends Omit<SharedPace, 'spacing'> {
  /** Takes the next starts, and resolves with when the first of them may be; undefined if there are none to be had. */
  take(starts: number, perSecond: number): Promise<number | undefined>
}

/** The pace of this worker and the others, for its limiter. */
export const sharedPace = (keeper: PaceKeeper, clock: Clock): SharedPace => ({
  spacing: (perSecond, onFree) => new SharedSpacing(keeper, perSecond, clock, onFree),
  tell: (untilMs, isCut) => keeper.tell(untilMs, isCut),
  follow: onTold => keeper.follow(onTold),
})

/** Milliseconds whose starts are taken at once. */
const blockMs = 200
/** A start that is not made within this time is lost: a rate is there to prevent bursts. */
const mostLateMs = 250
const askAgainMs = 1_000

/** One worker's part of a rate. However many there are, no second sees more than the rate and the starts that may be late. */
class SharedSpacing extends Spacing {
  readonly #take: (starts: number) => Promise<number | undefined>
  readonly #clock: Clock
  readonly #onStarts: () => void
  readonly #gapMs: number
  /** Those that were taken. */
  readonly #startsMs: number[] = []
  /** How many were taken last, and how many were lost since: as many are taken as are used, so that others get theirs. */
  #taken = Infinity
  #lost = 0
  /** When to take more; Infinity while that is under way. */
  #askMs = 0

  /** `onStarts` is called when `freeMs` may have changed. */
  constructor(keeper: PaceKeeper, perSecond: number, clock: Clock, onStarts: () => void) {
    super(perSecond)
    this.#take = starts => keeper.take(starts, perSecond)
    this.#clock = clock
    this.#onStarts = onStarts
    this.#gapMs = 1000 / perSecond
  }

  /** As far as it is known. Asked for an attempt that waits: if few starts are left, more are taken. */
  override get freeMs(): number {
    const nowMs = this.#clock.elapsedMs()
    for (; (this.#startsMs[0] ?? Infinity) < nowMs - mostLateMs; this.#lost += 1) this.#startsMs.shift()
    if (this.#startsMs.length <= this.#taken / 2 && nowMs >= this.#askMs) void this.#takeMore()
    return Math.max(this.#startsMs[0] ?? this.#askMs, super.freeMs)
  }

  override start(nowMs: number, readyMs: number): void {
    this.#startsMs.shift()
    super.start(nowMs, readyMs)
  }

  async #takeMore(): Promise<void> {
    const used = this.#lost > 0 ? this.#taken - this.#lost : this.#taken * 1.5
    this.#taken = Math.max(1, Math.min(Math.ceil(used), Math.round(blockMs / this.#gapMs)))
    this.#lost = 0
    this.#askMs = Infinity
    const firstMs = await this.#take(this.#taken)
    this.#askMs = firstMs === undefined ? this.#clock.elapsedMs() + askAgainMs : 0
    for (let at = 0; at < this.#taken && firstMs !== undefined; at += 1)
      this.#startsMs.push(firstMs + at * this.#gapMs)
    this.#onStarts()
  }
}
