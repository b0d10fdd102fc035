import { importOptions } from '../../settings/options.ts'
import type { Command } from '../command.ts'

export const importCommand: Command = {
  describe: 'Create one record per row of one or more files, or of standard input (-)',
  usage: ['import <source...>', 'import --plan FILE'],
  about: 'A source is a file (CSV, NDJSON, XLSX, JSON, vCard, iCalendar), also packed; - is standard input.',
  options: importOptions,
  common: [
    ...['mapping', 'plan', 'results', 'dryRun', 'preview', 'limit', 'config', 'rejects', 'report'],
    ...['baseUrl', 'organizationId', 'tokenFile', 'inDoubt', 'concurrency', 'rate'],
  ],
  examples: [
    ['rowlift import c.csv -m c.yaml --dry-run', 'Check a mapping; nothing is sent'],
    ['rowlift import c.csv -m c.yaml --dry-run --watch', 'See what each change of the mapping changes'],
    ['rowlift import c.csv -m c.yaml --dry-run --preview - | less', 'Look at every row'],
    ['rowlift import c.csv -m c.yaml --config service.yaml --limit 5', 'Start with five rows'],
    ['rowlift import c.csv -m c.yaml --config service.yaml', 'The rest; also after any interruption'],
  ],
  hasSettings: true,
  load: async () => (await import('./run-import.ts')).runImport,
}
