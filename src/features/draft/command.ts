import type { Command } from '../../cli/command.ts'
import { initOptions } from './options.ts'

export const initCommand: Command = {
  describe: 'Propose a mapping for a file, or mappings and a plan for several',
  usage: ['init <source>', 'init <source...> -o FOLDER/'],
  about: 'Looks at a file, or at standard input (-), and writes a commented mapping for it.',
  options: initOptions,
  examples: [
    ['rowlift init contacts.csv -o contacts.yaml', 'A mapping to read, fix and try'],
    ['rowlift init people.csv companies.csv -o migration/', 'A mapping for each, linked, and the plan'],
    ['rowlift init export.csv --record task --encoding windows-1252', 'Detect less, if you know it'],
  ],
  codes: {},
  load: async () => (await import('./run-init.ts')).runInit,
}
