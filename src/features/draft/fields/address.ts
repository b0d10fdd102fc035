import type { Column } from '../columns/column.ts'
import forms from '../columns/forms.json' with { type: 'json' }
import { anyOf, type ContactRole, oneOf, someWords, vocabulary } from '../columns/words.ts'
import type { ContactRoles, Match } from '../roles/match.ts'
import { holds, isLargeFirst } from '../roles/names.ts'
import { compact, type Flow, type FlowMap } from '../yaml.ts'
import { joinRule, textRule } from './rules.ts'

/** Orders of the parts; that by size is of Chinese, Japanese and Korean addresses. */
const { byCity, byPostalCode, bySize } = forms.addresses as Readonly<
  Record<keyof typeof forms.addresses, ContactRole[]>
>
export const addressRoles: readonly ContactRole[] = [...byCity, 'address']
/** Roles with several columns; others have one each. */
const several: readonly ContactRole[] = ['street2', 'county', 'city']

const addressWords = new RegExp(someWords(vocabulary.addressWords), 'gu')
const withoutAddress = (words: string) => words.replaceAll(addressWords, '').trim()
const groupOf = ({ group }: AddressMatch) => withoutAddress(group)
const houseNumber = new RegExp(forms.houseNumber, 'u')
/** The forms of parts of an address, and the other parts that have to be there. */
const shapes = forms.addressShapes.map(({ role, needs, form }) => ({
  role: role as ContactRole,
  needs: new RegExp(needs),
  form: new RegExp(form.replace('{houseNumber}', forms.houseNumber), 'u'),
}))

type AddressMatch = Match<ContactRole>
type Address = ReturnType<typeof addressOf>

/** The columns of all addresses: a house number identifies nobody. */
export const addressColumns = (roles: ContactRoles): Column[] =>
  addressesOf(roles).flatMap(({ whole, parts }) => compact(whole, ...parts))

/** An address for each of the words before the parts, such as `billing`; the best first. */
export function addressesOf(roles: ContactRoles, names: readonly Column[] = []): Address[] {
  // the building is called as the contact, or a number is no house's
  const isNone = ({ role, column, distance }: AddressMatch) =>
    (role === 'street2' && names.some(name => holds(roles.rows, column, name))) ||
    (distance >= 4 && role !== 'postal' && column.share('number') > 0.5)
  const named = roles.matches.filter(match => isPart(match, roles) && !isNone(match))
  const parts = partsByShape(named, roles)
  /** Of two that are as full, the one of no other purpose. */
  const ownOf = ([first]: readonly AddressMatch[]) => (first && groupOf(first) === '' ? 0.05 : 0)
  return [...new Set(parts.map(groupOf))]
    .map(group => parts.filter(match => groupOf(match) === group))
    .filter(([only, ...rest]) => only && (rest.length > 0 || only.distance < 4 || isWhole(only)))
    .filter(matches => matches.some(isEnough))
    .sort((a, b) => weightOf(b) + ownOf(b) - weightOf(a) - ownOf(a))
    .map(matches => addressOf(matches, roles))
}

/** What an address lacks, by its shape in the columns beside the others, whatever their words. */
function partsByShape(named: readonly AddressMatch[], roles: ContactRoles): AddressMatch[] {
  const at = (column: Column) => roles.columns.indexOf(column)
  const areBeside = (one: Column, other: Column) => Math.abs(at(one) - at(other)) === 1
  // whatever precedes its word, the street of a number is beside it
  const all = named.map(match => {
    const number = named.find(each => each.role === 'street2' && areBeside(each.column, match.column))
    return number && match.role === 'street' ? { ...match, group: number.group } : match
  })
  const numbers = roles.all('street2').filter(column => named.every(match => match.column !== column))
  const isNone = ({ filled, countsUp, words }: Column) =>
    filled === 0 || countsUp || oneOf.dialCodes.test(words)
  const free = [...roles.free(), ...numbers].filter(column => !isNone(column))
  for (const column of free) {
    const beside = all.find(other => areBeside(other.column, column))
    const group = beside ? all.filter(match => groupOf(match) === groupOf(beside)) : []
    const own = group.map(({ role }) => `${role} `).join('')
    const isOpen = !group.some(match => /^(street|address)$/.test(match.role) && isNumbered(match.column))
    // counts, such as of inhabitants, have fewer digits or more
    const isOfCodes = new Set([...column.samples].map(text => text.length)).size === 1
    const fits = ({ role, needs, form }: (typeof shapes)[number]) =>
      needs.test(own) &&
      (role !== 'postal' || isOfCodes) &&
      (!needs.source.includes('street2') || beside?.role === 'street2') &&
      (role === 'street2' ? isOpen : !own.includes(`${role} `)) &&
      column.shareOf(text => form.test(text)) > 0.8
    const role = shapes.find(fits)?.role
    if (beside && role) all.push({ ...beside, column, role, isVague: false })
  }
  return all.sort((a, b) => at(a.column) - at(b.column))
}

