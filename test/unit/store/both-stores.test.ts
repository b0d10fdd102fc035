import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Outcome, RowError } from '../../../src/model/outcome.ts'
import { problem } from '../../../src/model/problem.ts'
import type { RowIdentity } from '../../../src/model/row.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { filesStore, ledgerStore, type StoreRun, type TestStore } from '../../support/stores.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

let imports = 0
const stores: readonly [string, () => Promise<TestStore>][] = [
  ['files', filesStore],
  [
    'a ledger',
    async () => {
      imports += 1
      return ledgerStore(db, `both ${imports}`)
    },
  ],
]

const [hash, other] = ['0123456789abcdef', 'fedcba9876543210']
const ada: RowIdentity = { source: 'a.csv', row: 1, line: 2, key: 'ada', hash }
const changed = { ...ada, hash: other }
/** The row of a rejects file that replaces the refused row. */
const fixed: RowIdentity = { ...ada, row: 2, line: 3, key: 'ada@x.example', hash: other, replaces: hash }

const errors: readonly RowError[] = [{ path: 'name', ...problem('required') }]
const effort = { attempts: 1, durationMs: 5 }
const invalid: Outcome = { identity: ada, status: 'invalid', errors }
const failed = (identity = ada, httpStatus = 422): Outcome => ({
  ...{ identity, ...effort, httpStatus },
  ...{ status: 'failed', fault: 'refused', errors },
})

/** Sends a row, and records what became of it. */
async function send(run: StoreRun, outcome: Outcome): Promise<Outcome | undefined> {
  const call = await run.callOf(outcome.identity)
  expect(await run.intents.add(call)).toBeUndefined()
  return run.record({ ...outcome, identity: call.identity, before: call.before } as Outcome)
}
const create = (run: StoreRun, identity = ada, recordId = 'r1') =>
  send(run, { identity, ...effort, status: 'created', recordId })
const doubt = (run: StoreRun, identity = ada) =>
  send(run, { identity, ...effort, status: 'in_doubt', fault: 'ambiguous', errors, body: '{"name":"x"}' })

type Step = (run: StoreRun) => Promise<unknown>

/** Lets each step be a run of its own, and starts the next one. */
async function runAfter(store: TestStore, ...steps: readonly Step[]): Promise<StoreRun> {
  for (const step of steps) {
    const run = await store.run()
    await step(run)
    await run.end()
  }
  return store.run()
}

describe.each(stores)('with %s', (_, open) => {
  it.each<[string, readonly Step[], RowIdentity, object | undefined]>([
    ['nothing of a row that was never sent', [], ada, undefined],
    ['that a created row has its record', [run => create(run)], ada, { status: 'settled', sameHash: true }],
    [
      'that a row with its record reads differently now',
      [run => create(run)],
      changed,
      { status: 'settled', sameHash: false },
    ],
    [
      'that a row has a record that was there before',
      [run => send(run, { identity: ada, ...effort, status: 'existing', recordId: 'r1' })],
      ada,
      { status: 'settled' },
    ],
    [
      'that an invalid row was refused',
      [run => run.past(ada).then(() => run.record(invalid))],
      ada,
      { status: 'refused' },
    ],
    ['that a failed row was refused', [run => send(run, failed())], ada, { status: 'refused' }],
    ['that a row is in doubt', [run => doubt(run)], ada, { status: 'in_doubt' }],
    [
      'that a row in doubt has its record',
      [run => doubt(run), run => create(run)],
      ada,
      { status: 'settled' },
    ],
    [
      'that a refused row has its record',
      [run => send(run, failed()), run => create(run)],
      ada,
      { status: 'settled' },
    ],
  ])('the next run knows %s', async (_, steps, identity, state) => {
    const run = await runAfter(await open(), ...steps)
    const known = (await run.past(identity)).get(identity.key, identity.hash)
    if (state === undefined) expect(known).toBeUndefined()
    else expect(known).toMatchObject(state)
  })

  it.each<[string, Outcome, boolean]>([
    ['knows a row that is refused again for the same reason', failed(), true],
    ['does not know one that has another answer', failed(ada, 400), false],
    ['does not know one that reads differently', failed(changed), false],
    ['does not know one that was never reached', { ...failed(), fault: 'never_reached' } as Outcome, false],
  ])('the next run %s', async (_, outcome, isKnown) => {
    const run = await runAfter(await open(), run => send(run, failed()))
    expect((await run.past(outcome.identity)).hasRefusal(outcome)).toBe(isKnown)
  })

  it.each<[string, Step, string | undefined]>([
    ['has its record', run => create(run, fixed), 'settled'],
    ['is in doubt', run => doubt(run, fixed), 'in_doubt'],
    ['was refused again', run => send(run, failed(fixed)), undefined],
  ])('a refused row whose replacement %s counts as that', async (_, step, state) => {
    const run = await runAfter(await open(), run => send(run, failed()), step)
    expect((await run.past(ada)).replacementOf(ada)).toBe(state)
  })

  it.each<[string, (run: StoreRun) => Promise<unknown>, string | undefined]>([
    ['a call was under way', async () => {}, 'in_doubt'],
    ['a call was taken back', async run => run.intents.remove('ada'), undefined],
    [
      'a call was taken back and went out again',
      async run => {
        run.intents.remove('ada')
        return run.intents.add(await run.callOf(ada))
      },
      'in_doubt',
    ],
    [
      'the outcome of a call was recorded',
      async run => run.record({ identity: ada, ...effort, status: 'created', recordId: 'r1' }),
      'settled',
    ],
  ])('a run that is killed after %s leaves the row as it is', async (_, step, state) => {
    const store = await open()
    const killed = await store.run()
    const call = await killed.callOf(ada)
    await killed.intents.add(call)
    await step({
      ...killed,
      callOf: async () => call,
      record: each => killed.record({ ...each, identity: call.identity } as Outcome),
    })
    await killed.intents.add(await killed.callOf({ ...ada, row: 3, line: 4, key: 'last' })) // all before it is kept
    await killed.kill()
    const run = await store.run()
    expect((await run.past(ada)).get('ada', hash)?.status).toBe(state)
  })

  it.each<[string, Outcome]>([
    ['that was left alone', { identity: ada, status: 'done', changed: false }],
    ['that is held', { identity: ada, status: 'held' }],
    ['that is known to be invalid', { ...invalid, known: true } as Outcome],
  ])('nothing is kept of a row %s', async (_, outcome) => {
    const run = await (await open()).run()
    await run.past(ada)
    expect(run.record(outcome)).toBeUndefined()
  })

  it('a known refusal takes its intent back', async () => {
    const store = await open()
    const run = await store.run()
    const call = await run.callOf(ada)
    await run.intents.add(call)
    expect(run.record({ ...failed(), identity: call.identity, known: true } as Outcome)).toBeUndefined()
    await run.end()
    expect((await (await store.run()).past(ada)).get('ada', hash)).toBeUndefined()
  })

  it.each([
    ['gives a row its record', 'r1', 'settled'],
    ['says that there is none', undefined, 'refused'],
  ])('a person who settles a doubt %s', async (_, recordId, state) => {
    const store = await open()
    await (await runAfter(store, run => doubt(run))).end()
    expect(await store.resolve('ada', recordId)).toBe(1)
    expect((await (await store.run()).past(ada)).get('ada', hash)?.status).toBe(state)
  })
})
