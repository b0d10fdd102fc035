import type { Column } from './column.ts'
import {
  areOrganizations,
  type ContactFacts,
  designationOf,
  emailColumns,
  phoneColumns,
} from './contact-columns.ts'
import { columnsOf, type Match, plainest } from './match.ts'
import { namePart, nameQuestion, personNames, someEmpty } from './names.ts'
import {
  emailRule,
  numberRule,
  phoneRule,
  ruledField,
  textRule,
  urlRule,
  userParts,
  yesNoParts,
  yesNoWords,
} from './rules.ts'
import { type ContactRole, headerWords, oneOf, vocabulary } from './words.ts'
import { field, group, type Part, suggestion, word } from './yaml.ts'

/** The fields of a contact. */
export function contactParts(given: ContactFacts): Part[] {
  const { matches, rows, distrusted } = given
  const get = (role: ContactRole) => plainest(matches, role)
  const isOrganizations = areOrganizations(given)
  const [emails, phones, company] = [emailColumns(given), phoneColumns(given), get('company')]
  const { first, last, whole } = personNames(given)
  const parts = first || last ? [first, get('middle'), last] : [whole]
  const names = (isOrganizations && company && !whole ? [company] : parts).filter(
    column => column !== undefined,
  )
  const called = names.length > 0 ? names : nameless(given.columns, emails, phones)
  const others = [first || last ? whole : undefined, get('nickname'), company, ...emails, ...phones]
  const question = names.length > 0 ? [] : nameQuestion('contact', called)
  return [
    namePart(called, [...others, get('linkedin')], rows, question),
    kindPart(given, isOrganizations, names, company),
    ...textParts('designation', isOrganizations ? undefined : designationOf(given)),
    ...textParts('description', get('description'), '\n'),
    ...(emails.length > 0
      ? [
          group(
            'emails',
            emails.map(column => ruledField('-', emailRule(column, distrusted))),
          ),
        ]
      : []),
    ...phoneParts(phones, given),
    ...addressParts(given),
    ...linkParts(given, isOrganizations),
    ...userParts(columnsOf(matches, 'ownerEmail', 'owner'), distrusted, rule => ['assigned_user_id', rule]),
    ...yesNoParts('archived', get('archived'), distrusted),
    ...positionParts(given),
    ...(company && !names.includes(company) ? [parentPart(company)] : []),
  ]
}

const textParts = (key: string, column: Column | undefined, separator?: string): Part[] =>
  column ? [field(key, textRule(column, separator))] : []

const nameEnding = oneOf(`(.* )?(${vocabulary.nameEndings})`)

/** What a row is called by where no column names anybody: the first text, else whatever there is. */
function nameless(
  columns: readonly Column[],
  emails: readonly Column[],
  phones: readonly Column[],
): Column[] {
  const texts = columns.filter(
    column =>
      column.filled > 0 &&
      column.share('number', 'date', 'url') < 0.5 &&
      ![...emails, ...phones].includes(column),
  )
  const filled = columns.filter(column => column.filled > 0)
  const named = texts.find(({ words }) => nameEnding.test(words))
  const [found] = [...(named ? [named] : []), ...texts, ...emails, ...filled, ...columns]
  return found ? [found] : []
}

const isOrganization = oneOf(vocabulary.companyKinds)
const isPerson = oneOf(vocabulary.personKinds)
const organizationQuestion = oneOf('is (a company|company|an organi[sz]ation|organi[sz]ation)')

/** What tells people from organizations: a column, or which of the names are filled. */
function kindPart(
  { matches, rows }: ContactFacts,
  isOrganizations: boolean,
  names: readonly Column[],
  company: Column | undefined,
): Part {
  const key = 'record_sub_type'
  for (const column of columnsOf(matches, 'kind')) {
    const map = kindsIn(column)
    if (map !== undefined) return field(key, { from: column.name, map, otherwise: 'omit' })
  }
  if (isOrganizations) return field(key, 'organization')
  if (!company?.filled || names.length === 0 || names.includes(company) || !someEmpty(names, rows))
    return field(key, 'person')
  const all = (kind: string) => [{ pattern: '[\\s\\S]+', with: kind }]
  return field(
    key,
    {
      join: names.map(({ name }) => name),
      replace: all('person'),
      default: { from: company.name, replace: all('organization') },
    },
    `A row that names nobody but has a ${word(company.name)} is an organization.`,
  )
}

/** A table of the words that a column has for people and organizations; undefined where it holds others. */
function kindsIn(column: Column): Record<string, string> | undefined {
  if (column.filled === 0 || column.hasMoreValues || column.isList) return undefined
  const words = [...column.values]
  const yesNo = organizationQuestion.test(column.words) ? yesNoWords(column) : undefined
  const organizations = yesNo?.yes ?? words.filter(value => isOrganization.test(headerWords(value)))
  const people = yesNo?.no ?? words.filter(value => isPerson.test(headerWords(value)))
  if (organizations.length + people.length < words.length) return undefined
  return Object.fromEntries(words.map(value => [value, people.includes(value) ? 'person' : 'organization']))
}

