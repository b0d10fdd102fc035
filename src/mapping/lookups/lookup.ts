import type { Problem } from '../../model/problem.ts'
import type { Row } from '../../model/row.ts'

/** What a lookup knows under a text. */
export type Found =
  | { readonly is: 'found'; readonly value: unknown }
  | { readonly is: 'missing'; readonly problem: Problem }
  /** Several values that differ, or a row that has no record: nothing that `missing: omit` could leave out. */
  | { readonly is: 'unusable'; readonly problem: Problem }
  /** The answer depends on the end of another row of this import, given by its number. */
  | { readonly is: 'waits'; readonly on: number }

/** Finds what stands under a text (DESIGN 2.3), for a row that asks. */
export type Lookup = (text: string, row: Row) => Found

/** The lookups of a mapping by their names; each is provided before the first row is mapped. */
export class Lookups {
  readonly #provided = new Map<string, Lookup>()
  #row: Row | undefined

  /** The row that is mapped now. */
  serve(row: Row): void {
    this.#row = row
  }

  provide(name: string, lookup: Lookup): void {
    this.#provided.set(name, lookup)
  }

  find(name: string, text: string): Found {
    const lookup = this.#provided.get(name)
    if (lookup === undefined || this.#row === undefined)
      throw new Error(`the lookup ${name} was not provided, or no row is served`)
    return lookup(text, this.#row)
  }
}
