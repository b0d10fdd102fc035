import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { DeferredRows } from '../../../src/engine/deferred-rows.ts'
import { FailureBudget } from '../../../src/engine/failure-budget.ts'
import { importRows } from '../../../src/engine/import-loop.ts'
import { KeyRegistry } from '../../../src/engine/key-registry.ts'
import { problem } from '../../../src/model/problem.ts'
import type { Row } from '../../../src/model/row.ts'
import { Stop } from '../../../src/model/stop.ts'
import { pollOptions } from '../../support/polling.ts'

const row = (number: number): Row => ({
  source: 'a.csv',
  row: number,
  line: number + 1,
  value: () => undefined,
  cells: () => [],
})

describe('an import', () => {
  it('is stopped by an outcome that cannot be kept, also while others have taken all places', async () => {
    const unhandled: unknown[] = []
    const listen = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', listen)
    const stop = new Stop()
    const taken: (() => void)[] = []
    const importing = importRows({
      batches: (async function* () {
        yield Array.from({ length: 300 }, (_, at) => row(at + 1))
      })(),
      delivery: { send: async () => undefined },
      record: outcome =>
        outcome.identity.row > 256
          ? Promise.reject(new Error('no room'))
          : new Promise(resolve => {
              taken.push(() => resolve(outcome))
            }),
      mapping: {
        identify: ({ source, row, line }) => ({ source, row, line, key: String(row), hash: '' }),
        selects: () => true,
        isDistinct: false,
        map: () => ({ errors: [problem('required')] }),
      },
      checkpoint: {
        get: () => undefined,
        replacementOf: () => undefined,
        takeLoggedDuplicate: () => false,
        hasRefusal: () => false,
      },
      keys: new KeyRegistry(),
      references: undefined,
      deferred: new DeferredRows(),
      mapsUnchanged: false,
      inDoubt: 'hold',
      mostCalls: 20,
      limit: undefined,
      sentBefore: 0,
      budget: new FailureBudget(undefined),
      stop,
      emit: () => {},
    })
    await expect.poll(() => taken.length, pollOptions).toBe(256)
    await setImmediate()
    for (const resolve of taken) resolve()
    await importing
    process.off('unhandledRejection', listen)
    expect(unhandled).toEqual([])
    expect(stop.reason).toMatchObject({ params: { error: { message: 'no room' } } })
  })
})
