import { importOptions } from './import-options.ts'

/** One option as it was typed, with its value, or a word that is none. */
interface Typed {
  /** The option's long name; undefined for a source, or the name of the command. */
  readonly option: string | undefined
  readonly words: readonly string[]
}

const options = new Map(
  Object.entries(importOptions).map(([name, { type }]) => [name, { takesValue: type !== 'boolean' }]),
)
const aliases = new Map<string, string>(
  Object.entries(importOptions).flatMap(([name, option]) =>
    'alias' in option ? [[option.alias, name]] : [],
  ),
)

/** Takes the words of `rowlift import` apart as yargs does. */
function typed(args: readonly string[]): Typed[] {
  const all: Typed[] = []
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? ''
    if (word === '--')
      return [...all, ...args.slice(at + 1).map(source => ({ option: undefined, words: [source] }))]
    const [, long, short, attached] = /^(?:--([^=]+)|-([a-z]))(.*)$/s.exec(word) ?? []
    const option = long ?? aliases.get(short ?? '')
    const hasNext = attached === '' && options.get(option ?? '')?.takesValue
    all.push({ option, words: hasNext ? args.slice(at, at + 2) : [word] })
    if (hasNext) at += 1
  }
  return all
}

/** The words without some options and their values. */
export const without = (args: readonly string[], ...names: readonly string[]): string[] =>
  typed(args).flatMap(({ option, words }) => (option !== undefined && names.includes(option) ? [] : words))

/** The words of the same command for other sources. */
export const forSources = (args: readonly string[], sources: readonly string[]): string[] => {
  const given = typed(args)
  return ['import', ...sources, ...given.flatMap(({ option, words }) => (option === undefined ? [] : words))]
}
