/** The options of `rowlift resolve` (DESIGN 1), as yargs shows them. */
export const resolveOptions = {
  key: {
    type: 'string',
    nargs: 1,
    describe: 'The key of a row in doubt, as listed (--key=KEY if it begins with a dash)',
  },
  'record-id': { type: 'string', nargs: 1, describe: 'The id of the record that was made for it' },
  'not-created': { type: 'boolean', describe: 'No record was made; the next import sends the row again' },
  all: { type: 'boolean', describe: 'All rows in doubt, with --not-created' },
} as const
