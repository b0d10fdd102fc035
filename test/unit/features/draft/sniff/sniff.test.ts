import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { type KnownSettings, type Sniffed, sniff } from '../../../../../src/features/draft/sniff/sniff.ts'

import type { Row } from '../../../../../src/model/row.ts'
import { itLong } from '../../../../support/long.ts'
import { cellsOf, fileWith, sourceProblem } from '../../../../support/read-input.ts'

const nothing = { stdin: Readable.from([]), signal: new AbortController().signal, onRead: () => {} }

/** Sniffs a file with that content. */
const found = async (
  content: string | Buffer,
  given: KnownSettings = {},
  name = 'rows.csv',
): Promise<Sniffed> => sniff(await fileWith(name, content), given, nothing)

/** The header and the cells that are read with the settings that were found. */
async function readBy(sniffed: Sniffed): Promise<unknown[]> {
  const { columns, rows } = await sniffed.open()
  const all: Row[] = []
  for await (const batch of rows) all.push(...batch)
  return [columns, ...cellsOf(all)]
}

const table = 'Name,Ort\nÄnne Müßig,Köln\nRené Français,Nîmes\n'
const asRead = [
  ['Name', 'Ort'],
  ['Änne Müßig', 'Köln'],
  ['René Français', 'Nîmes'],
]

