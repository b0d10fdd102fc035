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
const cityFirst = oneOf(vocabulary.cityFirst)

interface Address {
  readonly whole: Column | undefined
  readonly parts: readonly Column[]
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
function addressesOf({ matches }: Roles<ContactRole>): Address[] {
  const groups = new Map<string, Match<ContactRole>[]>()
  for (const match of matches.filter(({ role }) => addressRoles.includes(role))) {
    const group = match.group.replaceAll(addressWords, '').trim()
    groups.set(group, [...(groups.get(group) ?? []), match])
  }
  const weight = (found: readonly Match<ContactRole>[]) =>
    found.reduce(
      (sum, { column }) => sum + (column.filled > 0 ? 1e-3 + column.filled / column.rows : 1e-6),
      0,
    )
  return [...groups.values()]
    .filter(found => found.some(({ role }) => role !== 'street2' && role !== 'county'))
    .filter(found => found.length > 1 || found.some(({ distance }) => distance < 4))
    .sort((a, b) => weight(b) - weight(a))
    .map(addressOf)
}

function addressOf(found: readonly Match<ContactRole>[]): Address {
  const of = (role: AddressRole) =>
    found
      .filter(match => match.role === role)
      .sort((a, b) => b.score - a.score)
      .map(({ column }) => column)
  const hasRegion = of('region').length + of('county').length > 0
  const isCityFirst =
    hasRegion &&
    of('postal').every(
      ({ words }) => cityFirst.test(words.split(' ').slice(-2).join(' ')) || cityFirst.test(words),
    )
  const order = isCityFirst ? byCity : byPostalCode
  const parts = order.flatMap(role =>
    several.includes(role) ? of(role).sort((a, b) => (a.name < b.name ? -1 : 1)) : of(role).slice(0, 1),
  )
  return { whole: of('address')[0], parts }
}

function addressRule({ whole, parts }: Address, { rows }: Roles<ContactRole>): Rule {
  const replace = replacements([whole, ...parts])
  const joined = joinOf(parts, replace)
  if (whole === undefined) return joined
  const [city] = parts.filter(({ words }) => !/\d/.test(words)).slice(-2)
  const isWhole =
    parts.length === 0 ||
    city === undefined ||
    (city.filled > 0 && holds(rows, whole, city)) ||
    whole.hasLineBreaks
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
