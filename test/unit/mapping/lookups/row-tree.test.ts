import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rowTree } from '../../../../src/mapping/lookups/row-tree.ts'
import { problem } from '../../../../src/model/problem.ts'
import type { Row } from '../../../../src/model/row.ts'
import { rowOf } from '../../../support/mappings.ts'

const treeOf = () => rowTree(({ row }) => row.value('INDENT'))

/** The numbers of the rows above rows of these depths, which are numbered from 1. */
function above(depths: readonly unknown[], sourceOf: (at: number) => string = () => 'a.csv'): unknown[] {
  const tree = treeOf()
  return depths.map((depth, at) => {
    const row: Row = { ...rowOf({ INDENT: depth }, at + 1), source: sourceOf(at) }
    tree.take(row, at + 1)
    return tree.above(row)
  })
}

describe('row above', () => {
  it('the row above is the nearest row before it with a smaller depth', () => {
    expect(above(['1', '2', '3', '2', '1', '2'])).toEqual([undefined, 1, 2, 1, undefined, 5])
  })

  it('the row above may be several levels less deep', () => {
    expect(above(['1', '4', '3', '2'])).toEqual([undefined, 1, 1, 1])
  })

  it('the row above is none if the depth is empty, and such a row is above none', () => {
    expect(above(['1', '', undefined, '2'])).toEqual([undefined, undefined, undefined, 1])
  })

  it('the row above is unknown below a row without a depth, until the next row at the top', () => {
    expect(above(['1', '2', 'x', '2', '3', '1', '2'])).toEqual([
      undefined,
      1,
      problem('bad_indent'),
      problem('row_above_invalid'),
      4,
      undefined,
      6,
    ])
  })

  it('the row above is none across sources', () => {
    expect(above(['1', '2', '2', '3'], at => (at < 2 ? 'a.csv' : 'b.csv'))).toEqual([
      undefined,
      1,
      undefined,
      3,
    ])
  })

  it('the row above is unknown below a broken row, and a row left out stays itself', () => {
    const tree = treeOf()
    const row = (number: number, depth: string) => rowOf({ INDENT: depth }, number)
    const [root, broken, child] = [row(1, '1'), row(2, '2'), row(3, '2')]
    tree.take(root, 1)
    tree.take({ ...broken, fault: problem('ragged', { cells: 1, columns: 2 }) }, 2)
    tree.take(child, 3)
    expect(tree.above(child)).toEqual(problem('row_above_invalid'))
    const [leftOut, below] = [row(4, '1'), row(5, '2')]
    tree.take(leftOut, problem('row_above_left_out'))
    tree.take(below, 5)
    expect(tree.above(below)).toEqual(problem('row_above_left_out'))
  })

  it('the row above is what a search upwards finds, whatever the depths are', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(4), { maxLength: 20 }), depths => {
        const found = depths.map((depth, at) => {
          const parent = depths.slice(0, at).findLastIndex(each => each < depth)
          return parent === -1 ? undefined : parent + 1
        })
        expect(above(depths.map(String))).toEqual(found)
      }),
    )
  })
})
