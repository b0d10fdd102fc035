import type { AttentionRow } from './facts.ts'
import { statusWords } from './format.ts'

/** Finds the rows of a status (any if it is empty) that have all words of a query, in any case and without accents. */
export function createFilter(
  rows: readonly AttentionRow[],
): (status: string, query: string) => AttentionRow[] {
  const texts: string[] = []
  return (status, query) => {
    const words = fold(query).split(/\s+/).filter(Boolean)
    return rows.filter((row, at) => {
      if (status !== '' && row.status !== status) return false
      if (words.length === 0) return true
      const text = texts[at] ?? searchText(row)
      texts[at] = text
      return words.every(word => text.includes(word))
    })
  }
}

const searchText = ({ source, line, key, status, column, value, messages, answer }: AttentionRow) =>
  fold([`${source}:${line}`, key, statusWords[status], column, value, ...messages, answer].join('\n'))

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
