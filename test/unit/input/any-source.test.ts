import fc from 'fast-check'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { decode } from '../../../src/input/decode.ts'
import { SourceError } from '../../../src/model/errors.ts'
import type { Row } from '../../../src/model/row.ts'
import { anyText, wellFormedText } from '../../support/any-text.ts'
import { repeats } from '../../support/random.ts'
import { cellsOf, piecesOf, placesOf, read, readNdjson } from '../../support/read-input.ts'

const delimiters = [',', ';', '\t', '|', '::', '→']
const lineEnds = ['\n', '\r\n', '\r']

/** Text with what CSV finds hard in it, but for quotes around all of it with blanks behind them: those are left out. */
const cell = fc
  .oneof(
    fc.string({ maxLength: 8 }),
    wellFormedText({ maxLength: 6 }),
    fc
      .array(fc.constantFrom('"', ',', ';', '\t', '|', ':', '\r', '\n', '\r\n', ' ', 'é', '🎨', '→', '\0'), {
        maxLength: 6,
      })
      .map(parts => parts.join('')),
  )
  .filter(text => !/^".*"[ \t]+$/s.test(text))

interface Written {
  readonly table: readonly (readonly string[])[]
  readonly delimiter: string
  readonly lineEnd: string
  readonly quoteAll: boolean
  readonly endsOpen: boolean
}

const written = fc.record<Written>({
  table: fc
    .integer({ min: 2, max: 5 })
    .chain(width =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
    ),
  delimiter: fc.constantFrom(...delimiters),
  lineEnd: fc.constantFrom(...lineEnds),
  quoteAll: fc.boolean(),
  endsOpen: fc.boolean(),
})

/** The simplest writer of CSV: what needs quotes, or all, is quoted. */
function csvOf({ table, delimiter, lineEnd, quoteAll, endsOpen }: Written): string {
  const cellText = (text: string) =>
    quoteAll || /["\r\n]/.test(text) || text.includes(delimiter[0] ?? '')
      ? `"${text.replaceAll('"', '""')}"`
      : text
  const lines = table.map(cells => cells.map(cellText).join(delimiter))
  return lines.join(lineEnd) + (endsOpen ? '' : lineEnd)
}

/** The line on which each record starts: the line ends before it, the long way. */
function linesOf({ table }: Written): number[] {
  let line = 1
  return table.map(cells => {
    const start = line
    line +=
      1 +
      cells
        .join('|')
        .replaceAll('\r\n', '\n')
        .replaceAll(/[^\r\n]/g, '').length
    return start
  })
}

const columns = (width: number) => Array.from({ length: width }, (_, at) => `Column ${at}`)

describe('any table', () => {
  it('any table written as CSV comes back cell for cell, however the chunks are cut', async () => {
    await fc.assert(
      fc.asyncProperty(written, fc.integer({ min: 1, max: 40 }), async (table, chunk) => {
        const rows = await read(csvOf(table), {
          chunk,
          format: 'csv', // many NUL characters look like no text
          delimiter: table.delimiter,
          header: { type: 'columns', columns: columns(table.table[0]?.length ?? 0) },
        })
        expect(cellsOf(rows)).toEqual(table.table)
        expect(placesOf(rows)).toEqual(linesOf(table).map((line, at) => [at + 1, line]))
        expect(rows.map(row => row.fault?.code)).toEqual(
          table.table.map(cells => (cells.join().includes('\0') ? 'nul_character' : undefined)),
        )
      }),
      { numRuns: repeats(200) },
    )
  })

  it('any table may begin with a brace, also if the first chunk ends behind it', async () => {
    for (const chunk of [1, 2, 100])
      expect(
        cellsOf(await read('{,x\n1,2\n', { chunk, header: { type: 'columns', columns: columns(2) } })),
      ).toEqual([
        ['{', 'x'],
        ['1', '2'],
      ])
  })

  it('any table comes back in UTF-16 as well', async () => {
    await fc.assert(
      fc.asyncProperty(written, fc.integer({ min: 1, max: 40 }), async (table, chunk) => {
        fc.pre(!csvOf(table).startsWith('\0')) // the mark of UTF-32
        const bytes = Buffer.from(csvOf(table), 'utf16le')
        const rows = await read(Buffer.concat([Buffer.from([0xff, 0xfe]), bytes]), {
          chunk,
          format: 'csv', // many NUL characters look like no text
          delimiter: table.delimiter,
          header: { type: 'columns', columns: columns(table.table[0]?.length ?? 0) },
        })
        expect(cellsOf(rows)).toEqual(table.table)
      }),
      { numRuns: repeats(100) },
    )
  })
})

describe('any JSON objects', () => {
  it('any JSON objects survive NDJSON, however the chunks are cut', async () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(
        objects,
        fc.constantFrom(...lineEnds),
        fc.integer({ min: 1, max: 40 }),
        async (all, lineEnd, chunk) => {
          const texts = all.map(each => JSON.stringify(each))
          const rows = await readNdjson(texts.join(lineEnd), { chunk })
          expect(rows.map(row => Object.fromEntries(row.cells()))).toEqual(
            texts.map(text => JSON.parse(text)),
          )
          expect(placesOf(rows)).toEqual(all.map((_, at) => [at + 1, at + 1]))
        },
      ),
      { numRuns: repeats(100) },
    )
  })
})

