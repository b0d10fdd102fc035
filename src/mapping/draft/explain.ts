import type { Match, Roles } from './match.ts'

interface Weighed {
  readonly role: string
  /** How near the header is to the role's words, from 0 to 1. */
  readonly header: number
  /** How well the values fit, from 0 to 1. */
  readonly values: number
  readonly score: number
}

/** Why a column has its role, and which role came next. */
export interface Explained {
  readonly column: string
  /** From 0 to 1. */
  readonly filled: number
  /** The best first; empty where neither the header nor the values speak for any. */
  readonly roles: readonly Weighed[]
}

export const explain = <Role extends string>({ candidates }: Roles<Role>): Explained[] =>
  [...candidates].map(([{ name, filled, rows }, found]) => ({
    column: name,
    filled: filled / Math.max(1, rows),
    roles: found.slice(0, 2).map(weighed),
  }))

const weighed = ({ role, distance, values, score }: Match<string>): Weighed => ({
  role,
  header: Math.max(0, 1 - distance / 10),
  values,
  score,
})
