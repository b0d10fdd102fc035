import { crc32 } from 'node:zlib'

/**
 * Adds the last field to a line of the result log or the intent log: a checksum of the UTF-8 text before it. Lines of 0.3.0 and
 * earlier have none.
 */
export function withChecksum(line: string): string {
  const text = line.slice(0, -1)
  return `${text},"crc32":"${crc32(text).toString(16).padStart(8, '0')}"}`
}
