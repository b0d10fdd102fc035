import type { Options as YargsOptions } from 'yargs'
import { nearest } from '../model/did-you-mean.ts'
import { UsageError } from '../model/errors.ts'
import { sourceWord } from '../output/text.ts'
import type { Option, Options } from '../settings/option-values.ts'
import { flagOf, importOptions, optionOf } from '../settings/options.ts'
import { helpOptions, type ParsedArgs } from './command.ts'

/** Parses the words after a command. Throws a UsageError that names the first bad word. */
export async function parseWords(words: readonly string[], options: Options): Promise<ParsedArgs> {
  const yargs = (await strictYargs()).options(yargsOptions(options))
  const { _: positionals, ...values } = await yargs.parseAsync(checkedWords(words, options))
  const flags = Object.entries(values).map(([flag, value]) => [optionOf(flag), value] as const)
  const known = flags.filter(([option]) => Object.hasOwn(options, option))
  return { positionals: positionals.map(String), flags: Object.fromEntries(known) }
}

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

/** The table of options as yargs takes it: it sees strings and booleans alone, and the values are checked by the table. */
const yargsOptions = (options: Options): Record<string, YargsOptions> =>
  Object.fromEntries(
    Object.entries(options).map(([name, { kind, alias = [] }]) => [
      flagOf(name),
      { alias, ...(kind === 'flag' ? { type: 'boolean' } : { type: 'string', nargs: 1 }) },
    ]),
  )

/**
 * Returns the words with each value after its option, as yargs reads it unchanged. A value that is a word of its own begins with a
 * dash only if it is - or a number: other words with a dash are options. Throws a UsageError that names the first bad word.
 */
export function checkedWords(words: readonly string[], options: Options): string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const checked = words.slice(0, end).flatMap((word, at) => {
    const [, flag, sign, rest = ''] = /^(--[^=]+|-\D)(=?)(.*)$/s.exec(word) ?? []
    if (flag === undefined) return word
    const [name, { kind }] = optionNamed(flag, options) ?? unknownOption(flag, options)
    const option = flagOf(name)
    const hasValue = `${sign}${rest}` !== ''
    if (kind === 'flag' && hasValue && !/^(true|false)$/.test(rest))
      throw new UsageError('unexpected_value', { option })
    if (kind !== 'flag' && !hasValue && /^-\D/.test(words[at + 1] ?? '--'))
      throw new UsageError('missing_value', { option })
    return kind !== 'flag' && hasValue ? [flag, rest] : word
  })
  return [...checked, ...words.slice(end)]
}

/** The option that a flag names, in its long or short form. */
export const optionNamed = (flag: string, options: Options): readonly [string, Option] | undefined =>
  Object.entries(options).find(
    ([name, { kind, alias }]) =>
      (kind !== 'rules' && [`--${flagOf(name)}`, `-${alias}`].includes(flag)) ||
      (kind === 'flag' && flag === `--no-${flagOf(name)}`),
  )

function unknownOption(flag: string, options: Options): never {
  const known = Object.keys({ ...options, ...helpOptions }).map(flagOf)
  const suggestion = nearest(flag.replace(/^--/, ''), known)
  throw new UsageError('unknown_option', { word: flag, suggestion: suggestion && `--${suggestion}` })
}

/** The words of an import that is run again, perhaps with other sources or without some options. */
export function importWords(
  { positionals, flags }: ParsedArgs,
  { sources = positionals, without = [] }: { sources?: readonly string[]; without?: readonly string[] } = {},
): string[] {
  const kept = Object.entries(flags).filter(([option]) => !without.includes(option))
  const options = kept.flatMap(([option, value]) => [value].flat().flatMap(each => flagWords(option, each)))
  return ['import', ...sources.map(sourceWord), ...options]
}

/** An option of an import with its value. */
function flagWords(name: string, value: unknown): string[] {
  const { alias }: Option = importOptions[name as keyof typeof importOptions]
  const flag = flagOf(name)
  if (typeof value === 'boolean') return [value ? `--${flag}` : `--no-${flag}`]
  const text = String(value)
  return /^-\D/.test(text) ? [`--${flag}=${text}`] : [alias === undefined ? `--${flag}` : `-${alias}`, text]
}
