import type { Column } from './column.ts'
import { type ContactRole, organizationWords } from './contact-words.ts'
import type { RowFacts } from './facts.ts'
import { type Match, of } from './match.ts'
import type { Distrusted } from './rules.ts'

export type Matches = readonly Match<ContactRole>[]

/** What a draft of contacts is made of. */
export interface ContactFacts {
  readonly columns: readonly Column[]
  readonly matches: Matches
  readonly facts: RowFacts
  readonly distrusted: Distrusted
}

const ofSomebodyElse =
  /\b(owner|assigned|assignee|creator|created|manager|reporter|author|supervisor|modified|sales rep)\b/

/** The columns of e-mail addresses: those that are called so, and those that hold them. */
export function emailColumns({ columns, matches }: Pick<ContactFacts, 'columns' | 'matches'>): Column[] {
  const named = new Set(of(matches, 'email').map(({ column }) => column))
  return columns.filter(column => {
    const { filled, fits, words, emailLists } = column
    if (ofSomebodyElse.test(words)) return false
    const lists = Math.max(0, ...emailLists.values())
    const share = (fits.email.count + lists) / Math.max(1, filled)
    return named.has(column) ? filled === 0 || share > 0.3 : filled > 0 && share > 0.5
  })
}

const isFax = ({ words }: Column) => /\b(fax|telefax|telecopie)\b/.test(words)

/** The columns of phone numbers; faxes are none. */
export function phoneColumns({ columns, matches }: Pick<ContactFacts, 'columns' | 'matches'>): Column[] {
  const named = new Set(of(matches, 'phone').map(({ column }) => column))
  return columns.filter(column => {
    const { filled, fits, phoneLists, words } = column
    if (isFax(column)) return false
    const lists = Math.max(0, ...phoneLists.values())
    const share = (fits.phone.count + lists) / Math.max(1, filled)
    if (named.has(column)) return filled === 0 || share > 0.3 || fits.international.count > 0
    const isCalledSo = /\b(phone|tel|telefon|telephone|mobile|cell|handy|telefono|telefone)\b/.test(words)
    return filled > 0 && (fits.international.count / filled >= 0.8 || (isCalledSo && share >= 0.7))
  })
}

const places: readonly ContactRole[] = ['address', 'street', 'street2', 'city', 'region', 'postal', 'country']
const isCalledAPlace =
  /\b(house|haus|street|strasse|room|zimmer|seat|table|phone|tel|telefon|fax|faxnummer|pager|mobil|mobile)\b|hausn|zimmern|telefon|telnr|faxn/

/** The columns of phone numbers and addresses, by their names or what they hold: no record is named by them. */
export function placesAndPhones(given: Pick<ContactFacts, 'columns' | 'matches'>): ReadonlySet<Column> {
  const roles = given.matches.filter(({ role }) => role === 'phone' || places.includes(role))
  return new Set([
    ...phoneColumns(given),
    ...roles.map(({ column }) => column),
    ...given.columns.filter(({ words }) => isCalledAPlace.test(words)),
  ])
}

/** Whether the rows are organizations and not people. */
export function areOrganizations({ columns, matches }: Pick<ContactFacts, 'columns' | 'matches'>): boolean {
  const filled = (role: ContactRole) =>
    of(matches, role).some(({ column, distance }) => column.filled > 0 && distance < 3)
  if (filled('first') || filled('last') || filled('designation')) return false
  const telling = columns.filter(({ words }) => organizationWords.includes(words)).length
  if (!filled('name')) return filled('company')
  return telling >= 2 && !filled('company')
}

const honorific =
  /^(mr|mrs|ms|miss|mx|dr|prof|herr|frau|fräulein|m|mme|mlle|sr|sra|srta|sig|sig ra|dott|dhr|mevr|sir|rev)\.?( dr\.?)?$/i

/** What somebody does; a title that is only Mr or Dr is none. */
export function designationOf(matches: Matches): Column | undefined {
  const found = of(matches, 'designation').map(({ column }) => column)
  const usable = found.filter(
    column => !(column.filled > 0 && [...column.values.keys()].every(value => honorific.test(value))),
  )
  const plain = usable.filter(({ words }) => words !== 'title' && words !== 'titel')
  return (
    plain.find(column => column.filled > 0) ?? (found.length > 1 && plain.length > 0 ? plain[0] : usable[0])
  )
}
