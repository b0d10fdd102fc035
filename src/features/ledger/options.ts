import type { Options } from '../../settings/option-values.ts'
import { flag, json, ledgerOptions } from '../../settings/options.ts'

export const exportOptions = {
  ...ledgerOptions,
  output: {
    kind: 'path',
    alias: 'o',
    text: 'Where the result log is written; an existing file is never overwritten',
    defaultText: 'stdout',
  },
} as const satisfies Options

export const workersOptions = {
  ...ledgerOptions,
  watch: { ...flag, text: 'Go on until the run has ended' },
  json,
} as const satisfies Options
