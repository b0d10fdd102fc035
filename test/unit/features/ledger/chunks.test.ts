import { createHash } from 'node:crypto'
import { appendFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import type { Chunk } from '../../../../src/features/ledger/chunk-reader.ts'
import { forwardReader } from '../../../../src/features/ledger/chunk-reader.ts'
import { divide } from '../../../../src/features/ledger/chunks.ts'
import { type CheckedSource, checkSources } from '../../../../src/input/open.ts'
import { SourceError } from '../../../../src/model/errors.ts'
import type { Row } from '../../../../src/model/row.ts'
import { tempFolder } from '../../../support/cleanup.ts'
import { timesOpen } from '../../../support/open-files.ts'
import { repeats } from '../../../support/random.ts'
import {
  check,
  chunksOf,
  fileWith,
  type ReadOptions,
  rowsOf,
  sourceProblem,
} from '../../../support/read-input.ts'

/** All that a row has. */
const factsOf = (row: Row) => ({
  ...row,
  source: row.source,
  row: row.row,
  line: row.line,
  fault: row.fault,
  text: row.text,
  asWritten: row.asWritten,
  repaired: row.repaired,
  isRagged: row.isRagged,
  cells: [...row.cells()],
  value: ['A', 'a', 'é', ''].map(name => row.value(name)),
})

async function rowsIn(sources: readonly CheckedSource[], chunk: Chunk): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of chunksOf(sources[chunk.source])?.read(chunk) ?? []) rows.push(...batch)
  return rows
}

/** The rows of all chunks, read in any order, in the order of the chunks. */
async function rowsByChunk(
  sources: readonly CheckedSource[],
  chunks: readonly Chunk[],
  order: number[] = [],
) {
  const turn = chunks.map((chunk, at) => ({ chunk, at, by: order[at % order.length] ?? at }))
  turn.sort((one, other) => one.by - other.by)
  const parts: Row[][] = []
  for (const { chunk, at } of turn) parts[at] = await rowsIn(sources, chunk)
  return parts
}

async function expectSameRows(sources: readonly CheckedSource[], rowsPerMark: number, order?: number[]) {
  const all = await rowsOf(sources)
  const { chunks } = await divide(sources, undefined, rowsPerMark)
  const parts = await rowsByChunk(sources, chunks, order)
  expect(parts.map(({ length }) => length)).toEqual(chunks.map(({ rows }) => rows))
  expect(parts.flat().map(factsOf)).toEqual(all.map(factsOf))
}

const table = (rows: number, from = 1) =>
  Array.from({ length: rows }, (_, at) => `${from + at},"é\r\n${at}${'ä'.repeat(40)}"\n`).join('')

const csvFile = (rows: number, name = 'a.csv') => fileWith(name, `A,B\n${table(rows)}`)

describe('division', () => {
  it.each([
    [0, []],
    [1, [1]],
    [100, [100]],
    [101, [100, 1]],
    [6_401, [...Array(32).fill(200), 1]],
  ])('a division of %i rows has chunks of 100 rows or more', async (rows, sizes) => {
    const { chunks } = await divide(await check([await csvFile(rows)]))
    expect(chunks.map(chunk => chunk.rows)).toEqual(sizes)
  })

  it('a division of many rows has chunks of 1,000', async () => {
    const { chunks } = await divide(await check([await fileWith('a.csv', `A\n${'1\n'.repeat(100_500)}`)]))
    expect(chunks).toHaveLength(101)
    expect(chunks[1]).toEqual({ source: 0, at: 2_002, firstRow: 1_001, firstLine: 1_002, rows: 1_000 })
    expect(chunks.at(-1)?.rows).toBe(500)
  })

  it('a division numbers the chunks of all sources in their order, and none spans two', async () => {
    const sources = await check([await csvFile(150), await csvFile(0), await csvFile(30)])
    const { chunks } = await divide(sources)
    expect(chunks.map(({ source, firstRow, rows }) => [source, firstRow, rows])).toEqual([
      [0, 1, 100],
      [0, 101, 50],
      [2, 1, 30],
    ])
  })

  it('a division has the size and the hash of the bytes on disk, packed or not', async () => {
    const text = `A,B\n${table(1_000)}`
    const contents = [Buffer.from(text), gzipSync(text)]
    const paths = [await fileWith('a.csv', text), await fileWith('b.csv.gz', gzipSync(text))]
    const { sources } = await divide(await check(paths))
    expect(sources).toEqual(
      contents.map(bytes => ({
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        rows: 1_000,
      })),
    )
  })

  it('a division ends at a row over 10 MB, also if it could be read in one piece', async () => {
    const long = JSON.stringify({ a: 'x'.repeat(10_000_000) })
    const path = await fileWith('a.ndjson', `{"a":1}\n${long}\n{"a":2}\n`)
    expect(await sourceProblem(divide(await check([path])))).toEqual({
      code: 'row_too_long',
      params: { source: path, line: 2, megabytes: 10 },
    })
  })
})

