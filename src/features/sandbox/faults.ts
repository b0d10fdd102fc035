/** mulberry32 (Tommy Ettinger, public domain): numbers in [0, 1) by the low 32 bits of a seed. Not for secrets. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Shares from 0 to 1. Two draws a call, so that another `dropShare` does not change which calls fail. */
export function faultDice(failShare: number, dropShare: number, random: () => number) {
  return (): 'fail' | 'drop' | 'none' => {
    const fails = random() < failShare
    const drops = random() < dropShare
    return fails ? 'fail' : drops ? 'drop' : 'none'
  }
}

/**
 * A token bucket for one second's calls, at least one; it starts full. `nowMs` must never go back. The function returns 0 when the call
 * may pass, else the whole seconds (at least 1) to wait.
 */
export function rateLimit(perSecond: number, nowMs: () => number): () => number {
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
