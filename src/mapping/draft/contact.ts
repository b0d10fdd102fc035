import { present } from '../../model/values.ts'
import type { Column, Columns } from './column.ts'
import type { Match, Roles } from './match.ts'
import {
  emailItem,
  namePart,
  numberField,
  parentPart,
  phoneItem,
  phoneOtherwise,
  someEmpty,
  textRule,
  urlField,
  userPart,
  yesNoField,
  yesNoWords,
} from './rules.ts'
import { anyOf, type ContactRole, headerWords, oneOf, vocabulary, wordList } from './words.ts'
import { compact, field, group, type Optional, type Part, quote, word } from './yaml.ts'

type ContactRoles = Roles<ContactRole>

export function contactParts(roles: ContactRoles): Part[] {
  const isOrganizations = areOrganizations(roles)
  const [emails, phones, company] = [emailColumns(roles), phoneColumns(roles), roles.get('company')]
  const { first, last, whole } = personNames(roles)
  const parts = first || last ? [first, roles.get('middle'), last] : [whole]
  const names = compact(...(isOrganizations && company && !whole ? [company] : parts))
  const called = names.length > 0 ? names : nameless(roles.columns, emails, phones)
  const [nickname, linkedin] = [roles.get('nickname'), roles.get('linkedin')]
  const others = [(first || last) && whole, nickname, company, ...emails, ...phones, linkedin]
  const question = `No column says that it names anybody. Is ${quote(called[0]?.name ?? '')} what a contact is called by?`
  const designation = isOrganizations ? undefined : designationOf(roles)
  const description = roles.get('description')
  return compact(
    namePart(called, others, roles.rows, names.length === 0 && question),
    kindPart(roles, isOrganizations, names, company),
    designation && field('designation', textRule(designation)),
    description && field('description', textRule(description, '\n')),
    group('emails', emails.map(emailItem)),
    phonesPart(phones),
    addressPart(roles),
    ...linkParts(roles, isOrganizations),
    userPart(roles.all('ownerEmail', 'owner'), rule => ['assigned_user_id', rule]),
    yesNoField('archived', roles.get('archived')),
    positionField('address_lat', roles.get('latitude')),
    positionField('address_lng', roles.get('longitude')),
    company && !names.includes(company) && parentPart(company, organizations, organizationsNote),
  )
}

const organizations = ['organizations', { results: 'organizations.results.ndjson' }] as const
const organizationsNote =
  'The organization is a record of its own: import the organizations first, with a key that holds their names, then put this in, and "organizations" of the lookups above.'

const nameEnding = oneOf(`(.* )?(${vocabulary.nameEndings})`)

/** Without a column of names: the first text, else whatever there is. */
function nameless(columns: Columns, emails: Columns, phones: Columns): Column[] {
  const filled = columns.filter(column => column.filled > 0)
  const texts = filled.filter(
    column => column.share('number', 'date', 'url') < 0.5 && ![...emails, ...phones].includes(column),
  )
  const named = texts.filter(({ words }) => nameEnding.test(words))
  return [...named, ...texts, ...emails, ...filled, ...columns].slice(0, 1)
}

const isOrganization = oneOf(vocabulary.companyKinds)
const isPerson = oneOf(vocabulary.personKinds)
const organizationQuestion = oneOf('is (a company|company|an organi[sz]ation|organi[sz]ation)')

/** By a column, or by which of the names are filled. */
function kindPart(
  roles: ContactRoles,
  isOrganizations: boolean,
  names: Columns,
  company: Column | undefined,
): Part {
  const key = 'record_sub_type'
  for (const column of roles.all('kind')) {
    const map = kindsIn(column)
    if (map !== undefined) return field(key, { from: column.name, map, otherwise: 'omit' })
  }
  if (isOrganizations) return field(key, 'organization')
  if (!company?.filled || names.length === 0 || names.includes(company) || !someEmpty(names, roles.rows))
    return field(key, 'person')
  const all = (kind: string) => [{ pattern: '[\\s\\S]+', with: kind }]
  const instead = { from: company.name, replace: all('organization') }
  const rule = { join: names.map(({ name }) => name), replace: all('person'), default: instead }
  return field(key, rule, `A row that names nobody but has a ${word(company.name)} is an organization.`)
}

