import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { folderWith, rowlift } from '../../support/rowlift.ts'
import { zipOf } from '../../support/zip.ts'

const table = 'Nr,Name\n1,One\n'
const mapping = 'record: task\nkey: Nr\nbody: { name: "{{Name}}" }\n'
const withLookup = mapping.replace(
  'body: {',
  'allow_unknown_fields: true\nlookups: { t: { file: FILE, key: Nr, value: Name } }\nbody: { x: { from: Nr, lookup: t },',
)
const byMapping = ['-m', 'm.yaml', '--dry-run']
const xlsx = Buffer.from('504b0304140006000800000021', 'hex')

describe('file that holds no rows', () => {
  it.each([
    ['people.xlsx', xlsx, 'is damaged or cut short'],
    ['people.csv', xlsx, 'is an Excel file'],
    ['people.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'is an older Excel file'],
    ['people.ods', Buffer.concat([xlsx, Buffer.from('mimetype')]), 'is an OpenDocument spreadsheet'],
    ['people.vcf', 'Name,Email\nAnn,ann@example.com\n', 'is a text file, such as CSV'],
    ['people.pdf', '%PDF-1.4\n%âãÏÓ', 'is a PDF'],
    ['photo.png', Buffer.from('89504e470d0a1a0a', 'hex'), 'is an image'],
    ['page.csv', '\n<!doctype html><title>Sign in</title>', 'is a web page'],
    ['people.csv.bz2', Buffer.from('425a68393141592653590000', 'hex'), 'bzip2 -d FILE'],
    ['people.csv.xz', Buffer.from('fd377a585a000004', 'hex'), 'xz -d FILE'],
    ['people.rar', Buffer.from('526172211a070100', 'hex'), 'rar x FILE'],
    ['people.7z', Buffer.from('377abcaf271c0004', 'hex'), '7z x FILE'],
    ['people.csv.lz4', Buffer.from('04224d186440a7', 'hex'), 'lz4 -d FILE'],
    ['people.csv.Z', Buffer.from('1f9d904e840c', 'hex'), 'compress -d FILE'],
    ['people.csv', Buffer.from('28b52ffd2404', 'hex'), 'zstd -d FILE'],
    ['people.tgz', Buffer.from('1f8b0800000000000003', 'hex'), 'tar -xf FILE'],
    ['people.tar.gz', gzipSync(Buffer.from('people.csv'.padEnd(257, '\0').concat('ustar'))), 'tar -xf FILE'],
    ['people.dat', Buffer.from('people.csv'.padEnd(257, '\0').concat('ustar')), 'tar -xf FILE'],
    ['damaged.zip', xlsx, 'damaged.zip: the zip archive is damaged or cut short'],
    [
      'two.zip',
      zipOf([{ name: 'a b.csv' }, { name: 'c.csv' }]),
      'give one of "two.zip/a b.csv", two.zip/c.csv',
    ],
    [
      'no.zip',
      zipOf([{ name: 'a.txt' }]),
      'no.zip: names no file of rows in the archive, or several; give one of no.zip/a.txt',
    ],
    ['packed.csv', Buffer.from('1f8b0800000000000003', 'hex'), 'a name that ends in .gz'],
    [
      'data.db',
      Buffer.from('SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20\0\0\0\x02\0\0\0\x02'),
      'is not a text file',
    ],
  ])(
    'a file that holds no rows is reported alike by import, lookup and init: %s',
    async (name, content, said) => {
      const cwd = await folderWith({
        [name]: content,
        'm.yaml': mapping,
        'l.yaml': withLookup.replace('FILE', name),
        'good.csv': table,
      })
      const [first, ...others] = await Promise.all([
        rowlift(['init', name], { cwd }),
        rowlift(['import', name, ...byMapping], { cwd }),
        rowlift(['import', 'good.csv', name, ...byMapping], { cwd }),
        rowlift(['import', 'good.csv', '-m', 'l.yaml', '--dry-run'], { cwd }),
      ])
      expect(first).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`${name}: `) })
      expect(first?.stderr).toContain(said)
      for (const { exitCode, stderr } of others) {
        expect(exitCode).toBe(2)
        expect(stderr).toContain(first?.stderr.trimEnd())
      }
    },
  )

  it('a file that holds no rows is reported from a pipe, too', async () => {
    const run = await rowlift(['import', '-', ...byMapping], {
      cwd: await folderWith({ 'm.yaml': mapping }),
      stdin: xlsx,
    })
    expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('-: is an Excel file') })
  })

  it('a file that holds no rows may be NDJSON under the name of a JSON document', async () => {
    const line = '{"Nr":1,"Name":"One"}\n'
    const cwd = await folderWith({ 'm.yaml': mapping, 'a.json': line })
    const run = ['import', 'a.json', ...byMapping]
    expect(await rowlift(run, { cwd })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        'a.json: it is not clear which list has its rows, and it holds no list of objects',
      ),
    })
    expect((await rowlift([...run, '--format', 'ndjson'], { cwd })).stdout).toBe('{"name":"One"}\n')
    expect((await rowlift(['init', 'a.json', '--format', 'ndjson'], { cwd })).exitCode).toBe(0)
  })
})

it.each([
  [
    'cells between control characters',
    Buffer.from('Nr\x01Name\n1\x01One\n2\x01Two\n'),
    ['--delimiter', '\x01'],
  ],
  [
    'control characters that a person calls CSV',
    Buffer.from('Nr,Name\n1,\x01\x02\x03\x04\x05\x06One\n'),
    ['--format', 'csv'],
  ],
  ['a web page in a cell', Buffer.from('Nr,Name\n1,<html>\n'), []],
  ['UTF-16 without a mark', Buffer.from(table, 'utf16le'), ['--encoding', 'utf-16le']],
  [
    'UTF-32',
    Buffer.from([...table].flatMap(letter => [letter.charCodeAt(0), 0, 0, 0])),
    ['--encoding', 'utf-32le'],
  ],
])('%s are rows', async (_, content, more) => {
  const cwd = await folderWith({ 'm.yaml': mapping, 'a.csv': content })
  expect((await rowlift(['import', 'a.csv', ...byMapping, ...more], { cwd })).exitCode).toBe(0)
})
