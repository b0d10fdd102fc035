import { stringify } from 'csv-stringify/sync'
import { isReservedColumn, keyColumn, reasonColumn } from '../model/reserved-columns.ts'

type Cells = readonly string[]

/** The cells of a row under the columns of all sources, and those that stand past its header. */
export interface Placed {
  readonly cells: Cells
  readonly surplus: Cells
}

/** The header that the rows of several sources have in common, and where the cells of each stand in it. */
export class CommonHeader {
  /** The columns in the order in which they first appear, a repeated one as often as the source has it that repeats it most. */
  readonly columns: Cells
  readonly #places = new Map<string, readonly (number | undefined)[]>()

  constructor(sources: readonly { readonly path: string; readonly columns: Cells }[]) {
    const columns: string[] = []
    for (const { path, columns: header } of sources) {
      const taken = new Set<number>()
      const places = header.map(name => {
        if (isReservedColumn(name)) return undefined
        const known = columns.findIndex((column, at) => column === name && !taken.has(at))
        const place = known === -1 ? columns.push(name) - 1 : known
        taken.add(place)
        return place
      })
      this.#places.set(path, places)
    }
    this.columns = columns
  }

  /** Places the cells of a row of that source, which may have more or fewer than its header. */
  place(source: string, own: Cells): Placed {
    const places = this.#places.get(source) ?? []
    const cells = this.columns.map(() => '')
    for (const [at, place] of places.entries()) if (place !== undefined) cells[place] = own[at] ?? ''
    return { cells, surplus: own.slice(places.length) }
  }
}

/** A byte-order mark, which wins over any encoding that a mapping names. */
export const utf8Mark = '\uFEFF'

/** The first line of a CSV file of rejected rows. */
export const rejectsHeader = ({ columns }: CommonHeader, delimiter: string): string =>
  utf8Mark + csvLine([...columns, keyColumn, reasonColumn], delimiter)

/** One record of CSV as csv-parse reads it back, with its line end. */
export const csvLine = (cells: Cells, delimiter: string): string => stringify([[...cells]], { delimiter })
