import type { Column, Columns } from '../columns/column.ts'
import { honorific, isProse } from '../columns/evidence.ts'
import type { RowFacts } from '../columns/survey.ts'
import { isCompanyName, isOddName, isPersonName } from '../columns/values.ts'
import { anyOf, type ContactRole, headerWords, oneOf, wordsOf } from '../columns/words.ts'
import { type NameQuestion, someEmpty, textIn, yesNoWords } from '../fields/rules.ts'
import { type Fragment, field, question } from '../lines.ts'
import { quote, word } from '../yaml.ts'
import type { ContactRoles } from './match.ts'

/** The people or organizations that the rows name, and the columns that name them. */
export interface Named {
  readonly kind: 'person' | 'organization'
  /** The columns that are joined to the name. */
  readonly names: Columns
  /** Columns that a row without a name is called by. */
  readonly others: Columns
  readonly company: Column | undefined
  /** The columns of the organizations beside people, or of the people, if either may be the record. */
  readonly rival?: Columns | undefined
  /** A question with other columns, if these do not decide. */
  readonly question?: NameQuestion | undefined
  /** The sum of what speaks for organizations. */
  readonly score: number
}

/** The words of an address before its host. */
const mailbox = (address: string) => wordsOf(address.split('@')[0] ?? '')

/** Weighs the values of the name, its header and the other columns for organizations. */
export function organizationScore(roles: ContactRoles, called: Column | undefined, fileName: string): number {
  const filled = roles.columns.filter(column => column.filled > 0 || column.rows === 0)
  const isAny = (list: RegExp) => filled.filter(({ words }) => list.test(words)).length
  const speaking = isAny(oneOf.organizations) + Math.min(1, isAny(oneOf.perhapsOrganizations))
  const [legal = 0, odd = 0] = [isCompanyName, isOddName].map(passes => called?.shareOf(passes))
  const isLike = (role: ContactRole, passes: typeof isOwn) =>
    called && roles.all(role).some(column => inMost(roles.rows, column, called, passes))
  const isPersonalWord = (column: Column) => !roles.others.has(column) && anyOf.personal.test(column.words)
  const isPersonal = filled.some(isPersonalWord) || isLike('email', isOwn)
  const isNoun =
    called &&
    oneOf.organizationNouns.test(called.words) &&
    roles.all('name').every(column => column === called || column.filled === 0)
  return weighed(
    [legal >= 0.8 ? 4 : legal >= 0.5 ? 2 : 1, legal > 0.1],
    [odd >= 0.6 ? 1.5 : 1, odd >= 0.25 && called && called.filled > 2],
    [2, called && shareFirstWord(called)],
    [2, isNoun],
    [1, called && roles.candidatesOf(called)[0]?.role === 'designation'], // things have titles
    [Math.min(2, speaking), true],
    [1, oneOf.organizationNouns.test(wordsOfFile(fileName))],
    // what it does, in sentences, of hardly anybody who is called as a person
    [1, called && called.shareOf(isPersonName) < 0.5 && roles.all('description').some(isProse)],
    [0.9, roles.all('email').some(column => column.shareOf(text => oneOf.offices.test(mailbox(text))) > 0.5)],
    [-2, isPersonal],
  )
}

export const wordsOfFile = (path: string): string => headerWords(path.replace(/^.*[\\/]/, ''))

/** The sum of the weights whose sign is seen. */
export const weighed = (...signs: readonly (readonly [weight: number, isSeen: unknown])[]): number =>
  signs.reduce((sum, [weight, isSeen]) => sum + (isSeen ? weight : 0), 0)

/** Most begin alike, such as "School of …"; a title may be written before people, too. */
function shareFirstWord({ samples }: Column): boolean {
  const words = [...samples].filter(text => /\s/.test(text)).map(text => wordsOf(text).split(' ')[0] ?? '')
  const counts = words.map(word => words.filter(each => each === word).length)
  return words.length > 3 && Math.max(...counts) > samples.size * 0.6 && !honorific.test(words[0] ?? '')
}

/** Addresses of people begin with a word of their names. */
const isOwn = (address: string, name: string) =>
  wordsOf(name)
    .split(' ')
    .includes(mailbox(address).replace(/ .*/, '') || '-')

/** Returns whether most of the rows that have both pass. */
export function inMost({ kept }: RowFacts, one: Column, other: Column, passes: typeof isOwn): boolean {
  const both = kept
    .map(row => [one, other].map(column => textIn(row, column)))
    .filter(texts => texts.every(Boolean))
  return both.filter(([one = '', other = '']) => passes(one, other)).length > both.length / 2
}

