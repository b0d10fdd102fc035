import { describe, expect, it } from 'vitest'
import { DeferredRows } from '../../../src/engine/deferred-rows.ts'
import { KeyRegistry } from '../../../src/engine/key-registry.ts'
import { type RowAction, type TriageContext, triage, triageIdentified } from '../../../src/engine/triage.ts'
import { problem } from '../../../src/model/problem.ts'
import type { Row, RowIdentity } from '../../../src/model/row.ts'
import type { PastState } from '../../../src/model/store.ts'
import { spellingsOf } from '../../../src/store/files/spellings.ts'
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

function contextOf(identity: RowIdentity, given: Case): TriageContext {
  const { known, replaced, inDoubt = 'hold', passes = true, keys = new KeyRegistry() } = given
  return {
    mapping: {
      identify: () => identity,
      selects: () => true,
      isDistinct: false,
      map: () => (passes ? { body: {} } : { errors: [{ path: '', ...problem('required') }] }),
    },
    checkpoint: {
      get: () => known,
      replacementOf: () => replaced,
      takeLoggedDuplicate: () => false,
      hasRefusal: () => false,
      spellings: spellingsOf(() => false),
    },
    keys,
    references: undefined,
    deferred: new DeferredRows(),
    mapsUnchanged: false,
    inDoubt,
  }
}

const actionOn = (identity: RowIdentity, given: Case): RowAction =>
  triageIdentified(rowOf({}), identity, contextOf(identity, given))

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

describe('row', () => {
  it.each<[name: string, words: string, Case]>([
    ['a new row', 'sent, new', {}],
    ['a row that cannot be mapped', 'invalid', { passes: false }],
    ['a refused row', 'sent, refused', { known: refused }],
    ['an unchanged row that has its record', 'done', { known: same, passes: false }],
    ['a changed row that has its record', 'changed', { known: settled }],
    ['a row that has its record and cannot be mapped', 'changed', { known: settled, passes: false }],
    ['a row in doubt', 'held', { known: doubtful }],
    ['a row in doubt that may be sent again', 'sent, in_doubt', { known: doubtful, inDoubt: 'resend' }],
    ['a refused row whose replacement has its record', 'done', { known: refused, replaced: 'settled' }],
    ['a row that has its record, as has its replacement', 'done', { known: settled, replaced: 'settled' }],
    [
      'a row that has its record, with a replacement in doubt',
      'changed',
      { known: settled, replaced: 'in_doubt' },
    ],
    ['a refused row with a replacement in doubt', 'held', { known: refused, replaced: 'in_doubt' }],
    [
      'a refused row with a replacement in doubt that may be sent again',
      'held',
      { known: refused, replaced: 'in_doubt', inDoubt: 'resend' },
    ],
  ])('%s is %s', (_, words, given) => {
    expect(wordsOf(actionOn(rejected, given))).toBe(words)
  })

  it('a row owns its key if it has a record or is in doubt, and not if it is refused', () => {
    for (const known of [same, settled, doubtful])
      expect(actionOn(rejected, { known })).toMatchObject({ ownsKey: true })
    expect(actionOn(rejected, { passes: false })).toMatchObject({ ownsKey: false })
  })

  it('a row that has its record was not refused before', () => {
    expect(actionOn(rejected, { known: settled })).toMatchObject({ outcome: { before: undefined } })
  })

  it('a row that cannot be read is invalid, and quotes the start of its line', () => {
    const faulty: Row = {
      ...rowOf({}),
      fault: problem('not_json', { reason: 'x' }),
      text: `{"a":${'1'.repeat(500)}`,
    }
    const refusal = { path: '', ...faulty.fault }
    const context = contextOf(rejected, {})
    const errorsOf = (row: Row) => triageIdentified(row, rejected, context)
    expect(errorsOf(faulty)).toMatchObject({
      outcome: { status: 'invalid', errors: [{ ...refusal, value: `{"a":${'1'.repeat(295)}` }] },
    })
    const { text, ...silent } = faulty
    expect(errorsOf(silent)).toMatchObject({ outcome: { status: 'invalid', errors: [refusal] } })
  })

  it('a row that has its record is mapped too if values left out count for all rows', () => {
    for (const mapsUnchanged of [true, false]) {
      const mapped: Row[] = []
      const context = contextOf(rejected, { known: same })
      const map = (row: Row) => {
        mapped.push(row)
        return { body: {} }
      }
      const action = triageIdentified(rowOf({}), rejected, {
        ...context,
        mapping: { ...context.mapping, map },
        mapsUnchanged,
      })
      expect([wordsOf(action), mapped.length]).toEqual(['done', Number(mapsUnchanged)])
    }
  })

  it('a row is sent with what the mapping left out, if it left anything out', () => {
    const context = contextOf(rejected, {})
    const omitted = [{ path: 'email', code: 'required' as const }]
    const sentBy = (more: object) =>
      triageIdentified(rowOf({}), rejected, {
        ...context,
        mapping: { ...context.mapping, map: () => ({ body: { name: 'Bo' }, ...more }) },
      })
    const call = { identity: rejected, before: undefined, body: { name: 'Bo' } }
    expect(sentBy({ omitted })).toEqual({ type: 'send', call: { ...call, omitted } })
    expect(sentBy({})).toEqual({ type: 'send', call })
  })
})

