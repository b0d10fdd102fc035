import { present } from '../../model/values.ts'
import type { Column, Columns } from './column.ts'
import { isCompanyName, isNamelike } from './evidence.ts'
import { isCode } from './key.ts'
import type { Roles } from './match.ts'
import { nameRule, someEmpty, yesNoWords } from './rules.ts'
import type { RowFacts } from './survey.ts'
import { type ContactRole, oneOf, vocabulary, wordList, wordsOf } from './words.ts'
import { asked, compact, field, flow, type Part, quote, suggestion, together, word } from './yaml.ts'

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
}

export function namedBy(roles: ContactRoles): Named {
  const { first, last, whole, company } = nameColumns(roles)
  const parts = compact(...(first || last ? [first, roles.get('middle'), last] : [whole]))
  const kind = kindOf(roles, parts, company)
  const isCompany = kind === 'organization' && company !== undefined && parts.length === 0
  const names = isCompany ? [company] : isFamilyFirst(first, last) ? [...parts].reverse() : parts
  const rest = [(first || last) && whole, ...roles.all('name'), roles.get('nickname'), company]
  // An organization is not called by its address.
  const reached = kind === 'organization' ? [] : [...roles.all('email', 'phone'), roles.get('linkedin')]
  const others = compact(...rest, ...reached)
  if (names.length > 0)
    return { kind, names, others, company: isCompany ? undefined : company, question: undefined }
  const [called, ...answers] = unnamed(roles)
  const [only] = called ?? []
  if (called?.length === 1 && only && isSurelyName(only))
    return { kind, names: called, others, company, question: undefined }
  const what = (called ?? []).map(({ name }) => quote(name)).join(' with ')
  const question = [
    `No column says that it names anybody. Is ${what} what a contact is called by?`,
    ...answers.map(columns => `name: ${flow({ ...nameRule(columns), required: true })}`),
  ]
  return { kind, names: called ?? [], others, company, question }
}

/** With a first name `Name` is the last name, and with a last name the first, unless it holds the other as well. */
function nameColumns(roles: ContactRoles) {
  const [first, last, whole] = (['first', 'last', 'name'] as const).map(role => roles.get(role))
  const company = roles.get('company')
  const part = first ?? last
  if (whole === undefined && part === undefined)
    return { first, last, whole, company: company && isConstant(company) ? undefined : company }
  if (whole === undefined || part === undefined) return { first, last, whole, company }
  const isHeld = holds(roles.rows, whole, part)
  if (first && last && !isHeld && whole.filled > first.filled && whole.shareOf(isCompanyName) >= 0.3)
    return { first: undefined, last: undefined, whole: undefined, company: company ?? whole }
  // A fuller column beside both names that holds neither is who they work for.
  if (first && last) return { first, last, whole, company: company ?? (isHeld ? undefined : whole) }
  if (isHeld) return { first: undefined, last: undefined, whole, company }
  return { first: first ?? whole, last: last ?? whole, whole: undefined, company }
}

/** Such as "hidden" in every row. */
const isConstant = ({ filled, samples }: Column) => filled > 1 && samples.size === 1

/** In most rows that have both, the text of one has that of the other in it. */
export function holds({ kept }: RowFacts, whole: Column, part: Column): boolean {
  const found = kept.flatMap(row => {
    const [all, one] = [present(row.value(whole.name)), present(row.value(part.name))]
    return typeof all === 'string' && typeof one === 'string'
      ? [all.toLowerCase().includes(one.toLowerCase())]
      : []
  })
  return found.filter(Boolean).length > found.length / 2
}

const familyFirst = new RegExp(vocabulary.familyFirst, 'u')
/** As Chinese, Japanese and Korean names are written. */
const isFamilyFirst = (first: Column | undefined, last: Column | undefined) =>
  first !== undefined && last !== undefined && last.shareOf(text => familyFirst.test(text)) > 0.5

const fullName = /^\p{Lu}[\p{L}\p{M}'’-]+(\s(\p{Lu}\.?|[\p{L}\p{M}'’-]+)){1,3}$/u
/** A question for a name, or names and surnames that hardly repeat. */
const isSurelyName = (column: Column) =>
  column.samples.size > column.filled * 0.9 &&
  column.shareOf(text => fullName.test(text)) > (nameEnding.test(column.words) ? 0.5 : 0.9)

