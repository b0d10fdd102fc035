import type { Command } from '../../cli/command.ts'
import { sandboxOptions } from './options.ts'

export const sandboxCommand: Command = {
  describe: 'Run a local emulator of the service, for a first try',
  usage: ['sandbox'],
  about: 'Serves until it is interrupted. The first line that it prints is its address, for --base-url.',
  options: sandboxOptions,
  examples: [
    ['rowlift sandbox', 'On port 8787, with the token "sandbox"'],
    ['rowlift sandbox --latency 50 --drop 0.01', 'A service that sometimes loses an answer'],
  ],
  codes: {},
  load: async () => (await import('./run-sandbox.ts')).runSandbox,
}
