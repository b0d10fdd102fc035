import { TokenBucket } from './token-bucket.ts'

/** A part of a run in which the service allows the same number of calls per second. */
export interface Phase {
  /** Undefined where all calls are allowed. */
  readonly perSecond?: number | undefined
  /** How long it lasts; undefined for the last one. */
  readonly lastsMs?: number | undefined
}

/** What happened in a phase, by the service's own clock. */
export interface PhaseCounts {
  accepted: number
  refused: number
  /** Calls for which the bucket had room at the start. */
  readonly heldAtStart: number
  /** The first arrival of all, or the end of the phase before. */
  readonly startMs: number
  /** The begin of the next phase, or the last answer of all. */
  endMs: number
}

/** Lets calls in or refuses them, phase by phase, and counts; the first phase begins with the first call. */
export class Gate {
  readonly counts: PhaseCounts[] = []
  readonly #phases: readonly Phase[]
  #bucket: TokenBucket | undefined

  constructor(phases: readonly Phase[]) {
    this.#phases = phases
  }

  /** Whether a call that arrives now is let in. */
  admits(nowMs: number): boolean {
    const counts = this.#countsAt(nowMs)
    const isAllowed = this.#bucket?.take(nowMs) ?? true
    if (isAllowed) counts.accepted += 1
    else counts.refused += 1
    return isAllowed
  }

  /** Notes that an answer was sent. */
  answered(nowMs: number): void {
    const last = this.counts.at(-1)
    if (last !== undefined) last.endMs = nowMs
  }

  #countsAt(nowMs: number): PhaseCounts {
    let current = this.counts.at(-1) ?? this.#begin(nowMs)
    for (;;) {
      const endMs =
        current.startMs + (this.#phases[this.counts.length - 1]?.lastsMs ?? Number.POSITIVE_INFINITY)
      if (nowMs < endMs) return current
      current.endMs = endMs
      current = this.#begin(endMs)
    }
  }

  #begin(startMs: number): PhaseCounts {
    const perSecond = this.#phases[this.counts.length]?.perSecond
    if (perSecond === undefined) this.#bucket = undefined
    else if (this.#bucket === undefined) this.#bucket = new TokenBucket(perSecond, startMs)
    else this.#bucket.change(perSecond, startMs)
    const heldAtStart = this.#bucket?.held ?? 0
    const counts = { accepted: 0, refused: 0, heldAtStart, startMs, endMs: startMs }
    this.counts.push(counts)
    return counts
  }
}
