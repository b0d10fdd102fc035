import { isUtf8 } from 'node:buffer'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { checkEncoding, decode } from '../../../src/input/decode.ts'
import { isOneByte } from '../../../src/input/utf8-guard.ts'
import { SourceError } from '../../../src/model/errors.ts'
import { anyText } from '../../support/any-text.ts'
import {
  check,
  fileWith,
  piecesOf,
  read,
  readFileOf,
  rowsOf,
  sourceProblem,
} from '../../support/read-input.ts'

const oneByte = [
  'windows-1252',
  'iso-8859-2',
  'macintosh',
  'koi8-r',
  'cp437',
  'cp866',
  'windows-874',
  'viscii',
]

/** The words of a text that is refused because it is UTF-8, with the line; undefined for any other end. */
async function refusal(bytes: Buffer, encoding: string, chunk?: number) {
  try {
    for await (const _ of decode(piecesOf(bytes, chunk), { encoding }, 'x.csv'));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    if (error.problem.code === 'wrong_encoding') return error.problem.params
  }
  return undefined
}

const refused = { code: 'wrong_encoding' }

describe('text in a one-byte encoding', () => {
  const chunk = fc.integer({ min: 1, max: 30 })

  it('one-byte text is refused when it is UTF-8 with any character beyond ASCII', async () => {
    const texts = fc.tuple(anyText(), anyText({ minLength: 1 }))
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom(...oneByte), chunk, async ([before, after], encoding, size) => {
        const bytes = Buffer.from(`a${before}\u{10ff}${after}`)
        const whole = await refusal(bytes, encoding)
        expect(whole).toMatchObject({ encoding })
        expect(await refusal(bytes, encoding, size)).toEqual(whole)
      }),
    )
  })

  it('one-byte text is never refused when it is not UTF-8', async () => {
    const soup = fc.array(
      fc.oneof(fc.integer({ max: 255, min: 0 }), fc.constantFrom(0xc3, 0xa9, 0xe0, 0xb0, 10)),
    )
    await fc.assert(
      fc.asyncProperty(soup, fc.constantFrom(...oneByte), chunk, async (values, encoding, size) => {
        const bytes = Buffer.from(values)
        fc.pre(!isUtf8(bytes))
        expect(await refusal(bytes, encoding, size)).toBeUndefined()
      }),
    )
  })

  it('one-byte text is reported with its line and its first character beyond ASCII', async () => {
    expect(await refusal(Buffer.from('Ort\r\nUlm\r"Bad\n";Dürrheim\n'), 'windows-1252', 3)).toEqual({
      source: 'x.csv',
      line: 4,
      encoding: 'windows-1252',
      character: 'ü',
      misread: 'Ã¼',
    })
    expect(await refusal(Buffer.from('🎻'), 'cp852')).toMatchObject({ character: '🎻' })
    expect(await refusal(Buffer.from('Łódź'), 'cp852')).toMatchObject({ character: 'Ł', misread: '┼ü' })
  })

  it('one-byte text is no false alarm, though single words of it are valid UTF-8', async () => {
    for (const [encoding, text] of [
      ['cp866', 'id,слово\n1,раз\n2,два\n'],
      ['windows-874', 'id,สี\n1,แดง\n2,เขียว\n'],
      ['windows-874', 'id,color\n1,แดง\n2,เขียว\n'],
      ['windows-1252', 'id,brand\n1,Spaß®\n2,Café\n'],
      ['koi8-r', 'a,b\n1,её\n2,наша\n'],
      ['windows-1251', 'Имя;Город\nПётр;Орёл\n'],
      ['windows-1253', 'Όνομα\nΆννα\n'],
      ['macintosh', 'Name\n“Élan”\nRené\n'],
      ['iso-8859-1', 'Temp\n20 °C\n'],
    ] as const) {
      const bytes = iconv.encode(text, encoding)
      for (const size of [1, 5, 1000])
        expect([text, await refusal(bytes, encoding, size)]).toEqual([text, undefined])
      expect(Buffer.concat(await all(decode(piecesOf(bytes, 4), { encoding }, 'x'))).toString()).toBe(text)
    }
  })

  it('one-byte text is read if the person insists, and where a mark tells the encoding', async () => {
    const rows = await readFileOf('a.csv', 'Name\nZoë\n', { encoding: 'windows-1252', trustEncoding: true })
    expect(rows[0]?.value('Name')).toBe('ZoÃ«')
    const marked = await readFileOf('b.csv', '\ufeffName\nZoë\n', { encoding: 'windows-1252' })
    expect(marked[0]?.value('Name')).toBe('Zoë')
  })

  it('one-byte text is not guarded in the encodings of several bytes', async () => {
    expect(oneByte.filter(isOneByte)).toEqual(oneByte)
    for (const name of [
      'utf-8',
      'UTF8',
      'utf-16le',
      'utf-16',
      'utf-32',
      'utf-7',
      'cesu8',
      'gbk',
      'big5',
      'sjis',
      'hex',
    ])
      expect([name, isOneByte(name)]).toEqual([name, false])
  })
})

describe('file in the wrong encoding', () => {
  const ascii = `Name,Town\n${'Ann,Ulm\n'.repeat(50_000)}`
  const settings = { encoding: 'iso-8859-15' }

  it('a file in the wrong encoding is found by the check of the sources', async () => {
    const good = await fileWith('a.csv', 'Name\nAnn\n')
    for (const [name, content] of [
      ['b.csv', `${ascii}Zoë,Ulm\n`],
      ['b.csv.gz', gzipSync(`${ascii}Zoë,Ulm\n${ascii}`)],
      ['b.ndjson', '{"name":"Ann"}\n{"name":"Zoë"}\n'],
    ] as const)
      expect(await sourceProblem(check([good, await fileWith(name, content)], settings))).toMatchObject(
        refused,
      )
  })

  it('a file in the wrong encoding is found by its rows if the first 10 MB do not tell', async () => {
    const path = await fileWith('a.csv', `Text\n${`${'long '.repeat(20_000)}\n`.repeat(101)}Zoë\n`)
    const sources = await check([path], settings)
    expect(await sourceProblem(rowsOf(sources))).toMatchObject({ ...refused, params: { line: 103 } })
  })

  it('a file in the wrong encoding is found in a pipe when it comes', async () => {
    expect(await sourceProblem(read(`${ascii}Zoë,Ulm\n`, { ...settings, chunk: 50_000 }))).toMatchObject({
      ...refused,
      params: { line: 50_002, character: 'ë' },
    })
  })

  it('a file in the wrong encoding may have a character on the border of what is checked', async () => {
    const most = 'a'.repeat(9_999_999)
    const checked = (...parts: (string | number[])[]) =>
      checkEncoding(
        parts.map(part => Buffer.from(part as string)),
        settings,
        'x',
      )
    expect(await sourceProblem(checked(most, [0xc3], [0xa9, 10]))).toMatchObject(refused)
    await checked(most, [0xc3], [0x41, 10])
    await checked(most, [0xc3])
    await checked(most, 'a', 'é')
  })

  it('a file in the wrong encoding is known by 100 characters, whatever comes behind them', async () => {
    const bytes = Buffer.concat([Buffer.from('é\n'.repeat(100)), Buffer.from([0xe9])])
    expect(await refusal(bytes, 'windows-1252')).toMatchObject({ line: 1 })
    expect(await refusal(bytes.subarray(3), 'windows-1252')).toBeUndefined()
  })
})

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
