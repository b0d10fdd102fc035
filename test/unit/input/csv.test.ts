import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { problem } from '../../../src/model/problem.ts'
import { cellsOf, check, placesOf, read, rowsOf, sourceFault } from '../../support/read-input.ts'

const contentOf = async (...[content, options]: Parameters<typeof read>) => {
  const rows = await read(content, options)
  return { cells: cellsOf(rows), places: placesOf(rows) }
}

/** The chunk lengths that cut whatever can be cut. */
const chunks = [1, 2, 3, 7, 64]

describe('row of CSV', () => {
  it('a row of CSV returns its cells by their columns', async () => {
    const [row] = await read('Name,Email\nAda,ada@example.com\n')
    expect(row?.value('Name')).toBe('Ada')
    expect(row?.value('Email')).toBe('ada@example.com')
    expect(row?.value('email')).toBeUndefined()
    expect(row?.fault).toBeUndefined()
    expect([...(row?.cells() ?? [])]).toEqual([
      ['Name', 'Ada'],
      ['Email', 'ada@example.com'],
    ])
  })

  it('a row of CSV keeps its cells as they are: blanks, leading zeros, quotes and formulas', async () => {
    const rows = await read('A,B,C,D\n  x  ,007,"say ""so""",=1+1\n')
    expect(cellsOf(rows)).toEqual([['  x  ', '007', 'say "so"', '=1+1']])
  })

  it('a row of CSV takes a quote inside an unquoted cell for a character like any other', async () => {
    expect(cellsOf(await read('A,B\n5" pipe,x\n'))).toEqual([['5" pipe', 'x']])
  })

  it('a row of CSV holds delimiters, quotes and line breaks in a quoted cell', async () => {
    expect(cellsOf(await read('A,B\n"1, ""2""\n3",x\n'))).toEqual([['1, "2"\n3', 'x']])
  })

  it('a row of CSV knows columns that are named like parts of an object', async () => {
    const [row] = await read('__proto__,constructor,toString\na,b,c\n')
    expect(row?.value('__proto__')).toBe('a')
    expect(row?.value('constructor')).toBe('b')
    expect(row?.value('toString')).toBe('c')
    expect(row?.value('hasOwnProperty')).toBeUndefined()
  })

  it('a row of CSV with a NUL in a cell is invalid, wherever its chunks are cut', async () => {
    for (const chunk of chunks) {
      const rows = await read('A,B\n1,2\nx,\0\n"y\0",\n3,4\n', { chunk })
      expect(rows.map(({ line, fault }) => [line, fault?.params])).toEqual([
        [2, undefined],
        [3, { column: 'B' }],
        [4, { column: 'A' }],
        [5, undefined],
      ])
      expect(rows[1]?.fault?.code).toBe('nul_character')
    }
  })

  it('a row of CSV ends a quoted cell at its quote, though blanks stand behind it', async () => {
    for (const chunk of chunks) {
      const rows = await read('"A" ,B\n"Ivy, R"   ,x\n"say ""so"" twice"\t,"y" \n"1\n2" ,""  \n', { chunk })
      expect(rows[0]?.value('A')).toBe('Ivy, R')
      expect(cellsOf(rows)).toEqual([
        ['Ivy, R', 'x'],
        ['say "so" twice', 'y'],
        ['1\n2', ''],
      ])
      expect(placesOf(rows).at(-1)).toEqual([3, 4])
    }
  })

  it('a row of CSV keeps the quotes of a cell that goes on behind them', async () => {
    const rows = await read('A,B\n"Ivy" Reed,x\n"Ivy" and "Rex" ,y\n "Ivy",z\n')
    expect(rows.map(row => row.value('A'))).toEqual(['"Ivy" Reed', '"Ivy" and "Rex" ', ' "Ivy"'])
  })

  it('a row of CSV may hold a cell of 200 kB', async () => {
    const text = 'long text, '.repeat(18_000)
    for (const chunk of [1000, 65_536]) {
      const rows = await read(`A,B\n"${text}",x\ny,z\n`, { chunk })
      expect(cellsOf(rows)).toEqual([
        [text, 'x'],
        ['y', 'z'],
      ])
    }
  })
})

