import type { Command } from '../../cli/command.ts'
import { exportOptions, workersOptions } from './options.ts'

const codes = { 3: 'the database does not answer' }

export const exportCommand: Command = {
  describe: 'Write the result log of an import in a ledger',
  usage: ['export --ledger URL --import NAME'],
  about: 'Workers may be at work meanwhile. Report, log and lookups read what it writes.',
  options: exportOptions,
  examples: [
    ['rowlift export --import contacts -o contacts.results.ndjson', 'The ledger is in ROWLIFT_LEDGER'],
  ],
  codes,
  load: async () => (await import('./export.ts')).runExport,
}

export const workersCommand: Command = {
  describe: 'Show who works on an import in a ledger, and how far it is',
  usage: ['workers --ledger URL --import NAME'],
  options: workersOptions,
  examples: [['rowlift workers --import contacts --watch', 'The ledger is in ROWLIFT_LEDGER']],
  codes,
  load: async () => (await import('./workers.ts')).runWorkers,
}
