import type { Options } from './option-values.ts'

const expectations = { group: 'Expectations' } as const

/** The options that decide which findings are faults; `expect:` of a mapping has most of them too. */
export const expectationOptions = {
  expectRowsMin: {
    kind: 'count',
    least: 0,
    ...expectations,
    text: 'Fewer rows than this end with exit code 1',
    defaultText: "the mapping's, else 1",
  },
  expectRowsOfLast: {
    kind: 'share',
    ...expectations,
    text: 'A smaller share than this of the rows of the last run ends with exit code 1',
  },
  expectMerged: {
    kind: 'rows_or_share',
    ...expectations,
    text: 'So many rows may get the record of another row, N or N%; more end with exit code 1',
    defaultText: "the mapping's, else 0",
  },
  expectOmitted: {
    kind: 'share',
    most: 100,
    ...expectations,
    text: 'When more than this share of the values of a column are left out, the exit code is 1',
  },
  expectInvalid: {
    kind: 'rows_or_share',
    ...expectations,
    text: 'So many rows may be invalid, N or N%, and the exit code is still 0',
  },
  expectAnswers: {
    kind: 'choice',
    values: ['told', 'complete'],
    ...expectations,
    text: 'With `complete`, the exit code is 1 when answers lack fields that were sent',
    defaultText: "the mapping's, else told",
  },
  knownRejects: {
    kind: 'choice',
    values: ['report', 'accept'],
    ...expectations,
    text: 'With `accept`, rows that were refused before and read the same do not change the exit code',
    default: 'report',
  },
} as const satisfies Options
