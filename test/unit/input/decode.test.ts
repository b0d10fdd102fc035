import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { decode } from '../../../src/input/decode.ts'
import { isKnownEncoding } from '../../../src/model/package.ts'
import { piecesOf, read, readNdjson, sourceProblem } from '../../support/read-input.ts'

const bytesOf = (...parts: (string | readonly number[])[]) =>
  Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

const inEncoding = (text: string, encoding: string, addBOM = false) =>
  iconv.encode(text, encoding, { addBOM })

const nothingLost = 'Name,Town\nZoë Großmann,Łódź\n佐藤 陽菜,北京\nΣωτηρία 🎨,"𠮷\n野"\n'

/** The text that comes of bytes in chunks of a length. */
async function decoded(bytes: Buffer, encoding?: string, chunk?: number): Promise<string> {
  const pieces = (async function* () {
    yield* piecesOf(bytes, chunk)
  })()
  const texts: Buffer[] = []
  for await (const text of decode(pieces, { encoding }, 'x.csv')) texts.push(text)
  return Buffer.concat(texts).toString()
}

const chunks = [1, 2, 3, 4, 5, 7, 1000]

/** The fault of bytes, which must be the same wherever the chunks are cut. */
async function faultOf(bytes: Buffer, encoding?: string) {
  const faults = await Promise.all(chunks.map(chunk => sourceProblem(decoded(bytes, encoding, chunk))))
  const [fault] = faults
  expect(faults).toEqual(chunks.map(() => fault))
  return fault
}

const badBytes = (line: number, encoding: string) => ({
  code: 'bad_bytes',
  params: { source: 'x.csv', line, encoding },
})

describe('text', () => {
  it('text is UTF-8 unless another encoding is given', async () => {
    for (const chunk of chunks)
      expect(await decoded(Buffer.from(nothingLost), undefined, chunk)).toBe(nothingLost)
  })

  for (const [encoding, text] of [
    ['windows-1252', 'Crédito Nº 5 – “€”\r\nŠárka'],
    ['iso-8859-1', 'Crédito'],
    ['latin1', 'Crédito'],
    ['iso-8859-15', '5 €'],
    ['Shift_JIS', '名前,市\n佐藤 ソ表,東京\n'],
    ['GBK', '姓名,城市\n王芳,北京\n'],
    ['gb18030', '王芳 𠮷 é🎨 end\nplain\n'],
    ['euc-kr', '이름\n'],
    ['big5', '姓名\n'],
    ['koi8-r', 'Имя\n'],
    ['macintosh', 'Élodie\r'],
    ['utf-16le', nothingLost],
    ['UTF-16BE', nothingLost],
    ['utf8', nothingLost],
  ] as const)
    it(`text is read in ${encoding} when that is given, wherever the chunks are cut`, async () => {
      for (const chunk of chunks)
        expect(await decoded(inEncoding(text, encoding), encoding, chunk)).toBe(text)
    })

  it('text may hold the replacement character, where the file itself does', async () => {
    expect(await decoded(Buffer.from('a\ufffdb'))).toBe('a\ufffdb')
  })

  it('text may be empty', async () => {
    for (const encoding of [undefined, 'utf-16le', 'windows-1252'])
      expect(await decoded(Buffer.alloc(0), encoding)).toBe('')
  })
})

describe('byte-order mark', () => {
  for (const encoding of ['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be']) {
    it(`a byte-order mark of ${encoding} tells the encoding and is no part of the text`, async () => {
      for (const chunk of chunks)
        expect(await decoded(inEncoding(nothingLost, encoding, true), undefined, chunk)).toBe(nothingLost)
    })

    it(`a byte-order mark of ${encoding} wins over another encoding that is given`, async () => {
      for (const given of ['windows-1252', 'utf-16le', 'utf-16be', 'Shift_JIS'])
        expect(await decoded(inEncoding(nothingLost, encoding, true), given, 3)).toBe(nothingLost)
    })

    it(`a byte-order mark of ${encoding} may be all there is`, async () => {
      for (const chunk of [1, 2, 3])
        expect(await decoded(inEncoding('', encoding, true), undefined, chunk)).toBe('')
    })
  }

  it('a byte-order mark may stand before a header in quotes', async () => {
    const [row] = await read(Buffer.from('\ufeff"Summary","Key"\na,b\n'))
    expect(row?.value('Summary')).toBe('a')
  })

  it('a byte-order mark may stand before NDJSON', async () => {
    const [row] = await readNdjson(inEncoding('{"a":"é"}\n', 'utf-16le', true), { chunk: 3 })
    expect(row?.value('a')).toBe('é')
  })

  it('a byte-order mark is a character of the text if it comes later', async () => {
    expect(await decoded(Buffer.from('a\ufeffb'))).toBe('a\ufeffb')
  })
})

