import type { AttentionRow } from './facts.ts'
import { statusWords } from './words.ts'

/** Text for comparison: without case and accents. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()

/** The text of a row that is searched. */
export const searchText = ({ source, line, key, status, column, value, messages, answer }: AttentionRow) =>
  fold([`${source}:${line}`, key, statusWords[status], column, value, ...messages, answer].join('\n'))

export const searchWords = (query: string): string[] => fold(query).split(/\s+/).filter(Boolean)

/** Whether a text has all words. */
export const hasWords = (text: string, words: readonly string[]): boolean =>
  words.every(word => text.includes(word))
