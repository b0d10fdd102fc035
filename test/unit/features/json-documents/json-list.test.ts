import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { findLists, jsonRows } from '../../../../src/features/json-documents/json-list.ts'
import type { Chunk } from '../../../../src/features/ledger/chunk-reader.ts'
import { divide } from '../../../../src/features/ledger/chunks.ts'
import { decode } from '../../../../src/input/decode.ts'
import { SourceError } from '../../../../src/model/errors.ts'
import { problem } from '../../../../src/model/problem.ts'
import type { Row } from '../../../../src/model/row.ts'
import { cases, itLong } from '../../../support/long.ts'
import { arrayBytesInUse } from '../../../support/memory.ts'
import { randomFor } from '../../../support/random.ts'
import {
  check,
  chunksOf,
  fileWith,
  piecesOf,
  placesOf,
  type ReadOptions,
  read,
  readFileOf,
  rowsOf,
  sourceProblem,
} from '../../../support/read-input.ts'

const chunks = [1, 2, 3, 7, 64, 100_000]

/** The rows that come, and the fault behind them. */
async function readAll(text: string, rows?: string, chunk?: number): Promise<{ rows: Row[]; end: unknown }> {
  const found: Row[] = []
  const bytes = decode(piecesOf(Buffer.from(text), chunk), {}, 'a.json')
  try {
    for await (const batch of jsonRows(bytes, 'a.json', { rows, keepsLines: true })) found.push(...batch)
  } catch (error) {
    if (error instanceof SourceError) return { rows: found, end: error.problem }
    throw error
  }
  return { rows: found, end: undefined }
}

const valuesOf = (rows: readonly Row[]) => rows.map(row => Object.fromEntries(row.cells()))
const readJson = (text: string | Buffer, options: ReadOptions = {}) =>
  read(text, { format: 'json', ...options })

const board = {
  id: '65aa',
  name: 'Launch [{"board',
  labels: ['a', 'b'],
  cards: [
    { id: '1', name: 'Paint "the counter" \\', tags: [{ name: '}]' }], at: { x: [1.5, -2e3, true, null] } },
    { id: '2', name: 'Sweep – 東京 🚀', '': {} },
  ],
  more: { cards: [{ id: 'other' }] },
}

