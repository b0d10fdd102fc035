import { setTimeout as sleep } from 'node:timers/promises'
import pThrottle from 'p-throttle'

/** When attempts may start: one pace for the whole run, retries included. */
export interface Pace {
  /** Resolves when the next attempt may start; rejects when the run stops first. */
  turn(): Promise<void>
  /** Holds every new attempt back until a time, in milliseconds since the epoch. */
  holdUntil(timeMs: number): void
}

/** Makes the pace of a run: at most `rate` attempts per second, and none while the service asks to wait. */
export function createPace(rate: number | undefined, signal: AbortSignal, now: () => Date): Pace {
  let heldUntilMs = 0
  const spaced =
    rate === undefined ? undefined : pThrottle({ ...windowOf(rate), strict: true, signal })(() => {})
  let passing: Promise<void> | undefined
  /** One sleep for all that wait. */
  const passed = () => {
    passing ??= sleep(heldUntilMs - now().getTime(), undefined, { signal }).finally(() => {
      passing = undefined
    })
    return passing
  }
  return {
    holdUntil(timeMs) {
      heldUntilMs = Math.max(heldUntilMs, timeMs)
    },
    async turn() {
      await spaced?.()
      while (heldUntilMs > now().getTime()) await passed()
    },
  }
}

/** Attempts are spread evenly, in groups of so few that no second sees more than it may; timers know milliseconds only. */
const shortestIntervalMs = 10

function windowOf(rate: number): { limit: number; interval: number } {
  const limit = Math.max(1, Math.floor((rate * shortestIntervalMs) / 1000))
  return { limit, interval: Math.ceil((limit * 1000) / rate) }
}
