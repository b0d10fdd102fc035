import { lockTimeoutWords } from '../../app/import-options.ts'
import type { Options } from '../../app/options.ts'

/** The options of `rowlift resolve` (DESIGN 1). */
export const resolveOptions = {
  key: {
    type: 'string',
    describe: 'The key of a row in doubt, as listed (--key=KEY if it begins with a dash)',
  },
  'record-id': { type: 'string', describe: 'The id of the record that was made for it' },
  'not-created': { type: 'boolean', describe: 'No record was made; the next import sends the row again' },
  all: { type: 'boolean', describe: 'All rows in doubt, with --not-created' },
  'lock-timeout': {
    type: 'string',
    describe: lockTimeoutWords,
    defaultDescription: '5',
  },
} as const satisfies Options
