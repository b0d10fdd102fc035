import { type Problem, problem } from '../../model/problem.ts'
import type { Row } from '../../model/row.ts'
import { present, textOf } from '../../model/values.ts'
import { type Evaluate, scopeOf } from '../scope.ts'

/** The number of a row, or why it cannot be a parent. */
type TreePlace = number | Problem

/** Rows by increasing depth. */
type Branch = readonly { readonly depth: number; readonly place: TreePlace }[]

/** A tree by order and depth. It must see every row: the children of a missed one would get another parent. */
export class RowTree {
  readonly #read: Evaluate
  readonly #above = new WeakMap<Row, TreePlace>()
  #branch: Branch = []
  #top = Number.POSITIVE_INFINITY
  #source: string | undefined

  constructor(readDepth: Evaluate) {
    this.#read = readDepth
  }

  /** Adds a row, in the order of the sources; a row without a depth is in no tree. */
  take(row: Row, place: TreePlace): void {
    if (row.source !== this.#source) {
      this.#source = row.source
      this.#branch = []
      this.#top = Number.POSITIVE_INFINITY
    }
    const text = row.fault === undefined ? this.#depthOf(row) : undefined
    if (text === '') return
    const depth = text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
    if (depth === undefined) {
      if (text !== undefined) this.#above.set(row, problem('bad_indent'))
      this.#branch = [{ depth: -1, place: problem('row_above_invalid') }]
      return
    }
    this.#top = Math.min(this.#top, depth)
    const above = depth === this.#top ? [] : this.#branch.filter(each => each.depth < depth)
    const parent = above.at(-1)
    if (parent !== undefined) this.#above.set(row, parent.place)
    this.#branch = [...above, { depth, place }]
  }

  /** The parent of a row, or why it is unusable; undefined at the top. */
  above(row: Row): TreePlace | undefined {
    return this.#above.get(row)
  }

  #depthOf(row: Row): string {
    const text = textOf(present(this.#read(scopeOf(row))) ?? '')
    return typeof text === 'string' ? text : 'an object'
  }
}
