import { describe, expect, it } from 'vitest'
import { KeyRegistry } from '../../../src/engine/key-registry.ts'
import { Checkpoint } from '../../../src/store/files/checkpoint.ts'

const identity = (source: string, row: number, key: string) => ({
  source,
  row,
  line: row + 1,
  key,
  hash: '0',
})

const hash = '0123456789abcdef'
const other = 'fedcba9876543210'

describe('registry of keys', () => {
  it('the registry of keys knows which row owns a key, over all sources', () => {
    const keys = new KeyRegistry()
    for (const each of [identity('a.csv', 1, 'ada'), identity('a.csv', 7, 'bob')])
      keys.register({ identity: each })
    for (const each of [identity('b.csv', 1, 'cy'), identity('b.csv', 3, 'di')])
      keys.register({ identity: each })
    const owners = ['ada', 'bob', 'cy', 'di', 'eve'].map(key => keys.ownerOf(identity('c.csv', 1, key)))
    expect(owners).toEqual([
      { source: 'a.csv', row: 1 },
      { source: 'a.csv', row: 7 },
      { source: 'b.csv', row: 1 },
      { source: 'b.csv', row: 3 },
      undefined,
    ])
  })

  it('the registry of keys knows a rejected row and its replacement as one row', () => {
    const rejected = { ...identity('a.csv', 1, 'nope'), hash }
    const repaired = { ...identity('bad.csv', 1, 'bob'), hash: other, replaces: hash }
    const repairedFirst = new KeyRegistry()
    repairedFirst.register({ identity: repaired, before: 'refused' })
    expect(repairedFirst.ownerOf(rejected)).toEqual({ source: 'bad.csv', row: 1 })
    expect(repairedFirst.ownerOf({ ...rejected, hash: other })).toBeUndefined()
    const rejectedFirst = new KeyRegistry()
    rejectedFirst.register({ identity: rejected, before: 'refused' })
    expect(rejectedFirst.ownerOf(repaired)).toEqual({ source: 'a.csv', row: 1 })
    expect(rejectedFirst.ownerOf({ ...repaired, replaces: `${hash}#2` })).toBeUndefined()
  })

  it('a registry of keys knows the owners of keys of a log as it knows others', () => {
    const past = new Checkpoint({ spellings: true })
    const lineOf = (status: 'created' | 'failed', key: string) => ({ run: '1', status, key, hash })
    past.add(lineOf('created', 'same'))
    past.add(lineOf('created', 'changed'))
    past.add(lineOf('failed', 'refused'))
    const rows = [
      { ...identity('a.csv', 5_000, 'same'), hash },
      { ...identity('a.csv', 2, 'changed'), hash: other },
      { ...identity('a.csv', 3, 'refused'), hash },
      { ...identity('b.csv', 4, 'new'), hash },
    ]
    for (const keys of [new KeyRegistry(), new KeyRegistry(false, past)]) {
      expect(rows.map(each => keys.ownerOf(each))).toEqual(rows.map(() => undefined))
      for (const each of rows) keys.register({ identity: each })
      expect(rows.map(each => keys.ownerOf(each))).toEqual(rows.map(({ source, row }) => ({ source, row })))
      expect(rows.map(each => keys.readsAlike(each))).toEqual(rows.map(() => true))
      const changed = rows.map(each => ({ ...each, hash: '5555555555555555' }))
      expect(changed.map(each => keys.readsAlike(each))).toEqual(rows.map(() => false))
      expect(rows.map(({ key }) => keys.hasCome(key))).toEqual(rows.map(() => true))
    }
    expect(past.keyOwnerOf('same')).toBeDefined()
    expect(['changed', 'refused', 'new'].map(key => past.keyOwnerOf(key))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(past.get('same', hash)).toMatchObject({ status: 'settled', sameHash: true })
    expect(past.get('same', other)).toMatchObject({ status: 'settled', sameHash: false })
  })

  it('a key registry knows exactly which rows of the log came, with and without their key', () => {
    const keys = new KeyRegistry()
    for (let row = 1; row <= 20_000; row += 1) {
      const came = identity('a.csv', row, `k${row}`)
      if (row % 2 === 0) keys.pass(came)
      else keys.register({ identity: came })
    }
    for (let row = 1; row <= 40_000; row += 1) expect(keys.hasCome(`k${row}`)).toBe(row <= 20_000)
  })
})
