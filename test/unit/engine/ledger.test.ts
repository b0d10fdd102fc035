import { describe, expect, it } from 'vitest'
import { Ledger } from '../../../src/engine/ledger.ts'

const origin = (source: string, row: number, key: string) => ({ source, row, line: row + 1, key, hash: '0' })

describe('the ledger', () => {
  it('says which row claimed a key, over all sources', () => {
    const ledger = new Ledger()
    ledger.claim(origin('a.csv', 1, 'ada'))
    ledger.claim(origin('a.csv', 7, 'bob'))
    ledger.claim(origin('b.csv', 1, 'cy'))
    ledger.claim(origin('b.csv', 3, 'di'))
    expect(ledger.claimant('ada')).toEqual({ source: 'a.csv', row: 1 })
    expect(ledger.claimant('bob')).toEqual({ source: 'a.csv', row: 7 })
    expect(ledger.claimant('cy')).toEqual({ source: 'b.csv', row: 1 })
    expect(ledger.claimant('di')).toEqual({ source: 'b.csv', row: 3 })
    expect(ledger.claimant('eve')).toBeUndefined()
  })

  it('says which row got a record before, and keeps to the first', () => {
    const ledger = new Ledger()
    ledger.claim(origin('a.csv', 1, 'ada'))
    ledger.claim(origin('a.csv', 2, 'bob'))
    expect(ledger.noteRecord('r1', origin('a.csv', 2, 'bob'))).toBeUndefined()
    expect(ledger.noteRecord('r1', origin('a.csv', 1, 'ada'))).toEqual({ source: 'a.csv', row: 2 })
    expect(ledger.noteRecord('r1', origin('a.csv', 1, 'ada'))).toEqual({ source: 'a.csv', row: 2 })
  })
})
