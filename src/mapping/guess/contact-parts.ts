import type { Column } from './column.ts'
import { type ContactRole, organizationWords } from './contact-words.ts'
import type { RowFacts } from './facts.ts'
import { field, group, item, off, type Part } from './lines.ts'
import { type Match, of, plainest } from './match.ts'
import { namePart, someEmpty } from './name-part.ts'
import {
  type Distrusted,
  emailRule,
  numberRule,
  phoneRule,
  textRule,
  urlRule,
  userEmailRule,
} from './rules.ts'
import { type Flow, word } from './yaml-words.ts'
import { yesNoRule, yesNoWords } from './yes-no.ts'

type Matches = readonly Match<ContactRole>[]

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
    return named.has(column) ? filled === 0 || share > 0.3 : filled > 0 && share >= 0.8
  })
}

const isFax = ({ words }: Column) => /\b(fax|telefax|telecopie)\b/.test(words)

function phoneColumns({ columns, matches }: ContactFacts): Column[] {
  const named = new Set(of(matches, 'phone').map(({ column }) => column))
  return columns.filter(column => {
    const { filled, fits, phoneLists, words } = column
    if (isFax(column)) return false
    const lists = Math.max(0, ...phoneLists.values())
    const share = (fits.phone.count + lists) / Math.max(1, filled)
    if (named.has(column)) return filled === 0 || share > 0.3
    const isCalledSo = /\b(phone|tel|telefon|telephone|mobile|cell|handy|telefono|telefone)\b/.test(words)
    return filled > 0 && (fits.international.count / filled >= 0.8 || (isCalledSo && share >= 0.7))
  })
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

function designationOf(matches: Matches): Column | undefined {
  const found = of(matches, 'designation').map(({ column }) => column)
  const usable = found.filter(
    column => !(column.filled > 0 && [...column.values.keys()].every(value => honorific.test(value))),
  )
  const plain = usable.filter(({ words }) => words !== 'title' && words !== 'titel')
  return (
    plain.find(column => column.filled > 0) ?? (found.length > 1 && plain.length > 0 ? plain[0] : usable[0])
  )
}

/** The fields of a contact, and the columns that are in them. */
export function contactParts(given: ContactFacts): Part[] {
  const { matches, facts, distrusted, columns } = given
  const organizations = areOrganizations(given)
  const get = (role: ContactRole) => plainest(matches, role)
  const [emails, phones] = [emailColumns(given), phoneColumns(given)]
  const person = [get('first'), get('middle'), get('last')].filter(column => column !== undefined)
  const whole = get('name')
  const isSplit = get('first') !== undefined || get('last') !== undefined
  const company = get('company')
  const called = isSplit ? person : [whole].filter(column => column !== undefined)
  const names = organizations && company !== undefined && !whole ? [company] : called
  const chain = [
    ...(isSplit && whole ? [whole] : []),
    get('nickname'),
    company,
    ...emails,
    ...phones,
    get('linkedin'),
  ]
  const fallback = names.length > 0 ? names : nameless(given, emails, phones)
  const designation = organizations ? undefined : designationOf(matches)
  const description = get('description')
  return [
    namePart(
      fallback,
      chain.filter(column => column !== undefined && !fallback.includes(column)) as Column[],
      facts,
    ),
    subType(given, organizations, names, company),
    ...(designation ? [field('designation', textRule(designation))] : []),
    ...(description ? [field('description', textRule(description, '\n'))] : []),
    ...(emails.length > 0
      ? [
          group(
            'emails',
            emails.map(column => ruledItem(emailRule(column, distrusted))),
          ),
        ]
      : []),
    ...(phones.length > 0 ? [phonesPart(phones, distrusted)] : []),
    ...addressPart(matches),
    ...linksPart(given, organizations),
    ...owned(given),
    ...(archivedPart(get('archived'), distrusted) ?? []),
    ...positions(matches, distrusted),
    ...(company && !names.includes(company) ? parentPart(company) : []),
  ].filter(part => part !== undefined && columns.length > 0)
}

const ruledItem = ({ rule, comments }: ReturnType<typeof emailRule>): Part => item(rule as Flow, ...comments)

/** What a row is called by where no column names anybody: the first text, else whatever there is. */
function nameless({ columns }: ContactFacts, emails: readonly Column[], phones: readonly Column[]): Column[] {
  const texts = columns.filter(
    column =>
      column.filled > 0 &&
      ![...emails, ...phones].includes(column) &&
      column.fits.number.count + column.fits.date.count + column.fits.url.count < column.filled / 2,
  )
  const found = texts[0] ?? emails[0] ?? columns.find(({ filled }) => filled > 0) ?? columns[0]
  return found === undefined ? [] : [found]
}

const companyWords =
  /^(company|organi[sz]ation|firma|unternehmen|business|account|entreprise|société|empresa|azienda|bedrijf|компания|corporate|legal entity)$/i
const personWords =
  /^(person|people|individual|contact|privatperson|personne|persona|pessoa|persoon|человек|private)$/i

function subType(
  { matches, facts }: ContactFacts,
  organizations: boolean,
  names: readonly Column[],
  company: Column | undefined,
): Part {
  const kind = of(matches, 'kind').find(({ column }) => tableOf(column) !== undefined)?.column
  const table = kind && tableOf(kind)
  if (kind !== undefined && table !== undefined)
    return field('record_sub_type', { from: kind.name, map: table, otherwise: 'omit' })
  if (organizations) return field('record_sub_type', 'organization')
  const isMixed =
    company !== undefined &&
    company.filled > 0 &&
    names.length > 0 &&
    !names.includes(company) &&
    someEmpty(names, facts)
  if (!isMixed || company === undefined) return field('record_sub_type', 'person')
  const all = (to: string) => [{ pattern: '[\\s\\S]+', with: to }]
  return field(
    'record_sub_type',
    {
      join: names.map(({ name }) => name),
      replace: all('person'),
      default: { from: company.name, replace: all('organization') },
    },
    `A row that names nobody but has a ${word(company.name)} is an organization.`,
  )
}

function tableOf(column: Column): Flow | undefined {
  if (column.filled === 0 || column.hasMoreValues || column.isList) return undefined
  const isQuestion = /^is (a company|company|an organi[sz]ation|organi[sz]ation)$/.test(column.words)
  const yesNo = isQuestion ? yesNoWords(column) : undefined
  if (yesNo !== undefined)
    return Object.fromEntries([
      ...yesNo.yes.map(word => [word, 'organization'] as const),
      ...yesNo.no.map(word => [word, 'person'] as const),
    ])
  const words = [...column.values.keys()]
  if (!words.every(word => companyWords.test(word) || personWords.test(word))) return undefined
  return Object.fromEntries(words.map(word => [word, companyWords.test(word) ? 'organization' : 'person']))
}

function phonesPart(phones: readonly Column[], distrusted: Distrusted): Part {
  const rules = phones.map(column => phoneRule(column, distrusted))
  const isOpen = JSON.stringify(rules).includes('"keep"')
  return group(
    'phones',
    rules.map(ruledItem),
    ...(isOpen
      ? [
          'Numbers with their country (+44 …) become E.164, all others are sent as they stand. To have those read as well,',
          'add their country, as in { as: phone, country: GB }, and take "otherwise" out.',
        ]
      : []),
  )
}

const addressRoles = ['street', 'street2', 'postal', 'city', 'region', 'country'] as const

/** The address that is filled most often, of those that the columns have. */
function addressPart(matches: Matches): Part[] {
  const groups = new Map<string, Match<ContactRole>[]>()
  for (const match of matches)
    if (addressRoles.some(role => role === match.role))
      groups.set(match.group, [...(groups.get(match.group) ?? []), match])
  const filled = (found: readonly Match<ContactRole>[]) =>
    found.reduce((sum, { column }) => sum + (column.filled > 0 ? 1 + column.filled / 1e9 : 0.1), 0)
  const best = [...groups.values()].sort((a, b) => filled(b) - filled(a))[0] ?? []
  const whole = plainest(matches, 'address')
  const parts = addressRoles.flatMap(role => best.find(match => match.role === role)?.column ?? [])
  const lines = [{ pattern: '\\s*[\\r\\n]+\\s*', with: ', ' }]
  const replace = [whole, ...parts].some(column => column?.hasLineBreaks) ? { replace: lines } : {}
  const names = parts.map(({ name }) => name)
  if (whole === undefined)
    return names.length === 0 ? [] : [field('address', { join: names, with: ', ', ...replace })]
  const isStreet =
    parts.some(({ words }) => /city|town|ort|stadt|ville|ciudad/.test(words)) && !whole.hasLineBreaks
  if (isStreet && !best.some(({ role }) => role === 'street'))
    return [field('address', { join: [whole.name, ...names], with: ', ', ...replace })]
  return [
    field('address', {
      ...textRule(whole),
      ...replace,
      ...(names.length > 0 && { default: { join: names, with: ', ', ...replace } }),
    }),
  ]
}

const hosts = [
  ['linkedin_url', 'linkedin', /linkedin\.com/i],
  ['twitter_url', 'twitter', /(twitter|\/\/x)\.com/i],
  ['facebook_url', 'facebook', /facebook\.com/i],
  ['github_url', 'github', /github\.com/i],
  ['instagram_url', 'instagram', /instagram\.com/i],
] as const

/** Links go where their host says; any other address of the web is the domain. */
function linksPart({ columns, matches, distrusted }: ContactFacts, organizations: boolean): Part[] {
  const taken = new Set<Column>()
  const take = (column: Column | undefined) => {
    if (column !== undefined) taken.add(column)
    return column
  }
  const fields = hosts.flatMap(([key, role, host]) => {
    const byValue = columns.find(
      ({ example, fits, filled }) => fits.url.count > filled / 2 && host.test(example?.text ?? ''),
    )
    const column = take(plainest(matches, role) ?? byValue)
    if (column === undefined || column.isList) return []
    const { rule, comments } = urlRule(column, 'url', distrusted)
    return [field(key, rule as Flow, ...comments)]
  })
  const sites = of(matches, 'website').map(({ column }) => column)
  const site = sites.find(column => !taken.has(column) && column.fits.url.count > 0)
  const fallback = organizations
    ? columns.find(column => !taken.has(column) && column.fits.url.count > column.filled / 2)
    : undefined
  const domain = site ?? fallback
  if (domain !== undefined) {
    const { rule, comments } = urlRule(domain, 'domain', distrusted)
    fields.unshift(field('domain', rule as Flow, ...comments))
  }
  const avatar = plainest(matches, 'avatar')
  return [
    ...(fields.length > 0 ? [group('url_details', fields)] : []),
    ...(avatar && avatar.fits.url.count > 0
      ? [ruledField('avatar_url', urlRule(avatar, 'url', distrusted))]
      : []),
  ]
}

const ruledField = (key: string, { rule, comments }: ReturnType<typeof urlRule>): Part =>
  field(key, rule as Flow, ...comments)

function owned({ matches, distrusted }: ContactFacts): Part[] {
  const owners = [...of(matches, 'ownerEmail'), ...of(matches, 'owner')].map(({ column }) => column)
  const byEmail = owners.find(({ fits, filled }) => filled > 0 && fits.email.count > filled / 2)
  if (byEmail !== undefined)
    return [group('assigned_user', [ruledField('email', userEmailRule(byEmail, distrusted))])]
  const [owner] = owners
  return owner === undefined ? [] : [userLookup(owner)]
}

/** A user by name: the ids have to come from a table. */
export const userLookup = (column: Column): Part =>
  off(
    field(
      'assigned_user_id',
      { from: column.name, lookup: 'users', missing: 'omit', as: 'integer' },
      'People by name need a table of users; put this line in, and at the top level',
      'lookups: { users: { file: users.csv, key: name, value: user_id } }',
    ),
  )

function archivedPart(column: Column | undefined, distrusted: Distrusted): Part[] | undefined {
  const ruled = column && yesNoRule(column, distrusted)
  return ruled && [field('archived', ruled.rule as Flow, ...ruled.comments)]
}

function positions(matches: Matches, distrusted: Distrusted): Part[] {
  return (
    [
      ['address_lat', 'latitude'],
      ['address_lng', 'longitude'],
    ] as const
  ).flatMap(([key, role]) => {
    const column = plainest(matches, role)
    if (column === undefined || Math.max(column.fits.number.count, column.fits.decimalComma.count) === 0)
      return []
    const { rule, comments } = numberRule(column, distrusted)
    return [field(key, rule as Flow, ...comments)]
  })
}

function parentPart(company: Column): Part[] {
  return [
    off(
      field(
        'parent',
        { record_id: { from: company.name, lookup: 'organizations', missing: 'omit' } },
        'The organization is a record of its own: import the organizations first, with a key that holds their names, then put this in, and at the top level',
        'lookups: { organizations: { results: organizations.results.ndjson } }',
      ),
    ),
  ]
}
