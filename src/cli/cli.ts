import { exitCodeOfThrown, exitCodes } from '../app/exit-code.ts'
import { flagOf } from '../app/options.ts'
import { nearest } from '../mapping/did-you-mean.ts'
import { UsageError } from '../model/errors.ts'
import { keepSecret } from '../model/secrets.ts'
import { nextText } from '../report/text.ts'
import { commonOptions, parseWords } from './args.ts'
import { type Command, commands } from './commands/commands.ts'
import { type CliContext, tell } from './context.ts'

/** Runs the command that `argv` names; returns the exit code. Never rejects: errors are written to stderr. */
export const run = (argv: readonly string[], context: CliContext): Promise<number> =>
  runCommand(argv, context).catch(error => reportError(error, argv, context))

async function runCommand(argv: readonly string[], context: CliContext): Promise<number> {
  const { stdout, environment } = context
  keepSecret(environment.ROWLIFT_TOKEN?.trim() ?? '')
  const at = argv.findIndex(word => !word.startsWith('-'))
  const name = argv[at]
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
  const words = command === undefined ? argv : argv.toSpliced(at, 1)
  if (name !== undefined && command === undefined && !asksForHelp(argv))
    throw new UsageError('unknown_command', { word: name, suggestion: nearest(name, Object.keys(commands)) })
  const options = { ...command?.options, ...commonOptions }
  const parsed = parseWords(
    words,
    options,
    flag =>
      new UsageError('unknown_option', {
        word: flag,
        suggestion: nearest(flag, Object.keys(options).map(flagOf)),
      }),
  )
  const { help, version, ...flags } = parsed.flags
  if (version) stdout.write(`${context.version}\n`)
  else if (help) stdout.write(await helpOf(command, context))
  else if (command === undefined) throw new UsageError('missing_command', { commands: Object.keys(commands) })
  else {
    const run = await command.load()
    return run({ ...parsed, flags }, context, argv)
  }
  return exitCodes.finished
}

const asksForHelp = (argv: readonly string[]) => argv.some(word => /^(--help|--version|-h)$/.test(word))

async function helpOf(command: Command | undefined, { stdout }: CliContext): Promise<string> {
  const { commandHelp, mainHelp } = await import('./help.ts')
  const { columns = 0 } = stdout as NodeJS.WriteStream
  return command === undefined ? mainHelp(commands, columns) : commandHelp(command, columns)
}

/** Writes why a command ended; returns the exit code. */
async function reportError(error: unknown, argv: readonly string[], { stderr }: CliContext): Promise<number> {
  const { describeError } = await import('../report/words.ts')
  tell(stderr, `rowlift: ${describeError(error)}\n`)
  if (error instanceof UsageError && error.problem.code === 'other_log') {
    const { afterOtherLog } = await import('./next-step.ts')
    tell(stderr, `${nextText(afterOtherLog(argv, error.problem.params))}\n`)
  }
  return exitCodeOfThrown(error)
}
