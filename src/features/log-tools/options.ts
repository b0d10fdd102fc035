import type { Options, OptionValues } from '../../settings/option-values.ts'
import { flag, json, ledgerOptions, lockTimeout, reading } from '../../settings/options.ts'
import { exportReading } from '../reconcile/options.ts'

export const logOptions = {
  ...ledgerOptions,
  ids: { ...flag, text: 'Print the ids of the records that the import made, as CSV' },
  run: {
    kind: 'text',
    placeholder: 'ID',
    text: 'With `--ids` or `--forget`: only those of this run: its id or the start of it, or `last`',
    defaultText: 'all runs',
  },
  all: { ...flag, text: 'With `--ids`: also records that the import found (`existing`, `merged`)' },
  reverse: { ...flag, text: 'With `--ids`: the newest first, such as children before their parents' },
  json,
  repair: {
    ...flag,
    text: 'Move damaged lines out of the log; their rows are in doubt then',
  },
  rekey: {
    kind: 'path',
    not: '-',
    placeholder: 'MAPPING',
    text: 'Give the rows the names that this mapping gives them; the sources that were imported follow the log',
  },
  leaveUnfound: {
    ...flag,
    text: 'With `--rekey`: go on if the sources lack rows; rows that may be theirs are held in doubt',
  },
  movedTo: { kind: 'url', text: 'The service has this address now, and all records of the log' },
  forget: {
    ...flag,
    text: 'The records of the rows of `--run` or `--keys` are gone: the next import sends these rows again',
  },
  keys: { kind: 'path', not: '-', text: 'With `--forget`: a file of keys, each on a line' },
  from: { kind: 'path', not: '-', text: 'With `--forget`: only rows whose records this export lacks' },
  id: exportReading.id,
  ...reading,
  yes: { ...flag, text: 'Do what `--moved-to` or `--forget` would do' },
  lockTimeout,
} as const satisfies Options

export type LogOptions = OptionValues<typeof logOptions>
