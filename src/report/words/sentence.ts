/** How a face of rowlift calls things: the command by its flags, the library by its options. */
export interface Face {
  readonly kind: 'command' | 'library'
  readonly option: (flag: string) => string
  readonly token: string
  readonly again: string
}

export const commandFace: Face = {
  kind: 'command',
  option: flag => `--${flag}`,
  token: 'ROWLIFT_TOKEN',
  again: 'run the same command again',
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

/** The sentence that a catalogue has for a code. */
export function sentenceOf<P>(
  words: Catalogue<P>,
  { code, params }: { readonly code: string; readonly params: unknown },
  face: Face,
): string {
  const sentence = (words[code as keyof P] as (params: unknown, face: Face) => Sentence)(params, face)
  return typeof sentence === 'string' ? sentence : sentence.join('; ')
}

export const suggested = (suggestion: string | undefined): string =>
  suggestion === undefined ? '' : `; did you mean "${suggestion}"?`

const mostListed = 12
export const list = (words: readonly string[]): string =>
  words.slice(0, mostListed).join(', ') + (words.length > mostListed ? ', …' : '')
