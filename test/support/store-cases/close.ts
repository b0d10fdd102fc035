import { expect } from 'vitest'
import type { Outcome } from '../../../src/model/outcome.ts'
import type { Line } from '../rowlift.ts'
import type { StoreRun, TestStore } from '../stores.ts'
import {
  ada,
  bob,
  type Cases,
  call,
  created,
  doubtful,
  duplicate,
  failed,
  invalid,
  killed,
  note,
  rowOf,
  runs,
  send,
} from './rows.ts'

export const close: Cases = {
  'close: a run that ended has a closing line': async open => {
    const store = await open()
    await runs(store, run => send(run, created()))
    expect(await store.endings()).toMatchObject([{ ended: { rows: expect.any(Number) } }])
  },
  'close: a run that was killed has none': async open => {
    const store = await open()
    await killed(store, run => send(run, created()))
    expect(await store.endings()).toEqual([])
  },
  'close: each run that ended has one': async open => {
    const store = await open()
    await runs(store, ...[1, 2, 3].map(() => async () => {}))
    expect(await store.endings()).toHaveLength(3)
  },
  'close: a run with a call of which nobody knows the end does not close': async open => {
    const store = await open()
    const run = await store.begin()
    await call()(run)
    expect(await run.end()).toBe(false)
    expect(await store.endings()).toEqual([])
  },
  'close: a call that was taken back does not keep a run from closing': async open => {
    const store = await open()
    await runs(store, async run => {
      await call()(run)
      run.withdraw(ada)
    })
    expect(await store.endings()).toHaveLength(1)
  },
  'close: a row in doubt does not keep a run from closing': async open => {
    const store = await open()
    await runs(store, run => send(run, doubtful()))
    expect(await store.endings()).toHaveLength(1)
  },
  'close: the lines of a run stand before its closing line, those of the next after it': async open => {
    const store = await open()
    await runs(
      store,
      run => send(run, created()),
      run => send(run, created(bob)),
    )
    const [first, second] = await store.endings()
    expect((await store.lines()).map(({ run }) => run)).toEqual([first?.run, second?.run])
  },
  'count: an import without rows has none': async open => {
    const store = await open()
    await runs(store, async () => {})
    expect(await countsOf(store)).toEqual({})
  },
  'count: each row counts by what became of it last': async open => {
    const store = await open()
    const [cy, di, ed] = [rowOf(3, 'cy'), rowOf(4, 'di'), rowOf(5, 'ed')]
    await runs(
      store,
      async run => {
        for (const outcome of [created(), failed(bob), doubtful(cy)]) await send(run, outcome)
        for (const outcome of [invalid(di), duplicate(ed)]) await note(run, outcome)
      },
      run => send(run, created(bob)),
    )
    expect(await countsOf(store)).toEqual({ created: 2, in_doubt: 1, invalid: 1 })
    expect((await store.account()).duplicates).toBe(1)
  },
  'count: a doubt counts until it is settled': async open => {
    const store = await open()
    await runs(store, run => send(run, doubtful()))
    expect(await countsOf(store)).toEqual({ in_doubt: 1 })
    await runs(store, run => send(run, created()))
    expect(await countsOf(store)).toEqual({ created: 1 })
  },
  'count: a doubt that a kill left counts, and once': async open => {
    const store = await open()
    const run = await store.begin()
    await call()(run)
    await run.vanish()
    await runs(store, async () => {})
    expect(await countsOf(store)).toEqual({ in_doubt: 1 })
    await runs(store, run => send(run, created()))
    expect(await countsOf(store)).toEqual({ created: 1 })
  },
  'count: a row that was refused five nights counts once': async open => {
    const store = await open()
    await runs(store, ...Array.from({ length: 5 }, () => (run: StoreRun) => send(run, failed())))
    expect(await countsOf(store)).toEqual({ failed: 1 })
  },
  'count: what a person settled counts as that': async open => {
    const store = await open()
    await runs(store, run => send(run, doubtful()))
    await store.resolve('--all', '--not-created')
    expect(await countsOf(store)).toEqual({ failed: 1 })
    expect((await store.account()).settled_by_hand).toBe(1)
  },
  'count: attempts without a clear answer are counted': async open => {
    const store = await open()
    await runs(store, run => send(run, { ...created(), attempts: 3, unclearAttempts: 2 } as Outcome))
    expect((await store.account()).unclear).toBe(1)
  },
  'count: the runs of an import are counted, one by one': async open => {
    const store = await open()
    await runs(
      store,
      run => send(run, created()),
      run => send(run, failed(bob)),
    )
    const { runs: told } = await store.account()
    expect(told.map(({ counts }: Line) => [counts.created, counts.failed])).toEqual([
      [1, 0],
      [0, 1],
    ])
  },
}

/** What `rowlift log --json` counts, but for what is not there. */
const countsOf = async (store: TestStore) =>
  Object.fromEntries(Object.entries((await store.account()).counts).filter(([, count]) => count !== 0))
