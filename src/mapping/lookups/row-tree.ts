import type { Row } from '../../model/row.ts'
import { present, textOf } from '../../model/values.ts'
import { type Evaluate, scopeOf } from '../scope.ts'

/** The rows above the next one: each stands less deep than the one behind it. */
type Branch = readonly { readonly depth: number; readonly number: number }[]

/** A tree of rows that is told by their order and by how deep each stands. */
export class RowTree {
  readonly #read: Evaluate
  readonly #above = new WeakMap<Row, number>()
  #branch: Branch = []
  #source: string | undefined

  constructor(readDepth: Evaluate) {
    this.#read = readDepth
  }

  /** Takes the next row in the order of the sources, by its number; one without a depth stands in no tree. */
  take(row: Row, number: number): void {
    if (row.source !== this.#source) this.restart()
    this.#source = row.source
    const depth = this.#depthOf(row)
    if (depth === undefined) return
    const above = this.#branch.filter(each => each.depth < depth)
    const parent = above.at(-1)
    if (parent !== undefined) this.#above.set(row, parent.number)
    this.#branch = [...above, { depth, number }]
  }

  /** The number of the row above one that was taken; undefined at the top. */
  above(row: Row): number | undefined {
    return this.#above.get(row)
  }

  /** Begins anew, as every source does. */
  restart(): void {
    this.#branch = []
  }

  #depthOf(row: Row): number | undefined {
    if (row.fault !== undefined) return undefined
    const text = textOf(present(this.#read(scopeOf(row, []))) ?? '')
    return typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : undefined
  }
}
