import { readdir, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Chunk } from '../../../../src/features/ledger/chunk-reader.ts'
import { divide } from '../../../../src/features/ledger/chunks.ts'
import type { Row } from '../../../../src/model/row.ts'
import { wellFormedText } from '../../../support/any-text.ts'
import { itLong } from '../../../support/long.ts'
import { repeats } from '../../../support/random.ts'
import {
  cellsOf,
  check,
  chunksOf,
  fileWith,
  readFileOf,
  rowsOf,
  sourceProblem,
} from '../../../support/read-input.ts'
import { escaped, sheetOf, type WorkbookXml, workbookOf } from '../../../support/sheets.ts'
import { zipOf } from '../../../support/zip.ts'

const text = (value: string, attributes = '') => `<c t="str"${attributes}><v>${escaped(value)}</v></c>`
const header = `<row r="1">${text('Name')}${text('Note')}</row>`
const sheets = {
  People: header,
  Chart: '<?xml version="1.0"?><chartsheet/>',
  'To do': `${header}<row r="2">${text('T1')}</row>`,
  '01': `${header}<row r="2">${text('one')}</row>`,
}
const book = workbookOf({ sheets, types: { Chart: 'chartsheet' } })
const read = (content: Buffer, sheet?: string | number) => readFileOf('book.xlsx', content, { sheet })
const problemOf = (content: Buffer, sheet?: string | number) => sourceProblem(read(content, sheet))

describe('sheet', () => {
  it.each([
    ['To do', 'T1'],
    ['TO DO', 'T1'],
    [3, 'T1'],
    ['3', 'T1'],
    [4, 'one'],
    ['01', 'one'],
  ])('a sheet is found by %j', async (sheet, cell) => {
    expect(cellsOf(await read(book, sheet))).toEqual([[cell, '']])
  })

  it.each(['Chart', 2, 9, 'Nobody'])('a sheet is not found by %j', async sheet => {
    expect(await problemOf(book, sheet)).toMatchObject({
      code: 'sheet_not_found',
      params: { sheet, sheets: ['People', 'To do', '01'] },
    })
  })

  it('a sheet that is empty is told, with the others', async () => {
    const content = workbookOf({ sheets: { Sheet1: '<row/>', People: header } })
    expect(await problemOf(content)).toEqual({
      code: 'empty_sheet',
      params: { source: expect.stringMatching(/book.xlsx$/), sheet: 'Sheet1', others: ['People'] },
    })
  })

  it('a sheet has the rows and columns where they say they are, else after the one before', async () => {
    const rows = await read(
      sheetOf(
        `${header}<row>${text('a')}</row><row r="7" hidden="1">${text('b', ' r="B7"')}${text('c')}</row>
         <row/><row r="9">${text(' ')}</row><row r="3">${text('second', ' r="B3"')}${text('first', ' r="A3"')}</row>`,
      ),
    )
    expect(rows.map(({ row, line }) => [row, line])).toEqual([
      [1, 2],
      [2, 7],
      [3, 3],
    ])
    expect(cellsOf(rows)).toEqual([
      ['a', ''],
      ['', 'b', 'c'],
      ['first', 'second'],
    ])
  })

  it.each([
    ['<c t="e"><v>#REF!</v></c>', 'error_cell', { column: 'Note', cell: 'B2', error: '#REF!' }],
    ['<c><f>1+1</f></c>', 'formula_without_value', { column: 'Note', cell: 'B2' }],
    ['<c><f>1+1</f><v/></c>', 'formula_without_value', { column: 'Note', cell: 'B2' }],
    ['<c t="s"><v>3</v></c>', 'shared_string_missing', { column: 'Note', cell: 'B2' }],
    ['<c t="s"><v>-1</v></c>', 'shared_string_missing', { column: 'Note', cell: 'B2' }],
    ['<c t="s"><v>0.5</v></c>', 'shared_string_missing', { column: 'Note', cell: 'B2' }],
  ])('a sheet with %s has an invalid row', async (cell, code, params) => {
    const rows = `${header}<row r="2">${text('a')}${cell}</row><row>${text('b')}</row>`
    const [bad, good] = await read(sheetOf(rows, { strings: ['<t>x</t>', '<t>y</t>', '<t>z</t>'] }))
    expect(bad?.fault).toMatchObject({ code, params })
    expect(good?.fault).toBeUndefined()
  })

  it('a sheet gives back the cells that were written, by whichever kind of cell', async () => {
    const cell = fc.tuple(fc.constantFrom('s', 'str', 'inlineStr'), wellFormedText())
    const line = fc.array(cell, { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), async lines => {
        const strings: string[] = []
        const written = lines.map(cells =>
          cells.map(([type, value]) => [type, withoutControls(value)] as const),
        )
        const rows = written.map(
          cells => `<row>${cells.map(([type, value]) => cellOf(type, value, strings)).join('')}</row>`,
        )
        const columns = '<c t="str"><v>A</v></c>'.repeat(5)
        const found = cellsOf(await read(sheetOf(`<row>${columns}</row>${rows.join('')}`, { strings })))
        const wide = written.map(cells => [...cells.map(([, value]) => value), '', '', '', ''].slice(0, 5))
        expect(found).toEqual(wide.filter(cells => cells.some(value => value.trim() !== '')))
      }),
      { numRuns: repeats(100) },
    )
  })

  itLong('a sheet shares more texts than are held in memory, and leaves no file behind', async () => {
    const own = async () => (await readdir(tmpdir())).filter(name => name.startsWith('rowlift-text'))
    const before = await own()
    const long = 'x'.repeat(2_000)
    const strings = Array.from({ length: 20_000 }, (_, at) => `<t>${at} ${long}</t>`)
    const wanted = [19_999, 0, 18_000, 5, 19_000, 18_001]
    const rows = wanted.map(at => `<row><c t="s"><v>${at}</v></c></row>`).join('')
    const found = await read(sheetOf(`${header}${rows}`, { strings }))
    expect(found.map(row => Number.parseInt(String(row.value('Name')), 10))).toEqual(wanted)
    expect(await own()).toEqual(before)
  })
})

