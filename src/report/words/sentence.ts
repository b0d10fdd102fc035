import { visible } from '../text.ts'

/** How a face of rowlift calls things: the command by its flags, the library by its options. */
export interface Face {
  readonly kind: 'command' | 'library'
  readonly option: (flag: string) => string
  readonly token: string
  readonly again: string
  /** The lookup that a source is read for. */
  readonly lookup?: string
}

export const commandFace: Face = {
  kind: 'command',
  option: flag => `--${flag}`,
  token: 'ROWLIFT_TOKEN',
  again: 'run the same command again',
}

/** Of a run without a log file. */
export const streamFace: Face = {
  ...commandFace,
  again: 'import what has no record yet into a result log (--results FILE)',
}

export const libraryFace: Face = {
  kind: 'library',
  option: flag => flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  token: 'token',
  again: 'run the same import again',
}

/** What is wrong, and how to fix it. */
export type Sentence = string | readonly [what: string, fix: string]

/** A sentence for each code of a closed union. */
export type Catalogue<P> = { readonly [C in keyof P]: (params: P[C], face: Face) => Sentence }

export interface Coded {
  readonly code: string
  readonly params: unknown
}

/** What a catalogue says of a code, and how to fix it. The line breaks in it are the catalogue's: texts in parameters have none. */
export function partsOf<P>(words: Catalogue<P>, { code, params }: Coded, face: Face): readonly string[] {
  const say = words[code as keyof P] as (params: unknown, face: Face) => Sentence
  const sentence = say(visibleIn(params), face)
  return (Array.isArray(sentence) ? sentence : [sentence]).map(String)
}

/** The same with each text in it made visible; errors, and what has no fields, such as dates and blanks, as they are. */
function visibleIn(value: unknown): unknown {
  if (typeof value === 'string') return visible(value)
  if (Array.isArray(value)) return value.map(visibleIn)
  const fields = value instanceof Error ? [] : Object.entries(value ?? {})
  if (fields.length === 0) return value
  return Object.fromEntries(fields.map(([name, inner]) => [name, visibleIn(inner)]))
}

/** The sentence that a catalogue has for a code. */
export const sentenceOf = <P>(words: Catalogue<P>, coded: Coded, face: Face): string =>
  coded instanceof Blank ? `${coded}` : partsOf(words, coded, face).join('; ')

export const suggested = (suggestion: string | undefined): string =>
  suggestion === undefined ? '' : `; did you mean "${suggestion}"?`

/** Why a file of the user cannot be read, by the system's code. */
export function unreadable(file: string, what: string, reason: string): string {
  const absent = `there is no such ${what}`
  const permission = `no permission to read the ${what}`
  const folder = `is a folder, not a ${what}`
  const known = {
    ENOENT: absent,
    ENOTDIR: absent,
    EACCES: permission,
    EISDIR: folder,
    not_a_file: 'is not a regular file',
  }
  return `${file}: ${known[reason as keyof typeof known] ?? `cannot be read (${reason})`}`
}

export const list = (words: readonly string[], most = 12): string =>
  words.slice(0, most).join(', ') + (words.length > most ? ` and ${words.length - most} more` : '')

/** A parameter of which only the name is known: a text, a list of one text, or an object whose fields are such. */
export class Blank {}

export function blankOf(name: string, textOf: (name: string) => string, known: object = {}): Blank {
  const blank: Blank = new Proxy(new Blank(), {
    get(_, key) {
      if (key === 'toString' || key === 'join' || key === 'toISOString') return () => textOf(name)
      if (key === 'map') return (change: (item: Blank) => string) => [change(blank)]
      if (typeof key === 'symbol' || key in known) return Reflect.get(known, key)
      return key in String.prototype && key !== 'length' ? () => blank : blankOf(key, textOf)
    },
  })
  return blank
}
