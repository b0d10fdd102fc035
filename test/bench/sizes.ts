/** How much each part does. */
export interface Sizes {
  readonly calls: { readonly rounds: number; readonly rows: number; readonly concurrency: number }
  readonly dryRun: { readonly rounds: number; readonly rows: number }
  /** How long a run takes that reaches the ideal. */
  readonly pace: { readonly rounds: number; readonly seconds: number }
  readonly memory: {
    readonly imports: readonly { readonly rounds: number; readonly rows: number }[]
    readonly concurrency: number
  }
  readonly start: { readonly rounds: number }
  readonly cpu: { readonly rounds: number; readonly rows: number; readonly concurrency: number }
}

export const full: Sizes = {
  calls: { rounds: 5, rows: 30_000, concurrency: 50 },
  dryRun: { rounds: 3, rows: 1_000_000 },
  pace: { rounds: 3, seconds: 15 },
  memory: {
    imports: [
      { rounds: 3, rows: 10_000 },
      { rounds: 3, rows: 100_000 },
      { rounds: 1, rows: 1_000_000 },
    ],
    concurrency: 50,
  },
  start: { rounds: 15 },
  cpu: { rounds: 3, rows: 30_000, concurrency: 50 },
}

/** To see that all is in order; what starts and warms up weighs more in it. */
export const quick: Sizes = {
  calls: { rounds: 3, rows: 6_000, concurrency: 50 },
  dryRun: { rounds: 3, rows: 60_000 },
  pace: { rounds: 1, seconds: 6 },
  memory: {
    imports: [
      { rounds: 1, rows: 10_000 },
      { rounds: 1, rows: 100_000 },
    ],
    concurrency: 50,
  },
  start: { rounds: 5 },
  cpu: { rounds: 1, rows: 10_000, concurrency: 50 },
}
