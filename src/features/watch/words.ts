import type { Words } from '../../output/words/sentence.ts'

export const watchWords = {
  usage: {
    watch_options:
      '--watch needs --dry-run and files, not standard input or a pipe, and goes without --plan, --preview, --report, --summary, --rejects, --changes, --worksheets, --metrics and --approval',
  },
} as const satisfies Record<string, Words>
