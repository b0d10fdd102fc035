import { commands } from '../commands.ts'
import { presetNames } from '../run/paths.ts'
import type { Option } from '../settings/option-values.ts'
import { flagOf } from '../settings/options.ts'
import type { CliContext } from './context.ts'

/** The words that may come next, a line each; none if the shell is to complete a file. `words` begin with `rowlift`. */
export async function completionLines(
  words: readonly string[],
  { environment }: CliContext,
): Promise<string> {
  const isZsh = /zsh/.test(`${environment.SHELL} ${environment.ZSH_NAME}`)
  const lines = (await candidates(words)).map(([word, text]) =>
    isZsh ? `${word.replaceAll(':', '\\:')}${text && `:${text.replaceAll('`', '')}`}\n` : `${word}\n`,
  )
  return lines.join('')
}

type Candidate = readonly [word: string, text: string]

async function candidates(words: readonly string[]): Promise<readonly Candidate[]> {
  const [, name = ''] = words
  const [previous = '', current = ''] = words.slice(-2)
  if (words.length < 3 || name === 'help') {
    const heads = Object.entries(commands).map(
      async ([each, load]) => [each, (await load()).describe] as const,
    )
    return Promise.all(heads)
  }
  const command = Object.hasOwn(commands, name) ? await commands[name]?.() : undefined
  const options = Object.entries<Option>(command?.options ?? {}).filter(([, { kind }]) => kind !== 'rules')
  const [option] = options.filter(([each, { alias }]) =>
    [`--${flagOf(each)}`, `-${alias}`].includes(previous),
  )
  if (option !== undefined && option[1].kind !== 'flag') return valuesOf(option, current)
  if (current.startsWith('-')) return options.map(([each, { text }]) => [`--${flagOf(each)}`, text])
  return name === 'test' ? presetsFor(current) : []
}

function valuesOf([name, option]: readonly [string, Option], current: string): readonly Candidate[] {
  if (option.kind === 'choice') return option.values.map(value => [value, ''])
  return name === 'mapping' ? presetsFor(current) : []
}

/** Presets once their mark is begun, so that files are completed before. */
const presetsFor = (current: string): Candidate[] =>
  current.startsWith('pre') ? presetNames().map(preset => [`preset:${preset}`, '']) : []
