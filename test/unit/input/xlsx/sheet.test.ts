import { describe, expect, it } from 'vitest'
import { cellsOf, readFileOf } from '../../../support/read-input.ts'
import { sheetOf, type WorkbookXml } from '../../../support/sheets.ts'

/** The cells of each row without a header, by their XML. */
const read = async (rows: string, others?: WorkbookXml) =>
  cellsOf(await readFileOf('book.xlsx', sheetOf(`<row><c t="str"><v>A</v></c></row>${rows}`, others)))

describe('a row of a sheet', () => {
  it('has its cells as text', async () => {
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
  ])('reads %s as %s', async (cell, text) => {
    expect(await read(`<row>${cell}</row>`)).toEqual([[text]])
  })
})
