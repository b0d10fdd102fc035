import { describe, expect, it } from 'vitest'
import { decideRenamed } from '../../../src/engine/decide-renamed.ts'
import { DeferredRows } from '../../../src/engine/deferred-rows.ts'
import { Ledger } from '../../../src/engine/ledger.ts'

type Is = 'settled' | 'in_doubt' | 'refused'

/** The end of a row whose key was `kept` and whose columns say `now`, where earlier runs tell that of these keys. */
function endOf(
  past: { readonly kept?: Is; readonly now?: Is },
  claims: readonly string[] = [],
  sameHash = false,
  isRenamed?: true,
) {
  const of = (key: string) => {
    const is = past[key as 'kept' | 'now']
    return is && { is, sameHash, isRenamed }
  }
  const ledger = new Ledger()
  const origin = { source: 'bad.csv', row: 1, line: 2, hash: '0' }
  for (const key of claims) ledger.claim({ ...origin, key })
  return decideRenamed({ ...origin, row: 2, key: 'kept', alias: 'now' }, of('kept'), {
    mapping: { identify: () => ({ ...origin, key: '' }), selects: () => true, map: () => ({ errors: [] }) },
    past: { of, isRepaired: () => false, tellsDuplicate: () => false },
    ledger,
    relations: undefined,
    waiting: new DeferredRows(),
    inDoubt: 'hold',
  })
}

describe('a repaired row whose columns give another key than it keeps', () => {
  it('is sent where nobody knows that key, or its row was refused', () => {
    expect([endOf({}), endOf({ kept: 'refused', now: 'refused' })]).toEqual([undefined, undefined])
  })

  it('is left alone where that key has its record, for its source was mended as well', () => {
    expect(endOf({ kept: 'refused', now: 'settled' })).toEqual({ status: 'done', changed: true })
    expect(endOf({ now: 'settled' }, [], true)).toEqual({ status: 'done', changed: false })
    expect(endOf({ now: 'in_doubt' })).toEqual({ status: 'held' })
  })

  it('is sent where a row that was repaired had that key and has another now', () => {
    expect(endOf({ kept: 'refused', now: 'settled' }, [], false, true)).toBeUndefined()
  })

  it('is a duplicate of the row of this import that has that key', () => {
    expect(endOf({}, ['now'])).toMatchObject({ status: 'duplicate', sameAs: { source: 'bad.csv', row: 1 } })
  })

  it('is invalid where the key that it keeps has its record and the other has none: it may be another row', () => {
    expect(endOf({ kept: 'settled' })).toMatchObject({
      status: 'invalid',
      errors: [{ column: 'rowlift_key', value: 'kept', code: 'key_taken' }],
    })
    expect(endOf({ kept: 'settled', now: 'settled' })).toBeUndefined()
  })
})
