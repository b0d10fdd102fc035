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

/** Options that have each word of a text: first those whose label starts with it, then those with it in the label. */
export function found(options: readonly Option[], text: string): readonly Option[] {
  const query = folded(text).trim()
  if (query === '') return options
  const words = query.split(/\s+/)
  const rankOf = ({ label, detail, words: more }: Option) => {
    const name = folded(label)
    const all = `${name} ${folded(`${detail} ${more.join(' ')}`)}`
    if (!words.every(word => all.includes(word))) return undefined
    return name.startsWith(query) ? 0 : words.every(word => name.includes(word)) ? 1 : 2
  }
  return [0, 1, 2].flatMap(rank => options.filter(option => rankOf(option) === rank))
}
