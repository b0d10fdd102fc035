import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ObjectSettings, rowsOfObjects } from '../../../src/input/objects.ts'
import { identifier } from '../../../src/mapping/identity.ts'
import { problem } from '../../../src/model/problem.ts'
import type { Row } from '../../../src/model/row.ts'
import { readNdjson, sourceFault } from '../../support/read-input.ts'

type Objects = AsyncIterable<unknown> | Iterable<unknown>

const settings: ObjectSettings = { source: '-', signal: new AbortController().signal }

async function rowsOf(objects: Objects, changes: Partial<ObjectSettings> = {}): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of rowsOfObjects(objects, { ...settings, ...changes })) rows.push(...batch)
  return rows
}

async function rowOf(object: unknown, changes?: Partial<ObjectSettings>): Promise<Row> {
  const [row] = await rowsOf([object], changes)
  if (row === undefined) throw new Error('no row')
  return row
}

/** All that is known of a row, but its text. */
const factsOf = (row: Row) => ({
  place: [row.source, row.row, row.line],
  origin: identifier([])(row),
  cells: [...row.cells()],
  fault: row.fault,
  repaired: row.repaired,
  asWritten: row.asWritten,
})

class Money {
  toJSON(key: string) {
    return `${key} 3.50`
  }
}
class Person {
  name = 'Ada'
  get full() {
    return 'Ada Stone'
  }
}
class Itself {
  a = 1
  toJSON() {
    return this
  }
}

describe('row of an object', () => {
  it('a row of an object is the row of the same object in NDJSON: its cells, its numbers, its name', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue({ depthSize: 'medium' })), { maxLength: 4 }),
        async objects => {
          const lines = objects.map(object => JSON.stringify(object)).join('\n')
          const fromText = await readNdjson(lines, { keepsLines: true })
          const fromObjects = await rowsOf(objects, { keepsLines: true })
          expect(fromObjects.map(factsOf)).toEqual(fromText.map(factsOf))
        },
      ),
    )
  })

  it.each([
    ['a date', { at: new Date(0) }],
    ['objects that say themselves what they are in JSON', { of: new Money(), list: [new Money()] }],
    ['an object that says it is itself', new Itself()],
    ['an object of a class', new Person()],
    ['bytes', { of: Buffer.from('x'), at: new Uint8Array([1, 2]) }],
    ['wrapped primitives', { n: Object(1), s: Object('x'), b: Object(true) }],
    ['a minus zero', { n: -0, list: [-0] }],
    ['large numbers', { a: Number('1234567890123456789'), b: 1e21, c: 5e-324, d: 2 ** 53 }],
    ['keys like parts of an object', JSON.parse('{"__proto__":{"x":1},"constructor":2,"toString":null}')],
    ['keys that are numbers', { b: 1, 10: 2, 9: 3 }],
    ['keys that are symbols', { [Symbol('x')]: 1, a: 2 }],
    ['half a surrogate pair', { a: '\ud800', '\udc00': 'b' }],
    ['a key, a reason and cells of a repaired row', { rowlift_key: 'k', rowlift_reason: '', a: 1 }],
    ['the text of a line that was never repaired', { rowlift_reason: '', rowlift_text: '{"a"', a: 1 }],
    ['nothing', {}],
  ])('a row of an object may hold %s', async (_, object) => {
    const [line] = await readNdjson(JSON.stringify(object), { keepsLines: true })
    const row = await rowOf(object, { keepsLines: true })
    expect(factsOf(row)).toEqual(line && factsOf(line))
    for (const column of ['a', 'at', 'of', 'list.0', '__proto__.x', 'constructor', 'rowlift_key', 'none'])
      expect(row.value(column)).toEqual(line?.value(column))
  })

  it('a row of an object is looked into by dotted paths', async () => {
    const row = await rowOf({ a: { b: [{ c: 1 }] }, 'a.b': 2 })
    expect(row.value('a.b.0.c')).toBe(1)
    expect(row.value('a.b')).toBe(2)
  })

  it('a row of an object does not change with the object', async () => {
    const object = { a: { b: [1] } }
    const row = await rowOf(object)
    object.a.b.push(2)
    object.a = { b: [] }
    expect([...row.cells()]).toEqual([['a', { b: [1] }]])
  })

  it('a row of an object keeps the text of its line if that is wanted', async () => {
    expect((await rowOf({ b: 1, a: [true] })).asWritten).toBeUndefined()
    expect((await rowOf({ b: 1, a: [true] }, { keepsLines: true })).asWritten).toBe('{"b":1,"a":[true]}')
  })
})

const inCircle: Record<string, unknown> = { Id: 1 }
inCircle.self = inCircle
const nest = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)

const unwritable = (field: string, what: string) => problem('not_serializable', { field, what })
const failing = {
  toJSON: () => {
    throw new RangeError('mine')
  },
}

