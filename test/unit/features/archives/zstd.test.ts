import { randomBytes } from 'node:crypto'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { unpackZstd } from '../../../../src/features/archives/zstd.ts'
import { cellsOf, piecesOf, readFileOf, sourceProblem } from '../../../support/read-input.ts'

/** `A,B` and 200 lines of `1,2`, with a checksum. */
const packed = Buffer.from('KLUv/QRodQAAOEEsQgoxLDIBABpV1wgeaWPz', 'base64')

/** A frame of one block that is not compressed. */
const frameOf = (text: string) =>
  Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, text.length]),
    Buffer.from([(text.length << 3) | 1, text.length >> 5, 0]),
    Buffer.from(text),
  ])

const skipped = (length: number) => {
  const head = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 0, 0, 0, 0])
  head.writeUInt32LE(length, 4)
  return Buffer.concat([head, randomBytes(length)])
}

async function* chunks(bytes: Buffer, length: number) {
  yield* piecesOf(bytes, length)
}

async function unpacked(bytes: Buffer, chunk = 65_536): Promise<string> {
  const all: Buffer[] = []
  for await (const piece of unpackZstd(chunks(bytes, chunk), 'a.csv.zst')) all.push(piece)
  return Buffer.concat(all).toString()
}

const isKnown = 'createZstdDecompress' in zlib

describe.runIf(isKnown)('zstd file', () => {
  it('a zstd file is unpacked with all its frames', async () => {
    const bytes = Buffer.concat([
      skipped(0),
      packed,
      frameOf('3,4\n'),
      skipped(150_000),
      frameOf(''),
      frameOf('5,6'),
    ])
    for (const chunk of [1, 5, 70_000])
      expect(await unpacked(bytes, chunk)).toBe(`A,B\n${'1,2\n'.repeat(200)}3,4\n5,6`)
    expect(cellsOf(await readFileOf('a.csv.zst', bytes))).toHaveLength(202)
  })

  it('a zstd file is refused if it is cut or damaged', async () => {
    const whole = Buffer.concat([packed, skipped(9), frameOf('3,4\n')])
    const ends = [packed.length, packed.length + 17]
    for (let length = 0; length < whole.length; length += 1)
      if (!ends.includes(length))
        expect((await sourceProblem(unpacked(whole.subarray(0, length)))).code).toBe('bad_gzip')
    for (const bytes of [Buffer.from('A,B\n'), Buffer.concat([packed, Buffer.from('A,B\n1,2\n3,4\n')])])
      expect((await sourceProblem(readFileOf('a.csv.zst', bytes))).code).toBe('bad_gzip')
    const wrong = Buffer.from(packed)
    wrong[wrong.length - 1] = 0
    expect((await sourceProblem(readFileOf('a.csv.zst', wrong))).code).toBe('bad_gzip')
  })
})

describe.runIf(!isKnown)('zstd file on an older Node', () => {
  it('a zstd file on an older Node is refused', async () => {
    expect(await sourceProblem(readFileOf('a.csv.zst', packed))).toMatchObject({
      code: 'unsupported_source',
      params: { looksLike: 'zstd' },
    })
  })
})
