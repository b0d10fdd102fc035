import type { Column, Columns } from '../columns/column.ts'
import { hasLetter, isPersonName } from '../columns/values.ts'
import { anyOf, contactRoles, oneOf, vocabulary, wordList } from '../columns/words.ts'

const { first, last, secondLast, name, email, phone, company } = contactRoles
const entities = wordList(vocabulary.entities)
const isOfGroup = (words: string) => entities.some(entity => `${words} `.startsWith(`${entity} `))
/** Leaves out roles such as `contact name`, which is the name of a group. */
const names = new Set(
  [first, last, secondLast, name].flatMap(({ words }) => wordList(words)).filter(word => !isOfGroup(word)),
)
/** Lines of a company's name may be numbered, too. */
const wholeNames = new Set(wordList(name.words))
const reaches = new Set(wordList(`${email.words}|${phone.words}`))
/** The words of headers for companies. */
export const companies = new Set(wordList(company.words))

const wordsIn = (words: string) => words.replaceAll(/ \d{1,2}(?= |$)/g, '').split(' ')
/** Places alone make no group, as in `work email`. */
const stemIn = (words: readonly string[]) =>
  words.every(word => oneOf.places.test(word)) ? '' : words.join(' ')

/** The words around the longest role, which is first or last; undefined without any. */
function around({ words }: Column, roles: ReadonlySet<string>): string | undefined {
  const all = wordsIn(words)
  for (let length = all.length; length > 0; length -= 1)
    for (const at of [all.length - length, 0])
      if (roles.has(all.slice(at, at + length).join(' '))) return stemIn(all.toSpliced(at, length))
  return undefined
}

/** The first or the last word of most headers, such as `client`, as tables have it. */
export function sharedWord(columns: Columns): string {
  const ends = columns.flatMap(({ words }) => words.replace(/ .* /, ' ').split(' '))
  const isShared = (word: string) => ends.filter(each => each === word).length >= columns.length * 0.6
  return columns.length > 3 ? (ends.find(isShared) ?? '') : ''
}

const isFilled = ({ filled }: Column) => filled > 0
/** However often a name repeats. */
const isName = (column: Column) =>
  isFilled(column) &&
  !companies.has(column.words) &&
  column.shareOf(hasLetter) > 0.3 &&
  column.share('emails', 'url', 'date') < 0.7
const isReached = (column: Column) =>
  isFilled(column) && !isName(column) && around(column, reaches) !== undefined

/** The other words of a header that begins with these; Chinese, Japanese and Korean put no blank between. */
function restOf({ words }: Column, first: string): string | undefined {
  const rest = words.startsWith(first) ? words.slice(first.length) : ''
  return /^ .|^[\u3040-\uD7FF]/u.test(rest) ? rest.trim() : undefined
}

/** Addresses and numbers with a word of their own beside the same without it, as `o_email` and `o_phone` beside `email` and `phone`. */
function secondSet(columns: Columns, own: string): Column[] {
  const stems = new Map(columns.filter(isReached).map(column => [column, around(column, reaches) ?? '']))
  const count = (stem: string) => [...stems.values()].filter(each => each === stem).length
  return [...stems].flatMap(([column, stem]) =>
    stem !== '' && stem !== own && count(stem) > 1 && count('') > 1 ? column : [],
  )
}

const isOfEntity = ({ words }: Column) => words.split(' ').some(word => entities.includes(word))
const numberOf = ({ words }: Column) => /(?<= )\d{1,2}(?= |$)/.exec(words)?.[0] ?? ''
/** The columns of further people by their numbers, as `name 2` and `email 2` beside `name 1`. */
function numberedPeople(columns: Columns): Column[] {
  const isMember = (column: Column) => isReached(column) && isOfEntity(column)
  const areNames = (column: Column) => {
    const words = wordsIn(column.words).join(' ')
    return names.has(words) && (!wholeNames.has(words) || column.shareOf(isPersonName) > 0.5)
  }
  const [first, ...more] = new Set(columns.filter(each => areNames(each) || isMember(each)).map(numberOf))
  const reached = columns.filter(isReached).map(numberOf)
  const others = more.filter(number => number !== '' && reached.includes(number))
  return first === undefined ? [] : columns.filter(column => others.includes(numberOf(column)))
}

type Party = ReturnType<typeof partiesOf>[number]

