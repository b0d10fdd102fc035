import type { Command } from '../../cli/command.ts'
import { verifyOptions } from './options.ts'

export const verifyCommand: Command = {
  describe: 'Compare the records that an import made with an export of the service',
  usage: ['verify <results> --against EXPORT --id COLUMN'],
  about: 'With --match the last sources are read again, and fields are compared.',
  options: verifyOptions,
  examples: [
    ['rowlift verify r.ndjson --against export.csv --id Id', 'Is every record there?'],
    ['rowlift verify r.ndjson --against export.csv --id Id --match Name=name', 'And has its name?'],
  ],
  codes: { 0: 'all are there and the same', 1: 'some are not' },
  load: async () => (await import('./run-verify.ts')).runVerify,
}
