import { importOptions } from '../app/import-options.ts'
import { sourceWord } from '../report/command-line.ts'
import { tokensOf } from './args.ts'

/** One option as it was typed, with its value, or a word that is none. */
interface Typed {
  /** The option's long name; undefined for a source, or the name of the command. */
  readonly option: string | undefined
  readonly words: readonly string[]
}

/** Takes the words of `rowlift import` apart; one that stands for several letters comes once. */
function typed(args: readonly string[]): Typed[] {
  return tokensOf(args, importOptions).flatMap((token, at, all) => {
    if (token.kind === 'option-terminator' || token.index === all[at - 1]?.index) return []
    if (token.kind === 'positional') return { option: undefined, words: [sourceWord(token.value)] }
    const takesNext = token.value !== undefined && !token.inlineValue
    return { option: token.name, words: args.slice(token.index, token.index + (takesNext ? 2 : 1)) }
  })
}

/** The words without some options and their values. */
export const dropOptions = (args: readonly string[], ...names: readonly string[]): string[] =>
  typed(args).flatMap(({ option, words }) => (option !== undefined && names.includes(option) ? [] : words))

/** The words of the same command for other sources. */
export const withSources = (args: readonly string[], sources: readonly string[]): string[] => {
  const given = typed(args)
  return [
    'import',
    ...sources.map(sourceWord),
    ...given.flatMap(({ option, words }) => (option === undefined ? [] : words)),
  ]
}
