/** Runs jobs side by side, and takes a new one only when a place is free. */
export interface Window {
  /** Resolves as soon as the job has started; what it comes to is `onFailure`'s affair. */
  start(job: () => Promise<void>): Promise<void>
  /** Whether nothing is under way. */
  isIdle(): boolean
  /** Resolves when the next of the jobs under way has ended. */
  nextEnd(): Promise<void>
  /** Resolves when every job that was started has ended. */
  settled(): Promise<void>
}

/** Makes a window of `size` places; `onFailure` hears what jobs throw. */
export function createWindow(size: number, onFailure: (error: unknown) => void): Window {
  let underWay = 0
  let tellEnd = () => {}
  let nextEnd = Promise.resolve()
  const awaitNext = () => {
    nextEnd = new Promise(resolve => (tellEnd = resolve))
  }
  awaitNext()
  const ended = () => {
    underWay -= 1
    tellEnd()
    awaitNext()
  }
  return {
    async start(job) {
      while (underWay >= size) await nextEnd
      underWay += 1
      void job().catch(onFailure).finally(ended)
    },
    isIdle: () => underWay === 0,
    nextEnd: () => nextEnd,
    async settled() {
      while (underWay > 0) await nextEnd
    },
  }
}
