import type { Column } from '../columns/column.ts'
import { isProse } from '../columns/evidence.ts'
import { anyOf, type ContactRole, oneOf, vocabulary } from '../columns/words.ts'
import { kindPart, type Named } from '../roles/kind.ts'
import type { ContactRoles, Match } from '../roles/match.ts'
import { familyFirst, holds } from '../roles/names.ts'
import { compact, type Flow, field, group, type Part, type Rule } from '../yaml.ts'
import {
  descriptionPart,
  emailsPart,
  joinRule,
  namePart,
  numberField,
  parentPart,
  phoneItem,
  phoneOtherwise,
  textRule,
  urlField,
  userPart,
  withoutCopies,
  yesNoField,
} from './rules.ts'

export function contactParts(roles: ContactRoles, named: Named): Part[] {
  const { names, others, company, question } = named
  const emails = withoutCopies(roles.inOrder('email'), roles.rows)
  const designation = named.kind === 'organization' ? undefined : designationOf(roles, names)
  return compact(
    namePart(names, others, roles.rows, question),
    kindPart(roles, named),
    designation && field('designation', textRule(designation)),
    descriptionPart(roles.get('description') ?? roles.free().find(isProse), names),
    emailsPart(emails, roles.rows),
    phonesPart(roles),
    addressPart(roles),
    ...linkParts(roles),
    userPart(roles.all('ownerEmail', 'owner'), rule => ['assigned_user_id', rule]),
    yesNoField('archived', roles.get('archived')),
    numberField('address_lat', roles.get('latitude')),
    numberField('address_lng', roles.get('longitude')),
    company && parentPart(company, organizations, organizationsNote),
  )
}

const organizations = ['organizations', { results: 'organizations.results.ndjson' }] as const
const organizationsNote =
  'The organization is a record of its own: import the organizations first, with a key that holds their names, then put this in, and "organizations" of the lookups above.'

const countryNote = [
  'Numbers with their country (+44 …) become E.164, all others are sent as they are. To have those read as well,',
  'add their country, as in { as: phone, country: GB }, and take "otherwise" out.',
]
const faxes = anyOf(vocabulary.faxes)

function phonesPart(roles: ContactRoles): Part | undefined {
  const own = roles.inOrder('phone').filter(({ words }) => !faxes.test(words))
  const phones = withoutCopies(own, roles.rows)
  const keepsSome = phones.some(column => phoneOtherwise(column) === 'keep')
  return group('phones', phones.map(phoneItem), ...(keepsSome ? countryNote : []))
}

function designationOf(roles: ContactRoles, names: readonly Column[]): Column | undefined {
  const found = roles.all('designation').filter(column => !names.includes(column))
  const rank = (column: Column) =>
    /^tit(le|el|re)$/.test(column.words)
      ? 1
      : /^rol(e|le|)$/.test(column.words) || !isExact(roles, column)
        ? 2
        : 0
  const [best] = found.sort((a, b) => Number(b.filled > 0) - Number(a.filled > 0) || rank(a) - rank(b))
  return best
}

const isExact = ({ candidates }: ContactRoles, column: Column) => candidates.get(column)?.[0]?.distance === 0

const hosts = (['linkedin', 'twitter', 'facebook', 'github', 'instagram'] as const).map(
  role => [role, new RegExp(role === 'twitter' ? '(twitter|//x)[.]com' : `${role}[.]com`, 'i')] as const,
)

/** By the host of most values; other web addresses are the domain, and those of a network among them are not. */
function linkParts(roles: ContactRoles): Part[] {
  const hosted = hosts.map(([role, host]) => {
    const share = (column: Column) => column.shareOf(text => host.test(text))
    const isOfHost = (column: Column) => column.share('url') > 0.5 && share(column) > 0.5
    return { role, host, share, column: roles.get(role) ?? roles.columns.find(isOfHost) }
  })
  const isFree = (column: Column) => !hosted.some(host => host.column === column)
  const domain = roles.all('website').find(column => isFree(column) && column.share('url') > 0)
  const links = hosted.flatMap(({ role, host, share, column }) => {
    if (domain && !column?.filled && share(domain) > 0)
      return [urlField(`${role}_url`, domain, 'url', `^(?!.*${host.source}).*$`)]
    if (column === undefined || column.isList) return []
    if (share(column) >= 0.5) return [urlField(`${role}_url`, column, 'url')]
    const comment = `Some are names at ${role}, no addresses; all are sent as they are.`
    return [field(`${role}_url`, textRule(column), comment)]
  })
  const among = hosted.filter(({ share }) => domain && share(domain) > 0)
  const others = among.map(({ host }) => host.source).join('|')
  const avatar = roles.get('avatar')
  return compact(
    group('url_details', [
      domain && urlField('domain', domain, 'domain', others && `^.*(${others}).*$`),
      ...links,
    ]),
    avatar && avatar.share('url') > 0 && urlField('avatar_url', avatar, 'url'),
  )
}

const byCity = ['street', 'street2', 'city', 'county', 'region', 'postal', 'country'] as const
const byPostalCode = ['street', 'street2', 'postal', 'city', 'county', 'region', 'country'] as const
/** As Chinese, Japanese and Korean addresses are written. */
const bySize = ['postal', 'country', 'region', 'county', 'city', 'street', 'street2'] as const
type AddressRole = (typeof byCity)[number] | 'address'
const addressRoles: readonly ContactRole[] = [...byCity, 'address']
/** Others have one column each. */
const several: readonly ContactRole[] = ['street2', 'county']

