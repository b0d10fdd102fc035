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
import { asked, field, type Part, quote, suggestion, together, word } from '../yaml.ts'
import type { Roles } from './match.ts'

type ContactRoles = Roles<ContactRole>

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
  /** What speaks for organizations. */
  readonly score: number
}

export const organizationWords = new Set(wordList(vocabulary.organizations))
const personalWords = anyOf(vocabulary.personal)
const organizationNouns = new RegExp(
  `^(\\S+ ){0,2}${anyOf(vocabulary.organizationNouns).source}( \\S+){0,2}$`,
  'u',
)
const isOffice = (text: string) => offices.test(wordsOf(text.split('@')[0] ?? ''))
const offices = oneOf(vocabulary.offices)

/** Of the score, for organizations without a question. */
export const enough = 1.8

/** What speaks for organizations: the values of the name, its header, the columns beside it. */
export function organizationScore(roles: ContactRoles, called: Column | undefined, fileName: string): number {
  const { columns, rows } = roles
  const legal = called?.shareOf(isCompanyName) ?? 0
  const filled = columns.filter(column => column.filled > 0 || column.rows === 0)
  const speaking = filled.filter(({ words }) => organizationWords.has(words)).length
  const emails = roles.all('email')
  const sites = roles.all('website')
  const isPersonal =
    filled.some(({ words }) => personalWords.test(words)) ||
    (called && emails.some(email => areOwn(rows, email, called))) ||
    roles.all('prefix').some(({ filled }) => filled > 0)
  const isNoun =
    called &&
    organizationNouns.test(called.words) &&
    roles.all('name').every(column => column === called || column.filled === 0)
  return (
    (legal >= 0.5 ? 2 : legal > 0.1 ? 1 : 0) +
    (isNoun ? 2 : 0) +
    (speaking > 1 ? 2 : speaking * 0.9) +
    (organizationNouns.test(headerWords(fileName.replace(/^.*[\\/]/, ''))) ? 1 : 0) +
    (called && sites.some(site => isSiteOf(rows, site, called)) ? 0.9 : 0) +
    (emails.some(column => column.shareOf(isOffice) > 0.5) ? 0.9 : 0) -
    (isPersonal ? 2 : 0)
  )
}

const letters = (text: unknown) => wordsOf(String(text ?? '')).replaceAll(' ', '')
/** Most addresses begin with a word of the name, as those of people do. */
function areOwn({ kept }: RowFacts, email: Column, called: Column): boolean {
  const both = kept.flatMap(row => {
    const [local] = wordsOf(String(row.value(email.name) ?? '').split('@')[0] ?? '').split(' ')
    const name = wordsOf(String(row.value(called.name) ?? '')).split(' ')
    return local && name[0] ? [name.includes(local)] : []
  })
  return both.filter(Boolean).length > both.length / 2
}

/** Most of its sites are called as the rows are. */
function isSiteOf({ kept }: RowFacts, site: Column, called: Column): boolean {
  const both = kept.flatMap(row => {
    const host = /^(?:https?:\/\/)?(?:www\.)?([\w-]+)\./.exec(String(row.value(site.name) ?? ''))?.[1]
    const name = letters(row.value(called.name))
    return host && name ? [letters(host).includes(name) || name.includes(letters(host))] : []
  })
  return both.filter(Boolean).length > both.length / 2
}

/** What no value decides is asked. */
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
  if (question) return together(suggestion(key, 'organization', [asked(question)]), field(key, kind))
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

/** Undefined where the column has other words. */
function kindsIn(column: Column): Record<string, string> | undefined {
  if (column.filled === 0 || column.hasMoreValues || column.isList) return undefined
  const words = [...column.values]
  const yesNo = organizationHeader.test(column.words) ? yesNoWords(column) : undefined
  const organizations = yesNo?.yes ?? words.filter(value => isOrganization.test(wordsOf(value)))
  const people = yesNo?.no ?? words.filter(value => isPerson.test(wordsOf(value)))
  if (organizations.length + people.length < words.length) return undefined
  return Object.fromEntries(words.map(value => [value, people.includes(value) ? 'person' : 'organization']))
}
