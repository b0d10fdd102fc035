import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { divide } from '../../../../src/features/ledger/chunks.ts'
import { findFile } from '../../../../src/input/bytes.ts'
import { SourceError } from '../../../../src/model/errors.ts'
import type { Row } from '../../../../src/model/row.ts'
import { tempFolder } from '../../../support/cleanup.ts'
import { timesOpen } from '../../../support/open-files.ts'
import {
  cellsOf,
  check,
  chunksOf,
  fileWith,
  placesOf,
  readFileOf,
  rowsOf,
  sourceFault,
  sourceProblem,
} from '../../../support/read-input.ts'
import { type Zipped, zipOf } from '../../../support/zip.ts'

const csv = 'Name,Email\nAda,ada@example.com\n'
const people: Zipped = { name: 'people.csv', content: csv }
const archiveWith = (...files: Zipped[]) => fileWith('export.zip', zipOf(files))
const read = async (path: string) => rowsOf(await check([path]))
/** Which file is taken, or why none is. */
async function taken(inside: string, ...names: (string | Buffer)[]): Promise<unknown> {
  const path = await archiveWith(...names.map(name => ({ name, content: csv, flags: 0 })))
  const without = (text: string) => text.replace(path, '')
  try {
    return without((await findFile(path + inside))?.path ?? '')
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    const { code, params } = error.problem
    return code === 'no_file_in_zip' ? params.files.map(without) : [code, params]
  }
}

