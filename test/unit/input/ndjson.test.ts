import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { problem } from '../../../src/model/problem.ts'
import { check, piecesOf, placesOf, readNdjson, rowsOf, sourceFault } from '../../support/read-input.ts'

const chunks = [1, 2, 3, 7, 64]

const faultsIn = async (text: string) => (await readNdjson(text)).map(row => row.fault)

describe('row of NDJSON', () => {
  it('a row of NDJSON is one object a line, whose values keep their types', async () => {
    const [row] = await readNdjson('{"s":"x","n":1.5,"b":false,"z":null,"l":[1,"2"],"o":{"a":1}}\n')
    expect(row?.fault).toBeUndefined()
    expect(['s', 'n', 'b', 'z', 'l', 'o', 'no'].map(column => row?.value(column))).toEqual([
      'x',
      1.5,
      false,
      null,
      [1, '2'],
      { a: 1 },
      undefined,
    ])
  })

  it('a row of NDJSON is looked into by dotted paths, into lists by positions', async () => {
    const [row] = await readNdjson('{"a":{"b":{"c":1}},"l":[{"x":2},{"x":3}],"t":"text"}')
    expect(row?.value('a.b.c')).toBe(1)
    expect(row?.value('a.b')).toEqual({ c: 1 })
    expect(row?.value('l.1.x')).toBe(3)
    expect(row?.value('a.x.c')).toBeUndefined()
    expect(row?.value('l.2.x')).toBeUndefined()
    expect(row?.value('t.0')).toBeUndefined()
    expect(row?.value('t.length')).toBeUndefined()
    expect(row?.value('l.length')).not.toBe('text')
  })

  it('a row of NDJSON prefers its own key to a path', async () => {
    const [row] = await readNdjson('{"a.b":1,"a":{"b":2},"":0}')
    expect(row?.value('a.b')).toBe(1)
    expect(row?.value('')).toBe(0)
  })

  it('a row of NDJSON has own keys only, whatever they are called', async () => {
    const [first, second] = await readNdjson('{"__proto__":{"x":1},"constructor":2,"toString":"t"}\n{}')
    expect(first?.value('__proto__')).toEqual({ x: 1 })
    expect(first?.value('__proto__.x')).toBe(1)
    expect(first?.value('constructor')).toBe(2)
    expect(first?.value('toString')).toBe('t')
    for (const name of ['__proto__', 'constructor', 'toString', 'constructor.name', 'x'])
      expect(second?.value(name)).toBeUndefined()
  })

  it('a row of NDJSON keeps every digit of a whole number that no number can hold, as text', async () => {
    const line =
      '{"id":1234567890123456789,"l":[-9007199254740993 , 9007199254740991],"o":{"n":12345678901234567890},'
    const [row] = await readNdjson(
      `${line}"s":"no 1234567890123456789, \\"98765432109876543210\\" ","f":0.12345678901234567,"e":1e22}`,
    )
    expect(Object.fromEntries(row?.cells() ?? [])).toEqual({
      id: '1234567890123456789',
      l: ['-9007199254740993', 9007199254740991],
      o: { n: '12345678901234567890' },
      s: 'no 1234567890123456789, "98765432109876543210" ',
      f: Number('0.12345678901234567'),
      e: 1e22,
    })
  })

  it('a row of NDJSON with a NUL in a text or a name is invalid', async () => {
    const lines = ['{"a":"x\\u0000"}', '{"b":[{"c":["\\u0000"]}]}', '{"d\\u0000":1}', '{"e":"\\\\u0000"}']
    const rows = await readNdjson(lines.join('\n'))
    expect(rows.map(({ fault }) => fault?.params)).toEqual([
      { column: 'a' },
      { column: 'b' },
      { column: 'd\0' },
      undefined,
    ])
    expect(rows[0]).toMatchObject({ line: 1, text: lines[0], fault: { code: 'nul_character' } })
  })

  it('a row of NDJSON returns its cells in their order', async () => {
    const [row] = await readNdjson('{"b":1,"a":{"c":2}}')
    expect([...(row?.cells() ?? [])]).toEqual([
      ['b', 1],
      ['a', { c: 2 }],
    ])
  })
})

