import { describe, expect, it } from 'vitest'
import { divide } from '../../../../src/features/ledger/chunks.ts'
import type { Row } from '../../../../src/model/row.ts'
import { itLong } from '../../../support/long.ts'
import {
  cellsOf,
  check,
  chunksOf,
  fileWith,
  placesOf,
  type ReadOptions,
  read,
  readFileOf,
} from '../../../support/read-input.ts'

const card = (...lines: string[]) => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n')

const readCards = (content: string | Buffer, options: ReadOptions = {}) =>
  read(content, { ...options, format: 'vcard' })

/** The object of the only card. */
async function objectOf(...lines: string[]): Promise<Record<string, unknown>> {
  const rows = await readCards(card(...lines))
  expect(rows.map(({ fault }) => fault)).toEqual([undefined])
  return Object.fromEntries(rows[0]?.cells() ?? [])
}

const faultsOf = async (content: string) =>
  (await readCards(content)).map(({ fault, text }) => fault && [fault.code, text])

describe('card', () => {
  it('a card is a row with its properties by their names, and without what is empty', async () => {
    expect(
      await objectOf(
        'VERSION:3.0',
        'N:Stone;Ada;Grace,Maud;Dr.;',
        'FN:Dr. Ada Grace Maud Stone',
        'ORG:Cedar & Salt\\, Inc.;Sales;North\\; East',
        'TITLE: Planner ',
        'ROLE:',
        'NOTE:Likes rowing\\nand tea\\; also\\, C:\\\\cake',
        'URL:http\\://example.com/ada',
        'BDAY:1985-04-12',
        'CATEGORIES:Boats,Friends\\, old',
        'X-ABShowAs:COMPANY',
        'TEL;TYPE=HOME: ',
        'ADR;TYPE=HOME:;;;;;;',
        'UID:0a1b',
      ),
    ).toEqual({
      version: '3.0',
      n: { family: 'Stone', given: 'Ada', additional: ['Grace', 'Maud'], prefix: 'Dr.' },
      fn: 'Dr. Ada Grace Maud Stone',
      org: [{ name: 'Cedar & Salt, Inc.', unit: ['Sales', 'North; East'] }],
      title: 'Planner',
      note: 'Likes rowing\nand tea; also, C:\\cake',
      url: [{ value: 'http://example.com/ada' }],
      bday: '1985-04-12',
      categories: ['Boats', 'Friends, old'],
      'x-abshowas': 'COMPANY',
      uid: '0a1b',
    })
  })
  it('a card has lists of objects with their types, the preferred ones first', async () => {
    expect(
      await objectOf(
        'VERSION:4.0',
        'EMAIL;TYPE=home:mailto:ada@home.example.com',
        'EMAIL;TYPE=INTERNET,WORK;TYPE=pref:ada@example.com',
        'TEL;VALUE=uri;TYPE="voice,home";PREF=2:tel:+44-20-7946-0101;ext=12',
        'TEL;PREF=1;VALUE=uri:TEL:+44-20-7946-0102',
        'ADR;TYPE=work;LABEL="4 Weir Lane^nOxford":PO Box 7;Boathouse 2;4 Weir Lane,Rear;Oxford;Oxon;OX1 0ZZ;UK',
        'IMPP;X-SERVICE-TYPE=Matrix:matrix:ada',
        'X-SOCIALPROFILE;TYPE=Mastodon:https://social.example.com/@ada',
        'RELATED;TYPE=friend:urn:uuid:f81d4fae',
      ),
    ).toEqual({
      version: '4.0',
      email: [
        { value: 'ada@example.com', type: ['internet', 'work', 'pref'] },
        { value: 'ada@home.example.com', type: ['home'] },
      ],
      tel: [{ value: '+44-20-7946-0102' }, { value: '+44-20-7946-0101;ext=12', type: ['voice', 'home'] }],
      adr: [
        {
          po_box: 'PO Box 7',
          extended: 'Boathouse 2',
          street: ['4 Weir Lane', 'Rear'],
          locality: 'Oxford',
          region: 'Oxon',
          postal_code: 'OX1 0ZZ',
          country: 'UK',
          label: '4 Weir Lane\nOxford',
          type: ['work'],
        },
      ],
      impp: [{ value: 'matrix:ada', type: ['matrix'] }],
      'x-socialprofile': [{ value: 'https://social.example.com/@ada', type: ['mastodon'] }],
      related: [{ value: 'urn:uuid:f81d4fae', type: ['friend'] }],
    })
  })

  it('a card has the labels of its groups as types', async () => {
    expect(
      await objectOf(
        'VERSION:3.0',
        'item1.TEL:1',
        'item1.X-ABLabel:_$!<Main>!$_',
        'item2.X-ABLabel:Boat\\, rear',
        'item2.TEL;type=CELL:2',
        'TEL:3',
        'X-ABLabel:of nothing',
        'item3.X-ABDATE:2010-05-05',
        'item3.X-ABLabel:_$!<Anniversary>!$_',
      ),
    ).toEqual({
      version: '3.0',
      tel: [{ value: '1', type: ['main'] }, { value: '2', type: ['cell', 'Boat, rear'] }, { value: '3' }],
      'x-abdate': [{ value: '2010-05-05', type: ['anniversary'] }],
    })
  })

  it('a card that repeats a property has a list of it', async () => {
    expect(
      await objectOf('FN;PREF=2:Ada', 'FN;PREF=1:Countess', 'X-A:1', 'X-A:', 'X-A:2', 'n:Stone', 'N:King'),
    ).toEqual({
      fn: ['Countess', 'Ada'],
      'x-a': ['1', '2'],
      n: [{ family: 'Stone' }, { family: 'King' }],
    })
  })

  it('a card of vCard 2.1 has no lists in its parts, and keeps its backslashes', async () => {
    expect(
      await objectOf(
        'VERSION:2.1',
        'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=96st\\;er;J=C3=B6rg, Dr.',
        'ADR;WORK:;;4 Weir Lane, Rear;Oxford',
        'LABEL;WORK;ENCODING=QUOTED-PRINTABLE:4 Weir Lane=0D=0A=',
        'Oxford',
        'NOTE:\\\\server\\name',
        'TEL;PREF;CELL;VOICE:1',
      ),
    ).toEqual({
      version: '2.1',
      n: { family: 'Öst;er', given: 'Jörg, Dr.' },
      adr: [{ street: '4 Weir Lane, Rear', locality: 'Oxford', type: ['work'] }],
      label: [{ value: '4 Weir Lane\nOxford', type: ['work'] }],
      note: '\\\\server\\name',
      tel: [{ value: '1', type: ['pref', 'cell', 'voice'] }],
    })
  })

  it('a card has a birthday without the year that stands for none', async () => {
    for (const [bday, expected] of [
      ['BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12', '--04-12'],
      ['BDAY;VALUE=date;X-APPLE-OMIT-YEAR=1604:16040412', '--0412'],
      ['BDAY;X-APPLE-OMIT-YEAR=1604:1985-04-12', '1985-04-12'],
      ['BDAY:--0412', '--0412'],
    ] as const)
      expect(await objectOf(bday)).toEqual({ bday: expected })
  })

  it('a card leaves out the card of an agent within it, and what it says', async () => {
    const rows = await readCards(
      card(
        'FN:Ada',
        'AGENT:',
        'BEGIN:VCARD',
        'FN:Noor',
        'AGENT:BEGIN:VCARD',
        'FN:Rim',
        'END:VCARD',
        'END:VCARD',
        'TITLE:x',
      ) + card('FN:Ida'),
    )
    expect(cellsOf(rows)).toEqual([['Ada', 'x'], ['Ida']])
  })

  it('a card may have names that every object has, and a NUL is a fault', async () => {
    expect(Object.entries(await objectOf('__proto__:1', 'constructor:2'))).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ])
    const [row] = await readCards(card('FN:\0'))
    expect(row?.fault).toMatchObject({ code: 'nul_character', params: { column: 'fn' } })
  })

  it('a card may hold nothing', async () => {
    expect(cellsOf(await readCards(`${card()}${card('VERSION:3.0')}`))).toEqual([[], ['3.0']])
  })
})

