import type { Command } from '../../cli/command.ts'
import { exportOptions } from './command-options.ts'

export const exportCommand: Command = {
  describe: 'Write the result log of an import in a ledger',
  usage: ['export --ledger URL --import NAME'],
  about: 'Workers may be at work meanwhile. Report, log and lookups read what it writes.',
  options: exportOptions,
  examples: [
    ['rowlift export --import contacts -o contacts.results.ndjson', 'The ledger is in ROWLIFT_LEDGER'],
  ],
  codes: { 3: 'the database does not answer' },
  load: async () => (await import('./run-export.ts')).runExport,
}
