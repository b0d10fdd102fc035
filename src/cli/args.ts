import { parseArgs } from 'node:util'
import type { Options } from '../app/option-values.ts'
import { flagOf, importOptions } from '../app/options.ts'
import { UsageError } from '../model/errors.ts'
import { sourceWord } from '../report/text.ts'

export const commonOptions = {
  help: { kind: 'flag', alias: 'h', text: 'Show help' },
  version: { kind: 'flag', text: 'Show version number' },
} as const satisfies Options

export interface ParsedArgs {
  readonly positionals: readonly string[]
  /** By option; one that was given several times is a list. */
  readonly flags: Readonly<Record<string, unknown>>
}

/** Parses arguments; values are checked later. Throws a UsageError, and for an unknown flag the error of `unknown`. */
export function parseWords(
  words: readonly string[],
  options: Options,
  unknown: (flag: string) => Error,
): ParsedArgs {
  const positionals: string[] = []
  const given = new Map<string, unknown[]>()
  for (const token of tokensOf(words, options)) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const found = findOption(token.name, options)
    if (found === undefined) throw unknown(token.name)
    const { name } = found
    given.set(name, [...(given.get(name) ?? []), flagValue(found, token)])
  }
  const flags = [...given].map(([name, values]) => [name, values.length === 1 ? values[0] : values])
  return { positionals, flags: Object.fromEntries(flags) }
}

function tokensOf(words: readonly string[], options: Options) {
  const config = Object.entries(options).map(([name, { kind, alias }]) => [
    flagOf(name),
    { type: kind === 'flag' ? 'boolean' : 'string', ...(alias !== undefined && { short: alias }) } as const,
  ])
  return parseArgs({
    args: [...words],
    options: Object.fromEntries(config),
    strict: false, // unknown flags are ours to judge
    allowPositionals: true,
    tokens: true,
  }).tokens
}

type FoundOption = NonNullable<ReturnType<typeof findOption>>

/** `isNegated` is one that is given as `--no-NAME`. */
function findOption(flag: string, options: Options) {
  const byFlag = new Map(Object.entries(options).map(([name, option]) => [flagOf(name), { name, option }]))
  const found = byFlag.get(flag)
  if (found !== undefined) return found.option.kind === 'rules' ? undefined : { ...found, isNegated: false }
  const negated = flag.startsWith('no-') ? byFlag.get(flag.slice('no-'.length)) : undefined
  return negated?.option.kind === 'flag' ? { ...negated, isNegated: true } : undefined
}

type OptionToken = { readonly value?: string | undefined; readonly inlineValue?: boolean | undefined }

function flagValue({ name, option, isNegated }: FoundOption, { value, inlineValue }: OptionToken): unknown {
  if (option.kind === 'flag') {
    if (value === undefined) return !isNegated
    if (value !== 'true' && value !== 'false')
      throw new UsageError('unexpected_value', { option: flagOf(name) })
    return (value === 'true') !== isNegated
  }
  const isFlag = inlineValue === false && /^-\D/.test(value ?? '')
  if (value === undefined || isFlag) throw new UsageError('missing_value', { option: flagOf(name) })
  return value
}

/** Splits the words by option, a source and the name of the command without a flag; letters behind one dash are one word. */
function wordsByOption(args: readonly string[]): { flag: string | undefined; words: string[] }[] {
  return tokensOf(args, importOptions).flatMap((token, at, all) => {
    if (token.kind === 'option-terminator' || token.index === all[at - 1]?.index) return []
    if (token.kind === 'positional') return { flag: undefined, words: [sourceWord(token.value)] }
    const takesNext = token.value !== undefined && !token.inlineValue
    return { flag: token.name, words: args.slice(token.index, token.index + (takesNext ? 2 : 1)) }
  })
}

/** The words without these flags and their values. */
export const dropOptions = (args: readonly string[], ...flags: readonly string[]): string[] =>
  wordsByOption(args).flatMap(({ flag, words }) => (flag !== undefined && flags.includes(flag) ? [] : words))

/** A flag and its value. */
export const wordsOf = (args: readonly string[], flag: string): string[] =>
  wordsByOption(args).flatMap(each => (each.flag === flag ? each.words : []))

export const withSources = (args: readonly string[], sources: readonly string[]): string[] => [
  'import',
  ...sources.map(sourceWord),
  ...wordsByOption(args).flatMap(({ flag, words }) => (flag === undefined ? [] : words)),
]
