import { commands } from '../commands.ts'
import { byOption } from '../features.ts'
import { nearest } from '../model/did-you-mean.ts'
import { UsageError } from '../model/errors.ts'
import { keepSecret } from '../model/secrets.ts'
import { nextText } from '../output/text.ts'
import { exitCodeOfThrown, exitCodes } from '../run/exit-code.ts'
import type { Command, ParsedArgs } from './command.ts'
import { type CliContext, printTo } from './context.ts'

/** Runs the command that `argv` names; returns the exit code. Never rejects: errors are written to stderr. */
export const runCli = (argv: readonly string[], context: CliContext): Promise<number> =>
  runCommand(argv, context).catch(error => reportError(error, context))

async function runCommand(argv: readonly string[], context: CliContext): Promise<number> {
  keepSecret(context.environment.ROWLIFT_TOKEN?.trim() ?? '')
  const [first, ...others] = argv
  if (first === '--get-yargs-completions') {
    // the script that `rowlift completion` prints
    const { completionLines } = await byOption.completion()
    return print(await completionLines(others, commands, context), context)
  }
  const words = first === 'help' ? ['--help', ...others] : argv
  const options = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined)
  if (options.includes('--version')) return print(`${context.version}\n`, context)
  const at = words.findIndex(word => !word.startsWith('-'))
  const name = words[at]
  const load = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
  if (name !== undefined && load === undefined)
    throw new UsageError('unknown_command', { word: name, suggestion: nearest(name, Object.keys(commands)) })
  const command = await load?.()
  if (options.some(word => word === '--help' || word === '-h')) {
    const { commandHelp, mainHelp } = await import('./help.ts')
    return print(command ? commandHelp(command, options.includes('--all')) : await mainHelp(), context)
  }
  if (command !== undefined) return runWith(command, words.toSpliced(at, 1), context)
  const { checkedWords } = await import('./args.ts')
  checkedWords(words, {})
  throw new UsageError('missing_command', { commands: Object.keys(commands) })
}

function print(text: string, { stdout }: CliContext): number {
  stdout.write(text)
  return exitCodes.finished
}

async function runWith(command: Command, words: readonly string[], context: CliContext): Promise<number> {
  const { parseWords } = await import('./args.ts')
  const parsed = await parseWords(words, command.options)
  try {
    const [run, { parseFlags }] = await Promise.all([command.load(), import('../settings/settings.ts')])
    const values = command.hasSettings ? {} : parseFlags(command.options, parsed.flags, context)
    return await run({ ...parsed, values: values as never }, context)
  } catch (error) {
    return reportError(error, context, parsed)
  }
}

/** Writes the reason for which a command ended; returns the exit code. */
async function reportError(error: unknown, { stderr }: CliContext, parsed?: ParsedArgs): Promise<number> {
  const { describeError } = await import('../output/words.ts')
  printTo(stderr, `rowlift: ${describeError(error)}\n`)
  if (parsed !== undefined && error instanceof UsageError && error.problem.code === 'other_log') {
    const { afterOtherLog } = await byOption.otherLog()
    printTo(stderr, `${nextText(afterOtherLog(parsed, error.problem.params))}\n`)
  }
  return exitCodeOfThrown(error)
}