describe('bytes that the encoding does not know', () => {
  it('unknown bytes are a fault that names the line, wherever the chunks are cut', async () => {
    expect(await faultOf(bytesOf('A,B\n1,2\nCr', [0xe9], 'dito,3\n4,5\n'))).toEqual(badBytes(3, 'utf-8'))
    expect(await faultOf(bytesOf([0xff], 'abc'))).toEqual(badBytes(1, 'utf-8'))
  })

  it('unknown bytes are counted in lines that end in CR, LF and CRLF', async () => {
    expect(await faultOf(bytesOf('1\r\n2\r3\n4\r\n\r\n6', [0xff], '\n'))).toEqual(badBytes(6, 'utf-8'))
    expect(await faultOf(bytesOf('1\r\n', [0xff]))).toEqual(badBytes(2, 'utf-8'))
    expect(await faultOf(bytesOf('1\r', [0xff]))).toEqual(badBytes(2, 'utf-8'))
  })

  for (const [name, bad] of [
    ['a character that is cut short', [0xe4, 0xbd]],
    ['a byte that only follows others', [0x80]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a character written longer than it needs', [0xc0, 0xaf]],
    ['a character past the last one', [0xf4, 0x90, 0x80, 0x80]],
    ['a byte that no character has', [0xf8]],
    ['several of them', [0xfe, 0xff, 0xfe]],
  ] as const)
    it(`unknown bytes may be ${name}`, async () => {
      expect(await faultOf(bytesOf('ä\nö\n', bad, 'x\ny'))).toEqual(badBytes(3, 'utf-8'))
      expect(await faultOf(bytesOf('ä\nö\n', bad))).toEqual(badBytes(3, 'utf-8'))
    })

  it('unknown bytes are found on their own line, also after a replacement character', async () => {
    expect(await faultOf(bytesOf('\ufffd\n2\n', [0xff], '\n'))).toEqual(badBytes(3, 'utf-8'))
  })

  it('unknown bytes are found in windows-1252, Shift_JIS and GBK as well', async () => {
    expect(await faultOf(bytesOf('a\nb', [0x81], '\n'), 'windows-1252')).toEqual(badBytes(2, 'windows-1252'))
    expect(await faultOf(bytesOf('a\nb', [0xfd], '\n'), 'Shift_JIS')).toEqual(badBytes(2, 'Shift_JIS'))
    expect(await faultOf(bytesOf('a\nb\n', [0x81]), 'Shift_JIS')).toEqual(badBytes(3, 'Shift_JIS'))
    expect(await faultOf(bytesOf('a\r\n', [0xff], '\n'), 'GBK')).toEqual(badBytes(2, 'GBK'))
  })

  it('unknown bytes are found in gb18030, cut short or not', async () => {
    expect(await faultOf(bytesOf('a\nb', [0xff], '\n'), 'gb18030')).toEqual(badBytes(2, 'gb18030'))
    expect(await faultOf(bytesOf('a\n', [0x95, 0x34, 0xb2]), 'gb18030')).toEqual(badBytes(2, 'gb18030'))
    expect(await faultOf(bytesOf('a\n', [0x81]), 'gb18030')).toEqual(badBytes(2, 'gb18030'))
  })

  it('unknown bytes are half characters and half pairs in UTF-16', async () => {
    const good = inEncoding('a\nb\n', 'utf-16le')
    const lone = Buffer.from([0x00, 0xd8])
    const x = inEncoding('x\n', 'utf-16le')
    expect(await faultOf(Buffer.concat([good, lone, x]), 'utf-16le')).toEqual(badBytes(3, 'utf-16le'))
    expect(await faultOf(Buffer.concat([good, Buffer.from([0x00, 0xdc]), x]), 'utf-16le')).toEqual(
      badBytes(3, 'utf-16le'),
    )
    expect(await faultOf(Buffer.concat([good, lone]), 'utf-16le')).toEqual(badBytes(3, 'utf-16le'))
    expect(await faultOf(Buffer.concat([good, Buffer.from([0x41])]), 'utf-16le')).toEqual(
      badBytes(3, 'utf-16le'),
    )
    const inUtf32 = inEncoding('A\nB\n', 'utf-32le')
    for (const bad of [[0, 0xd8, 0, 0], [0, 0, 0x11, 0], [0x41]])
      expect(await faultOf(Buffer.concat([inUtf32, Buffer.from(bad)]), 'utf-32le')).toEqual(
        badBytes(3, 'utf-32le'),
      )
    expect(await faultOf(bytesOf([0, 0x0a, 0xd8, 0x00, 0, 0x41]), 'utf-16be')).toEqual(
      badBytes(2, 'utf-16be'),
    )
  })

  it('unknown bytes are those of a windows file without --encoding', async () => {
    const csv = inEncoding('Name;Ort\nJürgen;Köln\n', 'windows-1252')
    expect(await sourceProblem(read(csv, { delimiter: ';' }))).toMatchObject({ code: 'bad_bytes' })
  })
})

describe('encoding', () => {
  it('an encoding is known by the names that iconv-lite knows', () => {
    for (const name of [
      'utf-8',
      'UTF8',
      'windows-1252',
      'win1252',
      'latin1',
      'Shift_JIS',
      'sjis',
      'GBK',
      'utf-16be',
    ])
      expect(isKnownEncoding(name)).toBe(true)
    for (const name of ['', 'utf-9', 'windows']) expect(isKnownEncoding(name)).toBe(false)
  })
})
