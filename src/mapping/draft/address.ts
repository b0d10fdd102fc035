import type { Column } from './column.ts'
import type { Match, Roles } from './match.ts'
import { holds } from './names.ts'
import { isEmptyRow, textRule } from './rules.ts'
import { anyOf, type ContactRole, oneOf, vocabulary } from './words.ts'
import { type Flow, field, type Part, type Rule } from './yaml.ts'

const byCity = ['street', 'street2', 'city', 'county', 'region', 'postal', 'country'] as const
const byPostalCode = ['street', 'street2', 'postal', 'city', 'county', 'region', 'country'] as const
type AddressRole = (typeof byCity)[number] | 'address'
const addressRoles: readonly ContactRole[] = [...byCity, 'address']
/** Others have one column each. */
const several: readonly ContactRole[] = ['street2', 'county']

const addressWords = new RegExp(anyOf(vocabulary.addressWords), 'gu')
const cityFirst = oneOf(`(.* )?(${vocabulary.cityFirst})`)
const placesOfOthers = anyOf(vocabulary.placesOfOthers)
const plainNumbers = oneOf(vocabulary.plainNumbers)
const houseNumber = /^\d{1,4}( ?\p{L})?( ?[-/+] ?\d{1,4}\p{L}?)?$/u

interface Address {
  readonly whole: Column | undefined
  readonly parts: readonly Column[]
  /** The part that tells whether `whole` is all of the address: where most of its values hold this one's. */
  readonly place: Column | undefined
}

/** The address whose parts are filled most often, with the next one for rows without it. */
export function addressPart(roles: Roles<ContactRole>): Part | undefined {
  const [best, next] = addressesOf(roles)
  if (best === undefined) return undefined
  const rule = addressRule(best, roles)
  const isMissed =
    next && roles.rows.kept.some(row => isEmptyRow(row, columnsOf(best)) && !isEmptyRow(row, columnsOf(next)))
  const instead = isMissed ? addressRule(next, roles) : undefined
  return field(
    'address',
    withDefault(rule, instead),
    instead && 'Rows without this address have the other one.',
  )
}

const withDefault = (rule: Rule, instead: Flow | undefined): Rule =>
  instead === undefined
    ? rule
    : { ...rule, default: rule.default ? { ...(rule.default as Rule), default: instead } : instead }

const columnsOf = ({ whole, parts }: Address) => [...(whole ? [whole] : []), ...parts]

/** One for each of the words in front of the parts, such as `billing`. */
function addressesOf(roles: Roles<ContactRole>): Address[] {
  const groups = new Map<string, Match<ContactRole>[]>()
  for (const match of roles.matches.filter(match => isPart(match, roles))) {
    const group = match.group.replaceAll(addressWords, '').trim()
    groups.set(group, [...(groups.get(group) ?? []), match])
  }
  const weight = (found: readonly Match<ContactRole>[]) =>
    addressRoles.reduce((sum, role) => sum + Math.max(0, ...found.filter(isOf(role)).map(shareOf)), 0)
  // Columns of the contact, such as "Partner Email", speak for a place behind the same words.
  const isOwn = (group: string) =>
    roles.all('name', 'email', 'phone').some(({ words }) => words.startsWith(`${group} `))
  return [...groups]
    .filter(([, found]) => found.some(isEnough))
    .filter(
      ([group, found]) => found.length > 1 || found.some(({ distance }) => distance < 4) || isOwn(group),
    )
    .map(([, found]) => found)
    .sort((a, b) => weight(b) - weight(a))
    .map(addressOf)
}

const isOf =
  (role: ContactRole) =>
  (match: Match<ContactRole>): boolean =>
    match.role === role
const shareOf = ({ column, distance }: Match<ContactRole>) =>
  column.filled > 0 ? (1e-3 + column.filled / column.rows) * (1 - distance / 1e3) : 1e-6

/** Additions to a street are no address, nor is a list of regions. */
const isEnough = ({ role, column }: Match<ContactRole>) =>
  !several.includes(role) && !(role === 'region' && column.isList)

/** Not where somebody was born; a plain number beside the street is the house's. */
function isPart(
  { role, column, group }: Match<ContactRole>,
  { columns, matches }: Roles<ContactRole>,
): boolean {
  if (!addressRoles.includes(role) || placesOfOthers.test(column.words)) return false
  if (role !== 'street2' || !plainNumbers.test(column.words.replace(group, '').trim())) return true
  const at = columns.indexOf(column)
  const isStreet = (other: Column | undefined) =>
    matches.some(match => match.role === 'street' && match.column === other && match.group === group)
  const isBeside = isStreet(columns[at - 1]) || (isStreet(columns[at + 1]) && !column.countsUp)
  return isBeside && column.shareOf(text => houseNumber.test(text)) > 0.5
}

function addressOf(found: readonly Match<ContactRole>[]): Address {
  const of = (role: AddressRole) =>
    found
      .filter(isOf(role))
      .sort((a, b) => b.score - a.score)
      .map(({ column }) => column)
  const regions = [...of('region'), ...of('county')]
  const isCityFirst =
    regions.some(({ filled, rows }) => filled > 0 || rows === 0) &&
    of('postal').every(({ words }) => cityFirst.test(words))
  const order = isCityFirst ? byCity : byPostalCode
  const parts = order.flatMap(role =>
    several.includes(role)
      ? byNumber(found.filter(isOf(role)).map(({ column }) => column))
      : of(role).slice(0, 1),
  )
  const places = [of('city')[0], of('postal')[0], of('region')[0], of('country')[0]]
  return { whole: of('address')[0], parts, place: places.find(column => column && column.filled > 0) }
}

/** In the order of the file, save for lines with numbers. */
const byNumber = (columns: readonly Column[]) => {
  const number = ({ words }: Column) => Number(/\d+/.exec(words)?.[0] ?? 0)
  return columns.toSorted((a, b) => number(a) - number(b))
}

function addressRule({ whole, parts, place }: Address, { rows }: Roles<ContactRole>): Rule {
  const replace = replacements([whole, ...parts])
  const joined = joinOf(parts, replace)
  if (whole === undefined) return joined
  const isWhole = parts.length === 0 || (place ? holds(rows, whole, place) : whole.hasLineBreaks)
  if (!isWhole) return joinOf([whole, ...parts], replace)
  return { ...textRule(whole), replace, default: parts.length > 0 ? joined : undefined }
}

const joinOf = (parts: readonly Column[], replace: Flow | undefined): Rule => {
  const [only] = parts
  return only && parts.length === 1
    ? { ...textRule(only), replace }
    : { join: parts.map(({ name }) => name), with: ', ', replace }
}

/** Line breaks become commas; of two addresses in a cell the first is read. */
function replacements(columns: readonly (Column | undefined)[]): Flow | undefined {
  const some = (passes: (column: Column) => boolean) => columns.some(column => column && passes(column))
  const rules = [
    ...(some(column => column.shareOf(text => text.includes(' ::: ')) > 0)
      ? [{ pattern: ' ::: [^,]*', with: '' }]
      : []),
    ...(some(column => column.hasLineBreaks) ? [{ pattern: '\\s*[\\r\\n]+\\s*', with: ', ' }] : []),
  ]
  return rules.length > 0 ? rules : undefined
}
