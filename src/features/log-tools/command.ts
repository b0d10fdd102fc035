import type { Command } from '../../cli/command.ts'
import { logOptions } from './options.ts'

export const logCommand: Command = {
  describe: 'Show what a result log has, list its records, repair or correct it',
  usage: ['log <results>', 'log --ledger URL --import NAME', 'log <results> --rekey MAPPING <source...>'],
  about: 'Counts rows by run and status, with reasons and the slowest calls.',
  options: logOptions,
  examples: [
    ['rowlift log r.ndjson', 'Was the last run good?'],
    ['rowlift log r.ndjson --ids --run last > made.csv', 'The records that the last run made'],
    ['rowlift log r.ndjson --repair', 'After a line was damaged'],
    ['rowlift log r.ndjson --forget --run last', 'Its records were deleted: send them again'],
    ['rowlift log r.ndjson --rekey m.yaml in.csv', 'Rows are named by another key now'],
    ['rowlift log r.ndjson --moved-to URL', 'The service has another address'],
  ],
  codes: { 3: 'the log could not be written', 4: 'another run holds it' },
  load: async () => (await import('./log.ts')).runLog,
}
