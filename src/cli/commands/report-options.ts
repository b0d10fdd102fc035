import type { Options } from '../../app/options.ts'

/** The options of `rowlift report`. */
export const reportOptions = {
  output: {
    alias: 'o',
    type: 'string',
    isPath: true,
    describe: 'Where the page is written; - for stdout',
    defaultDescription: '<results>.report.html',
  },
} as const satisfies Options
