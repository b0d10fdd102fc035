import type { Column } from '../columns/column.ts'
import { anyOf, type ContactRole, oneOf, vocabulary } from '../columns/words.ts'
import type { ContactRoles, Match } from '../roles/match.ts'
import { familyFirst, holds } from '../roles/names.ts'
import { compact, type Flow, field, type Part, type Rule } from '../yaml.ts'
import { joinRule, textRule } from './rules.ts'

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

type Found = Match<ContactRole>
type Address = ReturnType<typeof addressOf>

/** The address whose parts are filled most often. */
export function addressPart(roles: ContactRoles): Part | undefined {
  const [best] = addressesOf(roles)
  return best && field('address', addressRule(best, roles))
}

const columnsOf = ({ whole, parts }: Address) => [...(whole ? [whole] : []), ...parts]

/** A house number identifies nobody. */
export const addressColumns = (roles: ContactRoles): Column[] => addressesOf(roles).flatMap(columnsOf)

/** One for each of the words in front of the parts, such as `billing`. */
function addressesOf(roles: ContactRoles): Address[] {
  const groups = new Map<string, Found[]>()
  for (const match of roles.matches.filter(match => isPart(match, roles))) {
    const group = match.group.replaceAll(addressWords, '').trim()
    groups.set(group, [...(groups.get(group) ?? []), match])
  }
  const weight = (found: readonly Found[]) =>
    addressRoles.reduce((sum, role) => sum + Math.max(0, ...ofRole(found, role).map(worthOf)), 0)
  return [...groups]
    .map(([, found]) => found)
    .filter(([only, ...rest]) => only && (rest.length > 0 || isAlone(only)))
    .filter(found => found.some(isEnough))
    .sort((a, b) => weight(b) - weight(a))
    .map(addressOf)
}

const ofRole = (found: readonly Found[], role: ContactRole) => found.filter(match => match.role === role)
const shareOf = ({ column, distance }: Found) =>
  column.filled > 0 ? (1e-3 + column.filled / column.rows) * (1 - distance / 1e3) : 1e-6

const hasNumber = (text: string) => /^[^@]*\d[^@]*$/.test(text)
const isWhole = ({ role, column }: Found) => role === 'address' && column.shareOf(hasNumber) > 0.5
const isAlone = (match: Found) => match.distance < 4 || isWhole(match)
const worthOf = (match: Found) => shareOf(match) + Number(isWhole(match))

/** Additions to a street are no address, nor is a list of regions. */
const isEnough = ({ role, column }: Found) => !several.includes(role) && !(role === 'region' && column.isList)

/** Not where somebody was born; a plain number beside the street is the house's. */
function isPart({ role, column, group }: Found, { columns, matches }: ContactRoles): boolean {
  if (!addressRoles.includes(role) || placesOfOthers.test(column.words)) return false
  const words = column.words.replaceAll(addressWords, '').trim()
  if (role !== 'street2' || !plainNumbers.test(words)) return true
  const street = ofRole(matches, 'street').find(match => match.group === group)
  const away = street ? columns.indexOf(column) - columns.indexOf(street.column) : 0
  const isBeside = away === 1 || (away === -1 && !column.countsUp)
  return isBeside && !words.includes(' ') && column.shareOf(text => houseNumber.test(text)) > 0.5
}

const byScore = (a: Found, b: Found) => b.score - a.score

function addressOf(found: readonly Found[]) {
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