/** Undefined where the column has other words. */
function kindsIn(column: Column): Record<string, string> | undefined {
  if (column.filled === 0 || column.hasMoreValues || column.isList) return undefined
  const words = [...column.values]
  const yesNo = organizationQuestion.test(column.words) ? yesNoWords(column) : undefined
  const organizations = yesNo?.yes ?? words.filter(value => isOrganization.test(headerWords(value)))
  const people = yesNo?.no ?? words.filter(value => isPerson.test(headerWords(value)))
  if (organizations.length + people.length < words.length) return undefined
  return Object.fromEntries(words.map(value => [value, people.includes(value) ? 'person' : 'organization']))
}

const countryNote = [
  'Numbers with their country (+44 …) become E.164, all others are sent as they are. To have those read as well,',
  'add their country, as in { as: phone, country: GB }, and take "otherwise" out.',
]

function phonesPart(phones: Columns): Part | undefined {
  const keepsSome = phones.some(column => phoneOtherwise(column) === 'keep')
  return group('phones', phones.map(phoneItem), ...(keepsSome ? countryNote : []))
}

const addressRoles = ['street', 'street2', 'postal', 'city', 'region', 'country'] as const

/** The address that is filled most often. */
function addressPart(roles: ContactRoles): Part | undefined {
  const groups = new Map<string, Match<ContactRole>[]>()
  for (const match of roles.matches)
    if (addressRoles.some(role => role === match.role))
      groups.set(match.group, [...(groups.get(match.group) ?? []), match])
  const filled = (found: readonly Match<ContactRole>[]) =>
    found.reduce((sum, { column }) => sum + (column.filled > 0 ? 1 + column.filled / 1e9 : 0.1), 0)
  const best = [...groups.values()].sort((a, b) => filled(b) - filled(a))[0] ?? []
  const parts = addressRoles.flatMap(role => best.find(match => match.role === role)?.column ?? [])
  const whole = roles.get('address')
  if (whole === undefined && parts.length === 0) return undefined
  const hasLineBreaks = [whole, ...parts].some(column => column?.hasLineBreaks)
  const replace = hasLineBreaks ? [{ pattern: '\\s*[\\r\\n]+\\s*', with: ', ' }] : undefined
  const names = parts.map(({ name }) => name)
  const joined = { ...(names.length === 1 ? { from: names[0] } : { join: names, with: ', ' }), replace }
  if (whole === undefined) return field('address', joined)
  const isStreet =
    !whole.hasLineBreaks && parts.some(({ words }) => /city|town|ort|stadt|ville|ciudad/.test(words))
  if (isStreet && !best.some(({ role }) => role === 'street'))
    return field('address', { join: [whole.name, ...names], with: ', ', replace })
  return field('address', { ...textRule(whole), replace, default: names.length > 0 ? joined : undefined })
}

const hosts = (['linkedin', 'twitter', 'facebook', 'github', 'instagram'] as const).map(
  role => [role, new RegExp(`(${role}${role === 'twitter' ? '|//x' : ''})\\.com`, 'i')] as const,
)

/** By the host; other web addresses are the domain. */
function linkParts(roles: ContactRoles, isOrganizations: boolean): Part[] {
  const hosted = hosts.map(([role, host]) => {
    const isOfHost = (column: Column) => column.share('url') > 0.5 && host.test(column.example?.text ?? '')
    return { role, host, column: roles.get(role) ?? roles.columns.find(isOfHost) }
  })
  const links = hosted.flatMap(({ role, host, column }) => {
    if (column === undefined || column.isList) return []
    if ([...column.values].every(value => host.test(value))) return [urlField(`${role}_url`, column, 'url')]
    const comment = `Some are names at ${role}, no addresses; all are sent as they are.`
    return [field(`${role}_url`, textRule(column), comment)]
  })
  const isFree = (column: Column) => !hosted.some(host => host.column === column)
  const domain =
    roles.all('website').find(column => isFree(column) && column.share('url') > 0) ??
    roles.columns.find(column => isOrganizations && isFree(column) && column.share('url') > 0.5)
  const avatar = roles.get('avatar')
  return compact(
    group('url_details', [domain && urlField('domain', domain, 'domain'), ...links]),
    avatar && avatar.share('url') > 0 && urlField('avatar_url', avatar, 'url'),
  )
}

