import type { Row } from '../model/row.ts'
import { type Compiled, scopeOf } from './scope.ts'

/** The column that the value at a path of a body comes from, as errors name it. */
export type ColumnOf = (path: readonly PropertyKey[]) => string | undefined

/** Maps a row once more, noting where everything comes from: only a row that is wrong is worth that. */
export function originsOf(body: Compiled, row: Row): ColumnOf {
  const origins = new Map<object, (field: string) => string | undefined>()
  const made = body.evaluate({ ...scopeOf(row, []), origins })
  return path => {
    let at = made
    let column: string | undefined
    for (const step of path) {
      if (typeof at !== 'object' || at === null) break
      column = origins.get(at)?.(String(step)) ?? column
      at = (at as Record<PropertyKey, unknown>)[step]
    }
    return column
  }
}
