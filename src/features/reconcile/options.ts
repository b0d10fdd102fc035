import type { Options, OptionValues } from '../../settings/option-values.ts'
import { flag, ledgerOptions, lockTimeout, reading } from '../../settings/options.ts'

/** Options for an export of the service and the fields to compare. */
export const exportReading = {
  id: { kind: 'text', placeholder: 'COLUMN', text: 'The column of the export with the ids of the records' },
  match: {
    kind: 'pairs',
    placeholder: 'COLUMN=PATH',
    text: 'A column of the export and the field of the body that it shows, such as `Email=emails.0.email`; once or several times',
  },
  country: { kind: 'text', placeholder: 'CODE', text: 'Of phone numbers without one in the export: GB' },
  ...reading,
} as const satisfies Options

export const verifyOptions = {
  against: { kind: 'path', not: '-', text: 'The export of the service' },
  ...exportReading,
  report: { kind: 'path', not: '-', text: 'An HTML page with the same' },
} as const satisfies Options

export const resolvingOptions = {
  ...ledgerOptions,
  key: {
    kind: 'text',
    placeholder: 'KEY',
    text: 'The key of a row in doubt, as listed (`--key=KEY` if it begins with a dash)',
  },
  recordId: { kind: 'uuid', text: 'The id of the record that was made for it' },
  notCreated: { ...flag, text: 'No record was made; the next import sends the row again' },
  all: { ...flag, text: 'All rows in doubt, with `--not-created`' },
  replace: { ...flag, text: 'With `--key`: also a row that a person settled, if that was wrong' },
  from: { kind: 'path', text: 'Settle the rows that this export of the service shows' },
  complete: { ...flag, text: 'With `--from`: what it does not show was not created' },
  knownGone: { kind: 'path', not: '-', text: 'With `--complete`: ids of records that were deleted' },
  dryRun: { ...flag, text: 'With `--from`: only show what would be settled' },
  ...exportReading,
  lockTimeout,
} as const satisfies Options

export type ResolvingOptions = OptionValues<typeof resolvingOptions>