const positionField = (key: string, column: Column | undefined): Optional<Part> =>
  column && column.share('number', 'decimalComma') > 0 && numberField(key, column)

/** With a first name `Name` is the last name, and with a last name the first, unless it holds the other as well. */
function personNames(roles: ContactRoles) {
  const [first, last, whole] = (['first', 'last', 'name'] as const).map(role => roles.get(role))
  const part = first ?? last
  if (whole === undefined || part === undefined || (first && last)) return { first, last, whole }
  const holdsPart = roles.rows.kept.flatMap(row => {
    const [all, one] = [present(row.value(whole.name)), present(row.value(part.name))]
    return typeof all === 'string' && typeof one === 'string' ? [all.includes(one)] : []
  })
  if (holdsPart.filter(Boolean).length > holdsPart.length / 2)
    return { first: undefined, last: undefined, whole }
  return { first: first ?? whole, last: last ?? whole, whole: undefined }
}

const otherPeople = anyOf(vocabulary.otherPeople)
const faxes = anyOf('fax|telefax|telecopie')
const phones = anyOf('phone|tel|telefon|telephone|mobile|cell|handy|telefono|telefone')
const roomsAndPhones = new RegExp(`${anyOf(vocabulary.notNames).source}|hausn|zimmern|telefon|telnr|faxn`)
const organizationWords = new Set(wordList(vocabulary.organizations))
const honorific = oneOf(`(${vocabulary.honorifics})( dr)?`)

/** By their names or values. */
function emailColumns(roles: ContactRoles): Column[] {
  const named = roles.all('email')
  return roles.columns.filter(column => {
    if (otherPeople.test(column.words)) return false
    const share = column.share('emails')
    return named.includes(column) ? column.filled === 0 || share > 0.3 : share > 0.5
  })
}

/** Without faxes. */
function phoneColumns(roles: ContactRoles): Column[] {
  const named = roles.all('phone')
  return roles.columns.filter(column => {
    if (faxes.test(column.words)) return false
    const share = column.share('phones')
    const international = column.share('international')
    if (named.includes(column)) return column.filled === 0 || share > 0.3 || international > 0
    return international >= 0.8 || (phones.test(column.words) && share >= 0.7)
  })
}

/** By their names or values: no record is named by them. */
export function placesAndPhones(roles: ContactRoles): Columns {
  const named = roles.all('phone', 'address', ...addressRoles)
  const called = roles.columns.filter(({ words }) => roomsAndPhones.test(words))
  return [...phoneColumns(roles), ...named, ...called]
}

export function areOrganizations({ columns, matches }: ContactRoles): boolean {
  const isFilled = (role: ContactRole) =>
    matches.some(match => match.role === role && match.column.filled > 0 && match.distance < 3)
  if (isFilled('first') || isFilled('last') || isFilled('designation')) return false
  if (!isFilled('name')) return isFilled('company')
  return columns.filter(({ words }) => organizationWords.has(words)).length >= 2 && !isFilled('company')
}

/** A title that is only Mr or Dr is none. */
function designationOf(roles: ContactRoles): Column | undefined {
  const found = roles.all('designation')
  const usable = found.filter(
    ({ values, filled }) => filled === 0 || ![...values].every(value => honorific.test(headerWords(value))),
  )
  const plain = usable.filter(({ words }) => words !== 'title' && words !== 'titel')
  return plain.find(({ filled }) => filled > 0) ?? (found.length > 1 ? plain[0] : undefined) ?? usable[0]
}
