import pLimit from 'p-limit'
import type { Clock } from '../model/clock.ts'
import type { LimiterEvent } from '../model/events.ts'
import type { Stop } from '../model/stop.ts'
import { latencyTrials } from './latency-trials.ts'
import { holdOfRun, longestWaitMs } from './retry.ts'

export interface LimiterSettings {
  readonly concurrency: number
  /** Most attempts started per second. */
  readonly rate: number | undefined
  /** A run stops if the service accepts nothing for so long, and for ten minutes at least. */
  readonly waitMs?: number
  readonly stop: Stop
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly emit: (event: LimiterEvent) => void
  readonly shared?: SharedPace | undefined
}

/** The pace of several workers, who keep to the same rate, and wait when one of them has to. */
export interface SharedPace {
  /** Spaces out the starts of this worker; calls `onFree` if one may be free earlier than `freeMs`. */
  spacing(perSecond: number, onFree: () => void): ReturnType<typeof spacingOf>
  /** This worker was throttled: nobody starts before `untilMs`, and if `isCut` the others' limits go down as well. */
  announce(untilMs: number, isCut: boolean): void
  /** Limits all workers to this share of their `concurrency`. */
  level(share: number): void
  /** Calls `onOther` when another worker was throttled, or has set the level. */
  follow(onOther: (untilMs: number, isCut: boolean, level?: number) => void): void
}

export interface Permit {
  readonly startedMs: number
  /** Gives the permit back; calling it again does nothing. */
  release(): void
}

/** A run must go well for so long before more attempts may be under way. */
const increaseEveryMs = 1_000
/** Timers are late. The time lost is made up for at once, but no more than this: a rate is there to prevent bursts. */
const mostLateMs = 50
/** At higher rates the starts of a part of a second are remembered. */
const mostRemembered = 10_000
/** A hold that grows by less is not reported again. */
const worthReportingMs = 1_000
/** Workers that are throttled within this time called together, and go down once. */
const togetherMs = 1_000

export type Limiter = ReturnType<typeof limiterOf>

/** One queue for the whole run, retries included. After a throttled attempt nothing starts for a time; then half as many run at once. */
export function limiterOf(settings: LimiterSettings) {
  const { concurrency, rate, waitMs = 0, stop, clock, random, emit, shared } = settings
  const limit = aimdLimit(concurrency)
  const trials = latencyTrials(settings, limit, change)
  /** Attempts, each from its start to the release of its permit. */
  const underWay = pLimit({ concurrency, rejectOnClear: true })
  /** Attempts that are to start: only the first asks for a place among those under way. */
  const queue = pLimit({ concurrency: 1, rejectOnClear: true })
  let wake = () => {}
  const spacing = rate === undefined ? undefined : (shared?.spacing(rate, () => wake()) ?? spacingOf(rate))
  /** When the queue last had to wait for a place: its first has waited for the rate alone since then at most. */
  let fullMs = 0
  let heldUntilMs = 0
  let isHoldReported = false
  let throttledSinceMs: number | undefined
  const freeMs = () => Math.max(heldUntilMs, spacing?.freeMs ?? 0)

  const rejectAll = () => {
    for (const waiting of [queue, underWay]) waiting.clearQueue()
    wake()
  }
  stop.signal.addEventListener('abort', rejectAll, { once: true })
  adapt()
  shared?.follow((untilMs, isCut, level) => {
    const nowMs = clock.elapsedMs()
    if (level !== undefined) trials.follow(Math.max(1, Math.round(level * concurrency)))
    if (isCut && limit.decrease(nowMs - togetherMs, nowMs)) adapt()
    if (untilMs > nowMs) hold(nowMs, untilMs - nowMs, false)
  })

  return {
    /** Resolves when the next attempt may start, in the order of the calls; rejects when the run stops first. */
    async acquire(): Promise<Permit> {
      const queuedMs = clock.elapsedMs()
      return (spacing ? undefined : await start(queuedMs)) ?? queue(() => startNext(queuedMs))
    },

    /** Slows down after a call was throttled at its n-th attempt; `retryAfterMs` is the wait that the service requested. */
    backOff({ startedMs }: Permit, attempts: number, retryAfterMs: number | undefined): void {
      const nowMs = clock.elapsedMs()
      throttledSinceMs ??= nowMs
      const forMs = nowMs - throttledSinceMs
      if (forMs >= Math.max(longestWaitMs, waitMs))
        stop.request({ code: 'throttled', params: { minutes: Math.round(forMs / 60_000) } })
      const isNew = limit.decrease(startedMs, nowMs)
      if (isNew) adapt()
      const holdMs = retryAfterMs ?? (isNew ? holdOfRun(attempts, random) : undefined)
      if (holdMs === undefined) return
      hold(nowMs, holdMs, retryAfterMs !== undefined)
      if (stop.reason === undefined) shared?.announce(nowMs + holdMs, isNew) // a hold that ends the run is not for the next
    },

    /** Lets nothing start for so long, and then one attempt at a time: the service is down, which is reported by the outage. */
    pause(forMs: number): void {
      const nowMs = clock.elapsedMs()
      limit.decrease(nowMs, nowMs, 1)
      adapt()
      isHoldReported = false
      hold(nowMs, forMs)
    },

    /** Notes an attempt that the service accepted, whether it made a record or was refused. */
    speedUp(hasRecord: boolean): void {
      throttledSinceMs = undefined
      trials.take(hasRecord, underWay.activeCount)
      if (limit.increase(clock.elapsedMs(), trials.ceiling())) adapt()
    },
  }

  /** Starts the first of the queue. While it waits for a time it has no place, so that a limit that falls meanwhile holds for it. */
  async function startNext(queuedMs: number): Promise<Permit> {
    for (;;) {
      const permit = await start(queuedMs, true)
      if (permit !== undefined) return permit
      await untilFree()
    }
  }

  /** Starts an attempt once there is a place, if it need not wait for a time or for others that do. */
  async function start(queuedMs: number, isNext = false): Promise<Permit | undefined> {
    stop.signal.throwIfAborted()
    const release = await takePlace()
    const nowMs = clock.elapsedMs()
    if (freeMs() > nowMs || !(isNext || queue.activeCount === 0)) {
      release()
      return undefined
    }
    if (isHoldReported) emit({ type: 'resumed' })
    isHoldReported = false
    spacing?.start(nowMs, Math.max(queuedMs, fullMs, heldUntilMs))
    return { startedMs: nowMs, release }
  }

  function takePlace(): Promise<() => void> {
    const isFull = underWay.activeCount >= underWay.concurrency
    return new Promise((resolve, reject) => {
      const attempt = () => {
        if (isFull) fullMs = clock.elapsedMs()
        return new Promise<void>(resolve)
      }
      underWay(attempt).catch(reject)
    })
  }

  /** Resolves when a start is free, or may be earlier, or when the run stops. */
  function untilFree(): Promise<void> {
    return new Promise(resolve => {
      stop.signal.throwIfAborted()
      const delayMs = Math.max(0, freeMs() - clock.elapsedMs())
      const cancel = clock.after(Math.ceil(delayMs), resolve) // timers know whole milliseconds
      wake = () => {
        cancel()
        resolve()
      }
    })
  }

  /** Lets nothing start for so long. Reported if it is known whether the service requested it. */
  function hold(nowMs: number, forMs: number, byService?: boolean): void {
    const untilMs = nowMs + forMs
    const isOver = heldUntilMs <= nowMs
    if (untilMs <= heldUntilMs) return
    if (byService !== undefined && (isOver || untilMs - heldUntilMs >= worthReportingMs)) {
      isHoldReported = true
      emit({ type: 'hold', forMs, byService })
    }
    heldUntilMs = untilMs
    limit.pauseUntil(untilMs)
  }

  /** Sets the limit of a trial. Workers that follow that of another one do not share it again. */
  function change(atOnce: number, isOwn: boolean): void {
    limit.current = atOnce
    adapt()
    if (isOwn) shared?.level(trials.ceiling() / concurrency)
  }

  function adapt(): void {
    underWay.concurrency = limit.current
    emit({ type: 'concurrency', atOnce: limit.current, enough: trials.enough(), most: concurrency })
  }
}

