import type { Clock } from '../model/clock.ts'
import type { LimiterEvent } from '../model/events.ts'
import type { Stop } from '../model/stop.ts'
import { AimdLimit } from './aimd.ts'
import { holdOfRun, longestWaitMs } from './retry.ts'
import { type SharedPace, SharedSpacing } from './shared-spacing.ts'
import { Spacing } from './spacing.ts'

export interface LimiterSettings {
  /** Most attempts under way at once. */
  readonly concurrency: number
  /** Most attempts started per second. */
  readonly rate: number | undefined
  /** A run of which the service accepts nothing for so long stops, and after ten minutes at the earliest. */
  readonly waitMs?: number
  readonly stop: Stop
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly emit: (event: LimiterEvent) => void
  /** Where other workers keep to the same rate, and wait when one of them has to. */
  readonly shared?: SharedPace | undefined
}

export interface Permit {
  readonly startedMs: number
  /** Gives the permit back; calling it again does nothing. */
  release(): void
}

interface Waiter {
  readonly askedMs: number
  readonly grant: (permit: Permit) => void
  readonly reject: (reason: unknown) => void
}

/** A hold that grows by less is not reported again. */
const worthReportingMs = 1_000

/** Workers that are throttled within this time called together, and go down once. */
const togetherMs = 1_000

/** One queue for the whole run, retries included. After a throttled attempt nothing starts for a time; then half as many run at once. */
export class Limiter {
  readonly #settings: LimiterSettings
  readonly #limit: AimdLimit
  readonly #spacing: Spacing | undefined
  #queue: Waiter[] = []
  #underWay = 0
  /** When as many as allowed were last under way: since then at most, somebody waits for the rate alone. */
  #fullMs = 0
  #heldUntilMs = 0
  #isHoldReported = false
  #throttledSinceMs: number | undefined
  #cancelTimer: (() => void) | undefined

  constructor(settings: LimiterSettings) {
    this.#settings = settings
    this.#limit = new AimdLimit(settings.concurrency)
    const { rate, shared, clock } = settings
    if (rate !== undefined)
      this.#spacing = shared ? new SharedSpacing(shared, rate, clock, () => this.#grant()) : new Spacing(rate)
    settings.stop.signal.addEventListener('abort', () => this.#rejectAll(), { once: true })
    this.#reportLimit()
    shared?.follow((untilMs, isCut) => this.#heed(untilMs, isCut))
  }

  /** Resolves when the next attempt may start, in the order of the calls; rejects when the run stops first. */
  acquire(): Promise<Permit> {
    const { stop, clock } = this.#settings
    return new Promise((grant, reject) => {
      stop.signal.throwIfAborted()
      this.#queue.push({ askedMs: clock.elapsedMs(), grant, reject })
      this.#grant()
    })
  }

  /** After a call was throttled at its n-th attempt; `retryAfterMs` is how long the service asks to wait, if it says so. */
  backOff({ startedMs }: Permit, attempts: number, retryAfterMs: number | undefined): void {
    const { stop, clock, random, waitMs = 0 } = this.#settings
    const nowMs = clock.elapsedMs()
    this.#throttledSinceMs ??= nowMs
    const forMs = nowMs - this.#throttledSinceMs
    if (forMs >= Math.max(longestWaitMs, waitMs))
      stop.request({ code: 'throttled', params: { minutes: Math.round(forMs / 60_000) } })
    const isNew = this.#limit.decrease(startedMs, nowMs)
    if (isNew) this.#reportLimit()
    const holdMs = retryAfterMs ?? (isNew ? holdOfRun(attempts, random) : undefined)
    if (holdMs === undefined) return
    this.#hold(nowMs, holdMs, retryAfterMs !== undefined)
    if (stop.reason === undefined) this.#settings.shared?.tell(nowMs + holdMs, isNew) // a hold that ends the run is not for the next
  }

  /** While the service is down, which is told otherwise: nothing starts for so long, and then one attempt at a time. */
  pause(forMs: number): void {
    const nowMs = this.#settings.clock.elapsedMs()
    this.#limit.decrease(nowMs, nowMs, 1)
    this.#reportLimit()
    this.#isHoldReported = false
    this.#hold(nowMs, forMs)
  }

  /** After the service accepted an attempt, whatever it answered. */
  speedUp(): void {
    this.#throttledSinceMs = undefined
    this.#noteIfFull()
    if (!this.#limit.increase(this.#settings.clock.elapsedMs())) return
    this.#reportLimit()
    this.#grant()
  }

  /** Grants permits while it can, and sets a timer for the first that has to wait for a time. */
  #grant(): void {
    while (this.#queue.length > 0 && this.#underWay < this.#limit.current) {
      const nowMs = this.#settings.clock.elapsedMs()
      const freeMs = Math.max(this.#heldUntilMs, this.#spacing?.freeMs ?? 0)
      if (freeMs > nowMs) {
        this.#grantLater(freeMs - nowMs)
        return
      }
      this.#reportResumed()
      const waiter = this.#queue.shift() as Waiter
      this.#spacing?.start(nowMs, Math.max(waiter.askedMs, this.#fullMs, this.#heldUntilMs))
      this.#underWay += 1
      waiter.grant(this.#permit(nowMs))
    }
  }

  /** A timer that is set already is never too late: what the queue waits for only moves on. */
  #grantLater(delayMs: number): void {
    if (delayMs === Infinity) return // until starts are taken
    const grant = () => {
      this.#cancelTimer = undefined
      this.#grant()
    }
    this.#cancelTimer ??= this.#settings.clock.after(Math.ceil(delayMs), grant) // timers know whole milliseconds
  }

  #noteIfFull(): void {
    if (this.#underWay >= this.#limit.current) this.#fullMs = this.#settings.clock.elapsedMs()
  }

  #permit(startedMs: number): Permit {
    let isReleased = false
    return {
      startedMs,
      release: () => {
        if (isReleased) return
        isReleased = true
        this.#noteIfFull()
        this.#underWay -= 1
        this.#grant()
      },
    }
  }

  /** Reported where it is known whether the service asked for it. */
  #hold(nowMs: number, forMs: number, asked?: boolean): void {
    const untilMs = nowMs + forMs
    const isOver = this.#heldUntilMs <= nowMs
    if (untilMs <= this.#heldUntilMs) return
    if (asked !== undefined && (isOver || untilMs - this.#heldUntilMs >= worthReportingMs)) {
      this.#isHoldReported = true
      this.#settings.emit({ type: 'hold', forMs, asked })
    }
    this.#heldUntilMs = untilMs
    this.#limit.pauseUntil(untilMs)
  }

  /** After another worker was throttled, and while it holds. */
  #heed(untilMs: number, isCut: boolean): void {
    const nowMs = this.#settings.clock.elapsedMs()
    if (isCut && this.#limit.decrease(nowMs - togetherMs, nowMs)) this.#reportLimit()
    if (untilMs > nowMs) this.#hold(nowMs, untilMs - nowMs, false)
  }

  #reportResumed(): void {
    if (!this.#isHoldReported) return
    this.#isHoldReported = false
    this.#settings.emit({ type: 'resumed' })
  }

  #reportLimit(): void {
    this.#settings.emit({ type: 'concurrency', atOnce: this.#limit.current, most: this.#limit.most })
  }

  #rejectAll(): void {
    this.#cancelTimer?.()
    const waiting = this.#queue
    this.#queue = []
    for (const { reject } of waiting) reject(this.#settings.stop.signal.reason)
  }
}
