import { importOptions } from './import-options.ts'
import { initOptions } from './init-options.ts'
import { presetNames } from './mapping-path.ts'
import { optionValues } from './option-values.ts'
import { reportOptions } from './report-options.ts'
import { resolveOptions } from './resolve-options.ts'
import { sandboxOptions } from './sandbox-options.ts'

/** The flag with which a shell asks what may stand in the place of the last word. */
export const asked = 'get-yargs-completions'

/** The line by which the script hears that files may stand there, too. */
export const filesMark = ':files'

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
export function completed(words: readonly string[]): string[] | undefined {
  const place = placeOf(rejoined(words))
  return place && [...place.values, ...(place.files ? [filesMark] : [])]
}

type Done = (words: string[]) => void
type Defaults = (done: (error: Error | null, words: string[] | undefined) => void) => void

/** What yargs asks for the values that it does not know; it knows commands and options. */
export const answerTo =
  (args: readonly string[], shell: string | undefined) =>
  (_current: string, _argv: unknown, commandsAndOptions: Defaults, done: Done): void => {
    const answer = completed(args.slice(args.indexOf(`--${asked}`) + 2)) // behind the name of the command
    if (answer !== undefined) done(escapedFor(shell, answer))
    else commandsAndOptions((_error, words = []) => done(words.filter(word => !isLetter.test(word))))
  }

/** yargs writes the letter of an option as if it were a name. */
const isLetter = /^--\w(:|$)/

/** zsh takes what stands behind a colon for a description. */
export const escapedFor = (shell: string | undefined, answer: readonly string[]): string[] =>
  answer.map(line => (shell?.includes('zsh') && line !== filesMark ? line.replaceAll(':', '\\:') : line))

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

const options: Readonly<Record<string, { readonly type?: string; readonly alias?: string }>> = {
  ...importOptions,
  ...initOptions,
  ...reportOptions,
  ...resolveOptions,
  ...sandboxOptions,
  help: { type: 'boolean', alias: 'h' },
  version: { type: 'boolean' },
}

/** The name of an option, given by its name or its letter. */
function nameOf(flag: string): string {
  const name = flag.replace(/^-+/, '')
  return Object.entries(options).find(([, { alias }]) => alias === name)?.[0] ?? name
}

const takesValue = (word: string) => /^-./.test(word) && !isBoolean(nameOf(word))

const isBoolean = (name: string) => options[name.replace(/^no-/, '')]?.type === 'boolean'

function valuesOf(option: string, begun: string): Place {
  if (option === 'mapping') return mappings(begun)
  const values = optionValues[option]
  return values === undefined ? onlyFiles : { values, files: false }
}

const mappings = (begun: string): Place => ({
  values: presetNames().map(name => `preset:${name}`),
  files: !begun.startsWith('preset:'),
})
