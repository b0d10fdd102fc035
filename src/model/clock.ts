/** The time, which is a parameter everywhere, so that tests never wait. */
export interface Clock {
  readonly now: () => Date
  /** Milliseconds of a clock that never goes back. */
  readonly elapsedMs: () => number
  /** Calls `action` once; the returned function cancels it. A `background` timer does not keep the process running. */
  readonly after: (delayMs: number, action: () => void, kind?: 'background') => () => void
}

/** Node treats a longer timer as one of a millisecond. */
const longestTimerMs = 2 ** 31 - 1

/** The clock of this machine; timers end after 24 days at the latest. */
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

/** Calls `action` every `intervalMs` milliseconds in the background, until the returned function is called. */
export function every(clock: Clock, intervalMs: number, action: () => void): () => void {
  let cancel = () => {}
  const again = () => {
    cancel = clock.after(intervalMs, again, 'background')
    action()
  }
  cancel = clock.after(intervalMs, again, 'background')
  return () => cancel()
}
