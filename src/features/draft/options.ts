import { recordTypes } from '../../records/record-types.ts'
import type { Options } from '../../settings/option-values.ts'
import { flag, importOptions, json, reading } from '../../settings/options.ts'

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
  country: {
    kind: 'text',
    placeholder: 'CODE',
    text: 'The country of phone numbers that have none, such as GB',
  },
  worksheets: importOptions.worksheets,
  explain: { ...flag, text: 'Print why each column became what it became, and which role came next' },
  like: {
    kind: 'path',
    not: '-',
    text: 'An older mapping, which is taken over as far as it fits; what is gone, renamed or new in the file is asked',
  },
  json: { ...json, text: 'Print the draft, its columns and its questions as one JSON object, for programs' },
  answer: {
    kind: 'pairs',
    placeholder: 'ID=CHOICE',
    text: 'Answer a question of the draft, by its id and that of a choice, as `--json` lists them; once or several times',
  },
  ...reading,
} as const satisfies Options
