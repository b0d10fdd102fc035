import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Fingerprint, fingerprint } from '../../../src/model/fingerprint.ts'
import { KeyTable, NumberList, RowNumbers } from '../../../src/model/key-table.ts'
import { arrayBytesInUse } from '../../support/memory.ts'

describe('fingerprint', () => {
  it('a fingerprint is the same for the same key, and three whole numbers of 32 bits', () => {
    expect(fingerprint('ada@example.com')).toEqual(fingerprint('ada@example.com'))
    for (const part of fingerprint('x')) {
      expect(Number.isInteger(part)).toBe(true)
      expect(part).toBeGreaterThanOrEqual(0)
      expect(part).toBeLessThan(2 ** 32)
    }
  })

  it('a fingerprint is the start of the SHA-256 of the key', () => {
    const hex = fingerprint('abc').map(part => part.toString(16).padStart(8, '0'))
    expect(hex.join('')).toBe('ba7816bf8f01cfea414140de')
  })

  it('a fingerprint is another one for other keys, however long they are or alike', () => {
    const keys = ['', ' ', 'a', 'A', 'é', 'e\u0301', 'x'.repeat(100_000), `${'x'.repeat(99_999)}y`]
    expect(new Set(keys.map(key => fingerprint(key).join())).size).toBe(keys.length)
  })
})

describe('key table', () => {
  const few: fc.Arbitrary<Fingerprint> = fc.tuple(
    fc.constantFrom(0, 1, 1024, 0x03ffffff, 0xffffffff),
    fc.constantFrom(0, 1, 2, 3, 4, 5, 0xffffffff),
    fc.constantFrom(0, 7),
  )
  const value = fc.oneof(fc.nat({ max: 3 }), fc.constant(2 ** 32 - 2), fc.nat())

  it('a key table behaves like a Map, where keys come back and their places collide', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('get', 'set'), few, value), { size: 'medium' }),
        steps => {
          const tables = [new KeyTable(), new KeyTable({ values: 2 })]
          const map = new Map<string, number>()
          for (const [what, words, value] of steps)
            for (const table of tables) {
              if (what === 'set') {
                table.set(words, value, 2 ** 32 - 1 - value)
                map.set(words.join(), value)
              }
              const kept = map.get(words.join())
              expect(table.get(words)).toBe(kept)
              const second = kept === undefined || table === tables[0] ? undefined : 2 ** 32 - 1 - kept
              expect(table.second(words)).toBe(second)
              expect(table.size).toBe(map.size)
            }
        },
      ),
    )
  })

  it('a key table behaves like a Map while it grows', () => {
    const map = new Map<string, number>()
    const table = new KeyTable({ values: 2 })
    for (let at = 0; at < 20_000; at += 1) {
      const key = `key ${(at * 7919) % 12_000}`
      map.set(key, at)
      table.set(fingerprint(key), at, at * 2)
    }
    expect(table.size).toBe(map.size)
    for (const [key, at] of map)
      expect([table.get(fingerprint(key)), table.second(fingerprint(key))]).toEqual([at, at * 2])
    for (let at = 0; at < 1000; at += 1) expect(table.get(fingerprint(`other ${at}`))).toBeUndefined()
  })

  it('a short key table behaves like a Map of the bits that it keeps, where they collide', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('get', 'set'), few, value), { size: 'medium' })
    fc.assert(
      fc.property(steps, steps => {
        const tables = [new KeyTable({ isShort: true }), new KeyTable({ isShort: true, values: 2 })]
        const map = new Map<string, number>()
        for (const [what, words, value] of steps) {
          const name = [words[0] >>> 28, words[1], words[2]].join()
          if (what === 'set') map.set(name, value)
          for (const table of tables) {
            if (what === 'set') table.set(words, value, 2 ** 32 - 1 - value)
            expect([table.get(words), table.size]).toEqual([map.get(name), map.size])
          }
        }
      }),
    )
  })

  it('a short key table keeps what it has while it grows, and takes less than 40 bytes an entry', () => {
    const entries = 200_000
    const before = arrayBytesInUse()
    const table = new KeyTable({ isShort: true })
    const wordsOf = (at: number): Fingerprint => [
      Math.imul(at, 2246822519) >>> 0,
      Math.imul(at, 2654435761) >>> 0,
      at,
    ]
    for (let at = 0; at < entries; at += 1) table.set(wordsOf(at), at)
    expect((arrayBytesInUse() - before) / entries).toBeLessThan(40)
    expect(table.size).toBe(entries)
    for (let at = 0; at < 1000; at += 1) expect(table.get(wordsOf(at * 7))).toBe(at * 7)
    for (let at = entries; at < entries + 1000; at += 1) expect(table.get(wordsOf(at))).toBeUndefined()
  })

  it('a key table yields the numbers of all its entries', () => {
    const [one, two] = [new KeyTable(), new KeyTable({ values: 2 })]
    for (const table of [one, two])
      for (let at = 0; at < 300; at += 1) table.set(fingerprint(`key ${at % 100}`), at, at + 1)
    const entriesOf = (table: KeyTable) => {
      const entries: [number, number][] = []
      table.each((...entry) => void entries.push(entry))
      return entries.sort(([a], [b]) => a - b)
    }
    const values = Array.from({ length: 100 }, (_, at) => 200 + at)
    expect(entriesOf(two)).toEqual(values.map(value => [value, value + 1]))
    expect(entriesOf(one)).toEqual(values.map(value => [value, 0]))
  })

  it('a key table has room for keys that all belong into its last place, among others', () => {
    const table = new KeyTable()
    const wordsOf = (at: number): Fingerprint => [
      at % 2 ? 0xffffffff - (at % 3) : (at * 2654435761) % 2 ** 32,
      at,
      0,
    ]
    for (let at = 0; at < 3000; at += 1) table.set(wordsOf(at), at)
    for (let at = 0; at < 3000; at += 1) expect(table.get(wordsOf(at))).toBe(at)
    for (let at = 3000; at < 6000; at += 1) expect(table.get(wordsOf(at))).toBeUndefined()
    expect(table.size).toBe(3000)
  })

  it('a key table is empty at first', () => {
    const table = new KeyTable()
    expect(table.size).toBe(0)
    expect(table.get([0, 0, 0])).toBeUndefined()
  })

  it('a key table takes less than 50 bytes an entry, with room to grow', () => {
    const entries = 200_000
    const before = arrayBytesInUse()
    const table = new KeyTable()
    for (let at = 0; at < entries; at += 1) table.set([Math.imul(at, 2654435761) >>> 0, at, 0], at)
    expect((arrayBytesInUse() - before) / entries).toBeLessThan(50)
    expect(table.size).toBe(entries)
    expect(table.get([0, 0, 0])).toBe(0)
  })
})