const nameEnding = oneOf(`(.* )?(${vocabulary.nameEndings})`)

const isFree = ({ candidates }: ContactRoles, column: Column) => candidates.get(column)?.length === 0
const isWord = (text: string) => /^\p{Ll}\S*$/u.test(text)

/** Columns without a role that have the shape of names, the likeliest first. */
function namelike(roles: ContactRoles): Column[] {
  const free = roles.columns.filter(
    column =>
      column.filled > 0 && isFree(roles, column) && !organizationWords.has(column.words) && !isCode(column),
  )
  const differ = free.filter(
    column =>
      column.isVaried && column.shareOf(text => isNamelike(text) && !isWord(text)) > 0.7 && !column.isList,
  )
  const rank = (column: Column) =>
    (nameEnding.test(column.words) ? 1 : 0) + column.filled / Math.max(1, column.rows)
  return differ.sort((a, b) => rank(b) - rank(a))
}

const mostAnswers = 3

/** Without a column of names: one or two of their shape, else how they are reached, else a text or whatever there is. */
function unnamed(roles: ContactRoles): Columns[] {
  const { columns } = roles
  const filled = columns.filter(column => column.filled > 0)
  const reached = [...roles.all('email', 'phone'), ...roles.all('website').filter(({ isVaried }) => isVaried)]
  const texts = filled.filter(
    column => column.share('number', 'date', 'url') < 0.5 && !reached.includes(column) && column.isVaried,
  )
  const ended = texts.filter(column => isFree(roles, column) && nameEnding.test(column.words))
  const found = new Set([...ended, ...namelike(roles), ...reached, ...texts, ...filled, ...columns])
  const single = [...found].slice(0, mostAnswers).map(column => [column])
  const likely = namelike(roles).slice(0, 2)
  const isPart = (column: Column | undefined) => column && likely.includes(column) && isOneWord(column)
  const at = columns.findIndex((column, index) => isPart(column) && isPart(columns[index + 1]))
  return at < 0 ? single : [columns.slice(at, at + 2), ...single]
}

/** As a first or a last name is, and hardly ever the same. */
const isOneWord = (column: Column) =>
  column.shareOf(text => !/\s/.test(text)) > 0.6 && column.samples.size > column.filled * 0.7

const organizationWords = new Set(wordList(vocabulary.organizations))

/** First names speak for people, legal forms and words such as "Industry" for organizations. */
function kindOf(roles: ContactRoles, names: Columns, company: Column | undefined): Named['kind'] {
  const isFilled = (role: ContactRole) =>
    roles.matches.some(match => match.role === role && match.column.filled > 0 && match.distance < 3)
  if (isFilled('first') || isFilled('last') || isFilled('designation')) return 'person'
  const [whole] = names
  if (whole === undefined)
    return company && company.filled > 0 && !arePeopleOf(roles, company) ? 'organization' : 'person'
  if (company && company.filled > 0) return 'person'
  return speaking(roles) >= 2 || whole.shareOf(isCompanyName) >= 0.3 ? 'organization' : 'person'
}

const speaking = ({ columns }: ContactRoles) =>
  columns.filter(({ words }) => organizationWords.has(words)).length

/** A company that stands in several rows, beside names or addresses that differ. */
function arePeopleOf(roles: ContactRoles, company: Column): boolean {
  const reached = roles.all('email').filter(({ filled }) => filled > 0)
  const isRepeated = company.samples.size < company.filled * 0.9
  return (
    reached.length > 0 &&
    (isRepeated || namelike(roles).some(({ samples, filled }) => samples.size === filled))
  )
}

/** What no value decides is asked. */
function kindQuestion({ kind, names, company }: Named): string | undefined {
  const [whole] = names
  const share =
    whole && kind === 'person' && names.length === 1 && !company ? whole.shareOf(isCompanyName) : 0
  return share > 0.1
    ? `Are some of ${quote(whole?.name ?? '')} organizations? All are sent as people.`
    : undefined
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
    if (map !== undefined) return field(key, { from: column.name, map, otherwise: 'omit' })
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
