import { setFlagsFromString } from 'node:v8'
import type { Command } from '../../cli/command.ts'
import { importOptions } from '../../settings/options.ts'
import { pageOptions } from './options.ts'

export const guideCommand: Command = {
  describe: 'Guide an import from file to records, on a page of this computer',
  usage: ['guide [source...]'],
  about:
    'Serves a page that only this computer sees. It edits the mapping, checks, and imports, by the files of the commands.',
  options: { ...pageOptions, ...importOptions }, // of all imports that the page starts
  common: ['open', 'port', 'baseUrl', 'organizationId', 'tokenFile', 'config'],
  examples: [
    ['rowlift guide contacts.xlsx', 'From the Excel file to records'],
    ['rowlift guide people.csv companies.csv --no-open', 'Two files with links; prints the address only'],
  ],
  codes: {},
  hasSettings: true,
  async load() {
    // While a file is drafted, V8 would let new objects take 32 MB, and keep them. A check of 1,000,000 rows takes 30 MB less, and a quarter longer.
    setFlagsFromString('--semi-space-growth-factor=1')
    return (await import('./run-guide.ts')).runGuide
  },
}
