import type { Command } from '../../cli/command.ts'
import { reportOptions } from './options.ts'

export const reportCommand: Command = {
  describe: 'Make an HTML page of result logs',
  usage: ['report <results...>', 'report --ledger URL --import NAME'],
  about:
    'Shows what became of the rows, why some have no record, and what to do about each. A run may be writing the log meanwhile.',
  options: reportOptions,
  examples: [
    ['rowlift report contacts.results.ndjson', 'The page is contacts.results.report.html'],
    ['rowlift report firms.results.ndjson people.results.ndjson -o both.html', 'Two in one'],
  ],
  codes: {},
  load: async () => (await import('./run-report.ts')).runReport,
}
