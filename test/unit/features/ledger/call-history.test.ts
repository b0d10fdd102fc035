import { describe, expect, it } from 'vitest'
import type { CallResult } from '../../../support/fault-injection.ts'
import { breachesIn, type CallHistory, lateCalls } from '../../../support/machines/call-history.ts'

const keys = ['1', '2', '1']
const invoked = (call: number, row = 1) => ({ type: 'invoked', call, name: `Row ${row}` }) as const
const answered = (call: number, what: CallResult) => ({ type: 'answered', call, what }) as const
const inDoubt = (...rows: number[]) => ({ type: 'in doubt', rows }) as const

const historyOf = (fields: Partial<CallHistory>): CallHistory => ({
  ...{ mode: 'at-most-once', events: [], heard: [], lines: [], keys },
  keyOf: name => keys[Number(name.slice(4)) - 1] ?? '',
  ...fields,
})
const breaches = (...events: CallHistory['events']) => breachesIn(historyOf({ events }))

describe('history of calls', () => {
  it('a history may have a call again after an answer that nothing was made', () => {
    expect(breaches(invoked(0), answered(0, 'a 429'), invoked(1), invoked(2, 2))).toEqual([])
  })

  it.each<[string, CallHistory['events'], string]>([
    ['is under way', [invoked(0), invoked(1)], 'invoked'],
    ['got no answer', [invoked(0), answered(0, 'a hang'), inDoubt(1), invoked(1)], 'unknown'],
    ['has made a record', [invoked(0), answered(0, 'created'), invoked(1)], 'unknown'],
    ['is that of another row with the key', [invoked(0), invoked(1, 3)], 'invoked'],
  ])('a history is wrong if a call comes while an earlier one %s', (_, events, state) => {
    expect(breaches(...events)).toEqual([`key 1: call 1 was invoked while call 0 is ${state}`])
    expect(breachesIn(historyOf({ events, mode: 'at-least-once' }))).toEqual([])
  })

  it('a history counts calls of rows that were in doubt, whatever came before', () => {
    const events = [inDoubt(1), invoked(0), answered(0, 'a 503'), invoked(1, 2)]
    expect(lateCalls(historyOf({ events }))).toEqual(['key 1: call 0 was invoked while its row was in doubt'])
  })

  it('a history is wrong if the ledger lacks a record of which a worker heard', () => {
    const heard = [{ name: 'Row 2', recordId: 'two', isDisturbed: false }]
    const doubt = { row: 2, status: 'in_doubt', record_id: undefined } as const
    const disturbed = heard.map(each => ({ ...each, isDisturbed: true }))
    const lost = ['key 2: a worker heard of two, which is not in the ledger']
    expect(breachesIn(historyOf({ heard }))).toEqual(lost)
    expect(breachesIn(historyOf({ heard, lines: [doubt] }))).toEqual(lost)
    expect(breachesIn(historyOf({ heard: disturbed }))).toEqual(lost)
    expect(breachesIn(historyOf({ heard: disturbed, lines: [doubt] }))).toEqual([])
    const line = { row: 2, status: 'created', record_id: 'two' } as const
    expect(breachesIn(historyOf({ heard, lines: [line] }))).toEqual([])
  })
})
