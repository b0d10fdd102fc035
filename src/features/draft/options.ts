import { recordTypes } from '../../records/record-types.ts'
import type { Options } from '../../settings/option-values.ts'
import { flag, reading } from '../../settings/options.ts'

export const initOptions = {
  output: {
    kind: 'path',
    alias: 'o',
    text: 'Where the mapping is written, or the folder for mappings and a plan; an existing file is never overwritten',
    defaultText: 'stdout',
  },
  record: {
    kind: 'choice',
    values: recordTypes,
    text: 'What the rows become',
    defaultText: 'detected',
  },
  explain: { ...flag, text: 'Print why each column became what it became, and which role came next' },
  ...reading,
} as const satisfies Options
