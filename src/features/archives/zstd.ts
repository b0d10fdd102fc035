import { pipeline, type Transform } from 'node:stream'
import zlib from 'node:zlib'
import { nothing } from '../../input/decoders.ts'
import { SourceError } from '../../model/errors.ts'

/** Unpacker of Node 22.15 and newer. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform }

/** Unpacks all frames: Node stops after the first one, and some versions accept one that is cut. Throws a SourceError. */
export async function* unpackZstd(raw: AsyncGenerator<Buffer>, source: string): AsyncGenerator<Buffer> {
  if (!createZstdDecompress) throw new SourceError('unsupported_source', { source, looksLike: 'zstd' })
  let held = nothing
  const hasMore = async () => {
    const { value, done } = await raw.next()
    if (!done) held = Buffer.concat([held, value])
    return !done
  }
  const take = async (length: number) => {
    while (held.length < length)
      if (!(await hasMore())) throw new SourceError('bad_gzip', { source, reason: 'Z_BUF_ERROR' })
    const taken = held.subarray(0, length)
    held = held.subarray(length)
    return taken
  }
  /** The bytes of one frame (RFC 8878). */
  async function* frame(magic: Buffer) {
    const descriptor = await take(1)
    const [flags = 0] = descriptor
    const isOneSegment = (flags >> 5) & 1
    const sizeBytes = [isOneSegment, 2, 4, 8][flags >> 6] ?? 0
    const dictionaryBytes = [0, 1, 2, 4][flags & 3] ?? 0
    yield Buffer.concat([magic, descriptor, await take(1 - isOneSegment + dictionaryBytes + sizeBytes)])
    for (let isLast = false; !isLast; ) {
      const head = await take(3)
      const bits = head.readUIntLE(0, 3)
      isLast = (bits & 1) === 1
      const isRepeatedByte = ((bits >> 1) & 3) === 1
      yield Buffer.concat([head, await take(isRepeatedByte ? 1 : bits >> 3)])
    }
    if ((flags >> 2) & 1) yield await take(4)
  }
  try {
    do {
      const magic = await take(4)
      const isSkipped = magic.readUInt32LE() >>> 4 === 0x184d2a5
      if (isSkipped)
        for (let left = (await take(4)).readUInt32LE(); left > 0; left -= 65_536)
          await take(Math.min(left, 65_536))
      else yield* pipeline(frame(magic), createZstdDecompress(), () => {}) as AsyncIterable<Buffer>
    } while (held.length > 0 || (await hasMore()))
  } finally {
    await raw.return(undefined)
  }
}
