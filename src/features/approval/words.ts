import type { Words } from '../../output/words/sentence.ts'

/** Place in an approval, its value there, and the value now. */
type Difference = Readonly<Record<'what' | 'approved' | 'now', string>>

/** Describes a difference, with the beginnings of hashes. */
const differenceText = ({ what, approved, now }: Difference) =>
  `  ${what}: approved ${approved}, now ${now}`.replaceAll(/([0-9a-f]{12})[0-9a-f]{52}/g, '$1…')

export const approvalWords = {
  usage: {
    not_approvable: `{what}: cannot be approved yet; {--approval} needs sources and a result log that are files
      → save the source as a file, and name a result log`,
    limit_not_approvable: `{--limit}: is of each worker of {--ledger}, so nobody can say which rows would go out under {--approval}
      → leave it out; a small source makes a small import`,
    approval_differs: (p: { path: string; differences: readonly Difference[] }) => [
      `{path}: what was approved is not what there is:\n{...lines|\n}
      → dry-run again with the same options, and have the new approval reviewed`,
      { lines: [...new Set(p.differences.map(differenceText))] },
    ],
  },
} as const satisfies Record<string, Words>
