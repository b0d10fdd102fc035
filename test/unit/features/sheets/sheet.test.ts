import { describe, expect, it } from 'vitest'
import { cellsOf, readFileOf } from '../../../support/read-input.ts'
import { sheetOf, type WorkbookXml } from '../../../support/sheets.ts'

/** The cells of each row without a header, by their XML. */
const read = async (rows: string, others?: WorkbookXml) =>
  cellsOf(await readFileOf('book.xlsx', sheetOf(`<row><c t="str"><v>A</v></c></row>${rows}`, others)))

describe('row of a sheet', () => {
  it('a row of a sheet has its cells as text', async () => {
    const rows = await readFileOf(
      'book.xlsx',
      sheetOf(
        `<row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" t="inlineStr"><is><t>Born</t></is></c></row>
         <row r="7"><c r="A7" t="s"><v>1</v></c><c r="B7" s="1"><v>46300</v></c></row>`,
        {
          strings: ['<t>Name</t>', '<r><t>Ada </t></r><r><t>Stone</t></r><rPh sb="0" eb="1"><t>ey</t></rPh>'],
          formats: [0, 14],
        },
      ),
    )
    expect(rows.map(row => [row.line, row.value('Name'), row.value('Born')])).toEqual([
      [7, 'Ada Stone', '2026-10-05'],
    ])
  })

  it.each([
    ['<c t="b"><v>1</v></c>', 'TRUE'],
    ['<c t="b"><v>0</v></c>', 'FALSE'],
    ['<c><v>4.47911123456E+11</v></c>', '447911123456'],
    ['<c><v>0.15</v></c>', '0.15'],
    ['<c><v>0.30000000000000004</v></c>', '0.30000000000000004'],
    ['<c t="str"><f>A1</f><v>007</v></c>', '007'],
    [
      '<c t="inlineStr"><is><t xml:space="preserve"> _x0041__x0009__x005F_x000D_&#10;</t></is></c>',
      ' _x0041_\t_x000D_\n',
    ],
  ])('a row of a sheet reads %s as %s', async (cell, text) => {
    expect(await read(`<row>${cell}</row>`)).toEqual([[text]])
  })
})

describe('number of a sheet', () => {
  const at = '46300.604166666664'
  it.each([
    [14, at, '2026-10-05'],
    [22, at, '2026-10-05T14:30:00'],
    [20, at, '14:30:00'],
    [31, at, '2026-10-05'],
    [45, '0.0525462963', '01:15:40'],
    [46, '1.1041666666666667', '26:30:00'],
    [47, '0.00011689814814814815', '00:00:10.100'],
    [9, '0.15', '0.15'],
    [49, '46300', '46300'],
    ['[$-F800]dddd\\,\\ mmmm\\ dd', at, '2026-10-05'],
    ['d"th of "mmm', at, '2026-10-05'],
    ['m/d/yy h:mm AM/PM', '46300.9999999999', '2026-10-06T00:00:00'],
    ['yyyy-mm-dd', '46300.9999999999', '2026-10-06'],
    ['yyyy-mm-dd', '46300.99', '2026-10-05'],
    ['hh:mm:ss.000', '46300.60416956019', '14:30:00.250'],
    ['[h]:mm', '100.5', '2412:00:00'],
    ['[Red]"dd"0.00;[Blue]yy', '46300', '46300'],
    ['yyyy-mm-dd', '1', '1900-01-01'],
    ['yyyy-mm-dd', '59', '1900-02-28'],
    ['yyyy-mm-dd', '60', '60'],
    ['yyyy-mm-dd', '61', '1900-03-01'],
    ['yyyy-mm-dd', '0', '0'],
    ['yyyy-mm-dd', '-1', '-1'],
    ['yyyy-mm-dd', '2958465', '9999-12-31'],
    ['yyyy-mm-dd', '2958466', '2958466'],
    ['0', '1E+21', '1000000000000000000000'],
    ['0', '1.5E-7', '0.00000015'],
    ['0', '-1.25E+3', '-1250'],
    ['0', 'abc', 'abc'],
  ])('a number of a sheet of the format %s that is stored as %s is %s', async (format, stored, text) => {
    const cell = `<row><c s="0"><v>${stored}</v></c></row>`
    expect(await read(cell, { formats: [format] })).toEqual([[text]])
  })

  it('a number of a sheet counts days from 1904 if the workbook says so', async () => {
    const cell = '<row><c s="0"><v>0</v></c></row><row><c s="0"><v>44838.5</v></c></row>'
    const dates = await read(cell, { formats: ['yyyy-mm-dd hh:mm'], is1904: true })
    expect(dates).toEqual([['1904-01-01T00:00:00'], ['2026-10-05T12:00:00']])
  })
})
