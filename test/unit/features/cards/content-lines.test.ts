import fc from 'fast-check'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import {
  type ContentLine,
  contentLines,
  problemOf,
  resolved,
  splitEscaped,
} from '../../../../src/features/cards/content-lines.ts'
import { itLong } from '../../../support/long.ts'
import { repeats } from '../../../support/random.ts'
import { piecesOf, sourceProblem } from '../../../support/read-input.ts'

interface Options {
  readonly chunk?: number
  readonly encoding?: string
}

async function read(
  content: string | Buffer | readonly (string | Buffer)[],
  { chunk, ...settings }: Options = {},
): Promise<ContentLine[]> {
  const bytes = Buffer.concat([content].flat().map(part => Buffer.from(part as string)))
  const lines: ContentLine[] = []
  async function* chunks() {
    yield* piecesOf(bytes, chunk)
  }
  for await (const batch of contentLines(chunks(), 'a.vcf', settings)) lines.push(...batch)
  return lines
}

const latin = (text: string) => Buffer.from(text, 'latin1')
const valuesOf = (lines: readonly ContentLine[]) => lines.map(({ value }) => value)
const values = async (...given: Parameters<typeof read>) => valuesOf(await read(...given))

describe('content line', () => {
  it('a content line has group, name, parameters and value', async () => {
    expect(
      await read(
        'item1.Email;type=INTERNET;Type=work,"a;b:c",pref;PREF=1:ada@example.com\nFN:Ada: a; b, c\\n',
      ),
    ).toEqual([
      {
        line: 1,
        group: 'item1',
        name: 'EMAIL',
        params: { TYPE: ['INTERNET', 'work', 'a;b:c', 'pref'], PREF: ['1'] },
        value: 'ada@example.com',
      },
      { line: 2, group: undefined, name: 'FN', params: {}, value: 'Ada: a; b, c\\n' },
    ])
  })

  it('a content line has its bare parameters of vCard 2.1 as types, or as the encoding', async () => {
    const [line] = await read('TEL;HOME;VOICE;QUOTED-PRINTABLE;CHARSET=UTF-8:=2B44')
    expect(line).toMatchObject({
      params: { TYPE: ['HOME', 'VOICE'], ENCODING: ['QUOTED-PRINTABLE'], CHARSET: ['UTF-8'] },
      value: '+44',
    })
  })

  it('a content line has the carets of its parameters resolved', async () => {
    const [line] = await read(`ADR;LABEL="4 Weir Lane^nOxford, ^'Isis^' ^^ ^x":;;4 Weir Lane`)
    expect(line?.params).toEqual({ LABEL: ['4 Weir Lane\nOxford, "Isis" ^ ^x'] })
    expect(line?.value).toBe(';;4 Weir Lane')
  })

  it('a content line may have empty parameters, blanks around them and quotes that do not close', async () => {
    expect(
      (await read('A;;B=;C = d ;E="f:g\nH;I=j"k:l')).map(({ params, value }) => [params, value]),
    ).toEqual([
      [{ TYPE: [], B: [], C: ['d'], E: ['"f'] }, 'g'],
      [{ I: ['j"k'] }, 'l'],
    ])
  })

  it('a content line without a name before a colon is told by its empty name', async () => {
    const lines = await read('no property\n:a\n;b:c\nFN\nJürgen: x\nEND;a\n  x')
    expect(lines.map(({ name, value }) => [name, value])).toEqual([
      ['', 'no property'],
      ['', ':a'],
      ['', ';b:c'],
      ['', 'FN'],
      ['', 'Jürgen: x'],
      ['', 'END;a x'],
    ])
  })

  it('a content line may be called like a part of every object', async () => {
    const [line] = await read('__proto__;__proto__=a;constructor=b:c')
    expect(line).toMatchObject({ name: '__PROTO__', value: 'c' })
    expect(line?.params.CONSTRUCTOR).toEqual(['b'])
  })
})