describe('rows of a JSON document', () => {
  it.each(chunks)(
    'rows of a JSON document are the items of its list, wherever bytes are cut: into %i',
    async chunk => {
      for (const text of [JSON.stringify(board.cards), JSON.stringify(board.cards, null, '\t')]) {
        const { rows, end } = await readAll(text, undefined, chunk)
        expect([valuesOf(rows), end]).toEqual([board.cards, undefined])
        expect(placesOf(rows)).toEqual([
          [1, 1],
          [2, 2],
        ])
      }
    },
  )

  it.each(chunks)(
    'rows of a JSON document are the items at a path, wherever its bytes are cut: into %i',
    async chunk => {
      for (const text of [JSON.stringify(board), JSON.stringify(board, null, 2).replaceAll('\n', '\r\n')]) {
        expect(valuesOf((await readAll(text, 'cards', chunk)).rows)).toEqual(board.cards)
        expect(valuesOf((await readAll(text, 'more.cards', chunk)).rows)).toEqual([{ id: 'other' }])
      }
    },
  )

  it('rows of a JSON document are found past lists, in keys with dots and repeated keys', async () => {
    const lists = {
      kind: 'lists',
      items: [{ id: 1, items: [{ n: 1 }, { n: 2 }] }, { id: 2 }, { items: [] }, 5, { items: [{ n: 3 }] }],
    }
    const { rows } = await readAll(JSON.stringify(lists), 'items.items')
    expect(valuesOf(rows)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(placesOf(rows)).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
    expect(valuesOf((await readAll(JSON.stringify([lists, lists]), 'items.items')).rows)).toHaveLength(6)
    expect(valuesOf((await readAll('{"a.b":[{"n":1}],"a":{"b":[{"n":2}]}}', 'a.b')).rows)).toEqual([
      { n: 1 },
      { n: 2 },
    ])
    expect(valuesOf((await readAll('{"a":[{"n":1}],"b":[],"\\u0061":[{"n":2}]}', 'a')).rows)).toEqual([
      { n: 1 },
      { n: 2 },
    ])
    expect(valuesOf((await readAll('{"\\\\u0061\\/b":[{"n":1}]}', '\\u0061/b')).rows)).toEqual([{ n: 1 }])
  })

  it.each(chunks)(
    'rows of a JSON document are the items under any key where the path has `*`, wherever bytes are cut: into %i',
    async chunk => {
      const ofIds = {
        '61': { title: 'a', cards: [{ n: 1 }, { n: 2 }], notes: [{ n: 0 }] },
        'x.y': { cards: [{ n: 3 }] },
        other: { deep: { cards: [{ n: 0 }] } },
        '*': { cards: [{ n: 4 }] },
      }
      const text = JSON.stringify({ stacks: ofIds, cards: [{ n: 0 }] })
      expect(valuesOf((await readAll(text, 'stacks.*.cards', chunk)).rows)).toEqual([
        { n: 1 },
        { n: 2 },
        { n: 3 },
        { n: 4 },
      ])
      const boards = JSON.stringify({
        boards: [{ stacks: ofIds }, { stacks: { '7': { cards: [{ n: 5 }] } } }],
      })
      expect((await readAll(boards, 'boards.stacks.*.cards', chunk)).rows).toHaveLength(5)
      expect((await readAll(text, '*', chunk)).rows.map(({ line }) => line)).toEqual([1, 2])
      expect(
        valuesOf((await readAll('{"tasks":{"-Kx":{"n":1},"-Ky":{"n":2}}}', 'tasks.*', chunk)).rows),
      ).toEqual([{ n: 1 }, { n: 2 }])
      expect((await readAll(text, 'stacks.*.none', chunk)).end).toMatchObject({ code: 'no_one_list' })
    },
  )

  it('rows of a JSON document keep all digits of their numbers, and their text on one line', async () => {
    const { rows } = await readAll('[\n  {\n    "id": 12345678901234567890,\n    "name": "a\\nb"\n  }\n]')
    expect(valuesOf(rows)).toEqual([{ id: '12345678901234567890', name: 'a\nb' }])
    expect(rows[0]?.asWritten).toBe('{\t"id": 12345678901234567890,\t"name": "a\\nb"\t}')
  })

  it('rows of a JSON document are invalid if they are no JSON or no objects', async () => {
    const text = '[{"a":1}, 5, "x, ]", null, [1], {"a":nope}, {"b":"line\nbreak"}, {"a":[1}], tru, {"a":2}]'
    const { rows, end } = await readAll(text)
    expect(end).toBeUndefined()
    expect(rows.map(({ fault }) => fault?.code)).toEqual([
      undefined,
      ...Array(4).fill('not_object'),
      ...Array(4).fill('not_json'),
      undefined,
    ])
    expect(rows[7]?.text).toBe('{"a":[1}]')
    const deep = await readAll(`[{"a":${'['.repeat(99_000)}${']'.repeat(99_000)}},{"a":1}]`, undefined, 1000)
    expect(deep.rows.map(({ fault }) => fault)).toEqual([
      expect.objectContaining({ code: 'too_deep' }),
      undefined,
    ])
    const many = await readAll(`[{"a":[${'0,'.repeat(100_001)}0]}]`)
    expect(many.rows[0]?.fault).toEqual(problem('too_many_values', { most: 100_000 }))
  })

  it('rows of a JSON document are none in an empty list', async () => {
    for (const [text, rows] of [
      ['[]', undefined],
      [' [ \n] ', undefined],
      ['{"a":[]}', 'a'],
    ] as const)
      expect(await readAll(text, rows)).toEqual({ rows: [], end: undefined })
  })

  it('rows of a JSON document come as JSON.parse has them, from any document', async () => {
    const random = randomFor('json documents')
    const pick = <T>(...all: T[]) => all[Math.floor(random() * all.length)] as T
    const value = (depth: number): unknown =>
      pick<() => unknown>(
        () => pick<string>('', 'x', '\\', '"', '}],[{', 'é\n', '\u0000🚀', '\\"'),
        () => pick<unknown>(0, -1.5, 1e21, true, false, null),
        () => (depth > 3 ? 1 : Array.from({ length: pick(0, 1, 3) }, () => value(depth + 1))),
        () =>
          depth > 3
            ? {}
            : Object.fromEntries(
                Array.from({ length: pick(0, 1, 3) }, () => [
                  pick('a', '', 'é"\\', 'b.c', 'd'),
                  value(depth + 1),
                ]),
              ),
      )()
    for (let at = 0; at < 300; at += 1) {
      const rows = Array.from({ length: pick(0, 1, 5) }, () => ({ v: value(0) }))
      const text = JSON.stringify(
        { before: value(0), x: { rows, y: value(0) }, z: value(0) },
        null,
        pick('', ' ', '\t'),
      )
      const { rows: found, end } = await readAll(text, 'x.rows', pick(1, 3, 17, 4096))
      expect(end).toBeUndefined()
      expect(found.filter(({ fault }) => fault?.code !== 'nul_character').map(row => row.value('v'))).toEqual(
        rows.map(({ v }) => v).filter(v => !JSON.stringify(v).includes('\\u0000')),
      )
    }
  })
})

describe('broken JSON document', () => {
  it.each([
    ['[{"a":1} {"a":2}]', 1, 10, 'comma_or_end', '{'],
    ['[{"a":1},\n {"a":2},]', 2, 10, 'value', ']'],
    ['[,{"a":1}]', 1, 2, 'value_or_end', ','],
    ['[{"a":1}}', 1, 9, 'comma_or_end', '}'],
    ['[{"a":1}]\r\n\r\n[', 3, 1, 'nothing', '['],
    ['[{"a":1}', 1, 9, 'comma_or_end', ''],
    ['[{"é":1}, {"a":', 1, 16, 'value', ''],
    ['[{"a":"', 1, 8, 'value_or_end', ''],
    ['[', 1, 2, 'value_or_end', ''],
    ['[1', 1, 3, 'comma_or_end', ''],
  ])('a broken JSON document is reported if a person looks: %s', async (text, line, column, wanted, sign) => {
    const end = { code: 'bad_json', params: { source: 'a.json', line, column, wanted, sign } }
    for (const chunk of chunks) expect((await readAll(text, undefined, chunk)).end).toEqual(end)
  })

  it.each([
    ['{"a" 1}', 'colon'],
    ['{a:1}', 'key_or_end'],
    ['{"a":1,}', 'key'],
    ['{"a":}', 'value'],
    ['{"a":1', 'comma_or_end'],
    ['{"a', 'key_or_end'],
    ['{"a":[1]]', 'comma_or_end'],
    ['}', 'value'],
  ])('a broken JSON document is reported outside of its list: %s', async (text, wanted) => {
    for (const chunk of chunks)
      expect((await readAll(text, 'cards', chunk)).end).toMatchObject({
        code: 'bad_json',
        params: { wanted },
      })
  })

  it('a broken JSON document gives all rows before the break, but none where it is near the beginning', async () => {
    const good = '{"a":1},'.repeat(1000)
    for (const chunk of [64, 100, 2000])
      expect((await readAll(`[${good} x y]`, undefined, chunk)).rows).toHaveLength(1001)
    for (const [text, wanted] of [
      [`[${good} x y]`, 'comma_or_end'],
      [`[${good}`, 'value'],
    ] as const) {
      const path = await fileWith('a.json', text)
      expect(await sourceProblem(check([path]))).toMatchObject({ code: 'bad_json', params: { wanted } })
    }
  })

  it('a broken JSON document ends at a value over 10 MB', async () => {
    const long = `[{"a":1},\n{"a":"${'x'.repeat(10_000_000)}"}]`
    const fault = { code: 'row_too_long', params: { source: 'a.json', line: 2, megabytes: 10 } }
    for (const chunk of [65_536, undefined])
      expect((await readAll(long, undefined, chunk)).end).toEqual(fault)
    const fitting = `[{"a":"${'x'.repeat(9_999_000)}"},{"a":1}]`
    for (const chunk of cases([65_536, 1000], 1))
      expect((await readAll(fitting, undefined, chunk)).rows).toHaveLength(2)
  })
})

describe('list of a JSON document', () => {
  it('the list of a document is found where it is the only one, in objects of any depth', async () => {
    const text = JSON.stringify({
      page: 1,
      tags: ['x'],
      none: [],
      data: { deep: { 'all rows': board.cards } },
    })
    expect(valuesOf(await readFileOf('a.json', text))).toEqual(board.cards)
    const ofIds = JSON.stringify({ stacks: { '1': { cards: [{ n: 1 }] }, '2': { cards: [{ n: 2 }] } } })
    expect(valuesOf(await readFileOf('a.json', ofIds))).toEqual([{ n: 1 }, { n: 2 }])
    expect(valuesOf(await readFileOf('a.json.gz', (await import('node:zlib')).gzipSync(text)))).toEqual(
      board.cards,
    )
  })

  it.each([
    [
      'two lists without a path',
      board,
      undefined,
      [
        ['cards', 2],
        ['more.cards', 1],
      ],
    ],
    [
      'a path that is misspelled',
      { cards: board.cards, lists: [{ id: 1 }] },
      'crads',
      [
        ['cards', 2],
        ['lists', 1],
      ],
    ],
    [
      'lists under ids',
      {
        boards: {
          '7': { stacks: { '61': { cards: board.cards }, '62': { cards: board.cards } }, users: [{}] },
        },
        v1: { items: [{}] },
      },
      undefined,
      [
        ['boards.*.stacks.*.cards', 4],
        ['boards.*.users', 1],
        ['v1.items', 1],
      ],
    ],
    [
      'lists under names that end in numbers',
      { list1: { cards: [{}] }, list2: { cards: [{}, {}] }, more: [{}] },
      undefined,
      [
        ['*.cards', 3],
        ['more', 1],
      ],
    ],
    ['a path past the list', { cards: board.cards }, 'cards.lists', []],
    ['an empty list', { items: [], total: 0 }, undefined, [['items', 0]]],
    ['a list of numbers', { id: 1, name: 'one row', tags: [1] }, undefined, []],
    ['a path of an object', { cards: { a: {} } }, 'cards', []],
    ['a text for a document', 'text', 'cards', []],
  ])('the list of a document has no or a wrong name: %s', async (_, json, rows, lists) => {
    const path = await fileWith('a.json', JSON.stringify(json))
    expect(await sourceProblem(check([path], { rows }))).toEqual({
      code: 'no_one_list',
      params: { source: path, rows, lists: lists.map(([path, items]) => ({ path, items })) },
    })
  })

  it('the list of a document of standard input is read as it comes, and else has to be named', async () => {
    expect(valuesOf(await readJson(JSON.stringify(board.cards)))).toEqual(board.cards)
    expect(valuesOf(await readJson(JSON.stringify(board), { rows: 'cards', chunk: 5 }))).toEqual(board.cards)
    expect(await sourceProblem(readJson(JSON.stringify({ cards: board.cards })))).toMatchObject({
      code: 'no_one_list',
    })
  })

  it('the list of a document is divided for several workers', async () => {
    const cards = [...Array(50)].map((_, at) => ({
      id: at,
      name: `Card ${at}`,
      none: at === 7 ? undefined : at,
    }))
    const [source] = await check([await fileWith('a.json', JSON.stringify({ cards }, null, 1))])
    const { chunks } = await divide(source ? [source] : [], undefined, 8)
    const parts: Row[][] = []
    for (const at of [3, 0, 6, 1, 5, 2, 4]) {
      parts[at] = []
      for await (const batch of chunksOf(source)?.read(chunks[at] as Chunk) ?? []) parts[at].push(...batch)
    }
    await chunksOf(source)?.close()
    expect(parts.map(({ length }) => length)).toEqual([8, 8, 8, 8, 8, 8, 2])
    expect(parts.flat().map(row => row.value('name'))).toEqual(cards.map(({ name }) => name))
  })

  it('the list of a document is read in other encodings, too', async () => {
    const text = JSON.stringify(board)
    const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
    for (const bytes of [`\ufeff${text}`, utf16])
      expect(valuesOf(await readFileOf('a.json', bytes, { rows: 'cards' }))).toEqual(board.cards)
  })

  it('the list of a document is counted with its first items', async () => {
    const { lists } = await findLists(
      Readable.from(piecesOf(Buffer.from(JSON.stringify(board)), 7)),
      'a.json',
    )
    expect(
      lists.map(({ path, items, samples }) => [path, items, samples.map(text => JSON.parse(text))]),
    ).toEqual([
      ['cards', 2, board.cards],
      ['more.cards', 1, [{ id: 'other' }]],
    ])
  })
})

describe('memory of a document', () => {
  itLong('the memory of a document does not grow with it', async () => {
    const chunk = Buffer.from(`{"id":"1","text":"${'x'.repeat(2_000)}"},`.repeat(40))
    async function* document(chunks: number) {
      yield Buffer.from('{"before":[')
      for (let at = 0; at < chunks; at += 1) yield Buffer.from(chunk)
      yield Buffer.from('{}],"rows":[')
      for (let at = 0; at < chunks; at += 1) yield Buffer.from(chunk)
      yield Buffer.from('{}]}')
    }
    const before = arrayBytesInUse()
    let [rows, most] = [0, 0]
    for await (const batch of jsonRows(document(250), 'a.json', { rows: 'rows' })) {
      rows += batch.length
      if (rows % 2_000 === 40) most = Math.max(most, arrayBytesInUse() - before)
    }
    expect(rows).toBe(10_001)
    expect(most).toBeLessThan(2_000_000)
  })
})

describe('file of rejected rows', () => {
  it('a file of rejected rows is read with the settings of the document', async () => {
    const rows = await rowsOf(
      await check([await fileWith('r.ndjson', '{"a":1}\n')], { format: 'json', rows: 'cards' }),
    )
    expect(valuesOf(rows)).toEqual([{ a: 1 }])
  })
})
