import type { Problem } from '../../model/problem.ts'
import type { Row } from '../../model/row.ts'
import { unreachable } from '../../model/values.ts'

export type Found =
  | { readonly type: 'found'; readonly value: unknown }
  | { readonly type: 'missing'; readonly problem: Problem }
  /** Several values, or a row without a record: `missing: omit` does not apply. */
  | { readonly type: 'unusable'; readonly problem: Problem }
  /** Waits for the outcome of another row, by its number. */
  | { readonly type: 'waits'; readonly on: number }

export type Lookup = (text: string, row: Row) => Found

/** Each must be provided before the first row is mapped. */
export class Lookups {
  readonly #provided = new Map<string, Lookup>()
  #row: Row | undefined

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

/** A value that depends on the outcome of another row. */
export class Pending {
  readonly on: number
  constructor(on: number) {
    this.on = on
  }
}

/** Undefined is empty, else a Problem, a Pending or the value. */
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
