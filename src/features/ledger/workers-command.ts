import type { Command } from '../../cli/command.ts'
import { workersOptions } from './command-options.ts'

export const workersCommand: Command = {
  describe: 'Show who works on an import in a ledger, and how far it is',
  usage: ['workers --ledger URL --import NAME'],
  options: workersOptions,
  examples: [['rowlift workers --import contacts --watch', 'The ledger is in ROWLIFT_LEDGER']],
  codes: { 3: 'the database does not answer' },
  load: async () => (await import('./run-workers.ts')).runWorkers,
}
