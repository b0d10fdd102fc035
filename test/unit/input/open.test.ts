import { appendFile, copyFile, mkdir, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { checkSources } from '../../../src/input/open.ts'
import { delimiterOf, formatFor } from '../../../src/input/source.ts'
import { tempFolder } from '../../support/cleanup.ts'
import { timesOpen } from '../../support/open-files.ts'
import {
  cellsOf,
  check,
  fileWith,
  placesOf,
  readFileOf,
  rowsOf,
  sourceFault,
  sourceProblem,
} from '../../support/read-input.ts'

const csv = 'A,B\n1,2\n3,4\n'

/** Whether a file gets closed: its stream ends in a moment of its own. */
async function isClosed(path: string): Promise<boolean> {
  for (let turn = 0; turn < 5_000; turn += 1) {
    if ((await timesOpen(path)) === 0) return true
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  return false
}

async function replaceFile(path: string): Promise<void> {
  await copyFile(path, `${path}.new`)
  await rename(`${path}.new`, path)
}

describe('sources', () => {
  it('sources are read one after the other, each with its own rows and lines', async () => {
    const folder = await tempFolder()
    const paths = ['a.csv', 'b.csv'].map(name => join(folder, name))
    await writeFile(join(folder, 'a.csv'), csv)
    await writeFile(join(folder, 'b.csv'), '\nB,C\n5,6\n')
    const sources = await check(paths)
    expect(sources.map(({ path, columns }) => [path, columns])).toEqual([
      [paths[0], ['A', 'B']],
      [paths[1], ['B', 'C']],
    ])
    const rows = await rowsOf(sources)
    expect(rows.map(row => [row.source, row.row, row.line, row.value('B')])).toEqual([
      [paths[0], 1, 2, '2'],
      [paths[0], 2, 3, '4'],
      [paths[1], 1, 3, '5'],
    ])
  })

  it('sources may be one file twice', async () => {
    const path = await fileWith('a.csv', csv)
    expect(placesOf(await rowsOf(await check([path, path])))).toHaveLength(4)
  })

  it('sources tell their size, and how many of their own bytes were taken, packed or not', async () => {
    const packed = gzipSync(csv.repeat(1000))
    const paths = [await fileWith('a.csv', csv), await fileWith('b.csv.gz', packed)]
    let taken = 0
    const onRead = (bytes: Buffer) => {
      taken += bytes.length
    }
    const sources = await check(paths, { onRead })
    expect(sources.map(({ size }) => size)).toEqual([csv.length, packed.length])
    expect(taken).toBe(0)
    await rowsOf(sources)
    expect(taken).toBe(csv.length + packed.length)
  })

  it('sources are in the format of their name, unless another is given', async () => {
    expect(
      ['a.csv', 'a', 'a.txt', 'a.NDJSON', 'a.jsonl', 'a.ndjson.gz', '-'].map(path => formatFor(path, {})),
    ).toEqual(['csv', 'csv', 'csv', 'ndjson', 'ndjson', 'ndjson', 'csv'])
    expect(['a.csv', 'a.tsv', 'a.TSV.gz', 'a.tab', '-'].map(delimiterOf)).toEqual([
      ',',
      '\t',
      '\t',
      '\t',
      ',',
    ])
    expect(cellsOf(await readFileOf('a.tsv', 'A\tB\n1,5\t2\n'))).toEqual([['1,5', '2']])
    expect(cellsOf(await readFileOf('a.tsv', 'A;B\n1\t5;2\n', { delimiter: ';' }))).toEqual([['1\t5', '2']])
    expect(cellsOf(await readFileOf('a.csv', '{"a":1}\n', { format: 'ndjson' }))).toEqual([[1]])
    expect(cellsOf(await readFileOf('a.ndjson', csv, { format: 'csv' }))).toHaveLength(2)
  })
})

describe('check of the sources', () => {
  it('a check of the sources lets go of every file until its turn comes', async () => {
    const long = csv + '1,2\n'.repeat(100_000)
    const paths = [
      await fileWith('a.csv', long),
      await fileWith('b.csv.gz', gzipSync(Buffer.from(long + Math.PI.toString().repeat(50_000)))),
      await fileWith('c.ndjson', '{}\n'.repeat(100_000)),
    ]
    await check(paths)
    for (const path of paths) expect([path, await isClosed(path)]).toEqual([path, true])
  })

  it('a check of the sources leaves no file open behind a reader that leaves after the first rows', async () => {
    const path = await fileWith('a.csv', csv + '1,2\n'.repeat(100_000))
    const [source] = await check([path])
    for await (const _ of source?.rows() ?? []) break
    expect(await isClosed(path)).toBe(true)
  })

  it('a check of the sources tells of a missing file, a folder and an empty file', async () => {
    const folder = await tempFolder()
    const missing = join(folder, 'no.csv')
    expect(await sourceFault(check([missing]))).toBe(`${missing}: there is no such file`)
    expect(await sourceFault(check([folder]))).toBe(`${folder}: is a folder, not a file`)
    await mkdir(join(folder, 'f.gz'))
    expect(await sourceFault(check([join(folder, 'f.gz')]))).toContain('is a folder')
    const empty = await fileWith('e.csv', '')
    expect(await sourceFault(check([empty]))).toBe(
      `${empty}: is empty; a table needs a header line, or header.columns in the mapping`,
    )
  })

  it('a check of the sources finds the fault of any source before a row of the first is read', async () => {
    const good = await fileWith('a.csv', csv)
    expect(await sourceFault(check([good, `${good}.no`]))).toContain('there is no such file')
    const bad = await fileWith('b.csv', Buffer.from([0x41, 0xff, 0x0a]))
    expect(await sourceFault(check([good, bad]))).toContain(`${bad}:1:`)
    for (const name of ['c.vcf', 'c.ics'])
      expect(await sourceFault(check([good, await fileWith(name, Buffer.from([0x41, 0xff]))]))).toContain(
        name,
      )
  })

  it('a check of the sources knows no columns of NDJSON', async () => {
    const [source] = await check([await fileWith('a.ndjson', '{"a":1}\n')])
    expect(source?.columns).toBeUndefined()
  })

  it.each([
    ['written anew', (path: string) => writeFile(path, 'B,A\n1,2\n'), 8, false],
    ['longer', (path: string) => appendFile(path, '5,6\n'), 16, false],
    ['shorter', (path: string) => truncate(path, 8), 8, false],
    ['written to, and as long as before', (path: string) => writeFile(path, 'A,B\n1,2\n3,5\n'), 12, false],
    ['another one, and reads the same', replaceFile, 12, true],
  ])(
    'a check of the sources finds out when a file is %s by the time its rows are read',
    async (_, change, now, isReplaced) => {
      const path = await fileWith('a.csv', csv)
      await utimes(path, 0, 0)
      const sources = await check([path])
      await change(path)
      const changed = { code: 'source_changed', params: { source: path, isReplaced, sizes: [12, now] } }
      expect(await sourceProblem(rowsOf(sources))).toEqual(changed)
      expect(await timesOpen(path)).toBe(0)
    },
  )

  it('a check of the sources tells of a file that is gone by the time its rows are read', async () => {
    const path = await fileWith('a.csv', csv)
    const sources = await check([path])
    await rm(path)
    expect(await sourceFault(rowsOf(sources))).toBe(`${path}: there is no such file`)
  })
})

describe('file that changes while it is read', () => {
  const long = `A,B\n${'1,2\n'.repeat(60_000)}`
  const packed = gzipSync(Buffer.from(long + Math.PI.toString().repeat(50_000)), { level: 0 })
  const gone = (path: string) => rm(path)

  async function readWhile(name: string, content: string | Buffer, change: (path: string) => Promise<void>) {
    const path = await fileWith(name, content)
    await utimes(path, 0, 0)
    const [source] = await check([path])
    let rows = 0
    const reading = async () => {
      for await (const batch of source?.rows() ?? []) {
        if (rows === 0) await change(path)
        rows += batch.length
      }
    }
    const { code } = await sourceProblem(reading())
    expect(await timesOpen(path)).toBe(0)
    return { code, rows }
  }

  it.each([
    ['grows', (path: string) => appendFile(path, '3,4\n'), 60_000],
    ['loses its end', (path: string) => truncate(path, 200_001), 49_998],
    ['is touched', (path: string) => utimes(path, 0, 1), 59_999],
    ['is replaced by its like', replaceFile, 59_999],
  ])('a file that changes and %s ends with an error in place of its last row', async (_, change, rows) => {
    expect(await readWhile('a.csv', long, change)).toEqual({ code: 'source_changed', rows })
  })

  it('a file that changes is reported before its cut last row', async () => {
    const { code } = await readWhile('a.csv.gz', packed, path => truncate(path, packed.length - 9))
    expect(code).toBe('source_changed')
    const quoted = `${long}"3,4\n5,6"\n`
    expect((await readWhile('b.csv', quoted, path => truncate(path, quoted.length - 5))).code).toBe(
      'source_changed',
    )
  })

  it('a file that changes is reported if it is gone', async () => {
    expect(await readWhile('a.csv', long, gone)).toEqual({ code: 'source_unreadable', rows: 59_999 })
  })

  it('a file that changes is not looked at by a reader that leaves before the end', async () => {
    const path = await fileWith('a.csv', long)
    const [source] = await check([path])
    for await (const _ of source?.rows() ?? []) {
      await appendFile(path, '3,4\n')
      break
    }
    expect(await timesOpen(path)).toBe(0)
  })
})

describe('pipe', () => {
  it('a pipe is read once, from its header to its end', async () => {
    const stdin = Readable.from(['A,', 'B\n1', ',2\n3,4'].map(text => Buffer.from(text)))
    let taken = 0
    const onRead = (bytes: Buffer) => {
      taken += bytes.length
    }
    const sources = await check(['-'], { onRead }, stdin)
    expect(sources[0]?.columns).toEqual(['A', 'B'])
    expect(sources[0]?.size).toBeUndefined()
    expect(cellsOf(await rowsOf(sources))).toEqual([
      ['1', '2'],
      ['3', '4'],
    ])
    expect(taken).toBe(11)
  })

  it('a pipe may stand between files', async () => {
    const path = await fileWith('a.csv', csv)
    const stdin = Readable.from([Buffer.from('A,B\n7,8\n')])
    const rows = await rowsOf(await check([path, '-', path], {}, stdin))
    expect(rows.map(row => row.value('A'))).toEqual(['1', '3', '7', '1', '3'])
  })

  it('a pipe that breaks is a fault of the source', async () => {
    const stdin = Readable.from(
      (async function* () {
        yield Buffer.from('A,B\n1,2\n')
        throw Object.assign(new Error('read'), { code: 'EIO' })
      })(),
    )
    const sources = await check(['-'], {}, stdin)
    expect(await sourceFault(rowsOf(sources))).toBe('-: cannot be read (EIO)')
  })

  it('a pipe is left at once when the run is stopped, though nothing comes from it', async () => {
    const stopping = new AbortController()
    const stdin = new Readable({ read() {} })
    stdin.push('A,B\n1,2\n')
    const settings = { header: { type: 'first_line' }, ragged: 'invalid' } as const
    const sources = await checkSources(['-'], settings, { stdin, signal: stopping.signal, onRead() {} })
    const reading = sourceFault(rowsOf(sources))
    stopping.abort()
    expect(await reading).toContain('-: cannot be read')
    expect(stdin.destroyed).toBe(true)
  })
})

describe('gzip file', () => {
  const long = `A,B\n${Array.from({ length: 20_000 }, (_, at) => `${at},${at * 7919}\n`).join('')}`

  it('a gzip file is unpacked, whatever its format', async () => {
    expect(await readFileOf('a.csv.gz', gzipSync(long))).toHaveLength(20_000)
    expect(await readFileOf('a.NDJSON.GZ', gzipSync('{"a":1}\n{"a":2}\n'))).toHaveLength(2)
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('A\nä\n', 'utf16le')])
    expect(cellsOf(await readFileOf('b.csv.gz', gzipSync(utf16)))).toEqual([['ä']])
  })

  it('a gzip file may be several put together', async () => {
    const packed = Buffer.concat(['A,B\n1,', '2\n3,4\n', '5,6\n'].map(text => gzipSync(text)))
    expect(cellsOf(await readFileOf('a.csv.gz', packed))).toEqual([
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ])
  })

  it('a gzip file that is cut short is a fault, wherever it is cut', async () => {
    const packed = gzipSync(long)
    for (const length of [1, 5, 10, 11, 1000, packed.length - 100, packed.length - 8, packed.length - 1])
      expect(await sourceFault(readFileOf('a.csv.gz', packed.subarray(0, length)))).toContain(
        'a.csv.gz: the gzip file is damaged or cut short (Z_BUF_ERROR); fetch it again',
      )
  })

  it('a gzip file that is cut short in its second member is a fault', async () => {
    const packed = Buffer.concat([gzipSync(long), gzipSync(long).subarray(0, 5000)])
    expect(await sourceFault(readFileOf('a.csv.gz', packed))).toContain(
      'the gzip file is damaged or cut short',
    )
  })

  it('a gzip file that is damaged is a fault', async () => {
    const packed = gzipSync(long)
    packed.fill(0x55, 3000, 3100)
    expect(await sourceFault(readFileOf('a.csv.gz', packed))).toContain(
      'the gzip file is damaged or cut short',
    )
    const wrongSum = gzipSync(long)
    wrongSum[wrongSum.length - 8] = (wrongSum[wrongSum.length - 8] ?? 0) ^ 1
    expect(await sourceFault(readFileOf('a.csv.gz', wrongSum))).toContain(
      'the gzip file is damaged or cut short',
    )
  })

  it('a gzip file that is none is a fault', async () => {
    expect(await sourceFault(readFileOf('a.csv.gz', csv))).toContain('the gzip file is damaged or cut short')
  })

  it('a gzip file that is empty is a fault', async () => {
    expect(await sourceFault(readFileOf('a.ndjson.gz', ''))).toContain(
      'the gzip file is damaged or cut short',
    )
  })

  it('a gzip file that breaks off returns the rows before the break', async () => {
    const path = await fileWith('a.csv.gz', gzipSync(long).subarray(0, 60_000))
    let rows = 0
    const reading = async () => {
      for await (const batch of (await check([path]))[0]?.rows() ?? []) rows += batch.length
    }
    expect(await sourceFault(reading())).toContain('Z_BUF_ERROR')
    expect(rows).toBeGreaterThan(1000)
  })
})
