import type { Words } from '../../output/words/sentence.ts'

export const mappingTestWords = {
  usage: {
    no_mapping_named: 'name the mapping files to test: rowlift test MAPPING...',
    preset_not_written:
      '{name}: this mapping ships with rowlift → copy it by rowlift init, and update the copy',
    no_tests: `{...mappings|, }: nothing to test
      → write rows and what to expect of them under tests: in the mapping`,
  },
} as const satisfies Record<string, Words>
