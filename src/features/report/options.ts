import type { Options } from '../../settings/option-values.ts'
import { ledgerOptions } from '../../settings/options.ts'

export const reportOptions = {
  ...ledgerOptions,
  output: {
    kind: 'path',
    alias: 'o',
    text: 'Where the page is written; `-` for stdout',
    defaultText: '<results>.report.html',
  },
} as const satisfies Options