describe('rows and lines', () => {
  for (const [name, end] of [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ] as const) {
    it(`rows and lines are counted in a file with ${name}, wherever its chunks are cut`, async () => {
      const text = ['A,B', '1,2', '"x', 'y","z"', '', '3,4', '5,6'].join(end)
      for (const chunk of chunks) {
        const { cells, places } = await contentOf(text + end, { chunk })
        expect(cells).toEqual([
          ['1', '2'],
          [`x${end}y`, 'z'],
          ['3', '4'],
          ['5', '6'],
        ])
        expect(places).toEqual([
          [1, 2],
          [2, 3],
          [3, 6],
          [4, 7],
        ])
      }
    })
  }

  it('rows and lines are counted where LF, CR and CRLF stand in one file', async () => {
    for (const chunk of chunks)
      expect(await contentOf('A,B\r\n1,2\n3,4\r5,6\r\n\r\n\n\r7,8', { chunk })).toEqual({
        cells: [
          ['1', '2'],
          ['3', '4'],
          ['5', '6'],
          ['7', '8'],
        ],
        places: [
          [1, 2],
          [2, 3],
          [3, 4],
          [4, 8],
        ],
      })
  })

  it('rows and lines end at CR from the first one on, though only LF came before it', async () => {
    for (const chunk of chunks) {
      const { cells, places } = await contentOf('A,B\n1,"2\n3"\n4,5\r6,"7\r8"\r\n9,0\n', { chunk })
      expect(cells.map(([first]) => first)).toEqual(['1', '4', '6', '9'])
      expect(places.map(([, line]) => line)).toEqual([2, 4, 5, 7])
    }
  })

  it('rows and lines are counted if a quoted cell holds other line ends than the rows', async () => {
    for (const chunk of chunks) {
      const text = 'A,B,C,D\r\n"a\rb","c\nd","e\r\nf","g\n\r\nh"\r\n1,2,3,4\r\n'
      const { cells, places } = await contentOf(text, { chunk })
      expect(cells[0]).toEqual(['a\rb', 'c\nd', 'e\r\nf', 'g\n\r\nh'])
      expect(places).toEqual([
        [1, 2],
        [2, 8],
      ])
    }
  })

  it('a row with line breaks in a cell starts on its first line', async () => {
    const { places } = await contentOf('A,B\nx,"1\n2\n3"\ny,z\n')
    expect(places).toEqual([
      [1, 2],
      [2, 5],
    ])
  })

  it('rows and lines need no line end after the last one', async () => {
    for (const text of ['A,B\n1,2', 'A,B\r\n1,"2"', 'A,B\r1,2'])
      for (const chunk of chunks) expect(cellsOf(await read(text, { chunk }))).toEqual([['1', '2']])
  })

  it('rows and lines leave out lines that are empty or blank, but count them', async () => {
    const { cells, places } = await contentOf('\n \nA,B\n\n1,2\n   \n\n3,4\n\n')
    expect(cells).toEqual([
      ['1', '2'],
      ['3', '4'],
    ])
    expect(places).toEqual([
      [1, 5],
      [2, 8],
    ])
  })

  it('rows and lines keep a row of which all cells are empty', async () => {
    expect(await contentOf('A,B\n,\n1,2\n')).toEqual({
      cells: [
        ['', ''],
        ['1', '2'],
      ],
      places: [
        [1, 2],
        [2, 3],
      ],
    })
  })
})

describe('delimiter', () => {
  for (const delimiter of [',', ';', '\t', '|', '^', '`', '§', '→', '::', ' ', '\u0001'])
    it(`a delimiter may be ${JSON.stringify(delimiter)}`, async () => {
      const text = `A${delimiter}B\n1${delimiter}"2${delimiter}3"\n`
      for (const chunk of chunks)
        expect(cellsOf(await read(text, { chunk, delimiter }))).toEqual([['1', `2${delimiter}3`]])
    })

  it('a delimiter makes a comma a character like any other when it is another one', async () => {
    expect(cellsOf(await read('A;B\n1,5;2\n', { delimiter: ';' }))).toEqual([['1,5', '2']])
  })
})