describe('lines of cards', () => {
  it('lines of cards end in LF, CRLF or CR, and are unfolded, wherever the chunks are cut', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = ['FN:Ada', '  Stone', '', 'NOTE:Ab', '\tc', ' d', 'N:', 'X:1', ''].join(end)
      for (const chunk of [1, 2, 3, 7, 1000]) {
        const lines = await read(text, { chunk })
        expect(lines.map(({ line, name, value }) => [line, name, value])).toEqual([
          [1, 'FN', 'Ada Stone'],
          [4, 'NOTE', 'Abcd'],
          [7, 'N', ''],
          [8, 'X', '1'],
        ])
      }
    }
  })

  it('lines of cards are the same after any folding of their bytes, also within a character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom('a', ' ', 'ü', '猫', '🎨', '=', ';', ':', '"') }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        async (texts, width, chunk) => {
          const folded = texts.map(text =>
            piecesOf(Buffer.from(`NOTE:${text}`), width)
              .flatMap(piece => [Buffer.from('\r\n '), piece])
              .slice(1),
          )
          const lines = folded.flatMap(pieces => [...pieces, Buffer.from('\r\n')])
          for (const mark of ['', '\ufeff']) expect(await values([mark, ...lines], { chunk })).toEqual(texts)
        },
      ),
      { numRuns: repeats(200) },
    )
  })

  it('lines of cards go on behind a soft break of quoted-printable, with a blank or without', async () => {
    const text = [
      'LABEL;WORK;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:4 Weir Lane=0D=0A=',
      'Oxf=C3=',
      '=B6rd= ',
      ' and= 1',
      'NOTE;QUOTED-PRINTABLE:a=3D',
      'TITLE:=',
      'X:1',
    ].join('\r\n')
    for (const chunk of [1, 5, 1000])
      expect(await values(text, { chunk })).toEqual(['4 Weir Lane\nOxförd and= 1', 'a=', '=', '1'])
  })

  it('lines of cards end before an END, also if a soft break or a fold would go on', async () => {
    const lines = await read('NOTE;ENCODING=QUOTED-PRINTABLE:a=\nEND:VCARD\nBEGIN:VCARD\n\n FN:x')
    expect(lines.map(({ name, value }) => name || value)).toEqual(['NOTE', 'END', 'BEGIN', ' FN:x'])
    expect(lines[0]?.value).toBe('a=')
  })

  it('lines of cards are read by their charset, then by the encoding that is given, then as UTF-8', async () => {
    const lines = [
      latin('A;CHARSET=ISO-8859-1:J\xf6rg\n'),
      'B;CHARSET="utf-8":Jörg\n',
      'C;CHARSET=windows-1252;ENCODING=QUOTED-PRINTABLE:J=F6rg =80\n',
      Buffer.concat([
        Buffer.from('D;CHARSET=SHIFT_JIS:'),
        iconv.encode('表\\;示', 'shift_jis'),
        Buffer.from('\n'),
      ]),
    ]
    const expected = ['Jörg', 'Jörg', 'Jörg €', '表\\;示']
    expect(await values([...lines, 'E:Jörg'])).toEqual([...expected, 'Jörg'])
    expect(
      await values([...lines, latin('E;ENCODING=QUOTED-PRINTABLE:J=F6rg\nF:J\xf6rg')], {
        encoding: 'latin1',
      }),
    ).toEqual([...expected, 'Jörg', 'Jörg'])
  })

  it('lines of cards may be UTF-16 or UTF-8 with a mark, whatever a charset says', async () => {
    const text = 'FN:Jörg\r\nNOTE;CHARSET=ISO-8859-1:猫\r\nX;CHARSET=ISO-8859-1;QUOTED-PRINTABLE:=F6\r\n'
    for (const chunk of [1, 3, 1000]) {
      for (const encoding of ['utf-16le', 'utf-16be', 'utf-8', 'utf-32le'])
        expect(await values(iconv.encode(`\ufeff${text}`, encoding), { chunk })).toEqual(['Jörg', '猫', 'ö'])
      expect(await values(iconv.encode(text, 'utf-16le'), { chunk, encoding: 'utf-16le' })).toEqual([
        'Jörg',
        '猫',
        'ö',
      ])
    }
  })

  it('lines of cards that are not in their encoding end the reading, with their number', async () => {
    const place = { source: 'a.vcf', line: 2 }
    const params = async (...given: Parameters<typeof read>) => (await sourceProblem(read(...given))).params
    expect(await sourceProblem(read(latin('FN:x\nNOTE:J\xf6rg')))).toEqual({
      code: 'bad_bytes',
      params: { ...place, encoding: 'utf-8' },
    })
    expect(await params('A:1\nNOTE;ENCODING=QUOTED-PRINTABLE:J=F6rg')).toMatchObject(place)
    expect(await params(latin('A:1\nB;CHARSET=X-MAC:J\xf6'))).toMatchObject({ ...place, encoding: 'utf-8' })
    expect(await values(latin('B;CHARSET=X-MAC:J\xf6'), { encoding: 'latin1' })).toEqual(['Jö'])
  })

  it.each([
    ['in their charset', 'B;CHARSET=UTF-8:J\xf6', {}, 'UTF-8'],
    ['in their charset, in a file of another', 'B;CHARSET=UTF-8:J\xf6', { encoding: 'latin1' }, 'UTF-8'],
    ['in the encoding that was named', 'B:J\xf6', { encoding: 'utf-8' }, 'utf-8'],
    ['in UTF-8, as lines above are', 'A:\xc3\xb6\nB:J\xf6', {}, 'utf-8'],
  ] as const)(
    'a line of cards that is not %s has no name, and ends nothing',
    async (_, text, settings, by) => {
      const lines = await read(latin(`${text}\nC:1`), settings)
      expect(lines.slice(-2)).toMatchObject([
        { name: '', notIn: by },
        { name: 'C', value: '1' },
      ])
      expect(problemOf(lines)?.code).toBe('line_not_in_encoding')
    },
  )

  it('lines of cards may end in CR CR LF, wherever the chunks are cut', async () => {
    const text =
      'A:one\r\r\n two\r\r\nPHOTO;ENCODING=b:/9j/\r\r\n 4AAQ\r\r\nB;QUOTED-PRINTABLE:x=\r\r\ny\r\r\nC:1'
    for (const chunk of [1, 2, 3, 7, 1000])
      expect(await values(text, { chunk })).toEqual(['onetwo', 'xy', '1'])
  })

  it('lines of cards in base64 are left out', async () => {
    const photo = 'iVBORw0KGgo='
    const text = [
      `PHOTO;ENCODING=b;TYPE=PNG:${photo}`,
      ` ${photo}`,
      `item1.Logo;VALUE=uri:https://example.com/a.png`,
      `PHOTO:data:image/png;base64,${photo}`,
      `X-PIC;TYPE=JPEG;ENCODING=BASE64:${photo}`,
      ` ${photo}`,
      '',
      `KEY;X509;BASE64:`,
      `${photo}`,
      `AbCd/+==`,
      'FN:Ada',
      'PHOTOS:2',
      `X-B;TYPE=b:c`,
      `PHOTO;BASE64:${photo}`,
      'ADR;LABEL="4 Weir Lane',
      '  Oxford":;;4 Weir Lane',
    ]
    for (const chunk of [1, 11, 1000])
      expect((await read(text.join('\r\n'), { chunk })).map(({ line, name }) => [line, name])).toEqual([
        [11, 'FN'],
        [12, 'PHOTOS'],
        [13, 'X-B'],
        [15, 'ADR'],
      ])
  })

  itLong('lines of cards may hold photos of any size', async () => {
    const megabyte = Buffer.alloc(1_000_000, 'QUJD')
    async function* chunks() {
      for (const head of ['PHOTO;ENCODING=b:', 'PHOTO;ENCODING=b:\n ']) {
        yield Buffer.from(`FN:Ada\n${head}`)
        for (let count = 0; count < 40; count += 1) yield megabyte
        yield Buffer.from('\n')
      }
    }
    const found: string[] = []
    for await (const batch of contentLines(chunks(), 'a.vcf')) found.push(...batch.map(({ name }) => name))
    expect(found).toEqual(['FN', 'FN'])
  })

  itLong('lines of cards over 10 MB end the reading, folded or not', async () => {
    const tooLong = { code: 'row_too_long', params: { source: 'a.vcf', line: 2, megabytes: 10 } }
    for (const line of ['x'.repeat(9_999_999), `${'x'.repeat(5_000_000)}\n ${'x'.repeat(5_000_000)}`])
      expect(await sourceProblem(read(`A:1\nNOTE:${line}\nB:2`, { chunk: 65_536 }))).toEqual(tooLong)
  })

  itLong('lines of cards may be as long and have as many parts as they like below that', async () => {
    const many = 400_000
    const text = [
      'A:1',
      ...Array(many).fill(' x'),
      `B${';a'.repeat(many)}:1`,
      `C;D=${'",'.repeat(many)}:`,
      ':'.repeat(many),
    ]
    const lines = await read(text.join('\n'), { chunk: 65_536 })
    expect(lines.map(({ name, value }) => [name, value.length])).toEqual([
      ['A', many + 1],
      ['B', 1],
      ['C', 0],
      ['', many],
    ])
    expect(lines[1]?.params.TYPE).toHaveLength(many)
    const soft = ['N;QUOTED-PRINTABLE:1', ...Array(many).fill('x'), ''].join('=\n')
    expect(valuesOf(await read(soft, { chunk: 65_536 }))[0]).toHaveLength(many + 1)
  })
})

describe('backslashes', () => {
  it('backslashes mean a line break or the sign after them', () => {
    expect(resolved('a\\nb\\Nc\\, \\; \\\\n \\: \\" \\x \\')).toBe('a\nb\nc, ; \\n : " \\x \\')
  })

  it('backslashes keep a separator within its part', () => {
    expect(splitEscaped('a\\;b;c,d;;\\\\;e\\', ';')).toEqual(['a\\;b', 'c,d', '', '\\\\', 'e\\'])
    expect(splitEscaped('a\\,b,c;d', ',')).toEqual(['a\\,b', 'c;d'])
    expect(splitEscaped('', ';')).toEqual([''])
  })
})