describe('chunk', () => {
  const readers: [string, string, (text: string) => Buffer, ReadOptions][] = [
    ['UTF-8', 'a.csv', text => Buffer.from(text), {}],
    ['UTF-8 with a byte-order mark', 'a.csv', text => Buffer.from(`\ufeff${text}`), { encoding: 'latin1' }],
    ['UTF-16', 'a.csv', text => Buffer.from(`\ufeff${text}`, 'utf16le'), {}],
    ['windows-1252', 'a.csv', text => iconv.encode(text, 'windows-1252'), { encoding: 'windows-1252' }],
    ['gzip', 'a.csv.gz', text => gzipSync(text), {}],
    [
      'gzip, with a mark in UTF-16',
      'a.csv.gz',
      text => gzipSync(Buffer.from(`\ufeff${text}`, 'utf16le')),
      {},
    ],
  ]

  it.each(readers)(
    'a chunk of %s has the rows of the whole, in any order of the chunks',
    async (_, name, encode, options) => {
      const sources = await check([await fileWith(name, encode(`A,é\r\n${table(2_500)}`))], options)
      await expectSameRows(sources, 150, [3, 1, 2])
    },
  )

  it.each(readers)(
    'a chunk of %s can be read while others are read, and left early',
    async (_, name, encode, options) => {
      const sources = await check([await fileWith(name, encode(`A,é\r\n${table(2_500)}`))], options)
      const all = await rowsOf(sources)
      const { chunks } = await divide(sources)
      for await (const _rows of chunksOf(sources[0])?.read(chunks[3] as Chunk) ?? []) break
      const parts = await Promise.all(chunks.slice(5, 9).map(chunk => rowsIn(sources, chunk)))
      expect(parts.flat().map(factsOf)).toEqual(all.slice(500, 900).map(factsOf))
      await chunksOf(sources[0])?.close()
      expect(await timesOpen(sources[0]?.path ?? '')).toBe(0)
    },
  )

  it('a chunk keeps the delimiter and the columns that rejected rows had at their head', async () => {
    const rejects = Array.from({ length: 250 }, (_, at) => `k${at};"no: ragged";${at};"x;y"\n`).join('')
    const path = await fileWith('a.csv', `rowlift_key;rowlift_reason;A;B\n${rejects}`)
    const sources = await check([path])
    expect((await rowsOf(sources))[249]?.repaired).toBe(true)
    await expectSameRows(sources, 100)
  })

  it('a chunk does not take rows that look like a head or a byte-order mark for one', async () => {
    const lines = [
      '\ufeff1,2',
      'A,B',
      'rowlift_key;rowlift_reason',
      '{}',
      '\ufeff',
      '',
      ' ',
      '"\ufeff",',
      'PK',
    ]
    const path = await fileWith('a.csv', `A,B\n${lines.join('\n').repeat(10)}`)
    for (const header of [
      { type: 'first_line' },
      { type: 'starts_with', cell: 'A' },
      { type: 'columns', columns: ['a', 'A', 'a'] },
    ] as const)
      for (const ragged of ['invalid', 'pad'] as const)
        await expectSameRows(await check([path], { header, ragged }), 1)
  })

  it('a chunk of a file that changed is not read', async () => {
    const path = await csvFile(300)
    const sources = await check([path])
    const { chunks } = await divide(sources)
    await appendFile(path, '1,2\n')
    expect(await sourceProblem(rowsIn(sources, chunks[0] as Chunk))).toMatchObject({ code: 'source_changed' })
  })

  it('a chunk of a file that was replaced while it is read ends with its rows, or with the change', async () => {
    const path = join(await tempFolder(), 'a.csv.gz')
    const packed = gzipSync(`A,B\n${table(40_000)}${'x'.repeat(10)}`, { level: 0 })
    await writeFile(path, packed)
    const sources = await check([path])
    const { chunks } = await divide(sources)
    await rowsIn(sources, chunks[1] as Chunk)
    await writeFile(`${path}.new`, packed)
    await rename(`${path}.new`, path)
    expect(await sourceProblem(rowsIn(sources, chunks.at(-1) as Chunk))).toMatchObject({
      code: 'source_changed',
      params: { isReplaced: true },
    })
    expect(await sourceProblem(rowsIn(sources, chunks.at(-1) as Chunk))).toMatchObject({
      code: 'source_changed',
    })
  })

  it('a chunk is read anew after a reader has failed', async () => {
    let readers = 0
    const forward = forwardReader(async function* () {
      readers += 1
      yield []
      throw new Error(`reader ${readers}`)
    })
    for (const reader of [1, 2])
      await expect(forward.read({ firstRow: 1, rows: 9 }).next()).rejects.toThrow(`reader ${reader}`)
  })

  it('a chunk ends at once when the run is stopped, whatever moment it is', async () => {
    const path = await csvFile(300)
    const chunk = { source: 0, at: 4, firstRow: 1, firstLine: 2, rows: 300 }
    const ends = new Set<unknown>()
    for (let moment = 0; moment < 25; moment += 1) {
      const stopping = new AbortController()
      const settings = { header: { type: 'first_line' }, ragged: 'invalid' } as const
      const context = { stdin: Readable.from([]), signal: stopping.signal, onRead() {} }
      const sources = await checkSources([path], settings, context)
      const reading = rowsIn(sources, chunk).then(
        rows => rows.length,
        (error: SourceError) => error.problem,
      )
      for (let turn = 0; turn < moment; turn += 1) await new Promise(setImmediate)
      stopping.abort()
      ends.add(await reading)
    }
    const problem = { code: 'source_unreadable', params: { source: path, reason: 'ABORT_ERR' } }
    for (const end of ends) expect([300, problem]).toContainEqual(end)
  })

  it('a chunk of a source that was divided in another way is a defect, not a few rows less', async () => {
    const sources = await check([await csvFile(300)])
    const chunk = { source: 0, at: 4, firstRow: 1, firstLine: 2, rows: 301 }
    await expect(rowsIn(sources, chunk)).rejects.toThrow('1 rows less from row 1 on than were divided')
  })
})

