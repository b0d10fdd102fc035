import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import pThrottle from 'p-throttle'
import type { PaceEvent } from '../model/events.ts'
import type { Stop } from '../model/stop.ts'
import { Level } from './level.ts'
import { holdOfRun, longestWaitMs } from './retry.ts'

/** When attempts may start: one pace for the whole run, retries included. */
export interface Pace {
  /** Resolves when the next attempt may start; rejects when the run stops first. */
  turn(): Promise<Turn>
  /** Hears that a call was throttled at its n-th attempt, and how long the service asked to wait. */
  throttled(turn: Turn, attempts: number, retryAfterMs: number | undefined): void
  /** Hears that the service took an attempt, whatever it answered. */
  taken(): void
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
    slots.concurrency = level.now
    tell({ is: 'pace', atOnce: level.now, most: level.most })
  }
  const slot = () =>
    new Promise<() => void>(begin => {
      void slots(() => new Promise<void>(over => begin(over)))
    })

  adopt()
  return {
    async turn() {
      const over = await slot()
      try {
        do {
          while (isHeld()) await passed()
          await spaced?.()
        } while (isHeld()) // meanwhile: its place among the others is gone
        signal.throwIfAborted()
        return { startedMs: clockMs(), over }
      } catch (error) {
        over()
        throw error
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

/** Attempts are spread evenly, in groups of so few that no second sees more than it may; timers know milliseconds only. */
const shortestIntervalMs = 10

function windowOf(rate: number): { limit: number; interval: number } {
  const limit = Math.max(1, Math.floor((rate * shortestIntervalMs) / 1000))
  return { limit, interval: Math.ceil((limit * 1000) / rate) }
}
