import type { Matches } from './contact-columns.ts'
import type { ContactRole } from './contact-words.ts'
import { field, type Part } from './lines.ts'
import { type Match, plainest } from './match.ts'
import { textRule } from './rules.ts'

const joined = (names: readonly string[]) =>
  names.length === 1 && names[0] !== undefined ? { from: names[0] } : { join: names, with: ', ' }

const addressRoles = ['street', 'street2', 'postal', 'city', 'region', 'country'] as const

/** The address that is filled most often, of those that the columns have. */
export function addressPart(matches: Matches): Part[] {
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
    return names.length === 0 ? [] : [field('address', { ...joined(names), ...replace })]
  const isStreet =
    parts.some(({ words }) => /city|town|ort|stadt|ville|ciudad/.test(words)) && !whole.hasLineBreaks
  if (isStreet && !best.some(({ role }) => role === 'street'))
    return [field('address', { join: [whole.name, ...names], with: ', ', ...replace })]
  return [
    field('address', {
      ...textRule(whole),
      ...replace,
      ...(names.length > 0 && { default: { ...joined(names), ...replace } }),
    }),
  ]
}
