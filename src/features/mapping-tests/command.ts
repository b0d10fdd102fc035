import type { Command } from '../../cli/command.ts'
import { testOptions } from './options.ts'

export const testCommand: Command = {
  describe: 'Run the tests in mapping files; nothing is sent',
  usage: ['test <mapping...>'],
  about: 'A mapping is a file, or preset:NAME.',
  options: testOptions,
  examples: [
    ['rowlift test contacts.yaml', 'Compare each row under tests: with what it expects'],
    ['rowlift test contacts.yaml --watch', 'Again each time that it is saved'],
    ['rowlift test contacts.yaml --update', 'Take over what the mapping makes now; look at the changes'],
    ['rowlift test preset:asana', 'The tests of a mapping that ships'],
  ],
  codes: { 1: 'a test failed' },
  load: async () => (await import('./run-test.ts')).runTest,
}
