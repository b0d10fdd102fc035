import type { Words } from '../../output/words/sentence.ts'

export const guideWords = {
  usage: {
    guide_failed: `the page cannot be served: {reason} → name another port by {--port}`,
    guide_goes_first: (p: { source: string; file: string; rows: number }) =>
      `{source} goes first: {file} is linked to its records, and {rows} of its rows ${p.rows === 1 ? 'was' : 'were'} not imported yet → import {source}, then {file}`,
    guide_folders: `{file}: is in another folder than {first} → put the files of an import into one folder`,
  },
} as const satisfies Record<string, Words>
