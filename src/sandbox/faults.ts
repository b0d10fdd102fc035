/** A source of numbers in [0, 1), as Math.random is one. */
export type Random = () => number

/**
 * The mulberry32 generator (Tommy Ettinger, public domain): 32 bits of state, the same numbers for the same seed
 * everywhere. Good enough for dice, never for secrets.
 * @param seed any whole number; only its low 32 bits count
 */
export function mulberry32(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** What befalls a call: answered with 500, cut after its record is made, or nothing. */
type Fault = 'fail' | 'drop' | 'none'

/** Decides the fault of each call, in the order in which the calls arrive. */
export type FaultDice = () => Fault

/**
 * Two numbers are drawn for every call, used or not, so that another `dropShare` leaves the failing calls where
 * they were.
 * @param failShare share of calls that fail, 0 to 1
 * @param dropShare share of the calls which do not fail that are cut, 0 to 1
 */
export function faultDice(failShare: number, dropShare: number, random: Random): FaultDice {
  return () => {
    const fails = random() < failShare
    const drops = random() < dropShare
    return fails ? 'fail' : drops ? 'drop' : 'none'
  }
}

/** Takes one token: 0 when the call may pass, else the whole seconds (at least 1) after which to try again. */
export type RateLimit = () => number

/**
 * A token bucket that holds one second's worth of calls, and at least one call; it starts full.
 * @param perSecond calls per second, above 0
 * @param nowMs a clock in milliseconds that never goes back
 */
export function rateLimit(perSecond: number, nowMs: () => number): RateLimit {
  const capacity = Math.max(1, perSecond)
  let tokens = capacity
  let filledAtMs = nowMs()
  return () => {
    const atMs = nowMs()
    tokens = Math.min(capacity, tokens + ((atMs - filledAtMs) / 1000) * perSecond)
    filledAtMs = atMs
    if (tokens < 1) return Math.max(1, Math.ceil((1 - tokens) / perSecond))
    tokens -= 1
    return 0
  }
}
