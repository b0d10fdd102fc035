import { type Problem, problem } from '../../model/problem.ts'
import type { Row } from '../../model/row.ts'
import { present, textOf } from '../../model/values.ts'
import { type Evaluate, scopeOf } from '../scope.ts'

/** The number of a row, or why it cannot be a parent. */
type TreePlace = number | Problem

/** Rows by increasing depth. */
type Branch = readonly { readonly depth: number; readonly place: TreePlace }[]

/** A tree by order and depth. It must see every row: the children of a missed one would get another parent. */
export function rowTree(readDepth: Evaluate) {
  const parents = new WeakMap<Row, TreePlace>()
  let branch: Branch = []
  let top = Number.POSITIVE_INFINITY
  let source: string | undefined
  const depthOf = (row: Row) => {
    const text = textOf(present(readDepth(scopeOf(row))) ?? '')
    return typeof text === 'string' ? text : 'an object'
  }
  return {
    /** Adds a row, in the order of the sources; a row without a depth is in no tree. */
    take(row: Row, place: TreePlace): void {
      if (row.source !== source) {
        source = row.source
        branch = []
        top = Number.POSITIVE_INFINITY
      }
      const text = row.fault === undefined ? depthOf(row) : undefined
      if (text === '') return
      if (text === undefined || !/^\d+$/.test(text)) {
        if (text !== undefined) parents.set(row, problem('bad_indent'))
        branch = [{ depth: -1, place: problem('row_above_invalid') }]
        return
      }
      const depth = Number(text)
      top = Math.min(top, depth)
      const above = depth === top ? [] : branch.filter(each => each.depth < depth)
      const parent = above.at(-1)
      if (parent !== undefined) parents.set(row, parent.place)
      branch = [...above, { depth, place }]
    },
    /** The parent of a row, or why it is unusable; undefined at the top. */
    above: (row: Row): TreePlace | undefined => parents.get(row),
  }
}
