import { expect } from 'vitest'
import type { Outcome, RowError } from '../../../src/model/outcome.ts'
import { problem } from '../../../src/model/problem.ts'
import type { RowIdentity } from '../../../src/model/row.ts'
import type { PastState } from '../../../src/model/store.ts'
import { bodyOf, type StoreRun, type TestStore } from '../stores.ts'

/** What a store has to do, by the sentence that says it. `open` makes an import of its own. */
export type Cases = Readonly<Record<string, (open: () => Promise<TestStore>) => Promise<void>>>

/** Cases that differ in one value, each with a sentence made of its name. */
export const each = <Value>(
  values: Readonly<Record<string, Value>>,
  sentence: (name: string) => string,
  prove: (open: () => Promise<TestStore>, value: Value) => Promise<void>,
): Cases =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [sentence(name), open => prove(open, value)]),
  )

export const [hash, otherHash] = ['0123456789abcdef', 'fedcba9876543210']

export const rowOf = (row: number, key: string, more: Partial<RowIdentity> = {}): RowIdentity => ({
  ...{ source: 'a.csv', row, line: row + 1, key, hash },
  ...more,
})

export const ada = rowOf(1, 'ada')
export const bob = rowOf(2, 'bob', { hash: '00000000000000bb' })
/** The same row with other contents. */
export const changedAda = { ...ada, hash: otherHash }
/** The row of a rejects file that replaces the refused `ada`. */
export const fixedAda = rowOf(3, 'ada@x.example', { hash: otherHash, replaces: hash })

export const errors: readonly RowError[] = [{ path: 'name', ...problem('required') }]
const effort = { attempts: 1, durationMs: 5 }

export const created = (identity = ada, recordId = `id of ${identity.key}`): Outcome => ({
  ...{ identity, ...effort, httpStatus: 200, status: 'created', recordId },
})
export const existing = (identity = ada, recordId = `id of ${identity.key}`): Outcome => ({
  ...{ identity, ...effort, httpStatus: 200, status: 'existing', recordId },
})
export const merged = (identity = ada, sameAs = bob): Outcome => ({
  ...{ identity, ...effort, httpStatus: 200, status: 'merged', recordId: `id of ${sameAs.key}`, sameAs },
})
export const failed = (identity = ada, httpStatus = 422): Outcome => ({
  ...{ identity, ...effort, httpStatus, status: 'failed', fault: 'refused', errors },
})
export const doubtful = (identity = ada): Outcome => ({
  ...{ identity, ...effort, status: 'in_doubt', fault: 'ambiguous', errors },
  body: JSON.stringify(bodyOf(identity)),
})
export const invalid = (identity = ada): Outcome => ({ identity, status: 'invalid', errors })
export const duplicate = (identity = bob, sameAs = ada): Outcome => ({
  ...{ identity, status: 'duplicate', sameAs, isLogged: false },
})

/** Sends a row as the engine does, and records what became of it. */
export async function send(run: StoreRun, outcome: Outcome): Promise<Outcome | undefined> {
  const { identity } = outcome
  const { status } = (await run.past(identity)).get(identity.key, identity.hash) ?? {}
  expect(await run.mayCall(identity)).toBe(true)
  return run.settle({ ...outcome, before: status === 'settled' ? undefined : status } as Outcome)
}

/** Records a row for which no call was made. */
export async function note(run: StoreRun, outcome: Outcome): Promise<Outcome | undefined> {
  await run.past(outcome.identity)
  return run.settle(outcome)
}

export type Step = (run: StoreRun) => Promise<unknown>

/** Each step is a run of its own that comes to its end. */
export async function runs(store: TestStore, ...steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    const run = await store.begin()
    await step(run)
    expect(await run.end()).toBe(true)
  }
}

/** Begins a run after these. */
export async function after(store: TestStore, ...steps: readonly Step[]): Promise<StoreRun> {
  await runs(store, ...steps)
  return store.begin()
}

/** A run that does this and is killed then; all that came before a call of its own is kept. */
export async function killed(store: TestStore, step: Step = async () => {}): Promise<StoreRun> {
  const run = await store.begin()
  await step(run)
  const last = rowOf(900, 'the last one')
  await run.past(last)
  await run.mayCall(last)
  run.withdraw(last)
  const next = rowOf(901, 'the very last one')
  await run.past(next)
  await run.mayCall(next)
  await run.vanish()
  return run
}

/** Lets a call be under way. */
export const call =
  (identity = ada): Step =>
  async run => {
    await run.past(identity)
    expect(await run.mayCall(identity)).toBe(true)
  }

export const stateOf = async (run: StoreRun, identity = ada): Promise<PastState | undefined> =>
  (await run.past(identity)).get(identity.key, identity.hash, identity.alike)

export const statusOf = async (run: StoreRun, identity = ada): Promise<PastState['status'] | undefined> =>
  (await stateOf(run, identity))?.status

/** The statuses in the log of rows with this key, in their order. */
export const statuses = async (store: TestStore, { key } = ada): Promise<string[]> =>
  (await store.lines()).filter(line => line.key === key).map(({ status }) => status)
