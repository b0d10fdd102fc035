import vocabulary from './vocabulary.json' with { type: 'json' }

export { vocabulary }
export type ContactRole = keyof typeof vocabulary.contact
export type TaskRole = keyof typeof vocabulary.task

const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Lower case without accents and signs: `E-Mail 1 – Value` is `email 1 value`. */
export const headerWords = (name: string): string =>
  plain(name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replaceAll(/\be mail/g, 'email')

/** Words between bars, normalized as headers are. */
export const wordList = (text: string): string[] => text.split('|').map(headerWords)

/** Matches header words as a whole; the words may be patterns. */
export const oneOf = (words: string): RegExp => new RegExp(`^(?:${plain(words)})$`, 'u')

/** Matches header words that contain one of these. */
export const anyOf = (words: string): RegExp => new RegExp(`(?<!\\S)(?:${plain(words)})(?!\\S)`, 'u')
