import { checkedWords, commandModule, strictYargs } from '../../src/cli/args.ts'
import type { ParsedArgs } from '../../src/cli/command.ts'
import type { Options } from '../../src/settings/option-values.ts'

/** The words behind a command, as it gets them. Throws a UsageError. */
export async function parsed(words: readonly string[], options: Options): Promise<ParsedArgs> {
  let parsed: ParsedArgs | undefined
  const handler = (given: ParsedArgs) => {
    parsed = given
  }
  const yargs = (await strictYargs()).command(commandModule({ describe: '', options }, handler))
  await yargs.parseAsync(checkedWords(words, options))
  if (parsed === undefined) throw new Error(`${words.join(' ')} is no command`)
  return parsed
}
