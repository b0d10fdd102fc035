import type { Place } from './row.ts'

export type RowPlace = Pick<Place, 'source' | 'row'>

/** Counts rows over all sources, so that one number stands for a place. */
export class RowNumbers {
  readonly #sources: { readonly source: string; readonly before: number }[] = []
  #last = 0

  /** The number of a row, from 1: its row in the source, behind all rows of the sources before that. */
  of({ source, row }: RowPlace): number {
    const newest = this.#sources.at(-1)
    const before = newest?.source === source ? newest.before : this.#before(source)
    if (before + row > this.#last) this.#last = before + row
    return before + row
  }

  /** How many rows stand before those of a source. */
  #before(source: string): number {
    const known = this.#sources.findLast(each => each.source === source)
    if (known === undefined) this.#sources.push({ source, before: this.#last })
    return known?.before ?? this.#last
  }

  placeOf(number: number): RowPlace {
    const at = this.#sources.findLast(each => each.before < number)
    return { source: at?.source ?? '', row: number - (at?.before ?? 0) }
  }
}