describe('chunks of any text', () => {
  const parts = fc.array(
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom('\n', '\r\n', '\r') },
      {
        weight: 5,
        arbitrary: fc.constantFrom(
          ...['"', '""', ',', ',,', ' ', 'a', 'é', '🎨', '\ufeff', '\0', '{', '}', '{"a":1}', '{"a":"é\\n"}'],
          ...['"1\n2"', '"\r",', '"\r\n"', '" ', 'x"y', 'rowlift_key,rowlift_reason', '::', '→', '\u2028'],
        ),
      },
    ),
    { maxLength: 150 },
  )
  const heads = fc.constantFrom(
    'A,B\n',
    'A\r\n',
    '\n\rA,é\r',
    'rowlift_key;rowlift_reason;A\n',
    '"A\r\nB",A\n',
  )
  const writings = fc.constantFrom<
    readonly [name: string, encode: (text: string) => Buffer, encoding?: string]
  >(
    ['x', text => Buffer.from(text)],
    ['x', text => Buffer.from(`\ufeff${text}`)],
    ['x', text => Buffer.from(text, 'utf16le'), 'utf-16le'],
    ['x', text => iconv.encode(text, 'windows-1252'), 'windows-1252'],
    ['x.gz', text => gzipSync(text)],
  )

  /** Undefined if the text cannot be read to its end. */
  async function readable(path: string, options: ReadOptions): Promise<CheckedSource[] | undefined> {
    try {
      const sources = await check([path, path], options)
      await rowsOf(sources)
      return sources
    } catch (error) {
      if (error instanceof SourceError) return undefined
      throw error
    }
  }

  it.each(['csv', 'ndjson'] as const)('chunks of any text of %s are its rows', async format => {
    const folder = await tempFolder()
    await fc.assert(
      fc.asyncProperty(
        heads,
        parts,
        writings,
        fc.constantFrom(',', ';', '::', '→'),
        fc.constantFrom(1, 1, 2, 3, 5),
        fc.array(fc.nat(), { minLength: 1, maxLength: 9 }),
        async (head, texts, [name, encode, encoding], delimiter, rowsPerMark, order) => {
          const path = join(folder, name)
          await writeFile(path, encode(head + texts.join('')))
          const options = { format, encoding, delimiter, keepsLines: true, trustEncoding: true }
          const sources = await readable(path, options)
          if (sources !== undefined) await expectSameRows(sources, rowsPerMark, order)
        },
      ),
      { numRuns: repeats(60) },
    )
  })
})
