import type { Words } from '../../output/words/sentence.ts'

export const logToolWords = {
  usage: {
    log_options: 'give one of --ids, --json and --repair; --run and --all belong to --ids',
    unknown_run: (p: {
      log: string
      run: string
      isAmbiguous: boolean
    }) => `{log}: ${p.isAmbiguous ? 'several runs have an id' : 'no run has an id'} that begins with "{run}"
      → rowlift log {log} lists the runs`,
    unreadable_line: `{path}:{#line}: is damaged, and which rows it was about cannot be read, so nothing was changed
      → put back a copy of {log}, and of what is beside it, that was made after its last run`,
  },
} as const satisfies Record<string, Words>