const addressWords = new RegExp(anyOf(vocabulary.addressWords), 'gu')
const cityFirst = oneOf(`(.* )?(${vocabulary.cityFirst})`)
const placesOfOthers = anyOf(vocabulary.placesOfOthers)
const plainNumbers = oneOf(vocabulary.plainNumbers)
const houseNumber = /^\d{1,4}( ?(bis|ter|\p{L}))?( ?[-/+] ?\d{1,4}\p{L}?)?$/u

type AddressMatch = Match<ContactRole>
type Address = ReturnType<typeof addressOf>

/** The address whose parts are filled most often. */
function addressPart(roles: ContactRoles): Part | undefined {
  const [best] = addressesOf(roles)
  return best && field('address', addressRule(best, roles))
}

const columnsOf = ({ whole, parts }: Address) => [...(whole ? [whole] : []), ...parts]

/** A house number identifies nobody. */
export const addressColumns = (roles: ContactRoles): Column[] => addressesOf(roles).flatMap(columnsOf)

/** One for each of the words in front of the parts, such as `billing`. */
function addressesOf(roles: ContactRoles): Address[] {
  const groups = new Map<string, AddressMatch[]>()
  for (const match of roles.matches.filter(match => isPart(match, roles))) {
    const group = match.group.replaceAll(addressWords, '').trim()
    groups.set(group, [...(groups.get(group) ?? []), match])
  }
  const weight = (found: readonly AddressMatch[]) =>
    addressRoles.reduce((sum, role) => sum + Math.max(0, ...ofRole(found, role).map(worthOf)), 0)
  return [...groups]
    .map(([, found]) => found)
    .filter(([only, ...rest]) => only && (rest.length > 0 || isAlone(only)))
    .filter(found => found.some(isEnough))
    .sort((a, b) => weight(b) - weight(a))
    .map(addressOf)
}

const ofRole = (found: readonly AddressMatch[], role: ContactRole) =>
  found.filter(match => match.role === role)
const shareOf = ({ column, distance }: AddressMatch) =>
  column.filled > 0 ? (1e-3 + column.filled / column.rows) * (1 - distance / 1e3) : 1e-6

const hasNumber = (text: string) => /^[^@]*\d[^@]*$/.test(text)
const isWhole = ({ role, column }: AddressMatch) => role === 'address' && column.shareOf(hasNumber) > 0.5
const isAlone = (match: AddressMatch) => match.distance < 4 || isWhole(match)
const worthOf = (match: AddressMatch) => shareOf(match) + Number(isWhole(match))

/** Additions to a street are no address, nor is a list of regions. */
const isEnough = ({ role, column }: AddressMatch) =>
  !several.includes(role) && !(role === 'region' && column.isList)

/** Not where somebody was born; a plain number beside the street is the house's. */
function isPart({ role, column, group }: AddressMatch, { columns, matches }: ContactRoles): boolean {
  if (!addressRoles.includes(role) || placesOfOthers.test(column.words)) return false
  const words = column.words.replaceAll(addressWords, '').trim()
  if (role !== 'street2' || !plainNumbers.test(words)) return true
  const street = ofRole(matches, 'street').find(match => match.group === group)
  const away = street ? columns.indexOf(column) - columns.indexOf(street.column) : 0
  const isBeside = away === 1 || (away === -1 && !column.countsUp)
  return isBeside && !words.includes(' ') && column.shareOf(text => houseNumber.test(text)) > 0.5
}

const byScore = (a: AddressMatch, b: AddressMatch) => b.score - a.score

function addressOf(found: readonly AddressMatch[]) {
  const of = (role: AddressRole) =>
    several.includes(role) ? ofRole(found, role) : ofRole(found, role).sort(byScore).slice(0, 1)
  const columns = (roles: readonly AddressRole[]) => roles.flatMap(of).map(({ column }) => column)
  const isCityFirst =
    columns(['region', 'county']).some(({ filled, rows }) => filled > 0 || rows === 0) &&
    columns(['postal']).every(({ words }) => cityFirst.test(words))
  const parts = columns(isCityFirst ? byCity : byPostalCode)
  const isLargeFirst = parts.some(column => column.shareOf(text => familyFirst.test(text)) > 0.5)
  const ordered = isLargeFirst ? columns(bySize) : parts
  return { whole: columns(['address'])[0], parts: ordered, isLargeFirst }
}

/** Parts that most values of the whole address do not hold are joined to it. */
function addressRule({ whole, parts, isLargeFirst }: Address, { rows }: ContactRoles): Rule {
  const replace = replacements([whole, ...parts])
  const joinOf = (columns: readonly Column[]) => ({ ...joinRule(columns, ', '), replace })
  const joined = joinOf(parts)
  if (whole === undefined) return joined
  const rest = parts.filter(part => whole.filled === 0 || (part.filled > 0 && !holds(rows, whole, part)))
  if (rest.length > 0) return joinOf(isLargeFirst ? [...rest, whole] : [whole, ...rest])
  return { ...textRule(whole), replace, default: parts.length > 0 ? joined : undefined }
}

/** Line breaks become commas; of two addresses in a cell the first is read. */
function replacements(columns: readonly (Column | undefined)[]): Flow | undefined {
  const some = (passes: (column: Column) => boolean) => columns.some(column => column && passes(column))
  const rules = compact(
    some(column => column.shareOf(text => text.includes(' ::: ')) > 0) && { pattern: ' ::: [^,]*', with: '' },
    some(column => column.hasLineBreaks) && { pattern: '\\s*[\\r\\n]+\\s*', with: ', ' },
  )
  return rules.length > 0 ? rules : undefined
}
