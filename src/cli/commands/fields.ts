import type { Command } from '../command.ts'

export const fieldsCommand: Command = {
  describe: 'List the fields of a contact or task, as lines of a mapping',
  usage: ['fields contact|task [word...]'],
  about: 'With words, only the fields that have all of them in their names.',
  options: {},
  examples: [
    ['rowlift fields task', 'All fields of a task'],
    ['rowlift fields task due', 'Those with "due" in their names'],
  ],
  codes: {},
  load: async () => (await import('./run-fields.ts')).runFields,
}
