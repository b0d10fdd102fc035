/** Runs at most `size` jobs at a time; what they throw goes to `onFailure`. */
export class JobPool {
  readonly #size: number
  readonly #onFailure: (error: unknown) => void
  #running = 0
  #waiting: (() => void)[] = []

  constructor(size: number, onFailure: (error: unknown) => void) {
    this.#size = size
    this.#onFailure = onFailure
  }

  get isIdle(): boolean {
    return this.#running === 0
  }

  /** Waits until there is room for the job; resolves as soon as it has started. */
  async start(job: () => Promise<void>): Promise<void> {
    while (this.#running >= this.#size) await this.nextEnd()
    this.#running += 1
    void job()
      .catch(this.#onFailure)
      .finally(() => this.#noteEnd())
  }

  nextEnd(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  async drained(): Promise<void> {
    while (!this.isIdle) await this.nextEnd()
  }

  #noteEnd(): void {
    this.#running -= 1
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
