import type { Options } from '../../settings/option-values.ts'
import { flag, json, lockTimeout } from '../../settings/options.ts'

export const logOptions = {
  ids: { ...flag, text: 'Print the ids of the records that the import made, as CSV' },
  run: {
    kind: 'text',
    placeholder: 'ID',
    text: 'Only those of this run: its id or the start of it, or `last`',
    defaultText: 'all runs',
  },
  all: { ...flag, text: 'With `--ids`: also records that the import found (`existing`, `merged`)' },
  json,
  repair: {
    ...flag,
    text: 'Move damaged lines out of the log; their rows are in doubt then',
  },
  lockTimeout,
} as const satisfies Options
