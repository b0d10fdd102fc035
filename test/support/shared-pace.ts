import type { SharedPace } from '../../src/api/limiter.ts'
import { sharedSpacing } from '../../src/features/ledger/pace.ts'
import { sleep } from '../../src/model/clock.ts'
import type { TestClock } from './clock.ts'

/** One pace in memory: what a ledger is to its workers. */
export class TestPace implements SharedPace {
  readonly clock: TestClock
  readonly #others: ((untilMs: number, isCut: boolean) => void)[] = []
  #nextMs = 0
  /** How many starts were taken each time. */
  readonly taken: number[] = []
  readonly shared: (readonly [untilMs: number, isCut: boolean])[] = []
  readonly levels: number[] = []
  latencyMs = 0
  /** Gives no starts. */
  isAway = false

  constructor(clock: TestClock) {
    this.clock = clock
  }

  spacing(perSecond: number, onFree: () => void): ReturnType<SharedPace['spacing']> {
    return sharedSpacing({ clock: this.clock, take: this.take.bind(this) }, perSecond, onFree)
  }

  async take(starts: number, perSecond: number): Promise<number | undefined> {
    this.taken.push(starts)
    const beginMs = Math.max(this.#nextMs, this.clock.elapsedMs())
    if (!this.isAway) this.#nextMs = beginMs + (starts * 1000) / perSecond
    await sleep(this.clock, this.latencyMs)
    return this.isAway ? undefined : beginMs
  }

  announce(untilMs: number, isCut: boolean): void {
    this.shared.push([untilMs, isCut])
  }

  level(share: number): void {
    this.levels.push(share)
  }

  follow(onOtherWorker: (untilMs: number, isCut: boolean) => void): void {
    this.#others.push(onOtherWorker)
  }

  /** Does what another worker would do, of which there is no limiter. */
  shareWithAll(untilMs: number, isCut: boolean): void {
    for (const onOtherWorker of this.#others) onOtherWorker(untilMs, isCut)
  }
}
