import type { Place } from './row.ts'

/** What rows may share, the surest first. */
export const likenesses = ['email', 'phone', 'name_and_domain', 'name'] as const

/** Groups of rows that are like each other. */
export interface NearFacts {
  readonly groups: number
  readonly rows: number
  /** With their first rows, and names of those near the start of the sources. */
  readonly first: readonly {
    readonly by: (typeof likenesses)[number][]
    readonly size: number
    readonly rows: Place[]
    readonly names: readonly (string | undefined)[]
  }[]
  /** The column that as `key:` makes the most groups one row each. */
  readonly key: { readonly column: string; readonly groups: number } | undefined
}