describe('encoding', () => {
  it.each([
    ['utf-8', Buffer.from(table)],
    ['utf-8', Buffer.from(`\uFEFF${table}`)],
    ['utf-16le', iconv.encode(table, 'utf-16le', { addBOM: true })],
    ['utf-16be', iconv.encode(table, 'utf-16be', { addBOM: true })],
    ['utf-32le', iconv.encode(table, 'utf-32le', { addBOM: true })],
    ['utf-32be', iconv.encode(table, 'utf-32be', { addBOM: true })],
    ['utf-16le', iconv.encode(table, 'utf-16le')],
    ['utf-16be', iconv.encode(table, 'utf-16be')],
    ['windows-1252', iconv.encode(table, 'windows-1252')],
    ['macintosh', iconv.encode(table, 'macintosh')],
  ])('the encoding: %s is found by the bytes', async (encoding, bytes) => {
    const sniffed = await found(bytes)
    expect(sniffed.encoding.name).toBe(encoding)
    expect(await readBy(sniffed)).toEqual(asRead)
  })

  it.each([
    ['shift_jis', '氏名,会社\n山田太郎,東京株式会社\n鈴木花子,大阪商事\n'],
    ['gb18030', '姓名,公司\n张三,北京公司\n李四,上海公司\n'],
    ['windows-1251', 'Имя;Фамилия\nИван;Петров\nАнна;Сидорова\n'],
    ['koi8-r', 'Имя;Фамилия;Город\nИван;Петров;Москва\nАнна;Сидорова;Казань\n'],
    ['windows-1253', 'Name;City\nΆλφα Παπαδόπουλος;Αθήνα\nΈλλη Νικολάου;Πάτρα\n'],
    ['iso-8859-2', 'Name;City\nŁukasz Wiśniewski;Łódź\nMałgorzata Dąbrowska;Gdańsk\n'],
    ['shift_jis', '氏名,会社\n山田太郎,東京株式会社\n'],
    ['cp850', 'Name,Town\nBjörn Åkesson,Malmö\nSören,Växjö\n'],
    ['iso-8859-2', 'Task,Who\nKwiaty są suche,Krzyś\n'],
    ['windows-1250', 'Task,Who\nKwiaty są suche,Krzyś\n'],
    ['windows-1253', 'Name,City\nΈλενα Μάνου,Άρτα\n'],
    ['windows-1253', 'Πελάτης,Πόλη\nΝΙΚΟΣ,ΒΟΛΟΣ\nΕλένη Ραΐση,Χανιά\n'],
    ['iso-8859-7', 'Name,City\nΈλενα Μάνου,Άρτα\n'],
    ['windows-1255', 'Name,City\nרות לוי,Eilat\n'],
    ['windows-1254', 'Name,City\nGökçe Işık,Muğla\n'],
    ['windows-1251', 'Name,City\nОльга Фомина,Minsk\n'],
    ['shift_jis', 'Name\n鈴木次郎\n'],
    ['gb18030', 'Name,City\n周丽,Wuhan\n'],
    ['big5', 'Name,City\n鄭美玲,Tainan\n'],
    ['euc-kr', 'Name,City\n최은주,Busan\n'],
    ['euc-kr', '이름,전화\n한솔,051-555\n'],
  ])('the encoding: %s is found by the letters', async (encoding, text) => {
    expect((await found(iconv.encode(text, encoding))).encoding).toMatchObject({
      name: encoding,
      by: 'guess',
    })
  })

  it.each([
    ['windows-1250', 'Imię;Nazwisko;Miasto\nŁukasz;Wójcik;Łódź\n'],
    ['windows-1250', 'Vezetéknév;Keresztnév\nKovács;Győző\n'],
    ['windows-1254', 'Ad;Soyad;Şirket\nGülşen;Yıldız;Işık\n'],
    ['windows-1252', 'Förnamn;Efternamn\nÅsa;Öberg\n'],
  ])('the encoding: %s is found by the words of the header: %j', async (encoding, text) => {
    expect((await found(iconv.encode(text, encoding))).encoding.name).toBe(encoding)
  })

  it.each(['Größe', 'Blåhavn', '5 €', '20 °C', '5 m³', 'it’s', 'À la carte', 'Peña', 'René'])(
    'the encoding of a single word beyond ASCII is windows-1252: %s',
    async word => {
      const sniffed = await found(iconv.encode(`Name,Email\n${word},a@example.com\n`, 'windows-1252'))
      expect(sniffed.encoding.name).toBe('windows-1252')
    },
  )

  it('the encoding is not UTF-8 because of one letter far down the file', async () => {
    const many = `Name,Town\n${'Ada,London\n'.repeat(100_000)}`
    const sniffed = await found(iconv.encode(`${many}René,Nîmes\n`, 'windows-1252'))
    expect(sniffed.encoding.name).toBe('windows-1252')
  })

  it('the encoding of a damaged UTF-8 file names the line', async () => {
    const bytes = Buffer.concat([Buffer.from('Name\nÄnne\nJörg\nÜwe\n'), Buffer.from('René\n', 'latin1')])
    const sniffed = await found(bytes)
    expect(sniffed.encoding).toEqual({ name: 'utf-8', by: 'damaged', damagedLine: 5 })
    expect(sniffed.usual.encoding).toBe(true)
    const source = await sniffed.open()
    const names: unknown[] = []
    for await (const batch of source.rows) names.push(...batch.map(row => row.value('Name')))
    expect(names).toEqual(['Änne', 'Jörg', 'Üwe', 'Ren\ufffd'])
    await source.close()
    const mixed = Buffer.concat([Buffer.from('Name\nZoë\n'), Buffer.from('René\n', 'latin1')])
    expect((await found(mixed)).encoding).toMatchObject({ name: 'utf-8', damagedLine: 3 })
  })

  it.each([
    ['a,b\n1,\x002\n3,4', 'in an even place'],
    ['a,b\nx\0,y\n', 'in an odd one'],
  ])('the encoding of a short file with a NUL is not UTF-16: %s', async text => {
    expect((await found(text)).settings.encoding).toBe('utf-8')
    expect((await found(Buffer.from('a,b', 'utf16le'))).settings.encoding).toBe('utf-16le')
  })

  it('the encoding is what the person says', async () => {
    const bytes = iconv.encode(table, 'windows-1252')
    expect((await found(bytes, { encoding: 'cp850' })).encoding.name).toBe('cp850')
  })

  it('the encoding is never one that an import refuses', async () => {
    expect(await sourceProblem(found(table, { encoding: 'cp850' }))).toMatchObject({
      code: 'wrong_encoding',
    })
    const bytes = Buffer.concat([
      Buffer.from('Zoë\n'.repeat(101)),
      Buffer.from('Renée\n'.repeat(300), 'latin1'),
    ])
    expect((await found(bytes)).encoding).toEqual({ name: 'utf-8', by: 'damaged', damagedLine: 102 })
  })
})

