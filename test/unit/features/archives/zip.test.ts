import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { openZip } from '../../../../src/features/archives/zip.ts'
import { itLong } from '../../../support/long.ts'
import { timesOpen } from '../../../support/open-files.ts'
import { fileWith, sourceProblem } from '../../../support/read-input.ts'
import { type Zipped, zipOf } from '../../../support/zip.ts'

const csv = 'Name,Email\nAda,ada@example.com\n'

/** The texts of all files of an archive, by name. */
async function unzipped(bytes: Buffer): Promise<Record<string, string>> {
  const zip = await openZip(await fileWith('a.zip', bytes))
  const texts: Record<string, string> = {}
  try {
    for (const entry of zip.entries) {
      const chunks: Buffer[] = []
      for await (const chunk of zip.read(entry)) chunks.push(chunk)
      texts[entry.name] = Buffer.concat(chunks).toString()
    }
  } finally {
    await zip.close()
  }
  return texts
}

const faultOf = (...files: Zipped[]) => sourceProblem(unzipped(zipOf(files)))
const reasonOf = async (...files: Zipped[]) => {
  const { code, params } = await faultOf(...files)
  return code === 'bad_zip' ? params.reason : code
}
const whyOf = async (...files: Zipped[]) => {
  const { code, params } = await faultOf(...files)
  return code === 'unreadable_zip' ? params.why : code
}

/** Zeros, deflated piece by piece: the same bytes again and again after the first. */
const zeros = (megabytes: number) => deflateRawSync(Buffer.alloc(megabytes * 1_000_000))

