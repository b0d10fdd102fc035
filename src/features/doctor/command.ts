import type { Command } from '../../cli/command.ts'
import { importOptions } from '../../settings/options.ts'

export const doctorCommand: Command = {
  describe: 'Check machine, files, way to the service, token, log and disk before an import',
  usage: ['doctor [source...]'],
  about:
    'Takes the options of import, and checks what they name, up to the door of the service; nothing is sent.',
  options: importOptions,
  examples: [['rowlift doctor c.csv -m c.yaml --config service.yaml', 'Would this import run here?']],
  codes: { 0: 'nothing failed', 1: 'a check failed' },
  hasSettings: true,
  load: async () => (await import('./doctor.ts')).runDoctor,
}
