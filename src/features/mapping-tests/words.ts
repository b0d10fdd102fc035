import type { Words } from '../../output/words/sentence.ts'

export const mappingTestWords = {
  usage: {
    no_mapping_named: 'name the mapping files to test: rowlift test MAPPING...',
    no_tests: `{...mappings|, }: nothing to test
      → write rows and what to expect of them under tests: in the mapping`,
  },
} as const satisfies Record<string, Words>