describe('lines of NDJSON', () => {
  for (const [name, end] of [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ] as const)
    it(`lines of NDJSON end in ${name}, wherever the chunks are cut`, async () => {
      const text = ['{"a":1}', '', '{"a":"ä🎨"}', '  ', '', '{"a":3}'].join(end)
      for (const last of ['', end])
        for (const chunk of chunks) {
          const rows = await readNdjson(text + last, { chunk })
          expect(rows.map(row => row.value('a'))).toEqual([1, 'ä🎨', 3])
          expect(placesOf(rows)).toEqual([
            [1, 1],
            [2, 3],
            [3, 6],
          ])
        }
    })

  it('lines of NDJSON may end in LF, CR and CRLF in one file', async () => {
    for (const chunk of chunks)
      expect(placesOf(await readNdjson('{}\r\n{}\n{}\r{}\r\n\r\n\n\r{}', { chunk }))).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
        [4, 4],
        [5, 8],
      ])
  })

  it('lines of NDJSON are not ended by the other line separators of Unicode', async () => {
    const [row] = await readNdjson('{"a":"x\u2028y\u0085z"}')
    expect(row?.value('a')).toBe('x\u2028y\u0085z')
  })

  it('lines of NDJSON may be none', async () => {
    for (const text of ['', '\n', '\r\n \n', '\ufeff']) expect(await readNdjson(text)).toEqual([])
  })
})

describe('line that is no JSON object', () => {
  it('a line that is no object is a row at fault, and the others are read', async () => {
    const rows = await readNdjson('{"a":1}\n{"a":\n{"a":3}\n')
    expect(rows.map(row => row.value('a'))).toEqual([1, undefined, 3])
    expect(rows[1]?.text).toBe('{"a":')
    expect(rows[1]?.fault).toEqual(problem('not_json', { reason: 'Unexpected end of JSON input' }))
    expect([...(rows[1]?.cells() ?? [])]).toEqual([])
    expect(placesOf(rows)).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
  })

  it('a line that is no object has a fault that does not quote it', async () => {
    const [fault] = await faultsIn('{"name":"Ada", oops}')
    expect(fault?.code).toBe('not_json')
    expect(JSON.stringify(fault)).not.toContain('Ada')
    const [token] = await faultsIn('Secret Person')
    expect(JSON.stringify(token)).not.toContain('Secret')
  })

  it('a line that is no object may be JSON of another kind', async () => {
    const faults = await faultsIn('1\n"x"\nnull\ntrue\n[{"a":1}]\n')
    expect(faults).toEqual(Array(5).fill(problem('not_object')))
  })

  it('a line that is no object may be two objects on one line, or one over several', async () => {
    expect((await faultsIn('{"a":1}{"b":2}')).length).toBe(1)
    expect(await faultsIn('{"a":1}{"b":2}')).not.toContain(undefined)
    expect(await faultsIn('{\n"a":1\n}')).not.toContain(undefined)
  })
})

describe('long line of NDJSON', () => {
  it('a long line of NDJSON may take megabytes', async () => {
    const long = 'é'.repeat(2_000_000)
    const rows = await readNdjson(`{"a":"${long}"}\n{"a":"b"}\n`, { chunk: 65_536 })
    expect(rows.map(row => row.value('a'))).toEqual([long, 'b'])
  })

  it('a long line of NDJSON ends the reading when it is longer than 10 MB', async () => {
    const block = Buffer.alloc(65_536, 'x')
    let taken = 0
    const stdin = Readable.from(
      (async function* () {
        yield Buffer.from('{"a":1}\n\n{"a":"')
        for (let at = 0; at < 1600; at += 1) yield block
      })(),
    )
    const onRead = (bytes: Buffer) => {
      taken += bytes.length
    }
    const sources = await check(['-'], { format: 'ndjson', onRead }, stdin)
    expect(await sourceFault(rowsOf(sources))).toMatch(
      /^-:3: the row that starts here is longer than 10 MB; /,
    )
    expect(taken).toBeLessThan(11_000_000)
  })

  it('a long line of NDJSON is read in pieces in no more than a moment', async () => {
    const bytes = Buffer.from(`{"a":"${'x'.repeat(9_000_000)}"}\n`)
    const sources = await check(['-'], { format: 'ndjson' }, Readable.from(piecesOf(bytes, 65_536)))
    const [row] = await rowsOf(sources)
    expect(row?.fault).toBeUndefined()
  })
})
