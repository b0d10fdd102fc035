/**
 * The mulberry32 generator (Tommy Ettinger, public domain) of numbers in [0, 1): the same ones for the same seed. Not
 * for secrets.
 * @param seed any whole number; only its low 32 bits count
 */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Decides the next call's fault: answered with 500, cut after its record is created, or none. */
export type FaultDice = () => 'fail' | 'drop' | 'none'

/**
 * Two numbers are drawn for every call, used or not: another `dropShare` does not change which calls fail.
 * @param failShare share of calls that fail, 0 to 1
 * @param dropShare share of the calls which do not fail that are cut, 0 to 1
 */
export function faultDice(failShare: number, dropShare: number, random: () => number): FaultDice {
  return () => {
    const fails = random() < failShare
    const drops = random() < dropShare
    return fails ? 'fail' : drops ? 'drop' : 'none'
  }
}

/** Takes one permit: 0 when the call may pass, else the whole seconds (at least 1) after which to try again. */
export type RateLimit = () => number

/**
 * A token bucket that holds one second's worth of calls, and at least one call; it starts full.
 * @param perSecond calls per second, above 0
 * @param nowMs a clock in milliseconds that never goes back
 */
export function rateLimit(perSecond: number, nowMs: () => number): RateLimit {
  const capacity = Math.max(1, perSecond)
  let permits = capacity
  let filledAtMs = nowMs()
  return () => {
    const atMs = nowMs()
    permits = Math.min(capacity, permits + ((atMs - filledAtMs) / 1000) * perSecond)
    filledAtMs = atMs
    if (permits < 1) return Math.max(1, Math.ceil((1 - permits) / perSecond))
    permits -= 1
    return 0
  }
}
