import type { Clock } from '../../src/model/clock.ts'

/** A clock that a test turns by hand. */
export interface TestClock extends Clock {
  /** Lets time go by: each timer that is due goes off at its time, and what it sets off has its turn before the next one does. */
  advance(ms: number): Promise<void>
  /** How many timers are set. */
  readonly timers: number
}

/** A clock that stays at `start` until the test advances it. */
export function testClock(start = new Date('2026-11-21T08:00:00.000Z')): TestClock {
  let elapsedMs = 0
  const timers = new Map<number, { readonly dueMs: number; readonly action: () => void }>()
  let lastId = 0
  const nextDue = (untilMs: number) =>
    [...timers]
      .filter(([, { dueMs }]) => dueMs <= untilMs)
      .sort(([a, one], [b, other]) => one.dueMs - other.dueMs || a - b)[0]
  return {
    now: () => new Date(start.getTime() + elapsedMs),
    elapsedMs: () => elapsedMs,
    after(delayMs, action) {
      const id = ++lastId
      timers.set(id, { dueMs: elapsedMs + delayMs, action })
      return () => void timers.delete(id)
    },
    get timers() {
      return timers.size
    },
    async advance(ms) {
      const untilMs = elapsedMs + ms
      await turns()
      for (let next = nextDue(untilMs); next !== undefined; next = nextDue(untilMs)) {
        const [id, { dueMs, action }] = next
        timers.delete(id)
        elapsedMs = Math.max(elapsedMs, dueMs)
        action()
        await turns()
      }
      elapsedMs = untilMs
      await turns()
    },
  }
}

/** Lets everything have its turn that waits for promises alone. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(resolve => setImmediate(resolve))
}

/**
 * A clock that nobody waits for: as soon as a timer is set and everything else has had its turn, it jumps there. What stands in
 * the background goes off only where it jumps past that.
 */
export function fastClock(start?: Date): Clock {
  const clock = testClock(start)
  let jumped = Promise.resolve()
  return {
    ...clock,
    after(delayMs, action, kind) {
      const dueMs = clock.elapsedMs() + delayMs
      const jump = () => clock.advance(Math.max(0, dueMs - clock.elapsedMs()))
      if (kind !== 'background') jumped = jumped.then(jump)
      return clock.after(delayMs, action, kind)
    },
  }
}
