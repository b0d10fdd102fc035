import type { CommandModule, Options as YargsOption } from 'yargs'
import { nearest } from '../model/did-you-mean.ts'
import { UsageError } from '../model/errors.ts'
import { sourceWord } from '../output/text.ts'
import type { Option, Options } from '../settings/option-values.ts'
import { flagOf, importOptions, optionOf } from '../settings/options.ts'
import { type Command, helpOptions, type ParsedArgs } from './command.ts'

/** The table of options as yargs takes it: it sees strings and booleans alone, and the values are checked by the table. */
const yargsOptions = (options: Options): Record<string, YargsOption> =>
  Object.fromEntries(
    Object.entries(options)
      .filter(([, { kind }]) => kind !== 'rules')
      .map(([name, { kind, alias, text }]) => [
        flagOf(name),
        {
          describe: text,
          ...(alias !== undefined && { alias }),
          ...(kind === 'flag' ? { type: 'boolean' } : { type: 'string', nargs: 1 }),
        },
      ]),
  )

/** A command as a module of yargs; its handler gets what was parsed. Its name is `$0`: yargs lays out no help for that one. */
export const commandModule = (
  { describe, options }: Pick<Command, 'describe' | 'options'>,
  handler: (parsed: ParsedArgs) => void | Promise<void>,
): CommandModule => ({
  command: '$0',
  describe,
  builder: yargs => yargs.options(yargsOptions(options)),
  handler: ({ _: positionals, ...given }) => {
    const flags = Object.entries(given).map(([flag, value]) => [optionOf(flag), value] as const)
    const known = flags.filter(([option]) => Object.hasOwn(options, option))
    return handler({ positionals: positionals.map(String), flags: Object.fromEntries(known) })
  },
})

/** A parser that takes words as they are, and neither writes nor exits. */
export async function strictYargs() {
  const { default: yargs } = await import('yargs')
  return yargs()
    .scriptName('rowlift')
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'nargs-eats-options': true, // words are checked before
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'strip-aliased': true,
    })
    .strictOptions()
    .detectLocale(false)
    .help(false)
    .version(false)
    .exitProcess(false)
    .fail(false)
}

/**
 * The words with each value behind its option, as yargs reads it unchanged. A value that is a word of its own begins with a
 * dash only if it is - or a number: other words with a dash are options. Throws a UsageError that names the first bad word.
 */
export function checkedWords(words: readonly string[], options: Options): string[] {
  const named = namesByFlag(options)
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const checked = words.slice(0, end).flatMap((word, at) => {
    const [, flag, sign, rest = ''] = /^(--[^=]+|-\D)(=?)(.*)$/s.exec(word) ?? []
    if (flag === undefined) return word
    const name = named.get(flag)
    if (name === undefined) throw unknownOption(flag, options)
    const hasValue = `${sign}${rest}` !== ''
    if (options[name]?.kind === 'flag') {
      if (hasValue && !/^(true|false)$/.test(rest))
        throw new UsageError('unexpected_value', { option: flagOf(name) })
      return word
    }
    if (!hasValue && /^-\D/.test(words[at + 1] ?? '--'))
      throw new UsageError('missing_value', { option: flagOf(name) })
    return hasValue ? [flag, rest] : word
  })
  return [...checked, ...words.slice(end)]
}

function namesByFlag(options: Options): ReadonlyMap<string, string> {
  const flags = Object.entries(options).flatMap(([name, { kind, alias }]) => {
    if (kind === 'rules') return []
    const ofFlag = kind === 'flag' ? [`--no-${flagOf(name)}`] : []
    return [`--${flagOf(name)}`, `-${alias}`, ...ofFlag].map(flag => [flag, name] as const)
  })
  return new Map(flags)
}

function unknownOption(flag: string, options: Options): UsageError {
  const known = Object.keys({ ...options, ...helpOptions }).map(flagOf)
  const suggestion = nearest(flag.replace(/^--/, ''), known)
  return new UsageError('unknown_option', { word: flag, suggestion: suggestion && `--${suggestion}` })
}

interface Change {
  readonly sources?: readonly string[]
  readonly without?: readonly string[]
}

/** The words of an import that is run again, perhaps with other sources or without some options. */
export function importWords(
  { positionals, flags }: ParsedArgs,
  { sources = positionals, without = [] }: Change = {},
) {
  const kept = Object.entries(flags).filter(([option]) => !without.includes(option))
  return [
    'import',
    ...sources.map(sourceWord),
    ...kept.flatMap(([option, value]) => flagWords(option, value)),
  ]
}

/** An option of an import with its value, or with each of its values. */
function flagWords(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(each => flagWords(name, each))
  const { alias }: Option = importOptions[name as keyof typeof importOptions]
  const flag = flagOf(name)
  if (typeof value === 'boolean') return [value ? `--${flag}` : `--no-${flag}`]
  const text = String(value)
  return /^-\D/.test(text) ? [`--${flag}=${text}`] : [alias === undefined ? `--${flag}` : `-${alias}`, text]
}