describe('delimiter', () => {
  it.each([',', ';', '\t', '|', '^', '`'])(
    'the delimiter "%s" is found by the evenness of the lines',
    async delimiter => {
      const rows = [
        ['Name', 'Note', 'Amount'],
        ['Ada', 'one, two; three', '1.5'],
        ['Bob', 'four', '2,5'],
      ]
      const text = rows
        .map(cells => cells.map(cell => (/[,;]/.test(cell) ? `"${cell}"` : cell)).join(delimiter))
        .join('\r\n')
      const sniffed = await found(text)
      expect(sniffed.settings.delimiter).toBe(delimiter)
      expect(await readBy(sniffed)).toEqual(rows)
    },
  )

  it('the delimiter is none of the signs that stand inside decimal numbers', async () => {
    expect((await found('Name;Sum\nAda;1,5\nBob;2,5\nCy;3,5\n')).settings.delimiter).toBe(';')
  })

  it('the delimiter is a single sign if it is doubled', async () => {
    const rows = 'Name || Town || Note\nIvy || Hull || \nRex || || x\n'
    expect((await found(rows)).settings.delimiter).toBe('|')
  })

  it.each([
    [', ', 'Name, "Firm", "Key"\n"Ivy", "CBC, Hull", "k1"\n"Rex", "Isis", "k2"\n'],
    ['; ', '"Name"; "Firm"\n\n"Ivy"; "CBC; Hull"\n"Rex"; ""\n'],
    [',', 'Name, "Firm", "Key"\n"Ivy", "CBC, Hull","k1"\n'],
    [',', 'Name,Firm,Key\n"Ivy", "CBC, Hull", "k1"\n"Rex", "Isis, Hull", "k2"\n'],
    [',', 'Name, Firm\nIvy, CBC\n'],
    [',', '"Name","Said"\n"Ivy","Well, ""no"""\n'],
  ])('the delimiter has the blank that comes before each quote: "%s" in %j', async (delimiter, text) => {
    expect((await found(text)).settings.delimiter).toBe(delimiter)
  })

  it('the delimiter of a .tsv is told, for the same rows under another name', async () => {
    expect((await found('Name\tTown\nIvy\tHull\n', {}, 'a.tsv')).usual.delimiter).toBe(false)
    expect((await found('Name,Town\nIvy,Hull\n', {}, 'a.tsv')).usual.delimiter).toBe(false)
    expect((await found('Name,Town\nIvy,Hull\n')).usual.delimiter).toBe(true)
  })

  it('the delimiter does not take a column of names for two', async () => {
    expect(await readBy(await found('Name\nSmith, John\nLovelace, Ada\n'))).toEqual([
      ['Name'],
      ['Smith, John'],
      ['Lovelace, Ada'],
    ])
  })
})