/** XML holds no control characters, and reads line ends as LF. */
const withoutControls = (value: string) => value.replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, '')

function cellOf(type: string, value: string, strings: string[]): string {
  const xml = escaped(value.replaceAll(/_(?=x[\da-fA-F]{4}_)/g, '_x005F_'))
  if (type === 'str') return `<c t="str"><v>${xml}</v></c>`
  if (type === 'inlineStr') return `<c t="inlineStr"><is><t xml:space="preserve">${xml}</t></is></c>`
  return `<c t="s"><v>${strings.push(`<t xml:space="preserve">${xml}</t>`) - 1}</v></c>`
}

describe('workbook', () => {
  const sheet = 'xl/worksheets/sheet1.xml'
  const damaged: readonly (readonly [what: string, parts: WorkbookXml['parts'], fault: string])[] = [
    ['a sheet that ends early', { [sheet]: '<worksheet><sheetData><row><c>' }, 'xml'],
    ['a sheet that is empty', { [sheet]: '' }, 'xml'],
    ['a sheet with two tags crossed', { [sheet]: '<worksheet><a></worksheet></a>' }, 'xml'],
    ['an entity', { [sheet]: '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet>&a;</worksheet>' }, 'doctype'],
    ['an unknown entity', { [sheet]: '<worksheet>&a;</worksheet>' }, 'xml'],
    ['too many levels', { [sheet]: '<a>'.repeat(200) }, 'deep'],
    ['a row of 11 MB', { [sheet]: `<worksheet><sheetData><row><c t="str"><v>${'x'.repeat(11e6)}` }, 'long'],
    [
      'a row at no number',
      { [sheet]: '<worksheet><sheetData><row r="x"/></sheetData></worksheet>' },
      'place',
    ],
    [
      'a cell past column XFD',
      { [sheet]: '<worksheet><sheetData><row><c r="XFE1"><v>1</v></c></row></sheetData></worksheet>' },
      'place',
    ],
    ['a shared text of 2 MB', { 'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(2e6)}` }, 'long'],
    ['styles that are no XML', { 'xl/styles.xml': 'styles' }, 'xml'],
    ['relations that are no XML', { 'xl/_rels/workbook.xml.rels': '<' }, 'xml'],
  ]
  it.each(damaged)('a workbook with %s is refused', async (_, parts, fault) => {
    const rows = `${header}<row><c t="s"><v>0</v></c></row>`
    const content = sheetOf(rows, { strings: [], ...(parts && { parts }) })
    expect(await problemOf(content)).toMatchObject({ code: 'bad_workbook', params: { fault } })
  })

  it('a workbook cut short is refused, wherever it is cut', async () => {
    const whole = sheetOf(header)
    for (const length of [4, 100, whole.length / 2, whole.length - 1])
      expect((await problemOf(whole.subarray(0, length))).code).toBe('bad_zip')
  })

  it.each([
    ['text', 'Name,Email\nAda,ada@example.com\n'],
    ['web_page', '<html><body><table>'],
    ['pdf', '%PDF-1.7 and so on'],
    ['empty', ''],
    ['xls', compoundFile('Workbook')],
    ['encrypted', compoundFile('EncryptedPackage')],
    ['office', compoundFile('WordDocument')],
    ['xlsb', zipOf([{ name: 'xl/workbook.bin', content: 'x' }])],
    [
      'ods',
      zipOf([
        { name: 'mimetype', content: 'x', method: 0 },
        { name: 'content.xml', content: '<x/>' },
      ]),
    ],
    ['office', zipOf([{ name: 'word/document.xml', content: '<x/>' }])],
    ['zip', zipOf([{ name: 'people.csv', content: 'Name\n' }])],
  ])('a workbook that is %s is told as such', async (looksLike, content) => {
    expect(await problemOf(Buffer.from(content))).toMatchObject({
      code: 'unsupported_source',
      params: { looksLike },
    })
  })

  it('a workbook is divided for several workers', async () => {
    const strings = [...Array(1000)].map((_, at) => `<t>Row ${at}</t>`)
    const rows = strings.map((_, at) => `<row r="${2 * at + 2}"><c t="s"><v>${at}</v></c></row>`)
    const path = await fileWith('book.xlsx', sheetOf(header + rows.join(''), { strings }))
    const [source] = await check([path])
    const { chunks } = await divide(source ? [source] : [], undefined, 300)
    const parts: Row[][] = []
    for (const at of [2, 0, 3, 1]) {
      parts[at] = []
      for await (const batch of chunksOf(source)?.read(chunks[at] as Chunk) ?? []) parts[at].push(...batch)
    }
    await chunksOf(source)?.close()
    expect(parts.map(({ length }) => length)).toEqual([300, 300, 300, 100])
    expect(parts.flat().map(({ line }) => line)).toEqual(rows.map((_, at) => 2 * at + 2))
    expect(parts.flat().map(row => `<t>${row.value('Name')}</t>`)).toEqual(strings)
  })

  it('a workbook is not read from a stream or a packed file', async () => {
    expect(await sourceProblem(check(['-'], { format: 'xlsx' }))).toMatchObject({
      code: 'workbook_in_stream',
      params: { isPacked: false },
    })
    const packed = await fileWith('book.xlsx.gz', book)
    expect(await sourceProblem(check([packed]))).toMatchObject({ params: { isPacked: true } })
  })

  it('a workbook that changes while it is read ends the run', async () => {
    const path = await fileWith('book.xlsx', book)
    const sources = await check([path], { sheet: 3 })
    await utimes(path, 1, 1)
    expect((await sourceProblem(rowsOf(sources))).code).toBe('source_changed')
  })
})

/** The start of a compound file, with the name of a stream in its directory, which is far down. */
function compoundFile(stream: string): Buffer {
  const file = Buffer.alloc(200_000)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(file)
  file.writeUInt16LE(9, 30)
  file.writeUInt32LE(300, 48)
  file.write(stream, 301 * 512 + 128, 'utf16le')
  return file
}
