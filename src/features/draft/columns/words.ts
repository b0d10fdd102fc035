import vocabulary from './vocabulary.json' with { type: 'json' }

export { vocabulary }
export type ContactRole = keyof typeof vocabulary.contact
export type TaskRole = keyof typeof vocabulary.task

/** Also without the letters that capitals do not have: ß and the Turkish ı. */
const plain = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss').replaceAll('ı', 'i')

/** Lower case without accents and signs. */
export const wordsOf = (text: string): string =>
  isPlain.test(text) && !text.includes('e mail')
    ? text
    : plain(text)
        .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
        .trim()
        .replaceAll(/\be mail/g, 'email')

/** As most words of the vocabulary are, which is read at each start. */
const isPlain = /^[a-z\d]+( [a-z\d]+)*$/

/** Remarks that forms add to the names of columns. */
const remarks =
  /[([](required|optional|recommended|read only|mandatory|auto generated|pflichtfeld|obligatoire|obligatorio)[)\]]/gi

/** The words of a column's name: `E-Mail 1 – Value` is `email 1 value`, `firstName` is `first name`. */
export const headerWords = (name: string): string =>
  wordsOf(
    name
      .replaceAll(remarks, '')
      .replaceAll(/(\p{Ll})(\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{L}))/gu, '$1$3 $2')
      .replaceAll(/(?<=\p{L}\s*)#/gu, ' no'),
  )

/** Words between bars. */
export const wordList = (text: string): string[] => text.split('|').map(wordsOf)

/** Matches header words as a whole; the words may be patterns. */
export const oneOf = (words: string): RegExp => new RegExp(`^(?:${plain(words)})$`, 'u')

/** Matches header words that contain one of these. */
export const anyOf = (words: string): RegExp => new RegExp(`(?<!\\S)(?:${plain(words)})(?!\\S)`, 'u')
