import type { Words } from '../../output/words/sentence.ts'

export const guideWords = {
  usage: {
    guide_failed: `the page cannot be served: {reason} → name another port by {--port}`,
    guide_folders: `{file}: is in another folder than {first} → put the files of an import into one folder`,
  },
} as const satisfies Record<string, Words>
