import { describe, expect, it } from 'vitest'
import { DeferredRows } from '../../../src/engine/deferred-rows.ts'
import { KeyRegistry } from '../../../src/engine/key-registry.ts'
import { type PastState, type RowAction, triageIdentified } from '../../../src/engine/triage.ts'
import { problem } from '../../../src/model/problem.ts'
import type { RowIdentity } from '../../../src/model/row.ts'
import { rowOf } from '../../support/mappings.ts'

const [hash, other] = ['0123456789abcdef', 'fedcba9876543210']
const rejected = { source: 'a.csv', row: 1, line: 2, key: 'nope', hash }
const repaired = { ...rejected, source: 'bad.csv', key: 'bob', hash: other, replaces: hash }

interface Case {
  readonly known?: PastState
  readonly replaced?: 'settled' | 'in_doubt'
  readonly inDoubt?: 'hold' | 'resend'
  /** Whether the mapping takes the row. */
  readonly passes?: boolean
  readonly keys?: KeyRegistry
}

function actionOn(identity: RowIdentity, given: Case): RowAction {
  const { known, replaced, inDoubt = 'hold', passes = true, keys = new KeyRegistry() } = given
  return triageIdentified(rowOf({}), identity, {
    mapping: {
      identify: () => identity,
      selects: () => true,
      map: () => (passes ? { body: {} } : { errors: [{ path: '', ...problem('required') }] }),
    },
    checkpoint: {
      get: () => known,
      replacementOf: () => replaced,
      takeLoggedDuplicate: () => false,
      rowOfRecord: () => undefined,
      hasRefusal: () => false,
    },
    keys,
    references: undefined,
    deferred: new DeferredRows(),
    mapsUnchanged: false,
    inDoubt,
  })
}

/** What is done with a row, in a few words; a call that is sent registers its key, as the loop does it. */
function wordsOf(action: RowAction, keys?: KeyRegistry): string {
  if (action.type === 'send') keys?.register(action.call)
  if (action.type === 'send') return `sent, ${action.call.before ?? 'new'}`
  if (action.type !== 'settle') return action.type
  const { outcome } = action
  return outcome.status === 'done' && outcome.changed ? 'changed' : outcome.status
}

const settled: PastState = { status: 'settled', sameHash: false }
const same: PastState = { status: 'settled', sameHash: true }
const refused: PastState = { status: 'refused', sameHash: false }
const doubtful: PastState = { status: 'in_doubt', sameHash: false }

describe('a row', () => {
  it.each<[string, Case]>([
    ['sent, new', {}],
    ['invalid', { passes: false }],
    ['sent, refused', { known: refused }],
    ['done', { known: same, passes: false }],
    ['changed', { known: settled }],
    ['invalid', { known: settled, passes: false }],
    ['held', { known: doubtful }],
    ['sent, in_doubt', { known: doubtful, inDoubt: 'resend' }],
    ['done', { known: refused, replaced: 'settled' }],
    ['done', { known: settled, replaced: 'settled' }],
    ['held', { known: refused, replaced: 'in_doubt' }],
    ['held', { known: refused, replaced: 'in_doubt', inDoubt: 'resend' }],
  ])('is %s: %j', (words, given) => {
    expect(wordsOf(actionOn(rejected, given))).toBe(words)
  })
})

describe('a row from a file of rejected rows', () => {
  it.each<[string, Case]>([
    ['sent, refused', {}],
    ['invalid', { passes: false }],
    ['done', { known: same, replaced: 'settled' }],
    ['changed', { known: settled }],
    ['sent, in_doubt', { known: doubtful, replaced: 'in_doubt', inDoubt: 'resend' }],
    ['held', { replaced: 'in_doubt', inDoubt: 'resend' }],
    ['invalid', { replaced: 'settled' }],
  ])('is %s: %j', (words, given) => {
    expect(wordsOf(actionOn(repaired, given))).toBe(words)
  })

  it('is left alone when it is unchanged and its repaired row has a record', () => {
    const copy = { ...rejected, replaces: hash }
    expect(wordsOf(actionOn(copy, { known: refused, replaced: 'settled' }))).toBe('done')
  })

  it('says which row has its record where it comes back with another key', () => {
    expect(actionOn(repaired, { replaced: 'settled' })).toMatchObject({
      outcome: { errors: [{ column: 'rowlift_key', value: `sha256:${hash}#1`, code: 'already_replaced' }] },
    })
  })

  it('is a duplicate of its rejected self in the same run, and that of it', () => {
    for (const [first, second] of [
      [rejected, repaired],
      [repaired, rejected],
    ] as const) {
      const keys = new KeyRegistry()
      expect(wordsOf(actionOn(first, { known: refused, keys }), keys)).toBe('sent, refused')
      expect(actionOn(second, { known: refused, keys })).toMatchObject({
        outcome: { status: 'duplicate', sameAs: { source: first.source, row: 1 } },
      })
    }
  })

  it('leaves the key of its rejected self to a row that reads otherwise', () => {
    const keys = new KeyRegistry()
    wordsOf(actionOn(repaired, { keys }), keys)
    expect(wordsOf(actionOn({ ...rejected, hash: other }, { known: refused, keys }))).toBe('sent, refused')
  })
})
