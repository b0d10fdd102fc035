import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RowTree } from '../../../src/mapping/lookups/row-tree.ts'
import { problems } from '../../../src/model/problems.ts'
import type { Row } from '../../../src/model/row.ts'
import { rowOf } from '../../support/mappings.ts'

const treeOf = () => new RowTree(({ row }) => row.value('INDENT'))

/** The numbers of the rows above rows of these depths, which are numbered from 1. */
function above(depths: readonly unknown[], sourceOf: (at: number) => string = () => 'a.csv'): unknown[] {
  const tree = treeOf()
  return depths.map((depth, at) => {
    const row: Row = { ...rowOf({ INDENT: depth }, at + 1), source: sourceOf(at) }
    tree.take(row, at + 1)
    return tree.above(row)
  })
}

describe('the row above', () => {
  it('is the nearest one before that stands less deep', () => {
    expect(above(['1', '2', '3', '2', '1', '2'])).toEqual([undefined, 1, 2, 1, undefined, 5])
  })

  it('may be several levels less deep', () => {
    expect(above(['1', '4', '3', '2'])).toEqual([undefined, 1, 1, 1])
  })

  it('is none where the depth is no number, and such a row is above none', () => {
    expect(above(['1', '', 'x', undefined, '2'])).toEqual([undefined, undefined, undefined, undefined, 1])
  })

  it('is none across sources', () => {
    expect(above(['1', '2', '2', '3'], at => (at < 2 ? 'a.csv' : 'b.csv'))).toEqual([
      undefined,
      1,
      undefined,
      3,
    ])
  })

  it('is none for a row that is broken', () => {
    const tree = treeOf()
    tree.take(rowOf({ INDENT: '1' }), 1)
    const broken: Row = { ...rowOf({ INDENT: '2' }, 2), fault: problems.ragged(1, 2) }
    tree.take(broken, 2)
    expect(tree.above(broken)).toBeUndefined()
  })

  it('is what a search upwards finds, whatever the depths are', () => {
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