/** The columns of each group with a name; those of no group are the one without a stem. */
function partiesOf(columns: Columns) {
  /** Others are reached under its word, as of "Coach" beside "Coach phone". */
  const isNamed = (column: Column) =>
    column.shareOf(text => /\d/.test(text)) < 0.1 &&
    stemIn(wordsIn(column.words)) !== '' &&
    columns.some(each => isReached(each) && restOf(each, column.words) !== undefined)
  const first = columns.find(isName)
  const nameStem = (column: Column) => {
    const isOwn = column === first && names.has(column.words)
    const isStem = entities.includes(column.words) || (!isOwn && isNamed(column))
    return isStem ? column.words : around(column, names)
  }
  const stems = new Map(columns.map(column => [column, isName(column) ? nameStem(column) : undefined]))
  const all = [...new Set(['', ...stems.values()])].flatMap(stem => stem ?? [])
  const groupOf = ({ words }: Column) => {
    const own = ` ${stemIn(wordsIn(words))} `
    return all.find(stem => stem && (own.startsWith(` ${stem} `) || own.endsWith(` ${stem} `))) ?? ''
  }
  return all.map(stem => ({
    stem,
    columns: columns.filter(column => (stems.get(column) ?? groupOf(column)) === stem),
    names: columns.filter(column => stems.get(column) === stem),
  }))
}

const share = ({ filled, rows, samples }: Column) =>
  (filled / Math.max(1, rows)) * (samples.size / Math.max(1, Math.min(filled, 60)))
/** The number of rows that it names and reaches. */
function weight({ stem, names, columns }: Party): number {
  const named = names.reduce((sum, column) => sum + share(column), 0)
  return Math.min(2, named) + (columns.some(isReached) ? 0.5 : 0) + (stem === '' ? 1 : 0)
}

/** The header names somebody else than the contact: a spouse, an assistant, the owner, a sender. */
const isOfOthers = ({ words }: Column): boolean =>
  anyOf.otherPeople.test(words) || anyOf.otherPeople.test(withoutS(words)) || oneOf.correspondents.test(words)
/** `malsmans epost` is the address of a `malsman`. */
const withoutS = (words: string) => words.replaceAll(/(?<=\p{L}{5})s(?= |$)/gu, '')
/** Relatives are nobody's contacts beside names under whatever word. */
const isOfRelative = ({ words }: Column): boolean => anyOf.relatives.test(words)
const areFullNames = (column: Column) =>
  column.isVaried && column.samples.size > column.filled * 0.9 && column.shareOf(isPersonName) > 0.6
/** Addresses or numbers beside a column of the same kind that is not of others. */
const isBeside = (column: Column, columns: Columns) =>
  (['emails', 'phones'] as const).some(
    kind => column.share(kind) > 0.5 && columns.some(other => !isOfOthers(other) && other.share(kind) > 0.5),
  )
/** A file of parents or managers names nobody else, unless it names companies. */
const isFuller = (columns: Columns) => (company: Column) =>
  companies.has(company.words) &&
  columns.every(({ filled }) => filled <= company.filled) &&
  company.filled > 0

/**
 * Divides the columns between the contact and others: `stem` are words that headers of the contact's own columns share, such as
 * `registered user`; `others` are about somebody else: a spouse, the owner, or any group with a name of its own, such as `people`.
 */
export function partiesIn(columns: Columns) {
  const parties = partiesOf(columns).sort((a, b) => weight(b) - weight(a))
  const named = parties.filter(({ names }) => names.length > 0)
  // A buyer is somebody else beside a name that is nobody's in particular.
  const isCounted = named.some(({ stem }) => stem === '')
  const numbered = numberedPeople(columns)
  const isOther = (column: Column) =>
    isOfOthers(column) || numbered.includes(column) || (isCounted && anyOf.counterparts.test(column.words))
  const known = named.filter(({ names }) => names.every(isOther))
  const [own, ...rest] = named.filter(party => !known.includes(party))
  const areOwn = ({ names }: Party) => names.every(name => own?.names.some(each => isCopy(name, each)))
  const more = rest.filter(party => !areOwn(party))
  const others = columns.filter(isOther)
  if (own !== undefined || columns.some(isFuller(known[0]?.names ?? []))) {
    const ofMore = more.flatMap(party => besides(party, own))
    return {
      stem: stemOf(own),
      people: [...numbered, ...more.filter(isPerson).flatMap(({ names }) => names)],
      others: new Set([...others, ...ofMore, ...secondSet(columns, own?.stem ?? '')]),
    }
  }
  const isNamed = columns.some(column => !isOther(column) && areFullNames(column))
  const [first] = known.filter(({ names }) => !isNamed || !names.every(isOfRelative))
  const strangers = others.filter(column =>
    first ? !first.columns.includes(column) : isBeside(column, columns) || (isNamed && isOfRelative(column)),
  )
  return { stem: stemOf(first), people: numbered, others: new Set(strangers) }
}

/** Both hold the same names. */
const isCopy = ({ samples }: Column, other: Column) => [...samples].every(text => other.samples.has(text))

/** A person has more than a name, which things have as well. */
const isPerson = ({ names, columns }: Party) => names.length > 1 || columns.some(isReached)
const stemOf = (own: Party | undefined) => (own && isPerson(own) ? own.stem : '')

/** All of a group if the contact has an address or a number of its own, else its names. */
function besides(party: Party, own: Party | undefined): Columns {
  if (!isPerson(party)) return []
  const isReachable = own?.columns.some(isReached)
  return isReachable ? party.columns : party.names
}
