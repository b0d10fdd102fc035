import { reasonColumn } from '../model/own-columns.ts'

/** The columns of a CSV source and where their cells stand. */
export class Header {
  readonly names: readonly string[]
  /** Whether it is that of a file of rejected rows. */
  readonly isOfRejects: boolean
  /** The positions of all columns in the order of their names. */
  readonly sorted: readonly number[]
  readonly #positions = new Map<string, number | number[]>()

  /** Header cells are trimmed; a name that stands several times names a list. */
  constructor(cells: readonly string[]) {
    this.names = cells.map(cell => cell.trim())
    this.isOfRejects = this.names.includes(reasonColumn)
    this.sorted = [...this.names.keys()].sort(
      (a, b) => order(this.names[a] ?? '', this.names[b] ?? '') || a - b,
    )
    for (const [at, name] of this.names.entries()) {
      const before = this.#positions.get(name)
      this.#positions.set(name, before === undefined ? at : [before, at].flat())
    }
  }

  /** The position of a column's cell, or all of them where the name is repeated. */
  at(name: string): number | readonly number[] | undefined {
    return this.#positions.get(name)
  }
}

const order = (a: string, b: string) => (a < b ? -1 : Number(a > b))
