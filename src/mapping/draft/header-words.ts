/** A column's name as words in lower case, without accents and signs: `E-Mail 1 – Value` is `email 1 value`. */
export function headerWords(name: string): string {
  return name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replaceAll(/\be mail/g, 'email')
}

/** Words in a list written with bars, normalized as headers are. */
export const wordList = (text: string): readonly string[] => text.split('|').map(headerWords)
