import { suggested } from '../../model/did-you-mean.ts'
import { cut, visible } from '../text.ts'

/** The names of things: in the command its flags, in the library its options. */
export interface Dialect {
  readonly kind: 'command' | 'library'
  readonly option: (flag: string) => string
  readonly token: string
  readonly again: string
  /** Texts in another language, by their codes. */
  readonly entries?: Words
  /** The lookup that a source is read for. */
  readonly lookup?: string | undefined
}

export const commandDialect: Dialect = {
  kind: 'command',
  option: flag => `--${flag}`,
  token: 'ROWLIFT_TOKEN',
  again: 'run the same command again',
}

/** Words for a run without a log file. */
export const streamDialect: Dialect = {
  ...commandDialect,
  again: 'import what has no record yet into a result log (--results FILE)',
}

export const libraryDialect: Dialect = {
  kind: 'library',
  option: flag => flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  token: 'token',
  again: 'run the same import again',
}

/**
 * Entries of the catalogue by their codes. A text has the fault and, after an arrow, the remedy. It names its
 * parameters in braces, which declares them and their types:
 *
 * - `{name}` a text, `{#name}` a number, `{@name}` another problem, `{?name}` a suggestion, if there is one, `{-name}` the option that it names,
 * - `{#name|row}` a number of things, such as 1 row or 3 rows,
 * - `{...name}` the first 12 texts of a list, `{...name| or }` all of them, with ` or ` between them.
 *
 * `{--flag}`, `{$again}`, `{$token}` and `{$lookup}` are words of the dialect. A function declares its parameters itself and chooses
 * among texts. Values that it computes come next to the text. It never puts a parameter into a text, which `fill` does.
 */
export type Words = Readonly<Record<string, Entry>>
export type Entry =
  | string
  | ((params: never, dialect: Dialect) => string | readonly (string | Values)[] | Coded)
type Values = Readonly<Record<string, unknown>>

export interface Coded {
  readonly code: string
  readonly params: object
}

/** Returns the texts of an entry and the values that it computes, or a problem that is described in its place. */
export function choose(entry: Entry, params: unknown, dialect: Dialect) {
  const chosen = typeof entry === 'function' ? entry(params as never, dialect) : entry
  if (isCoded(chosen)) return { problem: chosen }
  const [text, values] = [chosen].flat() as [string, Values?]
  return { texts: text.split(/\s*→\s*/).filter(part => part !== ''), values }
}

const place = /\{(--|\$|\.{3}|[#@?-])?([a-z][\w-]*)(?:\|([^}]*))?\}/gi

/** Replaces the names in a text. Names in what `textOf` returns are not replaced. */
export function fill(text: string, dialect: Dialect, textOf: (name: string, joiner?: string) => string) {
  return text.replaceAll(place, (_, mark: string | undefined, name: string, joiner?: string) => {
    if (mark === '--') return dialect.option(name)
    if (mark === '$') return visible(`${dialect[name as keyof Dialect]}`)
    const value = textOf(name, joiner)
    if (mark === '-') return dialect.option(value)
    if (mark === '#' && joiner !== undefined) return `${value} ${joiner}${value === '1' ? '' : 's'}`
    return mark === '?' && value !== '' ? suggested(value) : value
  })
}

/** A value as people read it, in one line. A list in a list is one text with a colon. */
export function valueText(value: unknown, describe: (problem: Coded) => string, joiner?: string): string {
  const textOf = (each: unknown) => valueText(each, describe, ': ')
  if (Array.isArray(value))
    return joiner === undefined ? listed(value.map(textOf)) : value.map(textOf).join(joiner)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Error) return value.stack?.replace(value.message, visible) ?? visible(value.message)
  return isCoded(value) ? describe(value) : visible(String(value ?? ''))
}

const isCoded = (value: unknown): value is Coded =>
  typeof value === 'object' && value !== null && 'code' in value && 'params' in value

/** The words for a file that another program holds, whatever was to be done with it; undefined for any other problem. */
export function heldFile(params: object = {}): Entry | undefined {
  const { reason, path, source } = params as Readonly<Record<string, unknown>>
  if (reason !== 'EBUSY' || (path ?? source) === undefined) return undefined
  return `{${path === undefined ? 'source' : 'path'}}: is ${openElsewhere} → close it there, then {$again}`
}

export const openElsewhere = 'open in another program, such as Excel'

/** The reason why a file of the user cannot be read, by the system's code. */
export function unreadableFile(reason: string, file: string, what: string): string {
  const absent = `there is no such ${what}`
  const known = {
    ENOENT: absent,
    ENOTDIR: absent,
    EACCES: `no permission to read the ${what}`,
    EISDIR: `is a folder, not a ${what}`,
    not_a_file: 'is not a regular file',
    no_writer: 'is a pipe that nobody writes to → start its writer first, or name a file',
  }
  return `${file}: ${known[reason as keyof typeof known] ?? 'cannot be read ({reason})'}`
}

export const listed = (words: readonly string[], most = 12): string =>
  words.slice(0, most).join(', ') + (words.length > most ? ` and ${words.length - most} more` : '')

/** The start of an expression, in one line. */
export const startOf = (expression = ''): string => cut(expression.trim().replaceAll(/\s+/g, ' '), 60)