describe('header', () => {
  it('a header is the first line that is not empty', async () => {
    const rows = await read('\n\nA,B\n1,2\n')
    expect(rows.map(row => row.value('A'))).toEqual(['1'])
  })

  it('a header has its names trimmed', async () => {
    const [row] = await read('  Name , "E-mail"\n1,2\n')
    expect(row?.value('Name')).toBe('1')
  })

  it('a header may hold a line break in a name', async () => {
    const [row] = await read('A,"B\nC"\n1,2\n')
    expect(row?.value('B\nC')).toBe('2')
    expect(row?.line).toBe(3)
  })

  it('a header keeps names that differ in case apart', async () => {
    const [row] = await read('Email,EMAIL\n1,2\n')
    expect([row?.value('Email'), row?.value('EMAIL')]).toEqual(['1', '2'])
  })

  it('a header returns the cells of a repeated name as a list, in their order', async () => {
    const [row] = await read('Label,A,Label,Label\nx,1,,z\n')
    expect(row?.value('Label')).toEqual(['x', '', 'z'])
    expect(row?.value('A')).toBe('1')
    expect([...(row?.cells() ?? [])].map(([column]) => column)).toEqual(['Label', 'A', 'Label', 'Label'])
  })

  it('a header may have empty names, and end in a comma', async () => {
    const [row] = await read('A,,B,\n1,2,3,4\n')
    expect(row?.fault).toBeUndefined()
    expect([row?.value('A'), row?.value('B')]).toEqual(['1', '3'])
    expect([...(row?.cells() ?? [])]).toEqual([
      ['A', '1'],
      ['', '2'],
      ['B', '3'],
      ['', '4'],
    ])
  })

  it('a header may end in a comma over rows that do, too', async () => {
    const rows = await read('A,B,\n1,2,\n3,4,\n')
    expect(rows.map(row => row.fault)).toEqual([undefined, undefined])
  })

  it('a header is the only line of a file without rows', async () => {
    for (const text of ['A,B', 'A,B\n', 'A,B\r\n\r\n'])
      for (const chunk of chunks) expect(await read(text, { chunk })).toEqual([])
  })

  it('a header is missed in a file that is empty or blank', async () => {
    for (const text of ['', '\n', ' \r\n\n', '\ufeff'])
      expect(await sourceFault(read(text))).toBe(
        '-: is empty; a table needs a header line, or header.columns in the mapping',
      )
  })
})

describe('header that starts with a cell', () => {
  const linkedIn = [
    'Notes:',
    '"When exporting your connection data, you may notice that some of the email addresses',
    'are missing, ""by design"".',
    'See the help."',
    '',
    'First Name,Last Name,Email Address',
    'Ada,Lovelace,ada@example.com',
  ].join('\n')
  const tickTick = [
    '\ufeff"Date: 2026-11-25+0000"',
    '"Version: 7.1"',
    '"Status: ',
    '0 Normal',
    '1 Completed"',
    '"Folder Name","Title"',
    '"","Buy oak, 40 mm"',
    '"Home","Sweep"',
  ].join('\n')

  it('a header by its first cell is found behind the notes of a LinkedIn export', async () => {
    for (const chunk of chunks) {
      const rows = await read(linkedIn, { header: { type: 'starts_with', cell: 'First Name' }, chunk })
      expect(rows.map(row => row.value('Email Address'))).toEqual(['ada@example.com'])
      expect(placesOf(rows)).toEqual([[1, 7]])
    }
  })

  it('a header by its first cell is found behind the cell of several lines that TickTick writes', async () => {
    for (const chunk of chunks) {
      const rows = await read(tickTick, { header: { type: 'starts_with', cell: 'Folder Name' }, chunk })
      expect(cellsOf(rows)).toEqual([
        ['', 'Buy oak, 40 mm'],
        ['Home', 'Sweep'],
      ])
      expect(placesOf(rows)).toEqual([
        [1, 7],
        [2, 8],
      ])
    }
  })

  it('a header by its first cell is compared without the blanks around it, but with its case', async () => {
    const header = { type: 'starts_with', cell: 'Name' } as const
    expect(cellsOf(await read('name,B\n Name ,B\n1,2\n', { header }))).toEqual([['1', '2']])
  })

  it('a header by its first cell is a fault that tells the first cells when no line does', async () => {
    const header = { type: 'starts_with', cell: 'Vorname' } as const
    expect(await sourceFault(read('Notes:\nFirst Name,Last Name\nAda,L\n', { header }))).toBe(
      '-: no line starts with the cell "Vorname" (header.starts_with); the first cells are "Notes:", "First Name", "Ada"',
    )
  })
})

