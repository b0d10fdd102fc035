import { describeCode, describeProblem } from '../../src/output/words.ts'
import type { ResultDetails, RunResult } from '../../src/result/run-result.ts'
import { Tally } from '../../src/result/tally.ts'

export const newTally = (mostRows = 0): Tally => new Tally({ describeProblem, describeCode }, mostRows)

export const noColumns = { unseen: [], unused: [], missingKey: [], fallbacks: [], lookups: [] }

/** The result of a run of 2 s that counted these rows. */
export const resultOf = (
  tally: Tally,
  changes: Partial<RunResult> = {},
  details: Partial<ResultDetails> = {},
): RunResult => ({
  ...tally.fields,
  ...{ run: 'r', record: 'task', delivery: 'at-most-once', written: 'r.ndjson' },
  ...{ dry_run: false, exit_code: 0, duration_ms: 2_000, in_doubt_total: 0 },
  ...{ unmet: [], unseen_columns: [], lookups_without_hits: [] },
  details: {
    ...{ tally, columns: noColumns, unmet: [], questions: [], resendsDoubts: false, documents: [] },
    ...details,
  },
  ...changes,
})
