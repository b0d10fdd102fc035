import { describe, expect, it } from 'vitest'
import { DeferredRows } from '../../../src/engine/deferred-rows.ts'
import { type ImportSteps, runImportLoop } from '../../../src/engine/import-loop.ts'
import { KeyRegistry } from '../../../src/engine/key-registry.ts'
import type { Outcome } from '../../../src/model/outcome.ts'
import type { Row } from '../../../src/model/row.ts'
import { Stop } from '../../../src/model/stop.ts'
import { failureBudget } from '../../../src/run/import-steps.ts'
import { spellingsOf } from '../../../src/store/files/spellings.ts'

const rowAt = (row: number): Row => ({
  source: 'a.csv',
  row,
  line: row + 1,
  value: () => undefined,
  cells: () => [],
})

const past: ImportSteps['checkpoint'] = {
  get: () => undefined,
  replacementOf: () => undefined,
  takeLoggedDuplicate: () => false,
  hasRefusal: () => false,
  spellings: spellingsOf(() => false),
}

const sent: ImportSteps['delivery'] = {
  send: async ({ identity }) => ({
    ...{ identity, status: 'created', recordId: `record ${identity.row}` },
    ...{ attempts: 1, durationMs: 0 },
  }),
}

/** Imports three rows in two batches; returns what was emitted. */
async function imported(changes: Partial<ImportSteps>, isDistinct = false): Promise<string[]> {
  const told: string[] = []
  const stop = new Stop()
  await runImportLoop({
    batches: (async function* () {
      yield [rowAt(1), rowAt(2)]
      yield [rowAt(3)]
    })(),
    delivery: sent,
    record: async outcome => outcome,
    mapping: {
      identify: ({ source, row, line }) => ({ source, row, line, key: String(row), hash: '' }),
      selects: () => true,
      isDistinct,
      map: () => ({ body: {} }),
    },
    checkpoint: past,
    keys: new KeyRegistry(),
    references: undefined,
    deferred: new DeferredRows(),
    mapsUnchanged: false,
    inDoubt: 'hold',
    mostCalls: 1,
    limit: undefined,
    sentBefore: 0,
    budget: failureBudget(undefined),
    stop,
    emit(event) {
      if (event.type === 'row_settled') told.push(`${event.outcome.identity.row} ${event.outcome.status}`)
      if (event.type === 'row_skipped') told.push('skipped')
    },
    ...changes,
  })
  expect(stop.reason).toBeUndefined()
  return told
}

describe('import whose past is elsewhere', () => {
  it('an import with another store asks it once for each batch, before it decides on a row', async () => {
    const asked: (string | number)[] = []
    await imported({
      checkpoint: {
        ...past,
        load: async identities => void asked.push(`load ${identities.map(({ key }) => key)}`),
        get: key => void asked.push(`get ${key}`),
      },
    })
    expect(asked).toEqual(['load 1,2', 'get 1', 'get 2', 'load 3', 'get 3'])
  })

  it('an import with another store counts an outcome as it was recorded', async () => {
    const record = async (outcome: Outcome): Promise<Outcome> =>
      outcome.identity.row === 2 ? { identity: outcome.identity, status: 'done', changed: false } : outcome
    expect(await imported({ record })).toEqual(['1 created', '2 done', '3 created'])
  })

  const sameAs = { source: 'a.csv', row: 9 }
  const delivery: ImportSteps['delivery'] = {
    send: async ({ identity }) => ({ identity, status: 'duplicate', sameAs, isLogged: false }),
  }

  it('an import with another store records a row whose key was taken as a duplicate', async () => {
    const recorded: Outcome[] = []
    const record = async (outcome: Outcome) => {
      recorded.push(outcome)
      return outcome
    }
    expect(await imported({ delivery, record })).toEqual(['1 duplicate', '2 duplicate', '3 duplicate'])
    expect(recorded).toMatchObject([{ sameAs }, { sameAs }, { sameAs }])
  })

  it('an import with another store leaves out a row whose key was taken under distinct', async () => {
    expect(await imported({ delivery }, true)).toEqual(['skipped', 'skipped', 'skipped'])
  })

  it('an import with another store leaves rows that still wait at its end to others', async () => {
    const references = {
      numberOf: (key: string) => Number(key),
      takeRow: () => {},
      passOver: () => {},
      settle: () => {},
      complete: () => {},
    }
    const mapping = {
      identify: ({ source, row, line }: Row) => ({ source, row, line, key: String(row), hash: '' }),
      selects: () => true,
      isDistinct: false,
      map: ({ row }: Row) => (row === 2 ? { waitsOn: [{ on: 7, path: 'parent' }] } : { body: {} }),
    }
    expect(await imported({ references, mapping })).toEqual(['1 created', '3 created'])
  })
})
