import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { DeferredRows } from '../../../src/engine/deferred-rows.ts'
import { type ImportSteps, runImportLoop } from '../../../src/engine/import-loop.ts'
import { KeyRegistry } from '../../../src/engine/key-registry.ts'
import type { RowError } from '../../../src/model/outcome.ts'
import { problem } from '../../../src/model/problem.ts'
import type { Call, Row } from '../../../src/model/row.ts'
import { Stop } from '../../../src/model/stop.ts'
import { failureBudget } from '../../../src/run/import-steps.ts'
import { spellingsOf } from '../../../src/store/files/spellings.ts'
import { turns } from '../../support/clock.ts'
import { pollOptions } from '../../support/polling.ts'

const row = (number: number): Row => ({
  source: 'a.csv',
  row: number,
  line: number + 1,
  value: () => undefined,
  cells: () => [],
})

/** Rows that each have a call or, if `errors` are given, none. */
const mappingWith = (errors?: readonly RowError[]): ImportSteps['mapping'] => ({
  identify: ({ source, row, line }) => ({ source, row, line, key: String(row), hash: '' }),
  selects: () => true,
  isDistinct: false,
  map: () => (errors ? { errors } : { body: {} }),
})

/** An import of so many rows, and what stops it. */
function importOf(rows: number, changes: Partial<ImportSteps>) {
  const stop = new Stop()
  const importing = runImportLoop({
    batches: (async function* () {
      if (rows > 0) yield Array.from({ length: rows }, (_, at) => row(at + 1))
    })(),
    delivery: { send: async () => undefined },
    record: async outcome => outcome,
    mapping: mappingWith(),
    checkpoint: {
      get: () => undefined,
      replacementOf: () => undefined,
      takeLoggedDuplicate: () => false,
      hasRefusal: () => false,
      spellings: spellingsOf(() => false),
    },
    keys: new KeyRegistry(),
    references: undefined,
    deferred: new DeferredRows(),
    mapsUnchanged: false,
    inDoubt: 'hold',
    mostCalls: 20,
    limit: undefined,
    sentBefore: 0,
    budget: failureBudget(undefined),
    stop,
    emit: () => {},
    ...changes,
  })
  return { importing, stop }
}

describe('import', () => {
  it('an import is stopped by an outcome that cannot be kept, also while all places are taken', async () => {
    const unhandled: unknown[] = []
    const listen = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', listen)
    const taken: (() => void)[] = []
    const { importing, stop } = importOf(300, {
      record: outcome =>
        outcome.identity.row > 256
          ? Promise.reject(new Error('no room'))
          : new Promise(resolve => {
              taken.push(() => resolve(outcome))
            }),
      mapping: mappingWith([problem('required')]),
    })
    await expect.poll(() => taken.length, pollOptions).toBe(256)
    await setImmediate()
    for (const resolve of taken) resolve()
    await importing
    process.off('unhandledRejection', listen)
    expect(unhandled).toEqual([])
    expect(stop.reason).toMatchObject({ params: { error: { message: 'no room' } } })
  })

  it('an import has as many calls under way at once as it may, and no more, and waits for the last', async () => {
    let underWay = 0
    let most = 0
    const send = async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await turns()
      underWay -= 1
      return undefined
    }
    await importOf(20, { mostCalls: 3, delivery: { send } }).importing
    expect([most, underWay]).toEqual([3, 0])
  })

  it('an import takes up a row only when there is room for its call', async () => {
    const finish: (() => void)[] = []
    const selected: number[] = []
    const send = () => new Promise<undefined>(resolve => finish.push(() => resolve(undefined)))
    const mapping = { ...mappingWith(), selects: (row: Row) => selected.push(row.row) > 0 }
    const { importing } = importOf(3, { mostCalls: 1, delivery: { send }, mapping })
    await turns()
    expect(selected).toEqual([1, 2]) // the second waits for room
    finish[0]?.()
    await turns()
    expect(selected).toEqual([1, 2, 3])
    for (const at of [1, 2]) {
      finish[at]?.()
      await turns()
    }
    await importing
  })

  it('an import is stopped by a call that throws, and waits for the others', async () => {
    let ended = 0
    const send = async ({ identity }: Call) => {
      if (identity.row === 1) throw new Error('a defect')
      await turns()
      ended += 1
      return undefined
    }
    const { importing, stop } = importOf(2, { mostCalls: 2, delivery: { send } })
    await importing
    expect(ended).toBe(1)
    expect(stop.reason).toMatchObject({ code: 'defect', params: { error: { message: 'a defect' } } })
  })

  it('an import of no rows ends at once', async () => {
    const { importing, stop } = importOf(0, {})
    await importing
    expect(stop.reason).toBeUndefined()
  })
})
