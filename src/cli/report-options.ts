import type { Options } from 'yargs'

/** The options of `rowlift report`, as yargs shows them. */
export const reportOptions = {
  output: {
    alias: 'o',
    type: 'string',
    nargs: 1,
    describe: 'Where the page is written; - for stdout',
    defaultDescription: '<results>.report.html',
  },
} as const satisfies Readonly<Record<string, Options>>
