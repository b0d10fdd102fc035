import lists from './header-words.json' with { type: 'json' }

/** Words without case, accents, signs and numbers: `E-Mail 1 - Value` is `e mail value`. */
const plain = (name: string): string =>
  name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}]+/gu, ' ')
    .trim()

/** The encodings of usual names of columns of people and tasks, by their languages; hardly any value is one of them. */
const encodingsOf = new Map(
  Object.entries(lists).flatMap(([encodings, words]) =>
    words.map(word => [word, encodings.split(' ')] as const),
  ),
)
const names = new Set([...encodingsOf.keys()].map(plain))

/** The number of cells that are usual names of columns. */
export const knownNames = (cells: readonly string[]): number =>
  cells.filter(cell => cell.length < 60 && names.has(plain(cell))).length

/** The number of cells that are such names with letters beyond ASCII, in a language of the encoding; a name of no encoding is in all. */
export function namesIn(encoding: string, cells: readonly string[]): number {
  const words = cells.filter(cell => /[^ -~]/.test(cell)).map(cell => cell.trim().toLowerCase())
  return words.filter(word => encodingsOf.get(word)?.some(by => by === '' || by === encoding)).length
}
