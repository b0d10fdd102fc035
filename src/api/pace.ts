import { setTimeout as sleep } from 'node:timers/promises'
import pLimit, { type LimitFunction } from 'p-limit'
import pThrottle from 'p-throttle'
import type { PaceEvent } from '../model/events.ts'
import type { Stop } from '../model/stop.ts'
import { Level } from './level.ts'
import { holdOfRun, longestWaitMs } from './retry.ts'

/** When attempts may start: one pace for the whole run, retries included. */
export interface Pace {
  /** Resolves when the next attempt may be made ready; rejects when the run stops first. */
  place(): Promise<Place>
  /** Hears that a call was throttled at its n-th attempt, and how long the service asked to wait. */
  throttled(turn: Turn, attempts: number, retryAfterMs: number | undefined): void
  /** Hears that the service took an attempt, whatever it answered. */
  taken(): void
}

/** The place of an attempt among those that are under way, or will be next. */
export interface Place {
  /** Resolves when the attempt may start; rejects when the run stops first. */
  start(): Promise<Turn>
  /** Gives the place up. */
  over(): void
}

/** The turn of one attempt. */
export interface Turn {
  readonly startedMs: number
  /** Lets the next one start. */
  readonly over: () => void
}

export interface PaceSettings {
  /** Most attempts under way at once. */
  readonly concurrency: number
  /** Most attempts started per second. */
  readonly rate: number | undefined
  readonly stop: Stop
  /** Milliseconds of a clock that never goes back. */
  readonly clockMs: () => number
  /** From 0 to 1. */
  readonly random: () => number
  readonly tell: (event: PaceEvent) => void
}

/** So many more attempts, as a share of those under way, are made ready while these are: that takes time on the disk. */
const readyShare = 0.2

/** A hold that grows by less is not told anew. */
const worthTellingMs = 1_000

/**
 * Makes the pace of a run. It starts with all that is allowed; each time the service asks to slow down, nothing starts for as
 * long as it asks, or for a time of our own where it does not say, and then half as many at once. A run of which nothing
 * was taken for ten minutes stops.
 */
export function createPace(settings: PaceSettings): Pace {
  const { concurrency, rate, stop, clockMs, random, tell } = settings
  const { signal } = stop
  const ready = rate === undefined ? Math.ceil(concurrency * readyShare) : 0 // a rate leaves time enough
  const places = pLimit(concurrency + ready)
  const slots = pLimit(concurrency)
  const spaced =
    rate === undefined ? undefined : pThrottle({ ...windowOf(rate), strict: true, signal })(() => {})
  const level = new Level(concurrency)
  let heldUntilMs = 0
  let refusedSinceMs: number | undefined
  let passing: Promise<void> | undefined

  const isHeld = () => heldUntilMs > clockMs()
  /** One sleep for all that wait. */
  const passed = () => {
    passing ??= sleep(Math.ceil(heldUntilMs - clockMs()), undefined, { signal }).finally(() => {
      passing = undefined
      if (!isHeld()) tell({ is: 'resumed' })
    })
    return passing
  }
  const hold = (forMs: number, asked: boolean) => {
    const untilMs = clockMs() + forMs
    if (untilMs <= heldUntilMs) return
    if (untilMs - Math.max(heldUntilMs, clockMs()) >= worthTellingMs || !isHeld())
      tell({ is: 'held', forMs, asked })
    heldUntilMs = untilMs
    level.rest(untilMs)
  }
  const adopt = () => {
    places.concurrency = level.now + ready
    slots.concurrency = level.now
    tell({ is: 'pace', atOnce: level.now, most: level.most })
  }
  /** Waits while nothing may start; whoever had to is spaced anew. */
  const released = async () => {
    while (isHeld()) {
      await passed()
      await spaced?.()
    }
    signal.throwIfAborted()
  }

  adopt()
  return {
    async place() {
      const leave = await oneOf(places)
      let release = () => {}
      const over = () => {
        release()
        leave()
      }
      try {
        if (spaced && !isHeld()) await spaced()
        await released()
      } catch (error) {
        leave()
        throw error
      }
      return {
        over,
        async start() {
          release = await oneOf(slots)
          await released()
          return { startedMs: clockMs(), over }
        },
      }
    },
    throttled({ startedMs }, attempts, retryAfterMs) {
      const nowMs = clockMs()
      refusedSinceMs ??= nowMs
      const forMs = nowMs - refusedSinceMs
      if (forMs >= longestWaitMs) stop.request({ is: 'throttled', forMs })
      const isNew = level.lower(startedMs, nowMs)
      if (isNew) adopt()
      if (retryAfterMs !== undefined) hold(retryAfterMs, true)
      else if (isNew) hold(holdOfRun(attempts, random), false)
    },
    taken() {
      refusedSinceMs = undefined
      if (level.raise(clockMs())) adopt()
    },
  }
}

/** Waits for one of those that a limit has to give; gives the way to hand it back. */
const oneOf = (limit: LimitFunction): Promise<() => void> =>
  new Promise(begin => {
    void limit(() => new Promise<void>(over => begin(over)))
  })

/** Attempts are spread evenly, in groups of so few that no second sees more than it may; timers know milliseconds only. */
const shortestIntervalMs = 10

function windowOf(rate: number): { limit: number; interval: number } {
  const limit = Math.max(1, Math.floor((rate * shortestIntervalMs) / 1000))
  return { limit, interval: Math.ceil((limit * 1000) / rate) }
}
