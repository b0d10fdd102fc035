import { optionNamed, strictYargs } from '../../cli/args.ts'
import type { Command, Run } from '../../cli/command.ts'
import type { CliContext } from '../../cli/context.ts'
import { presetNames } from '../../run/paths.ts'
import type { Option } from '../../settings/option-values.ts'
import { flagOf } from '../../settings/options.ts'

/** `rowlift completion`: prints the script of yargs for the shell. In bash a colon would end a word. */
export const runCompletion: Run = async (_, { stdout }) => {
  const yargs = (await strictYargs()).completion('completion')
  yargs.parse(['completion'], (_error: unknown, _argv: unknown, script: string) => {
    if (script.includes('COMP_WORDS')) stdout.write(`COMP_WORDBREAKS=\${COMP_WORDBREAKS//:}\n`)
    stdout.write(`${script}\n`)
  })
  return 0
}

type Commands = Readonly<Record<string, () => Promise<Command>>>

/** The words that may come next, a line each; none if the shell is to complete a file. `words` begin with `rowlift`. */
export async function completionLines(
  words: readonly string[],
  commands: Commands,
  { environment }: CliContext,
) {
  const isZsh = /zsh/.test(`${environment.SHELL} ${environment.ZSH_NAME}`)
  const described = ([word, text]: Candidate) =>
    word.replaceAll(':', '\\:') + (text && `:${text.replaceAll('`', '')}`)
  const lines = (await candidates(words, commands)).map(each => (isZsh ? described(each) : each[0]))
  return lines.map(line => `${line}\n`).join('')
}

type Candidate = readonly [word: string, text: string]

async function candidates(words: readonly string[], commands: Commands): Promise<readonly Candidate[]> {
  const [, name = ''] = words
  const [previous = '', current = ''] = words.slice(-2)
  if (words.length < 3 || name === 'help') {
    const heads = Object.entries(commands)
    return Promise.all(heads.map(async ([each, load]) => [each, (await load()).describe] as const))
  }
  const command = Object.hasOwn(commands, name) ? await commands[name]?.() : undefined
  const options = command?.options ?? {}
  const [option, about] = optionNamed(previous, options) ?? []
  if (about?.kind === 'choice') return about.values.map(value => [value, ''])
  if (about !== undefined && about.kind !== 'flag') return option === 'mapping' ? presetsFor(current) : []
  if (current.startsWith('-'))
    return Object.entries<Option>(options).flatMap(([each, { kind, text }]) =>
      kind === 'rules' ? [] : [[`--${flagOf(each)}`, text]],
    )
  return name === 'test' ? presetsFor(current) : []
}

/** Lists presets once a word starts like their mark, so that other words are completed as files. */
const presetsFor = (current: string): Candidate[] =>
  current.startsWith('pre') ? presetNames().map(preset => [`preset:${preset}`, '']) : []
