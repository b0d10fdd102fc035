/** What an import in a ledger looks like now, by the clock of its database; of its last run. */
export interface ImportOverview {
  readonly run: string
  /** How many runs the import has, this one included. */
  readonly runs: number
  readonly wave: number
  readonly began: string
  readonly ended: string | null
  readonly rows: number
  /** Rows that came to an end. */
  readonly byStatus: Readonly<Record<string, number>>
  /** Rows of all runs that are in doubt. */
  readonly inDoubt: number
  readonly callsUnderWay: number
  readonly chunks: Readonly<Record<'done' | 'underWay' | 'free' | 'later', number>>
  readonly workers: readonly WorkerFacts[]
  /** For so long no call starts. */
  readonly heldForS: number
  /** How often a worker was asked to slow down. */
  readonly cuts: number
}

interface WorkerFacts {
  readonly name: string
  readonly since: string
  /** Until it was last heard of. */
  readonly workedForS: number
  readonly seenAgoS: number
  /** Not heard of for longer than its lease. */
  readonly isGone: boolean
  /** That it settled. */
  readonly rows: number
  readonly chunks: number
}