describe('cards', () => {
  const three = card('FN:1') + card('FN:2').toLowerCase() + card('FN:3').replaceAll('VCARD', ' vcard ')

  it('cards are counted, wherever the chunks are cut', async () => {
    for (const chunk of [1, 7, 1000])
      for (const text of [
        three,
        three.replaceAll('\r\n', '\r'),
        three.replaceAll('\r\n', '\n\n'),
        three.trim(),
      ]) {
        const rows = await readCards(text, { chunk })
        expect(cellsOf(rows)).toEqual([['1'], ['2'], ['3']])
        expect(placesOf(rows)).toEqual([
          [1, 1],
          [2, 2],
          [3, 3],
        ])
      }
  })

  it('cards may be of files that were joined, with byte-order marks and without line breaks', async () => {
    const [one, other] = [card('FN:1').trim(), card('FN:2').trim()]
    for (const between of ['', '\ufeff', '\n\ufeff', ' '])
      expect(cellsOf(await readCards(one + between + other))).toEqual([['1'], ['2']])
  })

  it('cards are told by the name of their file, or by the format', async () => {
    for (const name of ['a.vcf', 'a.VCARD']) expect(await readFileOf(name, three)).toHaveLength(3)
    expect(await readFileOf('a.txt', three, { format: 'vcard' })).toHaveLength(3)
  })

  it('cards are read in chunks', async () => {
    const text = Array.from({ length: 250 }, (_, at) => card(`FN:${at}`)).join('')
    const [source] = await check([await fileWith('a.vcf', text)])
    const { chunks } = await divide(source ? [source] : [])
    expect(chunks.map(({ rows }) => rows)).toEqual([100, 100, 50])
    for (const chunk of chunks.toReversed()) {
      const rows: Row[] = []
      for await (const batch of chunksOf(source)?.read(chunk) ?? []) rows.push(...batch)
      expect(placesOf(rows)[0]).toEqual([chunk.firstRow, chunk.firstRow])
      expect(cellsOf(rows)[0]).toEqual([String(chunk.firstRow - 1)])
    }
    await chunksOf(source)?.close()
  })

  it('cards keep their text as NDJSON if it is asked for', async () => {
    const [row] = await readCards(card('FN:Ada'), { keepsLines: true })
    expect(row?.asWritten).toBe('{"fn":"Ada"}')
  })

  it('cards may be none', async () => {
    for (const text of ['', '\n', '\ufeff\r\n']) expect(await readCards(text)).toEqual([])
  })
})