describe('header', () => {
  const header = async (text: string) => (await found(text)).settings.header

  it('the header is the first line, if that is no data', async () => {
    expect(await header('Name,Email\nAda,ada@example.com\n')).toEqual({ type: 'first_line' })
    expect(await header('Id,2024,2025\n1,5,6\n')).toEqual({ type: 'first_line' })
  })

  it.each([
    [
      'notes',
      'Notes:\n"Some, of the\nrows are missing"\n\nFirst Name,Last Name,URL\nAda,L,x\nBob,S,y\n',
      'First Name',
    ],
    [
      'remarks',
      '# exported 2026-01-02\n# by hand\nTask,Due,Who\na,2026-01-02,Ann\nb,2026-01-03,Bob\n',
      'Task',
    ],
    [
      'a title and an address in rows of their own',
      ',,\nhttps://app.example.com/x,,\n,,\nTask,Due,Who\na,b,c\nd,e,f\n',
      'Task',
    ],
    [
      'a cell of several lines',
      '"Date: 2026"\n"Status: \n0 Normal\n1 Done"\n"Folder","List","Title"\n"a","b","c"\n"d","e","f"\n',
      'Folder',
    ],
    ['more notes than rows', 'By Ivy\nIn May\nFor us\nDraft\nTask,Due,Who\na,2026-01-02,Ann\n', 'Task'],
  ])('the header may be below %s', async (_, text, cell) => {
    expect(await header(text)).toEqual({ type: 'starts_with', cell })
  })

  it.each([
    ['Person,,Kontakt,\nNachname,Vorname,E-Mail,Telefon\nGroß,Änne,a@example.com,030 901820', 'Nachname'],
    ['Cliente,,Prazo\nNome,Cidade,Data\nAna,Faro,2026-01-02\nRui,Braga,2026-01-03', 'Nome'],
  ])(
    'the header is the second of two lines, if the first names groups of columns: %s',
    async (text, cell) => {
      expect((await found(text)).settings.header).toEqual({ type: 'starts_with', cell })
    },
  )

  it('the header is missing if the first line is a row like the others', async () => {
    expect(await header('Ada,ada@example.com,+442079460101\nBob,bob@example.com,+442079460102\n')).toEqual({
      type: 'columns',
      columns: ['Column 1', 'Column 2', 'Column 3'],
    })
  })

  it('the header is missing if the first line holds a date as the others do', async () => {
    expect(await header('2026-03-01,,\n2026-03-02,,\n2026-03-05,,\n')).toMatchObject({ type: 'columns' })
  })

  it('the header is known by its words, however few of its cells are filled', async () => {
    expect(await header(',Name,,Email,\n1,Al,x,al@example.com,\n')).toEqual({ type: 'first_line' })
    expect(await header(';;Imię;;E-mail;;\n1;2;Al;x;al@example.com;;\n')).toEqual({ type: 'first_line' })
  })

  it.each([
    'Noor,Haddad,,,noor@example.com,,,,,,,,,,Editor\nAl,Gray,,,al@example.com,,,,,,,,,,Title\n',
    'Al,,,,,,,+31 20 555 0111,\nBo,,,,,,,+31 20 555 0112,\n',
    'Al,https://example.com/al,,,,,,\nBo,https://example.com/bo,,,,,,\n',
  ])('the header is not a line that holds an address or a number to call: %j', async text => {
    expect(await header(text)).toMatchObject({ type: 'columns' })
  })

  it.each([
    ['Ivy,i@example.com,j@example.com,k@example.com\nRex,r@example.com\nAl,a@example.com,,,\nBo\n', 4, 'pad'],
    ['Ivy,Hull,+44 20 7946 0101\nRex,York,020 7946 0102;+44 20 7946 0103\n'.replaceAll(';', ','), 4, 'pad'],
    ['Mow,2026-01-02\nRake,2026-01-03\nSow,2026-01-04,2026-01-05\n', 3, 'pad'],
    ['Ivy,i@example.com,j@example.com\nRex,r@example.com,\nAl,a@example.com,\n', 3, 'invalid'],
    ['Ivy,i@example.com,Hull\nRex,r@example.com\nAl,a@example.com\n', 2, 'invalid'],
    ['Ivy,i@example.com,5\nRex,r@example.com,5,50\nAl,a@example.com,6\n', 3, 'invalid'],
  ])('without a header, rows that end in lists have the longest one: %j', async (text, width, ragged) => {
    const { header, ragged: policy } = (await found(text)).settings
    expect([header, policy]).toMatchObject([{ columns: { length: width } }, ragged])
  })

  it('the header is doubtful if nothing tells it from the rows', async () => {
    const unsure = async (text: string) => (await found(text)).header?.nameless?.columns
    expect(await unsure('Buy milk\nCall Bob\nWater plants\n')).toEqual(['Column 1'])
    expect(await unsure('Ivy Reed,Hull,\nRex Moss,,\n')).toEqual(['Column 1', 'Column 2', 'Column 3'])
    expect(await unsure('7,8\n')).toEqual(['Column 1', 'Column 2'])
    expect(await unsure('notes,,\nD,E,F\n')).toEqual(['Column 1', 'Column 2', 'Column 3'])
    expect(await unsure('x ; y\nu ; v\n')).toEqual(['Column 1', 'Column 2'])
    expect(await unsure('AB-1,Ivy\nAB-2,Rex\n')).toEqual(['Column 1', 'Column 2'])
    expect(await unsure('Task\nCall Bob\nWater plants\n')).toBeUndefined()
    expect(await unsure('Name,Email\n')).toBeUndefined()
    expect(await unsure('Widget,Amount\nlamp,3\nrug,4\n')).toBeUndefined()
    expect(await unsure('Widget,Colour\na,red\nb,red\nc,blue\nd,blue\n')).toBeUndefined()
  })

  it.each([
    '1,Ivy Reed,Hull\n2,Rex Moss,York\n3,Al Gray,Leeds\n4,Bo Lane,Hull\n5,Cy Dorn,Bath\n',
    '61,Call Al,a@example.com,Call,Open\n62,Lunch,b@example.com,Other,Open\n63,Plan,,Task,Done\n',
    'Ivy,(11) 555-0101,12,Flat 2,Hull,HU-10000\nRex,(11) 555-0102,N/A,,York,YO-20000\nAl,,4,,Bath,BA-30000\n',
    'AB-101,Ivy Reed\nAB-102,Rex Moss\nCD-3,Al Gray\n',
    'Ivy Reed,10211,Hull\nRex Moss,10322,York\nAl Gray,10433,Bath\n',
  ])('the header is missing if the first line counts, or has a code, as the others do: %j', async text => {
    expect(await header(text)).toMatchObject({ type: 'columns' })
  })

  it.each([
    'Item,Kind,Whose,Where,7\nlamp,a,b,c,5\nrug,d,e,f,8\n',
    'Item,2024,2025\nlamp,1066,1812\nrug,1945,1500\n',
    'Ware,Q1\nlamp,AB2\nrug,CD3\n',
  ])('the header is not missing for numbers as short as those that name columns: %j', async text => {
    expect(await header(text)).toEqual({ type: 'first_line' })
  })

  it('the header that starts with a cell of a line above it is spelt out', async () => {
    const sniffed = await found('Task,,\n\nTask,Due,Who\na,2026-01-02,c\nd,2026-01-03,f\n')
    expect(sniffed.settings.header).toEqual({ type: 'columns', columns: ['Task', 'Due', 'Who'] })
    expect(sniffed.header?.unnameable).toBe('unnameable')
  })

  it.each([
    [
      'questions',
      'No,Contact,,Known from\n,Name,Email,Response\n1,Al,al@example.com,Web\n',
      ['No', 'Name', 'Email', 'Known from'],
    ],
    [
      'groups',
      'Mother,,Father,\nName,Email,Name,Email\nAl,a@example.com,Bo,b@example.com\n',
      ['Mother Name', 'Mother Email', 'Father Name', 'Father Email'],
    ],
  ])('names in two lines are joined: %s', async (_, text, columns) => {
    const { header } = await found(text)
    expect(header).toMatchObject({ rule: { type: 'columns', columns }, unnameable: 'two_lines', above: 2 })
  })
})

