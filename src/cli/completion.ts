import { exitCodes } from '../app/exit-code.ts'
import type { Options } from '../app/options.ts'
import { presetNames } from '../app/paths.ts'
import type { Ports } from '../app/ports.ts'
import { commonOptions, optionOf } from './args.ts'
import { commands } from './commands/commands.ts'
import { filesMark } from './completion-script.ts'
import { optionValues } from './option-values.ts'

/** What may stand in the place of the last word. */
interface Place {
  readonly values: readonly string[]
  readonly files: boolean
}

const onlyFiles: Place = { values: [], files: true }

/**
 * The lines that answer what the last of these words may become, the words of the command line behind `rowlift`;
 * undefined where commands or options are asked for.
 */
function completed(words: readonly string[]): string[] | undefined {
  const place = placeOf(rejoined(words))
  return place && [...place.values, ...(place.files ? [filesMark] : [])]
}

/** Answers a shell that asks what the last of these words may become; the shell is the one in $SHELL. */
export function answerShell(
  words: readonly string[],
  { stdout, environment: { SHELL: shell } }: Pick<Ports, 'stdout' | 'environment'>,
): number {
  const answer = completed(words)
  const lines = answer === undefined ? commandsOrOptions(words, shell) : escapedFor(shell, answer)
  stdout.write(lines.map(line => `${line}\n`).join(''))
  return exitCodes.finished
}

/** The commands, or the options of the one that is named that were not given yet; with what they do for a shell that shows it. */
function commandsOrOptions(words: readonly string[], shell: string | undefined): string[] {
  const current = words.at(-1) ?? ''
  const isFirst = words.length < 2 && !current.startsWith('-')
  const rows = isFirst
    ? Object.entries(commands).map(([name, { summary }]) => [name, summary] as const)
    : Object.entries({ ...commands[words[0] ?? '']?.options, ...commonOptions })
        .map(([name, { describe }]) => [`--${name}`, describe] as const)
        .filter(([flag]) => !words.includes(flag))
  return rows.map(([word, what]) => (isZsh(shell) ? `${word.replaceAll(':', '\\:')}:${what}` : word))
}

const isZsh = (shell: string | undefined) => shell?.includes('zsh') === true

/** zsh takes what stands behind a colon for a description. */
const escapedFor = (shell: string | undefined, answer: readonly string[]): string[] =>
  answer.map(line => (isZsh(shell) && line !== filesMark ? line.replaceAll(':', '\\:') : line))

/** bash takes `preset:asana` and `--format=csv` apart, at `:` and `=`. */
function rejoined(words: readonly string[]): string[] {
  const joined: string[] = []
  for (const word of words) {
    const last = joined.at(-1) ?? ''
    if (word === ':' || last.endsWith(':')) joined[joined.length - 1] = last + word
    else if (word === '=' && last.startsWith('--')) joined.push('')
    else if (last === '' && joined.at(-2)?.startsWith('--')) joined[joined.length - 1] = word
    else joined.push(word)
  }
  return joined
}

function placeOf(words: readonly string[]): Place | undefined {
  const [current = '', previous = ''] = words.toReversed()
  const [, flag, value] = /^(--[\w-]+)=(.*)$/.exec(current) ?? []
  if (flag !== undefined && value !== undefined) {
    const { values, files } = valuesOf(nameOf(flag), value)
    return { values: values.map(each => `${flag}=${each}`), files }
  }
  if (words.length > 1 && takesValue(previous)) return valuesOf(nameOf(previous), current)
  if (current.startsWith('-') || words.length < 2) return undefined
  if (words[0] === 'completion') return { values: ['bash', 'zsh'], files: false }
  return words[0] === 'test' ? mappings(current) : onlyFiles
}

const options: Options = Object.assign(
  {},
  ...Object.values(commands).map(each => each.options),
  commonOptions,
)

/** The name of an option, given by its name or its letter. */
function nameOf(flag: string): string {
  const name = flag.replace(/^-+/, '')
  return Object.entries(options).find(([, { alias }]) => alias === name)?.[0] ?? name
}

const takesValue = (word: string) => /^-./.test(word) && !isBoolean(nameOf(word))

const isBoolean = (name: string) => optionOf(name.replace(/^no-/, ''), options)?.type === 'boolean'

function valuesOf(option: string, begun: string): Place {
  if (option === 'mapping') return mappings(begun)
  const values = Object.hasOwn(optionValues, option) ? optionValues[option] : undefined
  return values === undefined ? onlyFiles : { values, files: false }
}

const mappings = (begun: string): Place => ({
  values: presetNames().map(name => `preset:${name}`),
  files: !begun.startsWith('preset:'),
})
