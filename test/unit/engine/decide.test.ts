import { describe, expect, it } from 'vitest'
import { decideNamed, type Fate } from '../../../src/engine/decide.ts'
import type { Known } from '../../../src/engine/deciding.ts'
import { DeferredRows } from '../../../src/engine/deferred-rows.ts'
import { Ledger } from '../../../src/engine/ledger.ts'
import { problem } from '../../../src/model/problem.ts'
import type { Origin } from '../../../src/model/row.ts'
import { rowOf } from '../../support/mappings.ts'

const [hash, other] = ['0123456789abcdef', 'fedcba9876543210']
const rejected = { source: 'a.csv', row: 1, line: 2, key: 'nope', hash }
const repaired = { ...rejected, source: 'bad.csv', key: 'bob', hash: other, replaces: hash }

interface Case {
  readonly known?: Known
  readonly replaced?: 'settled' | 'in_doubt'
  readonly inDoubt?: 'hold' | 'resend'
  /** Whether the mapping takes the row. */
  readonly passes?: boolean
  readonly ledger?: Ledger
}

function fateOf(origin: Origin, given: Case): Fate {
  const { known, replaced, inDoubt = 'hold', passes = true, ledger = new Ledger() } = given
  return decideNamed(rowOf({}), origin, {
    mapping: {
      identify: () => origin,
      selects: () => true,
      map: () => (passes ? { body: {} } : { errors: [{ path: '', ...problem('required') }] }),
    },
    past: { of: () => known, replacementOf: () => replaced, tellsDuplicate: () => false },
    ledger,
    relations: undefined,
    waiting: new DeferredRows(),
    inDoubt,
  })
}

/** In a few words. */
function wordsOf(fate: Fate): string {
  if (fate.is === 'to_send') return `sent, ${fate.call.before ?? 'new'}`
  if (fate.is !== 'ended') return fate.is
  return fate.end.status === 'done' && fate.end.changed ? 'changed' : fate.end.status
}

const settled: Known = { is: 'settled', sameHash: false }
const same: Known = { is: 'settled', sameHash: true }
const refused: Known = { is: 'refused', sameHash: false }
const doubtful: Known = { is: 'in_doubt', sameHash: false }

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
    expect(wordsOf(fateOf(rejected, given))).toBe(words)
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
    expect(wordsOf(fateOf(repaired, given))).toBe(words)
  })

  it('is left alone where nobody has repaired it and its repaired self has its record', () => {
    const copy = { ...rejected, replaces: hash }
    expect(wordsOf(fateOf(copy, { known: refused, replaced: 'settled' }))).toBe('done')
  })

  it('says which row has its record where it comes back with another key', () => {
    expect(fateOf(repaired, { replaced: 'settled' })).toMatchObject({
      end: {
        errors: [
          {
            column: 'rowlift_key',
            value: `sha256:${hash}#1`,
            code: 'key_taken',
          },
        ],
      },
    })
  })

  it('is a duplicate of its rejected self in the same run, and that of it', () => {
    for (const [first, second] of [
      [rejected, repaired],
      [repaired, rejected],
    ] as const) {
      const ledger = new Ledger()
      expect(wordsOf(fateOf(first, { known: refused, ledger }))).toBe('sent, refused')
      expect(fateOf(second, { known: refused, ledger })).toMatchObject({
        end: { status: 'duplicate', sameAs: { source: first.source, row: 1 } },
      })
    }
  })

  it('leaves the key of its rejected self to a row that reads otherwise', () => {
    const ledger = new Ledger()
    fateOf(repaired, { ledger })
    expect(wordsOf(fateOf({ ...rejected, hash: other }, { known: refused, ledger }))).toBe('sent, refused')
  })
})
