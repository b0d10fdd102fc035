import type { Words } from '../../output/words/sentence.ts'

export const nearWords = {
  rows: {
    near_duplicate: `is a near duplicate of {source}:{#line} (row {#row}): it has {shares}
      → leave one of them out, or import this row with {--near-duplicates} off`,
  },
} as const satisfies Record<string, Words>