describe('object that JSON cannot hold', () => {
  it.each([
    ['undefined in a field', { Name: undefined }, unwritable('Name', 'undefined'), '{ Name: undefined }'],
    ['a hole in a list', { l: Array(1) }, unwritable('0', 'undefined'), '{ l: [ <1 empty item> ] }'],
    ['a bigint', { Id: 12n }, unwritable('Id', 'a bigint'), '{ Id: 12n }'],
    ['a function', { Id: () => 1 }, unwritable('Id', 'a function'), '{ Id: [Function: Id] }'],
    ['a symbol', { Id: Symbol('x') }, unwritable('Id', 'a symbol'), '{ Id: Symbol(x) }'],
    ['NaN', { a: { Id: Number.NaN } }, unwritable('Id', 'NaN'), '{ a: { Id: NaN } }'],
    ['a Map', { Id: new Map([[1, 2]]) }, unwritable('Id', 'a Map'), '{ Id: Map(1) { 1 => 2 } }'],
    [
      'a circle',
      inCircle,
      unwritable('', 'TypeError: Converting circular structure to JSON'),
      '{ Id: 1, self: [Circular *1] }',
    ],
    [
      'a depth that nobody can write',
      { Id: nest(20_000) },
      unwritable('', 'RangeError: Maximum call stack size exceeded'),
      '{ Id: { a:',
    ],
    ['undefined', undefined, unwritable('', 'undefined'), 'undefined'],
    ['a function for a row', () => 1, unwritable('', 'a function'), '[Function'],
    ['an error of its own', failing, unwritable('', 'RangeError: mine'), '{ toJSON'],
    ['501 levels', nest(501), problem('too_deep', { levels: 500 }), '{"a":{"a":'],
    ['a list', [1], problem('not_object'), '[1]'],
    ['text', 'Ada', problem('not_object'), '"Ada"'],
    ['null', null, problem('not_object'), 'null'],
  ])('an object that JSON cannot hold is a row with a fault: %s', async (_, object, fault, text) => {
    const rows = await rowsOf([{ Id: 1 }, object, { Id: 2 }])
    expect(rows.map(row => [row.row, row.line, row.value('Id')])).toEqual([
      [1, 1, 1],
      [2, 2, undefined],
      [3, 3, 2],
    ])
    const [, row] = rows
    expect(row?.fault).toEqual(fault)
    expect(row?.text).toContain(text)
    expect([...(row?.cells() ?? [])]).toEqual([])
  })

  it('an object that JSON cannot hold may be anything', async () => {
    const anything = fc.anything({ withBigInt: true, withMap: true, withSet: true, withDate: true })
    await fc.assert(
      fc.asyncProperty(fc.array(anything), async objects => {
        const rows = await rowsOf(objects)
        expect(rows).toHaveLength(objects.length)
        for (const row of rows) expect(row.text ?? '').not.toMatch(/[\r\n]/)
      }),
    )
  })

  it('an object that JSON cannot hold is none at 500 levels', async () => {
    expect((await rowOf(nest(500))).fault).toBeUndefined()
  })
})

describe('objects', () => {
  it('objects may be a list, or anything else that can be looped over', async () => {
    async function* later() {
      yield { a: 1 }
      await new Promise(setImmediate)
      yield { a: 2 }
    }
    for (const objects of [[{ a: 1 }, { a: 2 }], new Set([{ a: 1 }, { a: 2 }]), later()])
      expect((await rowsOf(objects)).map(row => row.value('a'))).toEqual([1, 2])
    expect(await rowsOf([])).toEqual([])
  })

  it('objects are taken only when they are asked for', async () => {
    let taken = 0
    function* endless() {
      for (;;) {
        taken += 1
        yield { taken }
      }
    }
    const rows = rowsOfObjects(endless(), settings)
    expect(taken).toBe(0)
    for (let at = 1; at <= 10; at += 1) {
      await rows.next()
      expect(taken).toBe(at)
    }
  })

  it('objects all arrive, also those before an error, which is a fault of the source', async () => {
    async function* failing() {
      for (let n = 1; n <= 20; n += 1) yield { n }
      throw new Error('broken')
    }
    let rows = 0
    const reading = async () => {
      for await (const batch of rowsOfObjects(failing(), settings)) rows += batch.length
    }
    expect(await sourceFault(reading())).toBe('-: cannot be read (broken)')
    expect(rows).toBe(20)
  })

  it('objects may fail with anything', async () => {
    const failWith = (error: unknown) => ({
      [Symbol.iterator]: () => ({
        next: () => {
          throw error
        },
      }),
    })
    expect(await sourceFault(rowsOf(failWith(Object.assign(new Error('x'), { code: 'EIO' }))))).toContain(
      '(EIO)',
    )
    expect(await sourceFault(rowsOf(failWith(undefined)))).toContain('(undefined)')
  })

  it('objects are notified when reading ends early', async () => {
    let isLeft = false
    function* watched() {
      try {
        for (;;) yield { a: 1 }
      } finally {
        isLeft = true
      }
    }
    for await (const _ of rowsOfObjects(watched(), settings)) break
    expect(isLeft).toBe(true)
  })

  it('objects are left at once when the run is stopped, though they wait for what never comes', async () => {
    const stopping = new AbortController()
    let returns = 0
    const waiting = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<unknown>>(() => {}),
        return: () => {
          returns += 1
          return new Promise<IteratorResult<unknown>>(() => {})
        },
      }),
    }
    const reading = sourceFault(rowsOf(waiting, { signal: stopping.signal }))
    stopping.abort()
    expect(await reading).toContain('-: cannot be read')
    expect(returns).toBe(1)
  })

  it('objects are not taken any more once the run is stopped', async () => {
    const taken: number[] = []
    function* numbered() {
      for (let n = 1; ; n += 1) {
        taken.push(n)
        yield { n }
      }
    }
    const stopping = new AbortController()
    const rows = rowsOfObjects(numbered(), { ...settings, signal: stopping.signal })
    await rows.next()
    stopping.abort()
    expect(await sourceFault(rows.next())).toContain('-: cannot be read')
    expect(taken).toEqual([1])
  })
})