function phoneParts(phones: readonly Column[], { distrusted }: ContactFacts): Part[] {
  if (phones.length === 0) return []
  const rules = phones.map(column => phoneRule(column, distrusted))
  const comments = [
    'Numbers with their country (+44 …) become E.164, all others are sent as they are. To have those read as well,',
    'add their country, as in { as: phone, country: GB }, and take "otherwise" out.',
  ]
  const isOpen = JSON.stringify(rules).includes('"keep"')
  return [
    group(
      'phones',
      rules.map(rule => ruledField('-', rule)),
      ...(isOpen ? comments : []),
    ),
  ]
}

const addressRoles = ['street', 'street2', 'postal', 'city', 'region', 'country'] as const
const cities = /city|town|ort|stadt|ville|ciudad/

/** The address that is filled most often, of those that the columns have. */
function addressParts({ matches }: ContactFacts): Part[] {
  const groups = new Map<string, Match<ContactRole>[]>()
  for (const match of matches)
    if (addressRoles.some(role => role === match.role))
      groups.set(match.group, [...(groups.get(match.group) ?? []), match])
  const filled = (found: readonly Match<ContactRole>[]) =>
    found.reduce((sum, { column }) => sum + (column.filled > 0 ? 1 + column.filled / 1e9 : 0.1), 0)
  const best = [...groups.values()].sort((a, b) => filled(b) - filled(a))[0] ?? []
  const parts = addressRoles.flatMap(role => best.find(match => match.role === role)?.column ?? [])
  const whole = plainest(matches, 'address')
  if (whole === undefined && parts.length === 0) return []
  const hasLineBreaks = [whole, ...parts].some(column => column?.hasLineBreaks)
  const replace = hasLineBreaks ? { replace: [{ pattern: '\\s*[\\r\\n]+\\s*', with: ', ' }] } : {}
  const names = parts.map(({ name }) => name)
  const joined = { ...(names.length === 1 ? { from: names[0] } : { join: names, with: ', ' }), ...replace }
  if (whole === undefined) return [field('address', joined)]
  const isStreet = !whole.hasLineBreaks && parts.some(({ words }) => cities.test(words))
  if (isStreet && !best.some(({ role }) => role === 'street'))
    return [field('address', { join: [whole.name, ...names], with: ', ', ...replace })]
  const fallback = names.length > 0 ? { default: joined } : {}
  return [field('address', { ...textRule(whole), ...replace, ...fallback })]
}

const hosts = [
  ['linkedin', /linkedin\.com/i],
  ['twitter', /(twitter|\/\/x)\.com/i],
  ['facebook', /facebook\.com/i],
  ['github', /github\.com/i],
  ['instagram', /instagram\.com/i],
] as const

/** Links go where their host says; any other address of the web is the domain. */
function linkParts({ columns, matches, distrusted }: ContactFacts, isOrganizations: boolean): Part[] {
  const taken: Column[] = []
  const fields = hosts.flatMap(([role, host]) => {
    const column =
      plainest(matches, role) ??
      columns.find(found => found.share('url') > 0.5 && host.test(found.example?.text ?? ''))
    if (column === undefined) return []
    taken.push(column)
    if (column.isList) return []
    if ([...column.values].every(value => host.test(value)))
      return [ruledField(`${role}_url`, urlRule(column, 'url', distrusted))]
    const comment = `Some are names at ${role}, no addresses; all are sent as they are.`
    return [field(`${role}_url`, textRule(column), comment)]
  })
  const free = (column: Column) => !taken.includes(column)
  const site = columnsOf(matches, 'website').find(column => free(column) && column.fits.url.count > 0)
  const domain =
    site ?? (isOrganizations ? columns.find(column => free(column) && column.share('url') > 0.5) : undefined)
  const avatar = plainest(matches, 'avatar')
  const links = [...(domain ? [ruledField('domain', urlRule(domain, 'domain', distrusted))] : []), ...fields]
  return [
    ...(links.length > 0 ? [group('url_details', links)] : []),
    ...(avatar?.fits.url.count ? [ruledField('avatar_url', urlRule(avatar, 'url', distrusted))] : []),
  ]
}

const positionParts = ({ matches, distrusted }: ContactFacts): Part[] =>
  (['address_lat', 'address_lng'] as const).flatMap(key => {
    const column = plainest(matches, key === 'address_lat' ? 'latitude' : 'longitude')
    const isNumber = column !== undefined && column.share('number', 'decimalComma') > 0
    return isNumber ? [ruledField(key, numberRule(column, distrusted))] : []
  })

const parentPart = (company: Column): Part =>
  suggestion(
    'parent',
    { record_id: { ...textRule(company), lookup: 'organizations', missing: 'omit' } },
    [
      'The organization is a record of its own: import the organizations first, with a key that holds their names, then put this in, and "organizations" of the lookups above.',
    ],
    { organizations: { results: 'organizations.results.ndjson' } },
  )
