/** Time, as the job sees it. It is a parameter everywhere, so that a test turns it by hand and never waits. */
export interface Clock {
  /** The time of day, as it is written into files. */
  readonly now: () => Date
  /** Milliseconds of a clock that never goes back. */
  readonly elapsedMs: () => number
  /**
   * Does something once, `delayMs` milliseconds from now; the returned function cancels it. A timer in the `background` does not
   * keep the process running.
   */
  readonly after: (delayMs: number, action: () => void, kind?: 'background') => () => void
}

/** Node takes a timer that is longer than some 24 days for one of a millisecond. */
const longestTimerMs = 2 ** 31 - 1

/** The clock of this machine. What asks it for more than 24 days hears from it after these. */
export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  after(delayMs, action, kind) {
    const timer = setTimeout(action, Math.min(delayMs, longestTimerMs))
    if (kind === 'background') timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Resolves `delayMs` milliseconds from now; rejects with the signal's reason once that is aborted. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** Does something each `intervalMs` milliseconds, until the returned function is called. */
export function every(clock: Clock, intervalMs: number, action: () => void, kind?: 'background'): () => void {
  let cancel = () => {}
  const next = () => {
    cancel = clock.after(
      intervalMs,
      () => {
        next()
        action()
      },
      kind,
    )
  }
  next()
  return () => cancel()
}
