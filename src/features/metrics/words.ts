import type { Words } from '../../output/words/sentence.ts'

export const metricsWords = {
  usage: {
    metrics_with_dry_run:
      '{--metrics} is for runs that send, and a dry run would look like one → leave it out',
  },
} as const satisfies Record<string, Words>