describe('list of numbers', () => {
  it('a list of numbers finds those that it has, in whatever order they came', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 2 ** 32 - 1 })), fc.array(fc.nat({ max: 50 })), (first, then) => {
        const list = new NumberList()
        for (const numbers of [first, then]) {
          for (const number of numbers) list.push(number)
          for (const number of numbers) expect(list.includes(number)).toBe(true)
          for (let number = 0; number < 60; number += 1)
            expect(list.includes(number)).toBe([...first, ...(numbers === then ? then : [])].includes(number))
        }
        expect(list.length).toBe(first.length + then.length)
      }),
    )
  })

  it.each([2, 4] as const)('a list of numbers of %i bytes grows with zeros up to one that is set', bytes => {
    const list = new NumberList(bytes)
    const before = arrayBytesInUse()
    list.set(2 ** 20 - 1, 65_535)
    expect([list.at(2 ** 20 - 2), list.at(2 ** 20 - 1), list.length]).toEqual([0, 65_535, 2 ** 20])
    expect(arrayBytesInUse() - before).toBeLessThan(bytes * 1.1 * 2 ** 20)
  })
})

describe('numbers of rows', () => {
  it('numbers of rows lead back to their rows, in whatever order these come', () => {
    const numbers = new RowNumbers()
    const rows = [1, 90_000, 4_096, 2, 4_095, 8_192].flatMap(row => [
      { source: 'a.csv', row },
      { source: 'b.csv', row },
    ])
    const given = rows.map(row => numbers.of(row))
    expect(new Set(given).size).toBe(rows.length)
    expect(given.map(number => numbers.placeOf(number))).toEqual(rows)
    expect(rows.map(row => numbers.of(row))).toEqual(given)
  })
})

it('keys that differ in the half of a surrogate pair have two fingerprints', () => {
  const keys = ['a\ud800', 'a\udfff', 'a\ufffd', 'a', JSON.stringify('a\ud800').slice(1, -1)]
  expect(new Set(keys.map(key => String(fingerprint(key)))).size).toBe(keys.length)
})
