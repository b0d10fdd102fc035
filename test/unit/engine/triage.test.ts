import { describe, expect, it } from 'vitest'
import { DeferredRows } from '../../../src/engine/deferred-rows.ts'
import { KeyRegistry } from '../../../src/engine/key-registry.ts'
import { type RowAction, type TriageContext, triage, triageIdentified } from '../../../src/engine/triage.ts'
import { problem } from '../../../src/model/problem.ts'
import type { Row, RowIdentity } from '../../../src/model/row.ts'
import type { PastState } from '../../../src/model/store.ts'
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
    ['changed', { known: settled, replaced: 'in_doubt' }],
    ['held', { known: refused, replaced: 'in_doubt' }],
    ['held', { known: refused, replaced: 'in_doubt', inDoubt: 'resend' }],
  ])('is %s: %j', (words, given) => {
    expect(wordsOf(actionOn(rejected, given))).toBe(words)
  })

  it('that has its record owns its key, and so does one in doubt; one that is refused leaves it to others', () => {
    for (const known of [same, settled, doubtful])
      expect(actionOn(rejected, { known })).toMatchObject({ ownsKey: true })
    expect(actionOn(rejected, { passes: false })).toMatchObject({ ownsKey: false })
  })

  it('that has its record was not refused before', () => {
    expect(actionOn(rejected, { known: settled })).toMatchObject({ outcome: { before: undefined } })
  })

  it('that cannot be read is invalid, and quotes the start of its line', () => {
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

  it('that has its record is mapped too where what the mapping leaves out is judged for all rows', () => {
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

  it('is sent with what the mapping left out, if it left anything out', () => {
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

describe('a row among others', () => {
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

  it('is skipped where the mapping does not select it, and can be named no more', () => {
    const { context, told } = related({ selects: () => false })
    expect(triage(rowOf({}), rejected, context)).toEqual({ type: 'skip' })
    expect(told).toEqual(['passed over row 1'])
    expect(triage(rowOf({}), rejected, { ...context, references: undefined })).toEqual({ type: 'skip' })
  })

  it('that cannot be read is invalid, whatever the mapping selects', () => {
    const { context, told } = related({ selects: () => false })
    const faulty: Row = { ...rowOf({}), fault: problem('not_json', { reason: 'x' }) }
    expect(wordsOf(triage(faulty, rejected, context))).toBe('invalid')
    expect(told).toEqual(['took nope'])
    expect(wordsOf(triage(faulty, rejected, { ...context, references: undefined }))).toBe('invalid')
  })

  it('is selected, identified, and sent', () => {
    const { context, told } = related()
    expect(wordsOf(triage(rowOf({}), rejected, context))).toBe('sent, new')
    expect(told).toEqual(['took nope'])
  })

  it('waits for the row with its key that waits', () => {
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

  it('waits for what the mapping says', () => {
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
      outcome: {
        errors: [{ path: '', column: 'rowlift_key', value: `sha256:${hash}#1`, code: 'already_replaced' }],
      },
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
