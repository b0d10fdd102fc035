import { exitCodeOfThrown, exitCodes } from '../app/exit-code.ts'
import { didYouMean } from '../mapping/did-you-mean.ts'
import type { UsageError } from '../model/errors.ts'
import { usageErrors } from '../model/usage-errors.ts'
import { commonOptions, parseWords } from './args.ts'
import { type Command, commands } from './commands/commands.ts'
import type { CliContext } from './context.ts'

/** The word with which a shell asks what may become of the last one. */
const completionQuestion = '--get-yargs-completions'

/**
 * `rowlift`: runs the command that the words name and gives its exit code. `argv` are the words behind the name of the program.
 * Never rejects: what goes wrong is told on stderr.
 */
export const run = (argv: readonly string[], context: CliContext): Promise<number> =>
  runCommand(argv, context).catch(error => tellError(error, context))

async function runCommand(argv: readonly string[], context: CliContext): Promise<number> {
  const { stdout } = context
  if (argv[0] === completionQuestion) {
    const { answerShell } = await import('./completion.ts')
    return answerShell(argv.slice(2), context) // behind the name of the program
  }
  const at = argv.findIndex(word => !word.startsWith('-'))
  const name = argv[at]
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
  const words = command === undefined ? argv : argv.toSpliced(at, 1)
  if (name !== undefined && command === undefined && !asksForHelp(argv))
    throw unknownWord('command', name, Object.keys(commands))
  const options = { ...command?.options, ...commonOptions }
  const parsed = parseWords(words, options, flag => unknownWord('argument', flag, Object.keys(options)))
  const { help, version, ...flags } = parsed.flags
  if (version) stdout.write(`${context.version}\n`)
  else if (help) stdout.write(await helpOf(command, context))
  else if (command === undefined) throw usageErrors.wrongWords(`say what to do: ${commandNames()}`)
  else return command.run({ ...parsed, flags }, context, argv)
  return exitCodes.finished
}

const asksForHelp = (argv: readonly string[]) => argv.some(word => /^(--help|--version|-h)$/.test(word))

/** The commands, as a sentence lists them. */
const commandNames = () =>
  Object.keys(commands)
    .join(', ')
    .replace(/, (\w+)$/, ' or $1')

async function helpOf(command: Command | undefined, { stdout }: CliContext): Promise<string> {
  const { commandHelp, mainHelp } = await import('./help.ts')
  const { columns = 0 } = stdout as NodeJS.WriteStream
  return command === undefined ? mainHelp(commands, columns) : commandHelp(command, columns)
}

const unknownWord = (kind: 'command' | 'argument', word: string, known: readonly string[]): UsageError =>
  usageErrors.wrongWords(`Unknown ${kind}: ${word}${didYouMean(word, known)}`)

/** Tells why a command ended; gives the exit code. */
function tellError(error: unknown, { stderr }: CliContext): number {
  const code = exitCodeOfThrown(error)
  const isDefect = code === exitCodes.defect
  const words = error instanceof Error ? (isDefect ? error.stack : error.message) : String(error)
  stderr.write(`rowlift: ${isDefect ? 'a defect in rowlift: ' : ''}${words}\n`)
  return code
}
