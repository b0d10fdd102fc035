import type { Column } from './column.ts'
import {
  areOrganizations,
  type ContactFacts,
  designationOf,
  emailColumns,
  phoneColumns,
} from './contact-columns.ts'
import { columnsOf, type Match, plainest } from './match.ts'
import { namePart, personNames, someEmpty } from './names.ts'
import {
  emailItem,
  numberField,
  phoneItem,
  phoneOtherwise,
  textRule,
  urlField,
  userPart,
  yesNoField,
  yesNoWords,
} from './rules.ts'
import { type ContactRole, headerWords, oneOf, vocabulary } from './words.ts'
import { compact, field, group, type Optional, type Part, quote, suggestion, word } from './yaml.ts'

/** The fields of a contact. */
export function contactParts(given: ContactFacts): Part[] {
  const { matches, rows } = given
  const get = (role: ContactRole) => plainest(matches, role)
  const isOrganizations = areOrganizations(given)
  const [emails, phones, company] = [emailColumns(given), phoneColumns(given), get('company')]
  const { first, last, whole } = personNames(given)
  const parts = first || last ? [first, get('middle'), last] : [whole]
  const names = compact(...(isOrganizations && company && !whole ? [company] : parts))
  const called = names.length > 0 ? names : nameless(given.columns, emails, phones)
  const others = [(first || last) && whole, get('nickname'), company, ...emails, ...phones, get('linkedin')]
  const question = `No column says that it names anybody. Is ${quote(called[0]?.name ?? '')} what a contact is called by?`
  const designation = isOrganizations ? undefined : designationOf(given)
  const description = get('description')
  return compact(
    namePart(called, others, rows, names.length === 0 && question),
    kindPart(given, isOrganizations, names, company),
    designation && field('designation', textRule(designation)),
    description && field('description', textRule(description, '\n')),
    group('emails', emails.map(emailItem)),
    phonesPart(phones),
    addressPart(given),
    ...linkParts(given, isOrganizations),
    userPart(columnsOf(matches, 'ownerEmail', 'owner'), rule => ['assigned_user_id', rule]),
    yesNoField('archived', get('archived')),
    positionField('address_lat', get('latitude')),
    positionField('address_lng', get('longitude')),
    company && !names.includes(company) && parentPart(company),
  )
}

const nameEnding = oneOf(`(.* )?(${vocabulary.nameEndings})`)

/** What a row is called by where no column names anybody: the first text, else whatever there is. */
function nameless(
  columns: readonly Column[],
  emails: readonly Column[],
  phones: readonly Column[],
): Column[] {
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

const countryNote = [
  'Numbers with their country (+44 …) become E.164, all others are sent as they are. To have those read as well,',
  'add their country, as in { as: phone, country: GB }, and take "otherwise" out.',
]

function phonesPart(phones: readonly Column[]): Part | undefined {
  const keepsSome = phones.some(column => phoneOtherwise(column) === 'keep')
  return group('phones', phones.map(phoneItem), ...(keepsSome ? countryNote : []))
}

const addressRoles = ['street', 'street2', 'postal', 'city', 'region', 'country'] as const
const cities = /city|town|ort|stadt|ville|ciudad/

/** The address that is filled most often, of those that the columns have. */
function addressPart({ matches }: ContactFacts): Part | undefined {
  const groups = new Map<string, Match<ContactRole>[]>()
  for (const match of matches)
    if (addressRoles.some(role => role === match.role))
      groups.set(match.group, [...(groups.get(match.group) ?? []), match])
  const filled = (found: readonly Match<ContactRole>[]) =>
    found.reduce((sum, { column }) => sum + (column.filled > 0 ? 1 + column.filled / 1e9 : 0.1), 0)
  const best = [...groups.values()].sort((a, b) => filled(b) - filled(a))[0] ?? []
  const parts = addressRoles.flatMap(role => best.find(match => match.role === role)?.column ?? [])
  const whole = plainest(matches, 'address')
  if (whole === undefined && parts.length === 0) return undefined
  const hasLineBreaks = [whole, ...parts].some(column => column?.hasLineBreaks)
  const replace = hasLineBreaks ? [{ pattern: '\\s*[\\r\\n]+\\s*', with: ', ' }] : undefined
  const names = parts.map(({ name }) => name)
  const joined = { ...(names.length === 1 ? { from: names[0] } : { join: names, with: ', ' }), replace }
  if (whole === undefined) return field('address', joined)
  const isStreet = !whole.hasLineBreaks && parts.some(({ words }) => cities.test(words))
  if (isStreet && !best.some(({ role }) => role === 'street'))
    return field('address', { join: [whole.name, ...names], with: ', ', replace })
  return field('address', { ...textRule(whole), replace, default: names.length > 0 ? joined : undefined })
}

const hosts = [
  ['linkedin', /linkedin\.com/i],
  ['twitter', /(twitter|\/\/x)\.com/i],
  ['facebook', /facebook\.com/i],
  ['github', /github\.com/i],
  ['instagram', /instagram\.com/i],
] as const

/** Links go where their host says; any other address of the web is the domain. */
function linkParts({ columns, matches }: ContactFacts, isOrganizations: boolean): Part[] {
  const hosted = hosts.map(([role, host]) => {
    const isOfHost = (column: Column) => column.share('url') > 0.5 && host.test(column.example?.text ?? '')
    return { role, host, column: plainest(matches, role) ?? columns.find(isOfHost) }
  })
  const links = hosted.flatMap(({ role, host, column }) => {
    if (column === undefined || column.isList) return []
    if ([...column.values].every(value => host.test(value))) return [urlField(`${role}_url`, column, 'url')]
    const comment = `Some are names at ${role}, no addresses; all are sent as they are.`
    return [field(`${role}_url`, textRule(column), comment)]
  })
  const isFree = (column: Column) => !hosted.some(host => host.column === column)
  const domain =
    columnsOf(matches, 'website').find(column => isFree(column) && column.share('url') > 0) ??
    columns.find(column => isOrganizations && isFree(column) && column.share('url') > 0.5)
  const avatar = plainest(matches, 'avatar')
  return compact(
    group('url_details', [domain && urlField('domain', domain, 'domain'), ...links]),
    avatar && avatar.share('url') > 0 && urlField('avatar_url', avatar, 'url'),
  )
}

const positionField = (key: string, column: Column | undefined): Optional<Part> =>
  column && column.share('number', 'decimalComma') > 0 && numberField(key, column)

const parentPart = (company: Column): Part =>
  suggestion(
    'parent',
    { record_id: { ...textRule(company), lookup: 'organizations', missing: 'omit' } },
    [
      'The organization is a record of its own: import the organizations first, with a key that holds their names, then put this in, and "organizations" of the lookups above.',
    ],
    { organizations: { results: 'organizations.results.ndjson' } },
  )
