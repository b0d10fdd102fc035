/** Calls that a service allows per second; a bucket holds one second's worth and starts full. */
export class TokenBucket {
  #perSecond: number
  #tokens: number
  #filledAtMs: number

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond
    this.#tokens = perSecond
    this.#filledAtMs = nowMs
  }

  /** What was in it when it was last asked or changed. */
  get held(): number {
    return this.#tokens
  }

  /** Whether one more call is allowed. */
  take(nowMs: number): boolean {
    this.#fill(nowMs)
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  /** Another rate from now on; what is in the bucket stays, as far as it still fits. */
  change(perSecond: number, nowMs: number): void {
    this.#fill(nowMs)
    this.#perSecond = perSecond
    this.#tokens = Math.min(this.#tokens, perSecond)
  }

  #fill(nowMs: number): void {
    const gained = ((nowMs - this.#filledAtMs) / 1000) * this.#perSecond
    this.#tokens = Math.min(this.#perSecond, this.#tokens + gained)
    this.#filledAtMs = nowMs
  }
}
