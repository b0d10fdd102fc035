import { present } from '../../../model/values.ts'
import type { Column, Columns } from '../columns/column.ts'
import { isCompanyName } from '../columns/evidence.ts'
import type { RowFacts } from '../columns/survey.ts'
import {
  anyOf,
  type ContactRole,
  headerWords,
  oneOf,
  vocabulary,
  wordList,
  wordsOf,
} from '../columns/words.ts'
import { someEmpty, yesNoWords } from '../fields/rules.ts'
import { asQuestion, field, type Part, quote, suggestion, together, word } from '../yaml.ts'
import type { ContactRoles } from './match.ts'

/** Whom the rows name, and by which columns. */
export interface Named {
  readonly kind: 'person' | 'organization'
  /** The columns that are joined to the name. */
  readonly names: Columns
  /** Columns that a row without a name is called by. */
  readonly others: Columns
  readonly company: Column | undefined
  /** With other answers in the lines below it. */
  readonly question: readonly string[] | undefined
  /** The sum of what speaks for organizations. */
  readonly score: number
}

export const organizationWords = new Set(wordList(vocabulary.organizations))
const personalWords = anyOf(vocabulary.personal)
const organizationNouns = new RegExp(
  `^(\\S+ ){0,2}${anyOf(vocabulary.organizationNouns).source}( \\S+){0,2}$`,
  'u',
)
const offices = oneOf(vocabulary.offices)
const isOffice = (text: string) => offices.test(wordsOf(text.split('@')[0] ?? ''))

/** The least score for organizations without a question. */
export const enough = 1.8

/** Weighs the values of the name, its header and the columns beside it for organizations. */
export function organizationScore(roles: ContactRoles, called: Column | undefined, fileName: string): number {
  const filled = roles.columns.filter(column => column.filled > 0 || column.rows === 0)
  const speaking = filled.filter(({ words }) => organizationWords.has(words)).length
  const legal = called?.shareOf(isCompanyName) ?? 0
  const isLike = (role: ContactRole, passes: typeof isOwn) =>
    called && roles.all(role).some(column => inMost(roles.rows, column, called, passes))
  const isPersonal =
    filled.some(({ words }) => personalWords.test(words)) ||
    isLike('email', isOwn) ||
    roles.all('prefix').some(({ filled }) => filled > 0)
  const isNoun =
    called &&
    organizationNouns.test(called.words) &&
    roles.all('name').every(column => column === called || column.filled === 0)
  return weighed(
    [legal >= 0.8 ? 4 : legal >= 0.5 ? 2 : 1, legal > 0.1],
    [2, isNoun],
    [speaking > 1 ? 2 : 0.9, speaking > 0],
    [1, organizationNouns.test(headerWords(fileName.replace(/^.*[\\/]/, '')))],
    [0.9, isLike('website', isSiteOf)],
    [0.9, roles.all('email').some(column => column.shareOf(isOffice) > 0.5)],
    [-2, isPersonal],
  )
}

/** The sum of the weights whose sign is seen. */
export const weighed = (...signs: readonly (readonly [weight: number, isSeen: unknown])[]): number =>
  signs.reduce((sum, [weight, isSeen]) => sum + (isSeen ? weight : 0), 0)

/** Addresses of people begin with a word of their names. */
const isOwn = (address: string, name: string) =>
  wordsOf(name)
    .split(' ')
    .includes(/^\S+/.exec(wordsOf(address.split('@')[0] ?? ''))?.[0] ?? '-')

const letters = (text: string) => wordsOf(text).replaceAll(' ', '')
/** A site is called as its owner is. */
const isSiteOf = (site: string, name: string) => {
  const host = letters(/^(?:https?:\/\/)?(?:www\.)?([\w-]+)\./.exec(site)?.[1] ?? '')
  return host !== '' && (host.includes(letters(name)) || letters(name).includes(host))
}

/** Returns whether most of the rows that have both pass. */
export function inMost(
  { kept }: RowFacts,
  one: Column,
  other: Column,
  passes: (one: string, other: string) => boolean,
): boolean {
  const both = kept.flatMap(row => {
    const texts = [one, other].map(({ name }) => String(present(row.value(name)) ?? ''))
    return texts.every(Boolean) ? [texts] : []
  })
  return both.filter(([one = '', other = '']) => passes(one, other)).length > both.length / 2
}

/** A question, if no value decides. */
function kindQuestion({ kind, names, company, score }: Named): string | undefined {
  const [name] = names
  const isOpen =
    name && names.length === 1 && score >= 1 && (!company?.filled || name.shareOf(isCompanyName) > 0.1)
  if (kind === 'organization' || !isOpen) return undefined
  return `Are some of ${quote(name.name)} organizations? All are sent as people.`
}

const isOrganization = oneOf(vocabulary.companyKinds)
const isPerson = oneOf(vocabulary.personKinds)
const organizationHeader = oneOf('is (a company|company|an organi[sz]ation|organi[sz]ation)')

/** By a column, or by which of the names are filled. */
export function kindPart(roles: ContactRoles, named: Named): Part {
  const key = 'record_sub_type'
  const { kind, names, company } = named
  for (const column of roles.all('kind')) {
    const map = kindsIn(column)
    if (map !== undefined && !namesPeople(roles, names, column, map))
      return field(key, { from: column.name, map, otherwise: 'omit' })
  }
  const question = kindQuestion(named)
  if (question) return together(suggestion(key, 'organization', [asQuestion(question)]), field(key, kind))
  if (kind === 'organization') return field(key, kind)
  const isMixed =
    company?.filled && names.length > 0 && !names.includes(company) && someEmpty(names, roles.rows)
  if (!isMixed) return field(key, kind)
  const all = (text: string) => [{ pattern: '[\\s\\S]+', with: text }]
  const instead = { from: company.name, replace: all('organization') }
  const rule = { join: names.map(({ name }) => name), replace: all('person'), default: instead }
  return field(key, rule, `A row that names nobody but has a ${word(company.name)} is an organization.`)
}

/** A type of `business` with a first and a last name in every row is that of the person's account. */
const namesPeople = ({ rows }: ContactRoles, names: Columns, { name }: Column, map: Record<string, string>) =>
  names.length > 1 &&
  rows.kept.every(
    row =>
      map[String(row.value(name) ?? '').trim()] !== 'organization' ||
      names.every(each => present(row.value(each.name)) !== undefined),
  )

/** Undefined if the column has other words. */
function kindsIn(column: Column): Record<string, string> | undefined {
  if (column.filled === 0 || column.hasMoreValues || column.isList) return undefined
  const words = [...column.values]
  const yesNo = organizationHeader.test(column.words) ? yesNoWords(column) : undefined
  const organizations = yesNo?.yes ?? words.filter(value => isOrganization.test(wordsOf(value)))
  const people = yesNo?.no ?? words.filter(value => isPerson.test(wordsOf(value)))
  if (organizations.length + people.length < words.length) return undefined
  return Object.fromEntries(words.map(value => [value, people.includes(value) ? 'person' : 'organization']))
}
