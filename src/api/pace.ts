import pLimit from 'p-limit'
import { type Clock, sleep } from '../model/clock.ts'
import type { PaceEvent } from '../model/events.ts'
import type { Stop } from '../model/stop.ts'
import { Level } from './level.ts'
import { spacedBy } from './rate.ts'
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
  readonly clock: Clock
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
  const { concurrency, rate, stop, clock, random, tell } = settings
  const { elapsedMs } = clock
  const { signal } = stop
  const slots = pLimit(concurrency)
  const spaced = rate === undefined ? undefined : spacedBy(rate, clock, signal)
  const level = new Level(concurrency)
  let heldUntilMs = 0
  let refusedSinceMs: number | undefined
  let passing: Promise<void> | undefined

  const isHeld = () => heldUntilMs > elapsedMs()
  /** One sleep for all that wait. */
  const passed = () => {
    passing ??= sleep(clock, Math.ceil(heldUntilMs - elapsedMs()), signal).finally(() => {
      passing = undefined
      if (!isHeld()) tell({ is: 'resumed' })
    })
    return passing
  }
  const hold = (forMs: number, asked: boolean) => {
    const untilMs = elapsedMs() + forMs
    if (untilMs <= heldUntilMs) return
    if (untilMs - Math.max(heldUntilMs, elapsedMs()) >= worthTellingMs || !isHeld())
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
          if (spaced !== undefined) await spaced()
        } while (isHeld()) // meanwhile: its place among the others is gone
        signal.throwIfAborted()
        return { startedMs: elapsedMs(), over }
      } catch (error) {
        over()
        throw error
      }
    },
    throttled({ startedMs }, attempts, retryAfterMs) {
      const nowMs = elapsedMs()
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
      if (level.raise(elapsedMs())) adopt()
    },
  }
}