describe('archive', () => {
  it('an archive with one file of rows is that file', async () => {
    const path = await archiveWith(
      { name: 'export/', method: 0 },
      { name: 'export/people.csv', content: csv },
      { name: 'export/readme.txt', content: 'Hello' },
      { name: '__MACOSX/export/._people.csv', content: '\0\x05\x16' },
      { name: 'export/.DS_Store' },
      { name: 'export/.people.csv' },
      { name: 'export/~$people.csv' },
      { name: 'export/photo.png' },
    )
    const [source] = await check([path])
    const name = `${path}/export/people.csv`
    expect(source).toMatchObject({ path: name, columns: ['Name', 'Email'] })
    const rows = await read(path)
    expect(cellsOf(rows)).toEqual([['Ada', 'ada@example.com']])
    expect(rows[0]).toMatchObject({ source: name, row: 1, line: 2 })
    await expect.poll(() => timesOpen(path)).toBe(0)
  })

  it('an archive gives the file that is named after it', async () => {
    expect(await taken('/a/b.csv', 'a/b.csv', 'b.csv')).toBe('/a/b.csv')
    expect(await taken('/b.csv', 'a/b.csv', 'b.csv')).toBe('/b.csv')
    expect(await taken('/notes', 'notes', 'b.csv')).toBe('/notes')
    expect(await taken('/.hidden.csv', '.hidden.csv')).toBe('/.hidden.csv')
    expect(await taken('/Bücher.csv', 'Bu\u0308cher.csv', 'b.csv')).toBe('/B\u00fccher.csv')
    expect(await taken('/people.csv', './people.csv', 'b.csv')).toBe('/people.csv')
    expect(await taken('/etc/people.csv', '../../etc/people.csv', 'b.csv')).toBe('/etc/people.csv')
    expect(await taken('/c/people.csv', 'c\\people.csv', 'b.csv')).toBe('/c/people.csv')
  })

  it('an archive says which files there are if none is clear', async () => {
    expect(await taken('', 'a.csv', 'b/c.ndjson', 'd.txt')).toEqual(['/a.csv', '/b/c.ndjson'])
    expect(await taken('', 'readme.txt', 'photo.png')).toEqual(['/readme.txt', '/photo.png'])
    expect(await taken('')).toEqual([])
    expect(await taken('/c.csv', 'a.csv', 'b.csv')).toEqual(['/a.csv', '/b.csv'])
    expect(await taken('/a', 'a/b.csv')).toEqual(['/a/b.csv'])
    expect(await taken('/A.csv', 'a.csv')).toEqual(['/a.csv'])
    expect(await taken('/a.csv', 'a.csv', './a.csv')).toEqual(['/a.csv', '/a.csv'])
  })

  it('an archive gives no Excel file, and none that is encrypted', async () => {
    const sheet = await archiveWith({ name: 'book.xlsx', content: zipOf([]) })
    const fault = `${sheet}/book.xlsx: a sheet is read only from a file that is not packed; unpack it first: unzip "${sheet}"`
    for (const path of [sheet, `${sheet}/book.xlsx`]) expect(await sourceFault(check([path]))).toBe(fault)
    const path = await archiveWith({ ...people, flags: 1 })
    expect(await sourceProblem(check([path]))).toMatchObject({ params: { source: path, why: 'encrypted' } })
  })

  it('an archive may hold packed files, and those of all formats', async () => {
    const path = await archiveWith(
      { name: 'a.csv.gz', content: gzipSync(csv) },
      { name: 'b.ndjson', content: '{"Name":"Bo"}\n' },
      { name: 'c.tsv', content: 'Name\tNr\nCy\t1\n' },
    )
    const rows = await rowsOf(await check(['a.csv.gz', 'b.ndjson', 'c.tsv'].map(name => join(path, name))))
    expect(cellsOf(rows)).toEqual([['Ada', 'ada@example.com'], ['Bo'], ['Cy', '1']])
  })

  it('an archive may be a folder of such a name, or a file beside', async () => {
    const folder = join(await tempFolder(), 'exports.zip')
    await mkdir(join(folder, 'old.zip.d'), { recursive: true })
    await writeFile(join(folder, 'a.csv'), csv)
    await writeFile(join(folder, 'old.zip.d', 'a.csv'), csv)
    await writeFile(join(folder, 'b.zip'), zipOf([people]))
    for (const name of ['a.csv', 'old.zip.d/a.csv', 'b.zip', 'b.zip/people.csv'])
      expect(await read(join(folder, name))).toHaveLength(1)
    for (const name of ['c.csv', 'c.zip', 'c.zip/a.csv', 'a.csv/b.csv'])
      expect((await sourceProblem(read(join(folder, name)))).code).toBe('source_unreadable')
    expect((await sourceProblem(readFileOf('a.zip', csv))).code).toBe('bad_zip')
  })

  it('an archive tells the packed bytes of the file that is read, and that it changed', async () => {
    const other: Zipped = { name: 'other.csv', content: csv.repeat(100) }
    const path = await archiveWith(people, other)
    const read: Buffer[] = []
    const [source] = await check([`${path}/people.csv`], { onRead: bytes => void read.push(bytes) })
    for await (const _ of source?.rows() ?? []);
    expect(Buffer.concat(read)).toHaveLength(source?.size ?? 0)
    await writeFile(path, zipOf([people, other, { name: 'more.csv' }]))
    const { code, params } = await sourceProblem(rowsOf(source ? [source] : []))
    expect([code, params.source]).toEqual(['source_changed', `${path}/people.csv`])
  })

  it('an archive is divided into chunks', async () => {
    const path = await archiveWith({
      name: 'n.csv',
      content: `N\n${Array.from({ length: 950 }, (_, at) => at).join('\n')}\n`,
    })
    const sources = await check([path])
    const { sources: divided, chunks } = await divide(sources)
    expect(divided[0]).toMatchObject({ rows: 950 })
    expect(await divide(await check([`${path}/n.csv`]))).toEqual({ sources: divided, chunks })
    const rows: Row[] = []
    for (const chunk of chunks.toReversed())
      for await (const batch of chunksOf(sources[0])?.read(chunk) ?? []) rows.push(...batch)
    await chunksOf(sources[0])?.close()
    expect(
      placesOf(rows)
        .map(([row]) => row)
        .sort((a = 0, b = 0) => a - b),
    ).toEqual(Array.from({ length: 950 }, (_, at) => at + 1))
  })
})
