/** How much each part does. */
export interface Sizes {
  readonly calls: { readonly rounds: number; readonly rows: number; readonly concurrency: number }
  /** Over http and https, with answers of other sizes. */
  readonly otherCalls: {
    readonly rounds: number
    readonly rows: number
    readonly concurrencies: readonly number[]
  }
  readonly dryRun: { readonly rounds: number; readonly rows: number }
  /** How long a run takes that reaches the ideal. */
  readonly pace: { readonly rounds: number; readonly seconds: number }
  readonly memory: {
    readonly imports: readonly { readonly rounds: number; readonly rows: number }[]
    readonly concurrency: number
    /** Of the log that no import writes: it would take hours. */
    readonly resumedLines: number
  }
  readonly machines: {
    readonly rounds: number
    readonly workers: readonly number[]
    /** Calls that each worker has in flight: so few that the cores are not used up. */
    readonly concurrency: number
    /** How long a run takes that reaches the ideal. */
    readonly seconds: number
    /** Of the import whose memory is measured: it does not grow after the first 40,000. */
    readonly rows: number
  }
  readonly start: { readonly rounds: number }
  readonly cpu: { readonly rounds: number; readonly rows: number; readonly concurrency: number }
}

export const full: Sizes = {
  calls: { rounds: 5, rows: 30_000, concurrency: 50 },
  otherCalls: { rounds: 3, rows: 30_000, concurrencies: [10, 50, 200] },
  dryRun: { rounds: 3, rows: 1_000_000 },
  pace: { rounds: 3, seconds: 15 },
  memory: {
    imports: [
      { rounds: 3, rows: 10_000 },
      { rounds: 3, rows: 100_000 },
      { rounds: 1, rows: 1_000_000 },
    ],
    concurrency: 50,
    resumedLines: 10_000_000,
  },
  machines: { rounds: 3, workers: [1, 2, 4], concurrency: 10, seconds: 12, rows: 200_000 },
  start: { rounds: 15 },
  cpu: { rounds: 3, rows: 30_000, concurrency: 50 },
}

/** To see that all is in order; what starts and warms up weighs more in it. */
export const quick: Sizes = {
  calls: { rounds: 3, rows: 6_000, concurrency: 50 },
  otherCalls: { rounds: 1, rows: 2_000, concurrencies: [10, 50, 200] },
  dryRun: { rounds: 3, rows: 60_000 },
  pace: { rounds: 1, seconds: 6 },
  memory: {
    imports: [
      { rounds: 1, rows: 10_000 },
      { rounds: 1, rows: 100_000 },
    ],
    concurrency: 50,
    resumedLines: 100_000,
  },
  machines: { rounds: 1, workers: [1, 2, 4], concurrency: 10, seconds: 6, rows: 20_000 },
  start: { rounds: 5 },
  cpu: { rounds: 1, rows: 10_000, concurrency: 50 },
}
