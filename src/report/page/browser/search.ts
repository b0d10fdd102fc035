import type { ShownRow } from '../embedded.ts'

/** Text as it is compared: without case and accents. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()

/** What is searched of a row. */
export const searchedText = ({ place, key, word, column, value, messages, answer }: ShownRow): string =>
  folded([place, key, word, column, value, ...messages, answer].filter(Boolean).join('\n'))

/** Whether a text holds each word that is asked for. */
export const holdsAll = (text: string, words: readonly string[]): boolean =>
  words.every(word => text.includes(word))

export const wordsOf = (query: string): string[] => folded(query).split(/\s+/).filter(Boolean)
