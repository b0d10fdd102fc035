import { unlink } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { cellsOf, check, fileWith, readFileOf, rowsOf, sourceProblem } from '../../../support/read-input.ts'
import { sheetOf, type WorkbookXml } from '../../../support/sheets.ts'
import { zipOf } from '../../../support/zip.ts'

/** The cells of each row, by their XML. */
const read = async (rows: string, others?: WorkbookXml) =>
  cellsOf(await readFileOf('book.xlsx', sheetOf(`<row><c t="str"><v>A</v></c></row>${rows}`, others)))

const styled = (value: string, format: string, is1904 = false) =>
  read(`<row><c s="0"><v>${value}</v></c></row>`, { formats: [format], is1904 })

describe('shared string', () => {
  it('a shared string has the characters that XML cannot hold, and lines that end in LF', async () => {
    const strings = ['<t>one_x000D_\ntwo _x005F_x000D_ _X0041_</t>']
    expect(await read('<row><c t="s"><v>0</v></c></row>', { strings })).toEqual([
      ['one\ntwo _x000D_ _X0041_'],
    ])
  })
})

describe('number of a sheet', () => {
  it.each(['0.00 EUR', '#,##0 USD', '[$-409]0 d'])(
    'a number of a sheet is no date by the style %s',
    async format => {
      expect(await styled('45123.5', format)).toEqual([['45123.5']])
    },
  )

  it('a number of a sheet is the day of a style that shows only the day of the week', async () => {
    expect(await styled('45123.5', '[$-804]aaaa;@')).toEqual([['2023-07-16']])
  })

  it('a number of a sheet past the year 9999 stays a number, in both epochs', async () => {
    expect(await styled('2958465.9999999', 'yyyy-mm-dd hh:mm')).toEqual([['2958465.9999999']])
    expect(await styled('2958465', 'yyyy-mm-dd', true)).toEqual([['2958465']])
    expect(await styled('2957003', 'yyyy-mm-dd', true)).toEqual([['9999-12-31']])
  })

  it.each([
    ['-12345678901234567890', '-12345678901234567890'],
    ['-0', '0'],
  ])('a number of a sheet keeps the digits of %s', async (stored, text) => {
    expect(await read(`<row><c><v>${stored}</v></c></row>`)).toEqual([[text]])
  })
})

describe('date of a strict workbook', () => {
  it.each(['2024-02-30', '2024-01-05T10:30:15+02:00', 'soon'])(
    'a date of a strict workbook that is %s stays as it is',
    async stored => {
      expect(await read(`<row><c t="d"><v>${stored}</v></c></row>`)).toEqual([[stored]])
    },
  )
})

describe('sheet', () => {
  it('a sheet makes a row with a NUL character invalid', async () => {
    const [row] = await readFileOf(
      'book.xlsx',
      sheetOf('<row><c t="str"><v>Name</v></c></row><row><c t="str"><v>A_x0000_da</v></c></row>'),
    )
    expect(row?.fault).toEqual({ code: 'nul_character', params: { column: 'Name' } })
  })

  it('a sheet with a cell that has no column is refused', async () => {
    expect(await sourceProblem(read('<row><c r="2"><v>1</v></c></row>'))).toMatchObject({
      code: 'bad_workbook',
      params: { fault: 'place', reason: '2' },
    })
  })

  it('a sheet that is removed while it is read ends the reading as any file does', async () => {
    const path = await fileWith('book.xlsx', sheetOf('<row><c><v>1</v></c></row><row><c><v>2</v></c></row>'))
    const sources = await check([path])
    await unlink(path)
    expect(await sourceProblem(rowsOf(sources))).toMatchObject({
      code: 'source_unreadable',
      params: { reason: 'ENOENT' },
    })
  })

  it.each([
    ['people.ods', 'ods'],
    ['people.xlsb', 'xlsb'],
    ['People.numbers', 'office'],
  ])('a sheet of another program is told by the name %s', async (name, looksLike) => {
    const archive = zipOf([{ name: 'x', content: 'x' }])
    expect(await sourceProblem(readFileOf(name, archive))).toMatchObject({ params: { looksLike } })
  })

  it('a sheet that is no workbook is told, whatever its archive begins with', async () => {
    const archive = zipOf([{ name: 'docProps/app.xml', content: 'x'.repeat(600), method: 0 }])
    expect(await sourceProblem(readFileOf('book.xlsx', archive))).toMatchObject({
      params: { looksLike: 'zip' },
    })
  })

  it.each(['xl/worksheets/sheet1.xml', 'xl/sharedStrings.xml'])(
    'a sheet is damaged if the checksum of %s is wrong, although its rows can be read',
    async entry => {
      const book = sheetOf('<row><c t="s"><v>0</v></c></row>', {
        strings: Array(10_000).fill('<t>Ada</t>'),
      })
      book.writeUInt32LE(1, book.lastIndexOf(entry) - 30)
      expect(await sourceProblem(readFileOf('book.xlsx', book))).toMatchObject({
        code: 'bad_zip',
        params: { entry },
      })
    },
  )
})
