import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Fingerprint,
  fingerprint,
  KeyTable,
  RowNumbers,
  uuidFingerprint,
} from '../../../src/model/key-table.ts'
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

describe('fingerprint of a UUID', () => {
  const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')
  /** Random but for what counts up, as in each version of UUIDs and where somebody counts by hand. */
  const families: readonly [string, (at: number) => string][] = [
    ['by time', at => `${hex(at * 10, 8)}-9c1b-11ef-8a3c-325096b39f47`],
    ['by time, from its highest part', at => `1efa7b2c-${hex(at, 4)}-6d00-8a3c-325096b39f47`],
    [
      'in one millisecond',
      at => `0193a5b2-7c1e-7${hex(at >> 4, 3)}-8${hex(at & 15, 3)}-${hex(at * 7919, 12)}`,
    ],
    ['in the fourth part', at => `9d2f0000-0000-4000-${hex(at, 4)}-000000000000`],
    ['in the last part', at => `9d2f0000-0000-4000-8000-${hex(at, 12)}`],
  ]

  it('the fingerprint of a UUID is the same in capitals, and none of another text', () => {
    fc.assert(
      fc.property(fc.uuid(), id => {
        expect(uuidFingerprint(id.toUpperCase())).toEqual(uuidFingerprint(id))
        for (const part of uuidFingerprint(id) ?? [-1]) expect(part >>> 0).toBe(part)
      }),
    )
    const id = '9d2f0a1b-0000-4000-8000-00000000000f'
    expect(uuidFingerprint(id)).toBeDefined()
    const others = [
      id.slice(1),
      `${id}0`,
      id.replaceAll('-', '0'),
      id.replace('f', 'g'),
      id.replace('2', '-'),
    ]
    for (const other of [...others, id.replace('9', '\u0139'), `{${id.slice(2)}}`, '', 'r1'])
      expect(uuidFingerprint(other)).toBeUndefined()
  })

  it('the fingerprint of a UUID is another one for another digit anywhere', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat({ max: 35 }), fc.integer({ min: 1, max: 15 }), (id, at, change) => {
        if (id[at] === '-') return
        const digit = (Number.parseInt(id[at] ?? '', 16) ^ change).toString(16)
        expect(uuidFingerprint(id.slice(0, at) + digit + id.slice(at + 1))).not.toEqual(uuidFingerprint(id))
      }),
    )
  })

  it.each(families)(
    'the fingerprint of a UUID is spread, and another one for each, where they count %s',
    (_, idOf) => {
      const prints = Array.from({ length: 4096 }, (_, at) => uuidFingerprint(idOf(at)) ?? [0, 0, 0])
      expect(new Set(prints.map(String)).size).toBe(4096)
      const sixteenths = Array.from({ length: 16 }, () => 0)
      for (const [first] of prints) sixteenths[first >>> 28] = (sixteenths[first >>> 28] ?? 0) + 1
      for (const count of sixteenths) expect(Math.abs(count - 256)).toBeLessThan(150)
    },
  )
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
          const table = new KeyTable()
          const map = new Map<string, number>()
          for (const [what, print, given] of steps) {
            if (what === 'set') {
              table.set(print, given)
              map.set(print.join(), given)
            }
            expect(table.get(print)).toBe(map.get(print.join()))
            expect(table.size).toBe(map.size)
          }
        },
      ),
    )
  })

  it('a key table behaves like a Map while it grows', () => {
    const map = new Map<string, number>()
    const table = new KeyTable()
    for (let at = 0; at < 20_000; at += 1) {
      const key = `key ${(at * 7919) % 12_000}`
      map.set(key, at)
      table.set(fingerprint(key), at)
    }
    expect(table.size).toBe(map.size)
    for (const [key, at] of map) expect(table.get(fingerprint(key))).toBe(at)
    for (let at = 0; at < 1000; at += 1) expect(table.get(fingerprint(`other ${at}`))).toBeUndefined()
  })

  it('a key table has room for keys that all belong into its last place, among others', () => {
    const table = new KeyTable()
    const print = (at: number): Fingerprint => [
      at % 2 ? 0xffffffff - (at % 3) : (at * 2654435761) % 2 ** 32,
      at,
      0,
    ]
    for (let at = 0; at < 3000; at += 1) table.set(print(at), at)
    for (let at = 0; at < 3000; at += 1) expect(table.get(print(at))).toBe(at)
    for (let at = 3000; at < 6000; at += 1) expect(table.get(print(at))).toBeUndefined()
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
