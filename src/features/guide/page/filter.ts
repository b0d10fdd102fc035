// Options that a person finds by typing.

export interface Option {
  readonly id: string
  readonly label: string
  readonly detail: string
  /** More words that find it. */
  readonly words: readonly string[]
  /** Why it stands at the top, such as that it fits. */
  readonly mark?: string
}

/** A text without accents and case, as people compare by eye. */
export const folded = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')

/** Options that have each word of a text, first those that have them in their labels. */
export function found(options: readonly Option[], text: string): readonly Option[] {
  const words = folded(text).trim().split(/\s+/)
  const has = (where: string) => words.every(word => folded(where).includes(word))
  const all = options.filter(({ label, detail, words: more }) => has([label, detail, ...more].join(' ')))
  return [...all.filter(({ label }) => has(label)), ...all.filter(({ label }) => !has(label))]
}
