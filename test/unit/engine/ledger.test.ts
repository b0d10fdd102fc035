import { describe, expect, it } from 'vitest'
import { Ledger } from '../../../src/engine/ledger.ts'

const origin = (source: string, row: number, key: string) => ({ source, row, line: row + 1, key, hash: '0' })

const hash = '0123456789abcdef'
const other = 'fedcba9876543210'

describe('the ledger', () => {
  it('says which row claimed a key, over all sources', () => {
    const ledger = new Ledger()
    for (const each of [origin('a.csv', 1, 'ada'), origin('a.csv', 7, 'bob')]) ledger.claim(each, false)
    for (const each of [origin('b.csv', 1, 'cy'), origin('b.csv', 3, 'di')]) ledger.claim(each, false)
    const claimants = ['ada', 'bob', 'cy', 'di', 'eve'].map(key => ledger.claimant(origin('c.csv', 1, key)))
    expect(claimants).toEqual([
      { source: 'a.csv', row: 1 },
      { source: 'a.csv', row: 7 },
      { source: 'b.csv', row: 1 },
      { source: 'b.csv', row: 3 },
      undefined,
    ])
  })

  it('knows a rejected row and the one that replaces it as one row, in either order', () => {
    const rejected = { ...origin('a.csv', 1, 'nope'), hash }
    const repaired = { ...origin('bad.csv', 1, 'bob'), hash: other, replaces: hash }
    const repairedFirst = new Ledger()
    repairedFirst.claim(repaired, true)
    expect(repairedFirst.claimant(rejected)).toEqual({ source: 'bad.csv', row: 1 })
    expect(repairedFirst.claimant({ ...rejected, hash: other })).toBeUndefined()
    const rejectedFirst = new Ledger()
    rejectedFirst.claim(rejected, true)
    expect(rejectedFirst.claimant(repaired)).toEqual({ source: 'a.csv', row: 1 })
    expect(rejectedFirst.claimant({ ...repaired, replaces: `${hash}#2` })).toBeUndefined()
  })

  it('says which row got a record before, and keeps to the first', () => {
    const ledger = new Ledger()
    expect(ledger.noteRecord('r1', origin('a.csv', 2, 'bob'))).toBeUndefined()
    expect(ledger.noteRecord('r1', origin('a.csv', 1, 'ada'))).toEqual({ source: 'a.csv', row: 2 })
    expect(ledger.noteRecord('r1', origin('a.csv', 1, 'ada'))).toEqual({ source: 'a.csv', row: 2 })
  })
})
