import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { identifier } from '../../../src/mapping/identity.ts'
import type { Row } from '../../../src/model/row.ts'
import { mappingOf, rowOf } from '../../support/mappings.ts'
import { read, readNdjson } from '../../support/read-input.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** The identities of rows, in their order. */
const named = (rows: readonly Row[], key?: string | string[]) => {
  const identify = mappingOf({ x: '{{A}}' }, key === undefined ? {} : { key }).identifier()
  return rows.map(identify)
}
const keysOf = (rows: readonly Row[], key?: string | string[]) => named(rows, key).map(origin => origin.key)
const keyOf = (cells: Record<string, unknown>, key?: string | string[]) => keysOf([rowOf(cells)], key)[0]

describe('key of a row', () => {
  it('the key of a row is the value of its key column, trimmed, with its case', () => {
    expect(keyOf({ Email: ' Ada@Example.com ', A: 'x' }, 'Email')).toBe('Ada@Example.com')
    expect(keyOf({ Id: '0042' }, 'Id')).toBe('0042')
    expect(keyOf({ Id: 42 }, 'Id')).toBe('42')
    expect(keyOf({ Id: false }, 'Id')).toBe('false')
    expect(keyOf({ a: { b: 'x' } }, 'a.b')).toBe('x')
  })

  it('the key of a row is its values joined by |, with a \\ before | and \\ in a value', () => {
    expect(keyOf({ A: 'a', B: 'b' }, ['A', 'B'])).toBe('a|b')
    expect(keyOf({ A: 'a|b', B: 'c\\d' }, ['A', 'B'])).toBe('a\\|b|c\\\\d')
    expect(keyOf({ A: 'a', B: '' }, ['A', 'B'])).toBe('a|')
    expect(keyOf({ A: ' ', B: 'b' }, ['A', 'B'])).toBe('|b')
    expect(keyOf({ A: 'a|' }, 'A')).toBe('a\\|')
    expect(keyOf({ A: 'a', B: 'b' }, ['B', 'A'])).toBe('b|a')
  })

  it('the key of a row keeps rows apart that would be one if the values were only put together', () => {
    const keys = keysOf(
      [rowOf({ A: 'x|', B: 'y' }), rowOf({ A: 'x', B: '|y' }), rowOf({ A: 'x\\', B: '|y' })],
      ['A', 'B'],
    )
    expect(new Set(keys).size).toBe(3)
  })

  it('the key of a row is the hash if all key columns are empty', () => {
    const hash = sha256('[["N","x"]]')
    for (const cells of [{ A: '', B: ' ', N: 'x' }, { A: null, N: 'x' }, { N: 'x' }])
      expect(keyOf(cells, ['A', 'B'])).toBe(`sha256:${hash}#1`)
  })

  it('the key of a row counts rows of the very same hash alone, whichever digit others differ in', () => {
    const hash = '0123456789abcdef'
    const others = [...hash].map(
      (digit, at) => `${hash.slice(0, at)}${digit === '5' ? 6 : 5}${hash.slice(at + 1)}`,
    )
    const digestsOf = ({ source: name }: Row) => ({ hash: name, name, alike: undefined })
    const identify = identifier([], [], 'full', digestsOf)
    const keys = [hash, ...others, hash].map(source => identify({ ...rowOf({ A: 'x' }), source } as Row).key)
    expect(keys).toEqual([
      `sha256:${hash}#1`,
      ...others.map(other => `sha256:${other}#1`),
      `sha256:${hash}#2`,
    ])
  })

  it('the key of a row is the text of rowlift_key if no key columns are there', () => {
    expect(keyOf({ rowlift_key: 'sha256:0123456789abcdef#2', A: 'x' })).toBe('sha256:0123456789abcdef#2')
    expect(keyOf({ rowlift_key: 'sha256:0123456789abcdef#2', Email: '', A: 'x' }, 'Email')).toBe(
      'sha256:0123456789abcdef#2',
    )
    expect(keyOf({ rowlift_key: 'a|b' })).toBe('a|b')
    expect(keyOf({ rowlift_key: ' ', Email: 'a' }, 'Email')).toBe('a')
    expect(keyOf({ rowlift_key: 5 })).toBe('5')
  })

  it('the key of a row keeps two rows apart whose rowlift_key is an object', () => {
    expect(keyOf({ rowlift_key: { a: 1 } })).not.toBe(keyOf({ rowlift_key: { a: 2 } }))
  })
})

