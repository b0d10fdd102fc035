import type { Command } from '../../cli/command.ts'
import { resolvingOptions, verifyOptions } from './options.ts'

export const verifyCommand: Command = {
  describe: 'Compare the records that an import made with an export of the service',
  usage: [
    'verify <results> --against EXPORT --id COLUMN',
    'verify --ledger URL --import NAME --against EXPORT --id COLUMN',
  ],
  about: 'With --match the last sources are read again, and fields are compared.',
  options: verifyOptions,
  examples: [
    ['rowlift verify r.ndjson --against export.csv --id Id', 'Is every record there?'],
    ['rowlift verify r.ndjson --against export.csv --id Id --match Name=name', 'And has its name?'],
  ],
  codes: { 0: 'all are there and the same', 1: 'some are not' },
  load: async () => (await import('./verify.ts')).runVerify,
}

export const resolveCommand: Command = {
  describe: 'List the rows in doubt, or settle them by hand or by an export of the service',
  usage: ['resolve <results>', 'resolve <results> --from EXPORT', 'resolve --ledger URL --import NAME'],
  about: 'Without options the rows in doubt are listed; with --key alone, all that was sent of one.',
  options: resolvingOptions,
  examples: [
    ['rowlift resolve r.ndjson', 'Which rows, and what to look for'],
    ['rowlift resolve r.ndjson --key 4711 --record-id ID', 'The record exists'],
    ['rowlift resolve r.ndjson --all --not-created', 'None of the records exists'],
    ['rowlift resolve r.ndjson --from there.csv --id Id --match Name=name', 'Those that the service has'],
  ],
  codes: {
    1: 'rows are in doubt still after --from',
    3: 'the log could not be written',
    4: 'another run holds it',
  },
  load: async () => (await import('./resolve.ts')).runResolve,
}
