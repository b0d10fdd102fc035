import { parseArgs } from 'node:util'
import type { Option, Options } from '../app/options.ts'
import { UsageError } from '../model/errors.ts'

/** The options that every command takes. */
export const commonOptions = {
  help: { type: 'boolean', alias: 'h', describe: 'Show help' },
  version: { type: 'boolean', describe: 'Show version number' },
} as const satisfies Options

/** The words of a command line, taken apart. */
export interface ParsedArgs {
  readonly positionals: readonly string[]
  /** By their names; one that was given several times is a list. */
  readonly flags: Readonly<Record<string, unknown>>
}

/**
 * Takes the words behind a command apart; what flags hold is checked by the command. `unknown` makes the error of a flag that is none
 * of the options. Throws a UsageError.
 */
export function parseWords(
  words: readonly string[],
  options: Options,
  unknown: (name: string) => Error,
): ParsedArgs {
  const positionals: string[] = []
  const given = new Map<string, unknown[]>()
  for (const token of tokensOf(words, options)) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, isNegated } = namedBy(token.name, options)
    const option = optionOf(name, options)
    if (option === undefined) throw unknown(token.name)
    given.set(name, [...(given.get(name) ?? []), flagValue(name, option, isNegated, token)])
  }
  return { positionals, flags: { ...defaultsOf(options), ...flagsOf(given) } }
}

/** The words one by one, each as the option or the other thing that it is. */
export function tokensOf(words: readonly string[], options: Options) {
  const config = Object.entries(options).map(([name, { type, alias }]) => [
    name,
    {
      type: type === 'boolean' ? 'boolean' : 'string',
      ...(alias !== undefined && { short: alias }),
    } as const,
  ])
  return parseArgs({
    args: [...words],
    options: Object.fromEntries(config),
    strict: false, // it takes words apart and judges none
    allowPositionals: true,
    tokens: true,
  }).tokens
}

/** Every object knows a `constructor`, which is no option of ours. */
const optionOf = (name: string, options: Options): Option | undefined =>
  Object.hasOwn(options, name) ? options[name] : undefined

/** `--no-NAME` says no to a boolean option. */
function namedBy(flag: string, options: Options): { name: string; isNegated: boolean } {
  const bare = flag.replace(/^no-/, '')
  const isNegated = optionOf(flag, options) === undefined && optionOf(bare, options)?.type === 'boolean'
  return { name: isNegated ? bare : flag, isNegated }
}

type OptionToken = { readonly value?: string | undefined; readonly inlineValue?: boolean | undefined }

function flagValue(
  name: string,
  { type }: Option,
  isNegated: boolean,
  { value, inlineValue }: OptionToken,
): unknown {
  if (type === 'boolean') {
    if (value === undefined) return !isNegated
    if (value !== 'true' && value !== 'false') throw new UsageError('unexpected_value', { option: name })
    return (value === 'true') !== isNegated
  }
  const isFlag = inlineValue === false && /^-\D/.test(value ?? '')
  if (value === undefined || isFlag) throw new UsageError('missing_value', { option: name })
  return type === 'number' ? Number(value) : value
}

const defaultsOf = (options: Options) =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, option]) =>
      option.default === undefined ? [] : [[name, option.default]],
    ),
  )

const flagsOf = (given: ReadonlyMap<string, unknown[]>) =>
  Object.fromEntries([...given].map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