describe('card that is not whole', () => {
  it('a card without an end is one row at fault, at the end of the file or before the next', async () => {
    const cut = ['card_not_ended', 'FN:Ada\nTEL:1']
    expect(await faultsOf(`BEGIN:VCARD\nFN:Ada\nTEL:1\n${card('FN:x')}`)).toEqual([cut, undefined])
    for (const end of ['', '\n', '\nPHOTO;ENCODING=b:abc', '\nAGENT:\nBEGIN:VCARD\nFN:Noor\nEND:VCARD\nEND'])
      expect(await faultsOf(`${card('FN:x')}BEGIN:VCARD\nFN:Ada\nTEL:1${end}`)).toEqual([
        undefined,
        [cut[0], end.endsWith('END') ? 'FN:Ada\nTEL:1\nAGENT:\nEND' : cut[1]],
      ])
    expect(await faultsOf('BEGIN:VCARD')).toEqual([['card_not_ended', '']])
  })

  it('one row at fault holds lines outside of cards', async () => {
    expect(await faultsOf(`Hello\n${card('FN:x')}END:VCARD\nTEL:1\n${card()}:`)).toEqual([
      ['outside_of_cards', 'Hello'],
      undefined,
      ['outside_of_cards', 'END:VCARD\nTEL:1'],
      undefined,
      ['outside_of_cards', ':'],
    ])
  })

  it('a card with a line that is not in its charset is one row at fault, and the others are read', async () => {
    const text = [card('FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Jo=C3'), card('FN:Zoë')].join('')
    expect((await readCards(text)).map(({ fault }) => fault)).toEqual([
      { code: 'line_not_in_encoding', params: { line: 2, encoding: 'UTF-8' } },
      undefined,
    ])
  })

  it('a card may have properties of any name, which are columns like the others', async () => {
    expect(await objectOf('FN:Ada', 'X-messaging/xmpp-All:ada@example.org', 'X+A;TYPE=a:1')).toEqual({
      fn: 'Ada',
      'x-messaging/xmpp-all': 'ada@example.org',
      'x+a': '1',
    })
  })

  it('a card with a line that is no property is one row at fault', async () => {
    const [row] = await readCards(card('FN:Ada', 'NOTE:a', 'and more'))
    expect(row).toMatchObject({
      fault: { code: 'not_a_property', params: { line: 4 } },
      text: 'FN:Ada\nNOTE:a\nand more',
    })
  })

  itLong('a card over 10 MB is one row at fault, of few lines or many', async () => {
    const long = `NOTE:${'x'.repeat(6_000_000)}`
    for (const lines of [[long, long], Array(100_001).fill('X:1')]) {
      const [row, next] = await readCards(card(...lines) + card('FN:x'), { chunk: 65_536 })
      expect(row?.fault).toMatchObject({ code: 'too_long', params: { characters: 10_000_000 } })
      expect(row?.text?.length).toBeLessThanOrEqual(1_000_000)
      expect(next?.value('fn')).toBe('x')
    }
  })

  it('a card with more than 100,000 values is one row at fault', async () => {
    for (const line of [`CATEGORIES:${'a,'.repeat(110_000)}`, `ORG:${';a'.repeat(110_000)}`]) {
      const [row] = await readCards(card(line))
      expect(row?.fault?.code).toBe('too_many_values')
    }
  })
})