describe('any bytes', () => {
  const soup = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
    fc
      .array(
        fc.constantFrom('"', ',', '\r', '\n', 'a', 'é', '1', '2', '{', '}', '"a":', '[', '\ufeff', '\0', ' '),
        {
          maxLength: 60,
        },
      )
      .map(parts => Buffer.from(parts.join(''))),
  )
  const encodings = fc.constantFrom(
    undefined,
    'utf-16le',
    'utf-16be',
    'windows-1252',
    'Shift_JIS',
    'GBK',
    'gb18030',
  )

  const outcome = (reading: Promise<Row[]>) =>
    reading.then(
      rows => rows.map(row => [row.row, row.line, row.fault, ...row.cells()]),
      error => {
        if (error instanceof SourceError) return error.message
        throw error
      },
    )

  /** The text of bytes that are valid to their end. */
  async function decoded(bytes: Buffer, chunk: number): Promise<string | undefined> {
    const texts: Buffer[] = []
    const pieces = (async function* () {
      yield* piecesOf(bytes, chunk)
    })()
    try {
      for await (const text of decode(pieces, {}, 'x.csv')) texts.push(text)
    } catch (error) {
      if (error instanceof SourceError) return undefined
      throw error
    }
    return Buffer.concat(texts).toString()
  }

  it('any bytes are rows or a SourceError, the same wherever the chunks are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        soup,
        encodings,
        fc.constantFrom('csv' as const, 'ndjson' as const),
        fc.integer({ min: 1, max: 9 }),
        async (bytes, encoding, format, chunk) => {
          const whole = await outcome(read(bytes, { encoding, format }))
          const cut = await outcome(read(bytes, { encoding, format, chunk }))
          expect(cut).toEqual(whole)
        },
      ),
      { numRuns: repeats(300) },
    )
  })

  it('any bytes of UTF-8 or UTF-16 are in the text as they are', async () => {
    const texts = fc.oneof(
      soup,
      anyText().map(text => Buffer.from(text)),
      anyText().map(text => Buffer.from(text, 'utf16le')),
    )
    await fc.assert(
      fc.asyncProperty(texts, encodings, fc.integer({ min: 1, max: 9 }), async (bytes, given, chunk) => {
        const encoding = given?.startsWith('utf') ? given : 'utf-8'
        fc.pre(encoding !== 'utf-16le' || !bytes.toString('latin1').startsWith('\0\0')) // the mark of UTF-32
        const marked = Buffer.concat([iconv.encode('\ufeff', encoding), bytes])
        const text = await decoded(marked, chunk)
        if (text !== undefined) expect(iconv.encode(text, encoding)).toEqual(bytes)
      }),
      { numRuns: repeats(300) },
    )
  })
})