/** Draws `record_sub_type` from a column, or from which of the names are filled. */
export function kindPart(roles: ContactRoles, named: Named): Fragment {
  const key = 'record_sub_type'
  const { kind, names, company, score } = named
  // a type of a first and a last name is that of the person's account
  const isAccount = names.length > 1 && !someEmpty(names, roles.rows)
  const [typed] = isAccount ? [] : roles.all('kind', 'prefix').flatMap(column => typePart(column) ?? [])
  if (typed !== undefined) return typed
  const [name, ...more] = names
  if (kind === 'organization') return (name && partByNumber(roles, name)) ?? field(key, kind)
  const isOpen = !company?.filled && roles.filled('designation') === undefined
  const isUnsure = score >= 1 || (score > -1 && name && (named.question !== undefined || areNobodys(name)))
  if (
    name &&
    (more.length === 0 || named.question) &&
    isUnsure &&
    (isOpen || name.shareOf(isCompanyName) > 0.1)
  ) {
    const offer = (kind: Named['kind'], label: string) => ({ id: kind, label, part: field(key, kind) })
    const text = `Are some of ${quote(name.name)} organizations? All are sent as people.`
    return question(text, [offer('organization', 'All are organizations')], offer(kind, 'All are people'))
  }
  const isMixed = company?.filled && name && !names.includes(company) && someEmpty(names, roles.rows)
  if (!isMixed) return field(key, kind)
  const instead = { from: company.name, replace: all('organization') }
  const rule = { join: names.map(({ name }) => name), replace: all('person'), default: instead }
  return field(key, rule, `A row that names nobody but has a ${word(company.name)} is an organization.`)
}

/** Most names could not be a person's, such as "Stone, Ada" or a few Chinese letters. */
function areNobodys({ samples, filled }: Column): boolean {
  const cased = [...samples].filter(text => /[\p{Lu}\p{Ll}]/u.test(text))
  const people = cased.filter(text => isPersonName(text.replace(/^([^,]+), (.+)$/, '$2 $1')))
  return filled > 2 && people.length < cased.length * 0.6
}

const all = (text: string) => [{ pattern: '[\\s\\S]+', with: text }]

/** A question whether they are people who lack the number of a tax or a register that the organizations have. */
function partByNumber({ columns, rows }: ContactRoles, name: Column): Fragment | undefined {
  const peopleOf = (column: Column) => {
    const texts = rows.kept.filter(row => textIn(row, column) === '').map(row => textIn(row, name))
    return texts.length > 1 && texts.filter(isPersonName).length >= texts.length * 0.7 ? texts : []
  }
  const areNumbers = (column: Column) => column.shareOf(text => /\d{5}/.test(text)) > 0.8
  const numbers = columns.filter(column => oneOf.organizations.test(column.words) && areNumbers(column))
  const column = numbers.find(each => peopleOf(each).length > 0)
  if (column === undefined) return undefined
  const rule = { from: column.name, replace: all('organization'), default: 'person' }
  const text = `Are those without ${quote(column.name)} people, such as ${quote(peopleOf(column)[0] ?? '')}?`
  const no = { id: 'organization', label: 'No', part: field('record_sub_type', 'organization') }
  return question(text, [no], { id: 'person', label: 'Yes', part: field('record_sub_type', rule) })
}

/** By a column that says it, or a salutation; a question about words that are of neither kind. Undefined unless most are of one. */
function typePart(column: Column): Fragment | undefined {
  if (column.filled === 0 || column.hasMoreValues || column.isList) return undefined
  const words = [...column.values]
  const isSalutation = words.some(value => honorific.test(wordsOf(value)))
  const yesNo = oneOf.isOrganization.test(column.words) ? yesNoWords(column) : undefined
  const organizations = yesNo?.yes ?? words.filter(value => oneOf.companyKinds.test(wordsOf(value)))
  const isPerson = (text: string) => oneOf.personKinds.test(text) || honorific.test(text)
  const people = yesNo?.no ?? words.filter(value => isPerson(wordsOf(value)))
  const others = words.filter(value => ![...organizations, ...people].includes(value))
  const isOfBoth = organizations.length > 0 && people.length > 0
  if (isSalutation && !isOfBoth) return undefined
  if (others.length > 0 && !isOfBoth) return undefined
  const kindOf = (value: string) => (people.includes(value) ? 'person' : 'organization')
  const part = (all: readonly string[], other?: string) => {
    const map = Object.fromEntries(all.map(value => [value, others.includes(value) ? other : kindOf(value)]))
    return field('record_sub_type', { from: column.name, map, otherwise: 'omit' })
  }
  const known = part(words.filter(value => !others.includes(value)))
  if (others.length === 0) return known
  const offer = (id: Named['kind'], label: string) => ({ id, label, isTitled: true, part: part(words, id) })
  const such = others.slice(0, 6).map(quote).join(', ')
  const text = `Is what ${quote(column.name)} calls ${such} a person or an organization? Until you choose, it is left out.`
  const offers = [offer('organization', 'An organization'), offer('person', 'A person')]
  return question(text, offers, { id: 'omit', label: 'Leave it out', part: known })
}
