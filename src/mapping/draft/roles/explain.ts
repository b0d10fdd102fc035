import { parse } from 'yaml'
import type { Explained } from '../../../model/mapping-report.ts'
import { flow } from '../yaml.ts'
import type { Roles } from './match.ts'

export function explain<Role extends string>(
  { candidates, others }: Roles<Role>,
  draft: string,
): Explained[] {
  const { key, body = {} } = parse(draft)
  const reached: (readonly [string, string])[] = [['key', String(key)], ...fieldsIn(body)]
  const fieldsOf = (column: string) =>
    new Set(reached.flatMap(([field, name]) => (name === column ? field : [])))
  const comments = draft.split('\n').filter(line => /^\s*#.*\b(from|join|key):/.test(line))
  const all = [...candidates]
  return all.map(([column, found]) => {
    const { name, filled, rows } = column
    const winner = all.find(
      ([other, [best]]) =>
        other !== column && best?.role === found[0]?.role && best && fieldsOf(other.name).size > 0,
    )
    const isSuggested = comments.some(line => line.includes(flow(name)))
    return {
      column: name,
      filled: filled / Math.max(1, rows),
      fields: [...fieldsOf(name)],
      unmapped: others.has(column) ? 'of others' : isSuggested ? 'suggested' : winner ? 'beaten' : 'unknown',
      beatenBy: winner?.[0].name,
      roles: found.slice(0, 2),
    }
  })
}

/** The columns that rules read, with the fields that they are for. */
function fieldsIn(node: unknown, field = ''): (readonly [string, string])[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, inner]) => {
    if (key === 'from' || key === 'join') return [inner].flat().map(name => [field, String(name)] as const)
    const isPlace = /^(\d+|default|each)$/.test(key)
    return fieldsIn(inner, isPlace ? field : `${field}.${key}`.replace(/^\./, ''))
  })
}
