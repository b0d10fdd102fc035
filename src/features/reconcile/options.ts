import type { Options, OptionValues } from '../../settings/option-values.ts'
import { flag, importOptions, ledgerOptions, lockTimeout, reading } from '../../settings/options.ts'

const { id, match, country } = importOptions

/** Options for an export of the service and the fields to compare. */
export const exportReading = {
  ...{ id, match, country },
  ...reading,
} as const satisfies Options

export const verifyOptions = {
  ...ledgerOptions,
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