/** No second sees more than `perSecond`, rounded up, however late attempts start; it may be below one. All times are of one clock. */
export function spacingOf(perSecond: number) {
  const remembered = Math.min(Math.ceil(perSecond), mostRemembered)
  const gapMs = 1000 / perSecond
  const spanMs = (remembered * 1000) / perSecond
  /** When the attempts of the last second started, the first of them at index `first`. */
  const started = new Float64Array(remembered).fill(Number.NEGATIVE_INFINITY)
  let first = 0
  let nextMs = Number.NEGATIVE_INFINITY
  return {
    /** The first moment at which another attempt may start. */
    get freeMs(): number {
      return Math.max(nextMs, (started[first] ?? 0) + spanMs)
    },
    /** Starts an attempt that has waited for the rate alone since `readyMs`; the caller makes sure that `nowMs` is not before `freeMs`. */
    start(nowMs: number, readyMs: number): void {
      nextMs = Math.max(nextMs, readyMs, nowMs - mostLateMs) + gapMs
      started[first] = nowMs
      first = (first + 1) % started.length
    },
  }
}

/** Additive increase, multiplicative decrease, from 1 to `most`; never more than doubles. All times are milliseconds of one clock. */
export function aimdLimit(most: number) {
  const step = Math.max(1, Math.round(most / 10))
  let decreasedMs = Number.NEGATIVE_INFINITY
  let goesWellSinceMs = 0
  const limit = {
    current: most,

    /** Goes down to half, or `to` fewer; false if the throttled attempt began before the last decrease, and so says nothing new. */
    decrease(startedMs: number, nowMs: number, to = Math.max(1, Math.floor(limit.current / 2))): boolean {
      if (startedMs < decreasedMs) return false
      decreasedMs = nowMs
      goesWellSinceMs = nowMs
      limit.current = to
      return true
    },

    /** No attempt starts before this time, so the time until then proves nothing. */
    pauseUntil(untilMs: number): void {
      goesWellSinceMs = Math.max(goesWellSinceMs, untilMs)
    },

    /** Notes an attempt that the service accepted; true if the limit rises. */
    increase(nowMs: number, upTo = most): boolean {
      if (limit.current >= upTo || nowMs - goesWellSinceMs < increaseEveryMs) return false
      goesWellSinceMs = nowMs
      limit.current = Math.min(upTo, limit.current + Math.min(limit.current, step))
      return true
    },
  }
  return limit
}