describe('row that comes back from a rejects file', () => {
  const header = 'Name,Email,rowlift_key,rowlift_reason\n'
  const name = 'sha256:0123456789abcdef'
  const origins = async (line: string, key?: string) => named(await read(header + line), key)

  it('a row that comes back has the key of its columns, and says which row it replaces', async () => {
    expect(await origins(`Bob,bob@b.example,${name}#1,bad\n`, 'Email')).toMatchObject([
      { key: 'bob@b.example', replaces: '0123456789abcdef' },
    ])
    expect(await origins('Bob,bob@b.example,,bad\n', 'Email')).toMatchObject([{ key: 'bob@b.example' }])
    expect((await origins('Bob,bob@b.example,,bad\n', 'Email'))[0]).not.toHaveProperty('replaces')
  })

  it('a row that comes back has the key of the file if there are no filled key columns', async () => {
    for (const key of [undefined, 'Email'])
      expect(await origins(`Bob,,${name}#2,bad\n`, key)).toMatchObject([
        { key: `${name}#2`, replaces: '0123456789abcdef#2' },
      ])
  })

  it('a row that comes back from a file of 0.1 replaces the row refused with its key', async () => {
    expect(await origins('Bob,bob@b.example,nope,bad\n', 'Email')).toMatchObject([
      { key: 'bob@b.example', replaces: 'key:nope' },
    ])
    expect(await origins('Bob,nope,nope,bad\n', 'Email')).toMatchObject([
      { key: 'nope', replaces: 'key:nope' },
    ])
    expect((await origins('Bob,x,nope,bad\n'))[0]).not.toHaveProperty('replaces')
  })

  it('a row that comes back has no key of its columns while it is ragged', async () => {
    const [moved] = await origins('Bob,London,bob@b.example,nope,bad\n', 'Email')
    expect(moved?.key).toMatch(/^sha256:[0-9a-f]{16}#1$/)
    expect(moved).not.toHaveProperty('replaces')
    expect(await origins(`Bob,London,${name}#1,bad,more\n`, 'Email')).toMatchObject([
      { key: `${name}#1`, replaces: '0123456789abcdef' },
    ])
  })
})

describe('hash of a row', () => {
  it('the hash of a row is of its pairs of column and value that are not empty, sorted, as JSON', () => {
    const [origin] = named([rowOf({ Name: 'Ada', Email: 'a@b.example', Note: '', More: ' ' })])
    const hash = sha256('[["Email","a@b.example"],["Name","Ada"]]')
    expect(origin).toEqual({ source: 'rows.csv', row: 1, line: 2, hash, key: `sha256:${hash}#1` })
  })

  it('the hash of a row comes with a key of any kind, and leaves out what is about the row', () => {
    const hash = sha256('[["Email","a"]]')
    expect(named([rowOf({ Email: 'a' })], 'Email')).toMatchObject([{ key: 'a', hash }])
    expect(named([rowOf({ rowlift_key: 'k', Email: 'a' })])).toMatchObject([{ key: 'k', hash }])
    const rejected = { Email: 'a', rowlift_key: 'k', rowlift_reason: 'is bad', rowlift_text: '' }
    expect(named([rowOf(rejected)])).toMatchObject([{ key: 'k', hash }])
  })

  it('the hash of a row is the same in any order of columns, whatever empty ones there are', async () => {
    const texts = ['A,B,C\n1,2,\n', 'C,B,A\n,2,1\n', 'B,A\n2,1\n', 'New,B,,A\n,2, ,1\n', 'A,B\r\n"1","2"\r\n']
    const keys = await Promise.all(texts.map(async text => keysOf(await read(text))[0]))
    expect(new Set(keys)).toEqual(new Set([`sha256:${sha256('[["A","1"],["B","2"]]')}#1`]))
  })

  it('the hash of a row is another one when a value moves to another column, or changes', () => {
    const cells = [
      { A: 'x', B: 'y' },
      { A: 'y', B: 'x' },
      { A: 'x' },
      { B: 'x' },
      { A: 'x', B: 'y', C: 'z' },
      { A: 'X', B: 'y' },
    ]
    expect(new Set(cells.map(each => keyOf(each))).size).toBe(cells.length)
  })

  it('the hash of a row holds every cell of a repeated column, in whatever order they stand', async () => {
    const [one] = keysOf(await read('L,A,L\nx,1,y\n'))
    const [other] = keysOf(await read('L,L,A\ny,x,1\n'))
    expect(one).toBe(`sha256:${sha256('[["A","1"],["L","x"],["L","y"]]')}#1`)
    expect(other).toBe(one)
  })

  it('the hash of a row holds the cells past the header of a row that is too long', async () => {
    const rows = await read('A,B\n1,2,3\n1,2\n1,2,4\n')
    expect(new Set(keysOf(rows)).size).toBe(3)
    expect(keysOf(rows)[0]).toBe(`sha256:${sha256('[["","3"],["A","1"],["B","2"]]')}#1`)
  })

  it('the hash of a row of NDJSON is of the values themselves, with their types', async () => {
    const rows = await readNdjson('{"b":[1,{"c":2}],"a":1,"n":null,"s":"","f":false,"z":0}\n{"a":"1"}\n')
    expect(keysOf(rows)).toEqual([
      `sha256:${sha256('[["a",1],["b",[1,{"c":2}]],["f",false],["z",0]]')}#1`,
      `sha256:${sha256('[["a","1"]]')}#1`,
    ])
  })

  it('the hash of a row and its key keep ids apart that differ in their last digit only', async () => {
    const rows = await readNdjson('{"id":1234567890123456788}\n{"id":1234567890123456789}\n')
    expect(keysOf(rows, 'id')).toEqual(['1234567890123456788', '1234567890123456789'])
    expect(new Set(keysOf(rows)).size).toBe(2)
    expect(keysOf(rows).every(key => key.endsWith('#1'))).toBe(true)
  })

  it('the hash of a broken row is of its text', async () => {
    const rows = await readNdjson('{"a":\n{"a":\n[1]\n')
    expect(keysOf(rows, 'a')).toEqual([
      `sha256:${sha256('{"a":')}#1`,
      `sha256:${sha256('{"a":')}#2`,
      `sha256:${sha256('[1]')}#1`,
    ])
  })

  it('the hash of a row that holds nothing is that of an empty list', () => {
    expect(keyOf({ A: '' })).toBe(`sha256:${sha256('[]')}#1`)
  })
})

describe('equal rows', () => {
  it('equal rows are counted from the start of the import', () => {
    const rows = ['x', 'y', 'x', 'x', 'y'].map(A => rowOf({ A }))
    const [x, y] = [sha256('[["A","x"]]'), sha256('[["A","y"]]')]
    const expected = [`${x}#1`, `${y}#1`, `${x}#2`, `${x}#3`, `${y}#2`].map(key => `sha256:${key}`)
    expect(keysOf(rows)).toEqual(expected)
    expect(keysOf(rows)).toEqual(expected)
  })

  it('equal rows are not counted if a key names them', () => {
    const rows = [rowOf({ K: 'k', A: 'x' }), rowOf({ K: 'k', A: 'x' })]
    expect(keysOf(rows, 'K')).toEqual(['k', 'k'])
  })
})

describe('identity', () => {
  it('an identity is the same under another body', () => {
    const cells = { A: 'x', B: 'y' }
    const one = mappingOf({ x: '{{A}}' }).identifier()(rowOf(cells))
    const other = mappingOf({ y: { from: 'B' }, z: 1 }).identifier()(rowOf(cells))
    expect(other).toEqual(one)
  })

  it('an identity has the place of its row', () => {
    const [origin] = named([{ ...rowOf({ A: 'x' }, 7), source: 'b.csv' }])
    expect(origin).toMatchObject({ source: 'b.csv', row: 7, line: 8 })
  })
})
