import { crc32, deflateRawSync } from 'node:zlib'

/** A file of an archive; what is given besides name and content stands in the directory instead of the truth. */
export interface Zipped {
  readonly name: string | Buffer
  readonly content?: string | Buffer
  /** As it stands in the archive, instead of the deflated content. */
  readonly packed?: Buffer
  readonly method?: number
  readonly flags?: number
  readonly size?: number
  readonly sum?: number
  /** Where the local header stands. */
  readonly at?: number
  readonly extra?: Buffer
}

/** An archive of files, in their order; names are marked as UTF-8 where `flags` does not say otherwise. With `isLarge`, counts are of zip64. */
export function zipOf(files: readonly Zipped[], isLarge = files.length > 0xffff): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let length = 0
  for (const file of files) {
    const content = Buffer.from(file.content ?? '')
    const { method = 8, flags = 0x800, size = content.length, sum = crc32(content), extra } = file
    const packed = file.packed ?? (method === 0 ? content : deflateRawSync(content))
    const name = Buffer.from(file.name)
    const local = header(0x04034b50, [20, flags, method, 0, 0], [sum, packed.length, size], name.length)
    const more = extra ?? Buffer.alloc(0)
    directory.push(
      header(0x02014b50, [20, 20, flags, method, 0, 0], [sum, packed.length, size], name.length, more.length),
      centralEnd(file.at ?? length),
      name,
      more,
    )
    parts.push(local, name, packed)
    length += local.length + name.length + packed.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(isLarge ? 0xffff : files.length, 8)
  end.writeUInt16LE(isLarge ? 0xffff : files.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(length, 16)
  return Buffer.concat([
    ...parts,
    central,
    ...(isLarge ? [zip64(files.length, length, central.length)] : []),
    end,
  ])
}

/** The part of a header that both kinds have. */
function header(
  signature: number,
  shorts: readonly number[],
  sizes: readonly number[],
  ...lengths: number[]
): Buffer {
  const [nameLength = 0, extraLength = 0] = lengths
  const bytes = Buffer.alloc(4 + shorts.length * 2 + 12 + 4)
  bytes.writeUInt32LE(signature)
  for (const [at, short] of shorts.entries()) bytes.writeUInt16LE(short, 4 + at * 2)
  const rest = 4 + shorts.length * 2
  for (const [at, size] of sizes.entries()) bytes.writeUInt32LE(size, rest + at * 4)
  bytes.writeUInt16LE(nameLength, rest + 12)
  bytes.writeUInt16LE(extraLength, rest + 14)
  return bytes
}

function centralEnd(at: number): Buffer {
  const bytes = Buffer.alloc(14)
  bytes.writeUInt32LE(at, 10)
  return bytes
}

/** The end of an archive with more files than the usual end can count. */
function zip64(count: number, start: number, size: number): Buffer {
  const bytes = Buffer.alloc(56 + 20)
  bytes.writeUInt32LE(0x06064b50)
  bytes.writeBigUInt64LE(44n, 4)
  for (const [value, at] of [[count, 24], [count, 32], [size, 40], [start, 48]] as const) // biome-ignore format: pairs
    bytes.writeBigUInt64LE(BigInt(value), at)
  bytes.writeUInt32LE(0x07064b50, 56)
  bytes.writeBigUInt64LE(BigInt(start + size), 64)
  bytes.writeUInt32LE(1, 72)
  return bytes
}