describe('quotes', () => {
  it.each([
    ['"Name,Email,Phone"\n"Al,al@example.com,1"\n"Bo,b@example.com,2"\n', 'around_records'],
    [`'Name','Email'\n'Al, Gray','al@example.com'\n`, 'single'],
    ['Name,Firm\n"Al", "CBC, Hull"\n"Bo", "Isis"\n', 'after_blanks'],
    ['Name, "Firm"\n"Al", "CBC, Hull"\n"Bo", "Isis"\n', undefined],
    ['Name\n"Gray, Al"\n"Re, Bo"\n', undefined],
    ['"Name","Email"\n"Gray, Al","al@example.com"\n', undefined],
  ])('quotes are found in %j', async (text, quotes) => {
    expect((await found(text)).oddity).toBe(quotes)
  })

  const ldif = 'dn: cn=Ivy,ou=a\ncn: Ivy\nmail: i@example.com\nsn:: QQ==\n jpeg\n'
  it.each([
    [`${ldif}\n${ldif}`, 'pairs'],
    ['Name: Änne\nTelefon privat: 1\n\nName: Bo\nTelefon privat: 2\nFällig am: morgen\n', 'pairs'],
    ['From: a@example.com\nSubject: Hello, Al\nDate: today\n\nCome!\n', 'pairs'],
    ['# Home\n- [ ] Buy milk\n- [x] Call Bob\n  * [ ] Water plants\n', 'to_dos'],
    ['(A) Call Bob @phone\nx 2026-01-02 Buy milk, eggs\nSow\n', 'to_dos'],
    ['Garden: mow\nGarden: rake\nHouse: paint\nCar: wash\n', undefined],
    ['Subject,Date\nRe: Paint,2026-01-02\nRe: Date,2026-01-03\nFwd: x,2026-01-04\n', undefined],
    ['Task\n- Buy milk\n- Call Bob\n', undefined],
  ])('lines of another kind are found in %j', async (text, kind) => {
    expect((await found(text)).oddity).toBe(kind)
  })
})

