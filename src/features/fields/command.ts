import type { Command } from '../../cli/command.ts'
import { recordTypes } from '../../records/record-types.ts'

export const fieldsCommand: Command = {
  describe: `List the fields of a ${recordTypes.join(' or ')}, as lines of a mapping`,
  usage: [`fields ${recordTypes.join('|')} [word...]`],
  about: 'With words, only the fields that have all of them in their names.',
  options: {},
  examples: [
    ['rowlift fields task', 'All fields of a task'],
    ['rowlift fields task due', 'Those with "due" in their names'],
  ],
  codes: {},
  load: async () => (await import('./run-fields.ts')).runFields,
}
