import type { Words } from '../../output/words/sentence.ts'

export const fieldsWords = {
  usage: {
    no_record_named: 'name a record: rowlift fields {...records||}',
  },
} as const satisfies Record<string, Words>
