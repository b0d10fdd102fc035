import type { Column } from './column.ts'
import { type BodyFacts, columnsOf } from './match.ts'
import { anyOf, type ContactRole, headerWords, oneOf, vocabulary, wordList } from './words.ts'

export type ContactFacts = BodyFacts<ContactRole>
type Named = Pick<ContactFacts, 'columns' | 'matches'>

const otherPeople = anyOf(vocabulary.otherPeople)
const faxes = anyOf('fax|telefax|telecopie')
const phones = anyOf('phone|tel|telefon|telephone|mobile|cell|handy|telefono|telefone')
const roomsAndPhones = anyOf(vocabulary.notNames)
const organizationWords = new Set(wordList(vocabulary.organizations))
const honorific = oneOf(`(${vocabulary.honorifics})( dr)?`)

/** The columns of e-mail addresses: those that are called so, and those that hold them. */
export function emailColumns({ columns, matches }: Named): Column[] {
  const named = columnsOf(matches, 'email')
  return columns.filter(column => {
    if (otherPeople.test(column.words)) return false
    const share = column.share('emails')
    return named.includes(column) ? column.filled === 0 || share > 0.3 : share > 0.5
  })
}

/** The columns of phone numbers; faxes are none. */
export function phoneColumns({ columns, matches }: Named): Column[] {
  const named = columnsOf(matches, 'phone')
  return columns.filter(column => {
    if (faxes.test(column.words)) return false
    const share = column.share('phones')
    const international = column.share('international')
    if (named.includes(column)) return column.filled === 0 || share > 0.3 || international > 0
    return international >= 0.8 || (phones.test(column.words) && share >= 0.7)
  })
}

/** The columns of phone numbers and addresses, by their names or what they hold: no record is named by them. */
export function placesAndPhones(given: Named): ReadonlySet<Column> {
  const named = columnsOf(
    given.matches,
    ...(['phone', 'address', 'street', 'street2', 'city', 'region', 'postal', 'country'] as const),
  )
  const called = given.columns.filter(
    ({ words }) => roomsAndPhones.test(words) || /hausn|zimmern|telefon|telnr|faxn/.test(words),
  )
  return new Set([...phoneColumns(given), ...named, ...called])
}

/** Whether the rows are organizations and not people. */
export function areOrganizations({ columns, matches }: Named): boolean {
  const isFilled = (role: ContactRole) =>
    matches.some(match => match.role === role && match.column.filled > 0 && match.distance < 3)
  if (isFilled('first') || isFilled('last') || isFilled('designation')) return false
  if (!isFilled('name')) return isFilled('company')
  return columns.filter(({ words }) => organizationWords.has(words)).length >= 2 && !isFilled('company')
}

/** What somebody does; a title that is only Mr or Dr is none. */
export function designationOf({ matches }: Pick<ContactFacts, 'matches'>): Column | undefined {
  const found = columnsOf(matches, 'designation')
  const usable = found.filter(
    ({ values, filled }) => filled === 0 || ![...values].every(value => honorific.test(headerWords(value))),
  )
  const plain = usable.filter(({ words }) => words !== 'title' && words !== 'titel')
  return plain.find(({ filled }) => filled > 0) ?? (found.length > 1 && plain[0] ? plain[0] : usable[0])
}