describe('zip archive', () => {
  it('a zip archive is read file by file, packed or stored, without its folders', async () => {
    const long = csv.repeat(10_000)
    const files = [
      { name: 'a/', method: 0 },
      { name: 'a/long.csv', content: long },
      { name: 'stored.csv', content: csv, method: 0 },
      { name: 'empty.csv' },
      { name: 'empty stored.csv', method: 0 },
    ]
    expect(await unzipped(zipOf(files))).toEqual({
      'a/long.csv': long,
      'stored.csv': csv,
      'empty.csv': '',
      'empty stored.csv': '',
    })
    expect(await unzipped(zipOf([]))).toEqual({})
  })

  it('a zip archive gives several files at once, and tells the packed bytes', async () => {
    const path = await fileWith('a.zip', zipOf([{ name: 'a', content: csv }, { name: 'b', content: csv.repeat(50_000) }])) // biome-ignore format: short
    let read = 0
    const zip = await openZip(path, {
      onRead: bytes => {
        read += bytes.length
      },
    })
    const [a, b] = zip.entries.map(entry => zip.read(entry))
    const first = await b?.next()
    expect(await a?.next()).toEqual({ done: false, value: Buffer.from(csv) })
    expect(`${(await b?.next())?.value}`.length).toBe(`${first?.value}`.length)
    for await (const _ of b ?? []);
    const [small, large] = zip.entries.map(({ packedSize }) => packedSize)
    expect(read).toBe((small ?? 0) + (large ?? 0))
    await a?.return(undefined)
    await zip.close()
    await expect.poll(() => timesOpen(path)).toBe(0)
  })

  it('a zip archive names its files in UTF-8, also if it does not say so, or in CP437', async () => {
    const names = ['größe.csv', '名前.csv', '../../etc/passwd', '/root/x.csv', 'C:\\data\\y.csv']
    const files: Zipped[] = names.map(name => ({ name, flags: 0 }))
    const old = { name: Buffer.from([0x67, 0x72, 0x94, 0xe1, 0x65]), flags: 0 }
    expect(Object.keys(await unzipped(zipOf([...files, old])))).toEqual([
      ...names.slice(0, 4),
      'C:/data/y.csv',
      'größe',
    ])
  })

  it('a zip archive may be a large one, with the numbers of zip64', async () => {
    const extra = Buffer.alloc(4 + 16)
    extra.writeUInt16LE(1)
    extra.writeUInt16LE(16, 2)
    extra.writeBigUInt64LE(BigInt(csv.length), 4)
    extra.writeBigUInt64LE(BigInt(csv.length), 12)
    const file = { name: 'a.csv', content: csv, method: 0, size: 0xffffffff, extra }
    const bytes = zipOf([file])
    bytes.writeUInt32LE(0xffffffff, bytes.indexOf('PK\x01\x02') + 20)
    expect(await unzipped(bytes)).toEqual({ 'a.csv': csv })
  })

  it('a zip archive is refused if it is damaged', async () => {
    const whole = zipOf([{ name: 'a.csv', content: csv }])
    for (let length = 0; length < whole.length; length += 1)
      expect((await sourceProblem(unzipped(whole.subarray(0, length)))).code).toBe('bad_zip')
    expect(await reasonOf({ name: 'a', content: csv, sum: 1 })).toBe('wrong size or checksum')
    expect(await reasonOf({ name: 'a', content: csv, size: 5 })).toBe('wrong size or checksum')
    expect(await reasonOf({ name: 'a', content: csv, size: 5_000 })).toBe('wrong size or checksum')
    expect(await reasonOf({ name: 'a', content: csv, packed: Buffer.alloc(20, 0xff) })).toBe('Z_DATA_ERROR')
    expect(await reasonOf({ name: 'a', content: csv, packed: deflateRawSync(csv).subarray(0, 9) })).toBe(
      'Z_BUF_ERROR',
    )
    expect(await reasonOf({ name: 'a' }, { name: 'a' })).toBe('two files of one name')
    expect(await reasonOf({ name: 'a', content: csv }, { name: 'b', content: csv, at: 0 })).toBe(
      'files overlap',
    )
    expect(await reasonOf({ name: 'a', content: csv, at: 1 })).toContain('invalid local file header')
    expect((await sourceProblem(unzipped(Buffer.from(csv)))).code).toBe('bad_zip')
  })

  it('a zip archive is refused with any byte of it changed, or gives what it holds', async () => {
    const whole = zipOf([{ name: 'a.csv', content: csv }])
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 0x41
      const end = await unzipped(changed).catch(error => error.code)
      if (typeof end === 'string') expect(end).toMatch(/^(bad|unreadable)_zip$/)
      else expect(Object.values(end)).toEqual(Object.keys(end).length === 0 ? [] : [csv])
    }
  })

  it('a zip archive is refused if it is encrypted, or packed in an unknown way', async () => {
    expect(await whyOf({ name: 'a', content: csv, flags: 1 })).toBe('encrypted')
    expect(await whyOf({ name: 'a', content: csv, method: 9 })).toBe('method')
    expect(await reasonOf({ name: 'a', content: csv, flags: 0x41 })).toContain('encryption')
  })

  it('a zip archive is refused if a file would unpack to much more than it is', async () => {
    const packed = zeros(101)
    expect(await whyOf({ name: 'a', packed, size: 101_000_000 })).toBe('bomb')
    expect(await reasonOf({ name: 'a', packed, size: 1_000 })).toBe('wrong size or checksum')
    expect(await reasonOf({ name: 'a', packed: zeros(20), size: 20_000_000 })).toBe('wrong size or checksum') // read to its end
  })

  itLong('a zip archive is refused with more than 100,000 files', async () => {
    const files = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `${at}`, method: 0 }))
    expect((await sourceProblem(unzipped(zipOf(files(100_001))))).params).toMatchObject({
      reason: 'more than 100,000 files',
    })
    expect(Object.keys(await unzipped(zipOf(files(2_000), true)))).toHaveLength(2_000)
  })

  it('a zip archive is read until the signal, and closed after a fault', async () => {
    const path = await fileWith('a.zip', zipOf([{ name: 'a', content: csv.repeat(100_000) }]))
    const controller = new AbortController()
    const zip = await openZip(path, { signal: controller.signal })
    const [entry] = zip.entries
    const reading = entry && zip.read(entry)
    await reading?.next()
    controller.abort()
    const aborted = { code: 'source_unreadable', params: { source: path, reason: 'ABORT_ERR' } }
    expect(await sourceProblem((async () => { for await (const _ of reading ?? []); })())).toEqual(aborted) // biome-ignore format: short
    await zip.close()
    await expect.poll(() => timesOpen(path)).toBe(0)
    const damaged = await fileWith('b.zip', zipOf([{ name: 'a' }, { name: 'a' }]))
    await sourceProblem(openZip(damaged))
    await expect.poll(() => timesOpen(damaged)).toBe(0)
    expect((await sourceProblem(openZip(`${path}.absent`))).code).toBe('source_unreadable')
  })
})
