import { expect } from 'vitest'
import { LockError } from '../../../src/model/errors.ts'
import { ada, after, bob, type Cases, call, created, killed, runs, send, statusOf } from './rows.ts'

export const begin: Cases = {
  'begin: the first run knows of no row': async open => {
    expect(await statusOf(await (await open()).begin())).toBeUndefined()
  },
  'begin: a run that did nothing has no lines, and leaves none': async open => {
    const store = await open()
    await runs(store, async () => {})
    expect(await store.lines()).toEqual([])
  },
  'begin: while a process has the rows, another gets none': async open => {
    const store = await open()
    await store.begin()
    await expect(store.begin()).rejects.toThrow(LockError)
  },
  'begin: a process that got no rows leaves the other alone': async open => {
    const store = await open()
    const run = await store.begin()
    await store.begin().catch(() => {})
    expect(await send(run, created())).toMatchObject({ status: 'created' })
    expect(await run.end()).toBe(true)
  },
  'begin: once a run has ended, the next one has the rows': async open => {
    const run = await after(await open(), run => send(run, created()))
    expect(await statusOf(run)).toBe('settled')
  },
  'begin: each of five runs knows what those before it did': async open => {
    const store = await open()
    const rows = ['one', 'two', 'three', 'four', 'five'].map((key, at) => ({ ...ada, row: at + 1, key }))
    for (const [at, identity] of rows.entries())
      await runs(store, async run => {
        for (const before of rows.slice(0, at)) expect(await statusOf(run, before)).toBe('settled')
        expect(await statusOf(run, identity)).toBeUndefined()
        await send(run, created(identity))
      })
  },
  'begin: a run that was killed before it did anything leaves nothing': async open => {
    const store = await open()
    await (await store.begin()).vanish()
    expect(await statusOf(await store.begin())).toBeUndefined()
    expect(await store.lines()).toEqual([])
  },
  'begin: a run goes on after one that was killed': async open => {
    const store = await open()
    await killed(store, run => send(run, created()))
    await runs(store, run => send(run, created(bob)))
    expect((await store.endings()).length).toBe(1)
  },
  'begin: a run goes on after three in turn that were killed, and knows of all': async open => {
    const store = await open()
    const rows = [1, 2, 3].map(row => ({ ...ada, row, key: `k${row}` }))
    for (const identity of rows) {
      const run = await store.begin()
      await send(run, created(identity))
      await run.vanish()
    }
    const run = await store.begin()
    for (const identity of rows) expect(await statusOf(run, identity)).toBe('settled')
  },
  'begin: what one import did is nothing to another': async open => {
    const [one, other] = [await open(), await open()]
    await runs(one, run => send(run, created()))
    expect(await statusOf(await other.begin())).toBeUndefined()
  },
  'begin: a call of one import is no doubt of another': async open => {
    const [one, other] = [await open(), await open()]
    await killed(one, call())
    expect(await statusOf(await other.begin())).toBeUndefined()
    expect(await statusOf(await one.begin())).toBe('in_doubt')
  },
  'drop: an import that was removed knows of no row, and the others of theirs': async open => {
    const [one, other] = [await open(), await open()]
    for (const store of [one, other]) await runs(store, run => send(run, created()))
    await one.drop()
    expect(await statusOf(await one.begin())).toBeUndefined()
    expect(await statusOf(await other.begin())).toBe('settled')
  },
  'drop: an import that was removed is begun anew': async open => {
    const store = await open()
    await runs(store, run => send(run, created()))
    await store.drop()
    await runs(store, run => send(run, created(ada, 'another')))
    expect((await store.lines()).map(line => line.record_id)).toEqual(['another'])
  },
}