describe('format', () => {
  it('the format is NDJSON where each line is an object, whatever the name', async () => {
    expect((await found('{"a":1}\n{"a":2}\n', {}, 'rows.txt')).settings.format).toBe('ndjson')
  })

  it('the format is found in a packed file and in standard input, too', async () => {
    expect(await readBy(await found(gzipSync(table), {}, 'rows.csv.gz'))).toEqual(asRead)
    const stdin = Readable.from([Buffer.from(table.slice(0, 20)), Buffer.from(table.slice(20))])
    const sniffed = await sniff('-', {}, { ...nothing, stdin })
    expect(await readBy(sniffed)).toEqual(asRead)
  })

  it.each([
    ['empty', ''],
    ['empty', ' \n\n'],
    ['zip', Buffer.from('504b030414000600', 'hex')],
    ['office', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
    ['pdf', '%PDF-1.7\n'],
    ['gzip', gzipSync(table)],
    ['web_page', '<!DOCTYPE html><html></html>'],
    ['vcard', 'BEGIN:VCARD\nVERSION:3.0\n'],
    ['json', '[\n {"a":1}\n]'],
    ['json', '{\n  "a": 1\n}'],
    ['json', '{"total":1,"leads":[{"id":7,"email":"ivy@example.com"}]}'],
    ['binary', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte % 9))],
  ])('the format has no rows: %s', async (reason, content) => {
    expect(await sourceProblem(found(content))).toMatchObject({ params: { looksLike: reason } })
  })

  const board = { name: 'Garden', steps: [{ title: 'Dig' }, { title: 'Sow' }, { title: 'Reap' }] }
  it.each([
    ['steps', board],
    ['data.all steps', { data: { 'all steps': board.steps } }],
    ['tasks', { log: [...Array(9)].map((_, id) => ({ id })), tasks: board.steps }],
    ['lists.tasks', { lists: [{ id: 1, tasks: board.steps }, { id: 2 }] }],
    ['members', { members: board.steps }],
    [undefined, board.steps],
    ['tasks', [{ id: 1, tasks: board.steps }, { id: 2 }]],
  ])('the format is a document, with the rows at %s', async (rows, json) => {
    for (const text of [JSON.stringify(json), `${JSON.stringify(json)}\n`, JSON.stringify(json, null, 2)]) {
      expect((await found(text, {}, 'board.json')).settings).toMatchObject({ format: 'json', rows })
      if (rows === 'members') continue
      expect((await found(text, {}, 'board')).settings).toMatchObject({ format: 'json', rows })
      for (const name of ['board.csv', 'board.ndjson'])
        expect(await sourceProblem(found(text, {}, name))).toMatchObject({ params: { looksLike: 'json' } })
    }
    expect((await found(JSON.stringify(json), { format: 'ndjson' }, 'board.json')).settings.format).toBe(
      'ndjson',
    )
  })

  itLong('the format is a document, whose lists are counted to its end and in its encoding', async () => {
    const steps = [...Array(100_000)].map((_, id) => ({ id, title: `Über ${id} ${'x'.repeat(40)}` }))
    const text = JSON.stringify({ log: [{ title: 'x' }, { title: 'y' }], steps })
    const latin = Buffer.from(text, 'latin1')
    const sniffed = await found(latin, {}, 'board.json')
    expect(sniffed.settings).toMatchObject({ rows: 'steps', encoding: 'windows-1252' })
    const { rows } = await sniffed.open()
    let count = 0
    for await (const batch of rows) count += batch.length
    expect(count).toBe(100_000)
  })

  it('the format is NDJSON, though the name says it is a document', async () => {
    const sniffed = await found('{"id":1}\n{"id":2}\n', {}, 'rows.json')
    expect(sniffed).toMatchObject({ settings: { format: 'ndjson' }, usual: { format: false } })
  })

  it.each([
    [
      'a task with labels',
      { id: 5, title: 'Dig', labels: [1, 2, 3].map(id => ({ id, name: 'spring work', color: 'c0ffee' })) },
    ],
    [
      'a task with comments',
      {
        title: 'Dig',
        assignees: { nodes: [{ id: 1, name: 'Ivy' }] },
        comments: [{ id: 1, body: 'x'.repeat(500) }],
      },
    ],
    [
      'a contact with visits',
      {
        name: 'Ivy',
        email: 'ivy@example.com',
        town: 'Hull',
        visits: [
          { id: 1, day: 2 },
          { id: 2, day: 3 },
        ],
      },
    ],
    [
      'a contact of lists',
      { names: [{ displayName: 'Ivy' }], emailAddresses: [{ value: 'ivy@example.com' }] },
    ],
    ['an empty list', { items: [] }],
  ])('the format is one row with lists in it: %s', async (_, row) => {
    for (const name of ['row.ndjson', 'row'])
      expect((await found(JSON.stringify(row), {}, name)).settings.format).toBe('ndjson')
  })

  it('the format is not looked for in objects that are nested thousands of levels deep', async () => {
    const deep = `{"items":[{"id":1,"x":${'['.repeat(9_000)}${']'.repeat(9_000)}}]}`
    expect(await sourceProblem(found(deep))).toMatchObject({ params: { looksLike: 'json' } })
  })
})
