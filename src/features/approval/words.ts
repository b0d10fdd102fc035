import type { Words } from '../../output/words/sentence.ts'

/** A place in an approval, what it has there, and what there is. */
type Difference = Readonly<Record<'what' | 'approved' | 'now', string>>

/** With the beginnings of hashes. */
const differenceText = ({ what, approved, now }: Difference) =>
  `  ${what}: approved ${approved}, now ${now}`.replaceAll(/([0-9a-f]{12})[0-9a-f]{52}/g, '$1…')

export const approvalWords = {
  usage: {
    not_approvable: `{what}: cannot be approved yet; {--approval} needs sources and a result log that are files
      → save the source as a file, and name a result log`,
    approval_differs: (p: { path: string; differences: readonly Difference[] }) => [
      `{path}: what was approved is not what there is:\n{...lines|\n}
      → dry-run again with the same options, and have the new approval reviewed`,
      { lines: [...new Set(p.differences.map(differenceText))] },
    ],
  },
} as const satisfies Record<string, Words>
