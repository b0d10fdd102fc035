import type { Problem } from '../../model/problem.ts'
import type { Row } from '../../model/row.ts'
import { unreachable } from '../../model/values.ts'

/** The result of a lookup. */
export type Found =
  | { readonly type: 'found'; readonly value: unknown }
  | { readonly type: 'missing'; readonly problem: Problem }
  /** Several different values, or a row without a record: `missing: omit` does not apply. */
  | { readonly type: 'unusable'; readonly problem: Problem }
  /** The result depends on the outcome of another row of this import, given by its number. */
  | { readonly type: 'waits'; readonly on: number }

/** Finds the value of a text, for the row that asks. */
export type Lookup = (text: string, row: Row) => Found

/** The lookups of a mapping by their names; each must be provided before the first row is mapped. */
export class Lookups {
  readonly #provided = new Map<string, Lookup>()
  #row: Row | undefined

  /** Sets the row for which lookups are called next. */
  setRow(row: Row): void {
    this.#row = row
  }

  provide(name: string, lookup: Lookup): void {
    this.#provided.set(name, lookup)
  }

  find(name: string, text: string): Found {
    const lookup = this.#provided.get(name)
    if (lookup === undefined || this.#row === undefined)
      throw new Error(`the lookup ${name} was not provided, or no row is set`)
    return lookup(text, this.#row)
  }
}

/** Stands for a value that depends on the outcome of another row of the import. */
export class Pending {
  readonly on: number
  constructor(on: number) {
    this.on = on
  }
}

/** The value for a rule: undefined is empty, else a Problem, a Pending or what was found. */
export function resolveFound(found: Found, missing: 'invalid' | 'omit'): unknown {
  switch (found.type) {
    case 'found':
      return found.value
    case 'missing':
      return missing === 'omit' ? undefined : found.problem
    case 'unusable':
      return found.problem
    case 'waits':
      return new Pending(found.on)
    default:
      return unreachable(found)
  }
}