const ofRole = (matches: readonly AddressMatch[], role: ContactRole) =>
  matches.filter(match => match.role === role)

const hasNumber = (text: string) => /^[^@]*\d[^@]*$/.test(text)
const isNumbered = (column: Column) => column.shareOf(hasNumber) > 0.5
const isWhole = ({ role, column }: AddressMatch) => role === 'address' && isNumbered(column)

function weightOf(matches: readonly AddressMatch[]): number {
  const share = ({ column: { filled, rows }, distance }: AddressMatch) =>
    filled > 0 ? (1e-3 + filled / rows) * (1 - distance / 1e3) : 1e-6
  const worth = (match: AddressMatch) => share(match) + Number(isWhole(match))
  return addressRoles.reduce((sum, role) => sum + Math.max(0, ...ofRole(matches, role).map(worth)), 0)
}

/** Additions to a street are no address, nor is a postal code or a region. */
const isEnough = ({ role }: AddressMatch) => !/^(street2|county|postal|region)$/.test(role)

/** Leaves out where somebody was born; a plain number is the house's by its shape only. */
function isPart({ role, column, isVague }: AddressMatch, { matches }: ContactRoles): boolean {
  if (!addressRoles.includes(role) || anyOf.placesOfOthers.test(column.words)) return false
  if (role === 'region' && column.shareOf(text => text.includes(', ')) > 0.5) return false // lists of countries
  if (isVague && role === 'address' && ofRole(matches, 'street').length > 0) return false
  return role !== 'street2' || !oneOf.plainNumbers.test(withoutAddress(column.words))
}

function addressOf(matches: readonly AddressMatch[], { rows }: ContactRoles) {
  const of = (role: ContactRole) => {
    const all = ofRole(matches, role)
    const isCopy = ({ column }: AddressMatch, at: number) =>
      all.slice(0, at).some(each => holds(rows, each.column, column))
    if (several.includes(role)) return all.filter((match, at) => !isCopy(match, at))
    return all.sort((a, b) => b.score - a.score).slice(0, 1)
  }
  const columns = (...roles: readonly ContactRole[]) => roles.flatMap(of).map(({ column }) => column)
  const isCityFirst =
    columns('region', 'county').some(({ filled, rows }) => filled > 0 || rows === 0) &&
    columns('postal').every(({ words }) => oneOf.cityFirst.test(words))
  const parts = columns(...(isCityFirst ? byCity : byPostalCode))
  const isReversed = parts.some(isLargeFirst)
  const inOrder = isReversed ? columns(...bySize) : numberFirst(parts, matches)
  const [whole] = columns('address')
  return { whole, parts: inOrder, isReversed }
}

/** A number that stands before its street in the file, as in English and French, stays there. */
function numberFirst(parts: readonly Column[], matches: readonly AddressMatch[]): Column[] {
  const at = matches.findIndex(({ role }) => role === 'street')
  const [street, number] = [matches[at]?.column, matches[at - 1]?.column]
  const isNumber = number !== undefined && number.shareOf(text => houseNumber.test(text)) > 0.5
  if (!street || !isNumber || !parts.includes(number)) return [...parts]
  return [number, ...parts.filter(part => part !== number)]
}

/** Parts that most values of the whole address do not hold are joined to it. */
export function addressRule({ whole, parts: all, isReversed }: Address, { rows }: ContactRoles): FlowMap {
  const street = all.find(isNumbered)
  const parts = all.filter(part => !street || part === street || !holds(rows, street, part))
  const replace = replacements(compact(whole, ...parts))
  const joinOf = (columns: readonly Column[]) => ({ ...joinRule(columns, ', '), replace })
  const joined = joinOf(parts)
  if (whole === undefined) return joined
  const rest = parts.filter(part => whole.filled === 0 || (part.filled > 0 && !holds(rows, whole, part)))
  if (rest.length > 0) return joinOf(isReversed ? [...rest, whole] : [whole, ...rest])
  return { ...textRule(whole), replace, default: parts.length > 0 ? joined : undefined }
}

/** Line breaks become commas; of two addresses in a cell the first is read. */
function replacements(columns: readonly Column[]): Flow | undefined {
  const hasSeveral = columns.some(column => column.shareOf(text => text.includes(' ::: ')) > 0)
  const several = hasSeveral && { pattern: ' ::: [^,]*', with: '' }
  const breaks = columns.some(each => each.hasLineBreaks) && { pattern: '\\s*[\\r\\n]+\\s*', with: ', ' }
  const rules = compact(several, breaks)
  return rules.length > 0 ? rules : undefined
}