describe('columns that the mapping sets', () => {
  const header = { type: 'columns', columns: ['Name', 'Email'] } as const

  it('columns of the mapping name the cells of a file whose first line is a row', async () => {
    const rows = await read('Ada,a@example.com\n\nBob,b@example.com\n', { header })
    expect(rows.map(row => row.value('Name'))).toEqual(['Ada', 'Bob'])
    expect(placesOf(rows)).toEqual([
      [1, 1],
      [2, 3],
    ])
  })

  it('columns of the mapping make an empty file a file of no rows', async () => {
    expect(await read('', { header })).toEqual([])
  })
})

describe('row of another width than the header', () => {
  const text = 'A,B,C\n1,2\n1,2,3,4\n1,2,3,\n1,2,3\n1,2,3, ,\n'
  const faultsOf = async (ragged: 'invalid' | 'pad') => {
    const rows = await read(text, { ragged })
    return { rows, faults: rows.map(row => row.fault) }
  }

  it('a row of another width has a fault that says how many cells it has', async () => {
    const { faults } = await faultsOf('invalid')
    const ragged = (cells: number) => problem('ragged', { cells, columns: 3 })
    expect(faults).toEqual([ragged(2), ragged(4), ragged(4), undefined, ragged(5)])
  })

  it('a row of another width is padded, and has a fault only if a cell past the header is filled', async () => {
    const { rows, faults } = await faultsOf('pad')
    expect(faults).toEqual([
      undefined,
      problem('extra_cells', { cells: 4, columns: 3 }),
      undefined,
      undefined,
      undefined,
    ])
    expect(rows[0]?.value('B')).toBe('2')
    expect(rows[0]?.value('C') ?? '').toBe('')
  })

  it('a row of another width keeps its cells past the header under the empty name', async () => {
    const { rows } = await faultsOf('invalid')
    expect([...(rows[1]?.cells() ?? [])].at(-1)).toEqual(['', '4'])
  })

  it('a row of another width is padded in a list of cells under one name, too', async () => {
    const [row] = await read('L,A,L\nx,1\n', { ragged: 'pad' })
    expect(row?.value('L')).toEqual(['x', ''])
  })
})

describe('text that is not CSV to its end', () => {
  it('broken CSV is a fault that names the line on which a quote is opened and never closed', async () => {
    for (const chunk of chunks)
      expect(await sourceFault(read('A,B\n1,2\n"x\ny",2\n3,"4\n5,6\n7,8\n', { chunk }))).toBe(
        '-:5: the row that starts here has a quote that is never closed',
      )
  })

  it('broken CSV ends the reading at a row over 10 MB, before all of it is read', async () => {
    const block = Buffer.from('1,2\n'.repeat(16_384))
    let taken = 0
    const stdin = (async function* () {
      yield Buffer.from('A,B\n1,2\n3,4\n5,"6\n')
      for (let at = 0; at < 1600; at += 1) yield block
    })()
    const onRead = (bytes: Buffer) => {
      taken += bytes.length
    }
    const sources = await check(['-'], { onRead }, Readable.from(stdin))
    expect(await sourceFault(rowsOf(sources))).toBe(
      '-:4: the row that starts here is longer than 10 MB; look for a quote that is never closed',
    )
    expect(taken).toBeLessThan(11_000_000)
  })

  it('broken CSV names the line of a row over 10 MB in the middle of one large chunk', async () => {
    const text = `A,B\n${'1,2\n'.repeat(5_000)}3,"${'x'.repeat(10_000_001)}"\n4,5\n`
    expect(await sourceFault(read(text))).toBe(
      '-:5002: the row that starts here is longer than 10 MB; look for a quote that is never closed',
    )
  })
})