describe('row among others', () => {
  /** A context where rows may name each other, and what the references were told. */
  function related(more: Partial<TriageContext['mapping']> = {}) {
    const told: string[] = []
    const context = contextOf(rejected, {})
    return {
      told,
      context: {
        ...context,
        mapping: { ...context.mapping, ...more },
        references: {
          numberOf: () => 7,
          takeRow: (_row: Row, { key }: RowIdentity) => told.push(`took ${key}`),
          passOver: ({ row }: Row) => told.push(`passed over row ${row}`),
          settle: () => {},
          giveUp: () => {},
          complete: () => {},
        },
      } satisfies TriageContext,
    }
  }

  it('a row is skipped if the mapping does not select it, and can be named no more', () => {
    const { context, told } = related({ selects: () => false })
    expect(triage(rowOf({}), rejected, context)).toEqual({ type: 'skip', identity: rejected })
    expect(told).toEqual(['passed over row 1'])
    expect(triage(rowOf({}), rejected, { ...context, references: undefined })).toEqual({
      type: 'skip',
      identity: rejected,
    })
  })

  it('a row that cannot be read is invalid, whatever the mapping selects', () => {
    const { context, told } = related({ selects: () => false })
    const faulty: Row = { ...rowOf({}), fault: problem('not_json', { reason: 'x' }) }
    expect(wordsOf(triage(faulty, rejected, context))).toBe('invalid')
    expect(told).toEqual(['took nope'])
    expect(wordsOf(triage(faulty, rejected, { ...context, references: undefined }))).toBe('invalid')
  })

  it('a row is selected, identified, and sent', () => {
    const { context, told } = related()
    expect(wordsOf(triage(rowOf({}), rejected, context))).toBe('sent, new')
    expect(told).toEqual(['took nope'])
  })

  it('a row waits for the row with its key that waits', () => {
    const { context } = related()
    const waiting = { row: rowOf({}), identity: rejected, before: undefined, waitsOn: [{ on: 3, path: 'x' }] }
    context.deferred.add(waiting, 8)
    expect(wordsOf(triage(rowOf({}), rejected, context))).toBe('sent, new')
    context.deferred.add(waiting, 7)
    expect(triage(rowOf({}), rejected, context)).toEqual({
      type: 'defer',
      identity: rejected,
      before: undefined,
      waitsOn: [{ on: 7, path: '' }],
    })
  })

  it('a row waits for what the mapping says', () => {
    const waitsOn = [{ on: 3, path: 'owner', column: 'Owner', value: 'ann' }]
    const { context } = related({ map: () => ({ waitsOn }) })
    expect(triage(rowOf({}), rejected, context)).toEqual({
      type: 'defer',
      identity: rejected,
      before: undefined,
      waitsOn,
    })
  })
})

describe('rejected row that comes back', () => {
  it.each<[name: string, words: string, Case]>([
    ['a repaired row', 'sent, refused', {}],
    ['a repaired row that cannot be mapped', 'invalid', { passes: false }],
    ['a repaired row that has its record', 'done', { known: same, replaced: 'settled' }],
    ['a repaired row that has another record', 'changed', { known: settled }],
    [
      'a repaired row in doubt that may be sent again',
      'sent, in_doubt',
      { known: doubtful, replaced: 'in_doubt', inDoubt: 'resend' },
    ],
    ['a repaired row whose rejected self is in doubt', 'held', { replaced: 'in_doubt', inDoubt: 'resend' }],
    ['a repaired row whose rejected self has a record', 'invalid', { replaced: 'settled' }],
  ])('%s is %s', (_, words, given) => {
    expect(wordsOf(actionOn(repaired, given))).toBe(words)
  })

  it('a rejected row is left alone when it is unchanged and its repaired row has a record', () => {
    const copy = { ...rejected, replaces: hash }
    expect(wordsOf(actionOn(copy, { known: refused, replaced: 'settled' }))).toBe('done')
  })

  it('a rejected row says which row has its record if it comes back with another key', () => {
    expect(actionOn(repaired, { replaced: 'settled' })).toMatchObject({
      outcome: {
        errors: [{ path: '', column: 'rowlift_key', value: `sha256:${hash}#1`, code: 'already_replaced' }],
      },
    })
  })

  it('a rejected row is a duplicate of its rejected self in the same run, and that of it', () => {
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

  it('a rejected row leaves the key of its rejected self to a row that reads otherwise', () => {
    const keys = new KeyRegistry()
    wordsOf(actionOn(repaired, { keys }), keys)
    expect(wordsOf(actionOn({ ...rejected, hash: other }, { known: refused, keys }))).toBe('sent, refused')
  })
})
