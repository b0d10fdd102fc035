import roles from './roles.json' with { type: 'json' }
import vocabulary from './vocabulary.json' with { type: 'json' }

export { vocabulary }
export type ContactRole = keyof typeof roles.contact
export type TaskRole = keyof typeof roles.task

/** A meaning that a column may have. Lists of words are between bars. */
export interface RoleFacts {
  /** Words after "~" count only if others precede them, as in "Billing Code"; words after "=" only alone; those after "?" give way to others; "@" names a shared list. */
  readonly words: string
  /** The kind of its values; undefined if they may be of any form. */
  readonly holds?: string
  /** The weight of such a column for the kind of record. */
  readonly worth?: number
  /** The other kind of record has such columns, too. */
  readonly isShared?: true
  /** Any words may precede its own, as in `visiting city`. */
  readonly isLoose?: true
}

/** The sign before a word that says how far it counts. */
export const wordMark = /^[~=?]/

const { shared } = roles
/** The words of a shared list but vague ones, and mere people, who may be contacts. */
const eachWord = /(?<=\|)(?!\?|(person|people)\|)[^|]+/g
/** Puts shared lists in, with more around each word: "@assignee email" is the address of whoever does a task. */
const withLists = (words: string): string =>
  words.replaceAll(/(\w+ )?@(\w+)( \w+)?/g, (_, before = '', list: keyof typeof shared, after = '') =>
    withLists(shared[list]).replaceAll(eachWord, `${before}$&${after}`),
  )

/** The roles with the words of the lists that they share. */
const whole = <Role extends string>(facts: Readonly<Record<Role, RoleFacts>>) =>
  Object.fromEntries(
    Object.entries<RoleFacts>(facts).map(([role, own]) => [role, { ...own, words: withLists(own.words) }]),
  ) as Readonly<Record<Role, RoleFacts>>

export const contactRoles = whole(roles.contact as Readonly<Record<ContactRole, RoleFacts>>)
export const taskRoles = whole(roles.task as Readonly<Record<TaskRole, RoleFacts>>)

/** Lower case without accents and without the letters that capitals do not have: ß and the Turkish ı. */
const plain = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss').replaceAll('ı', 'i')

/** Plain words without signs. */
export const wordsOf = (text: string): string =>
  plain(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replaceAll(/\be mail/g, 'email')

/** Remarks that forms add to the names of columns. */
const remarks = new RegExp(`[([](${vocabulary.headerRemarks})[)\\]]`, 'gi')

/** The ending of a word for women and men, as in "Ansprechpartner:in" and "alumno/a". */
const endingOfBoth = /(?<=\p{L}{3})([:*·]|\/-?|\((?=.*\)))(in|innen|a|as|e|es)\)?(?![\p{L}\p{N}])/giu

/** The words of a column's name: `E-Mail 1 – Value` is `email 1 value`, `firstName` is `first name`. */
export const headerWords = (name: string): string =>
  wordsOf(
    name
      .replace(/^\s*q?\d{1,2}[.):]\s+(?=\p{L})/iu, '') // the number of a question
      .replaceAll(remarks, '')
      .replaceAll(endingOfBoth, '')
      .replaceAll(/(\p{Ll})(\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{L}))/gu, '$1$3 $2')
      .replaceAll(/(?<=\p{L}\s*)#/gu, ' no '),
  )

/** What a question asks for: `city` of "Which city do you live in?"; none for another text. */
export function askedIn(name: string): string[] {
  const words = name.trim().endsWith('?') ? headerWords(name).split(' ') : []
  const rest = words.filter(word => !askingWords.has(word)).join(' ')
  return rest === '' || rest.length === words.join(' ').length ? [] : [rest]
}

/** The words of a list without its vague ones. */
export const wordList = (text: string): string[] =>
  text.split('|').flatMap(word => (word.startsWith('?') ? [] : wordsOf(word)))

const askingWords = new Set(wordList(vocabulary.asking))

export const wholeWords = (words: string): RegExp => new RegExp(`^(?:${plain(words)})$`, 'u')

export const someWords = (words: string): RegExp => new RegExp(`(?<!\\S)(?:${plain(words)})(?!\\S)`, 'u')

const { units, priorities, entityOf, ...lists } = vocabulary // these three have groups of words
type Patterns = Readonly<Record<keyof typeof lists, RegExp>>
const compiled = (compile: (words: string) => RegExp) =>
  Object.fromEntries(Object.entries(lists).map(([list, words]) => [list, compile(words)])) as Patterns

/** Each list of the vocabulary as a pattern: `oneOf` matches header words as a whole, `anyOf` those with one of the list. */
export const [oneOf, anyOf] = [compiled(wholeWords), compiled(someWords)]
