import { parse } from 'yaml'
import { flow } from '../yaml.ts'
import type { Match, Roles } from './match.ts'

interface Weighed {
  readonly role: string
  /** How near the header is to the role's words, from 0 to 1. */
  readonly header: number
  /** How well the values fit, from 0 to 1. */
  readonly values: number
  /** The sum of both and of half the share of rows with a value. */
  readonly score: number
}

/** What a column became in a draft, why, and which role came next. */
export interface Explained {
  readonly column: string
  /** From 0 to 1. */
  readonly filled: number
  /** The fields of the body that it reaches, and `key`. */
  readonly fields: readonly string[]
  /** Why it reaches none. */
  readonly unmapped: 'suggested' | 'of others' | 'beaten' | 'unknown'
  /** The column that has its role in the draft. */
  readonly beatenBy: string | undefined
  /** The best first; empty where neither the header nor the values speak for any. */
  readonly roles: readonly Weighed[]
}

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
      roles: found.slice(0, 2).map(weighed),
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

const weighed = ({ role, distance, values, score }: Match<string>): Weighed => ({
  role,
  header: Math.max(0, 1 - distance / 10),
  values,
  score,
})
