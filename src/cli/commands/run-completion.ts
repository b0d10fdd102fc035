import { strictYargs } from '../args.ts'
import type { Run } from '../command.ts'

/** `rowlift completion`: prints the script of yargs for the shell. In bash a colon would end a word. */
export const runCompletion: Run = async (_, { stdout }) => {
  const yargs = (await strictYargs()).completion('completion')
  yargs.parse(['completion'], (_error: unknown, _argv: unknown, script: string) => {
    if (script.includes('COMP_WORDS')) stdout.write(`COMP_WORDBREAKS=\${COMP_WORDBREAKS//:}\n`)
    stdout.write(`${script}\n`)
  })
  return 0
}
