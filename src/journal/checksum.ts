import { crc32 } from 'node:zlib'

// Every line of the result log and of the intent log ends with a checksum of its text, as last field. Lines of 0.3.0 and earlier
// have none. Lines are without their line end here.

const mark = ',"crc32":"'
const tailLength = mark.length + 10
const tails = /,"crc32":"([0-9a-f]{8})"\}/g

const tailOf = (text: string | Uint8Array): string => `${mark}${crc32(text).toString(16).padStart(8, '0')}"}`

/** Adds the checksum of the UTF-8 text before it to a line, which is a JSON object. */
export function withChecksum(line: string): string {
  const text = line.slice(0, -1)
  return text + tailOf(text)
}

/** The line as it was before; JSON.parse keeps a table of short texts, and each checksum would be a new one in it. */
export const withoutChecksum = (line: string): string => `${line.slice(0, -tailLength)}}`

/** Undefined for a line without a checksum, else whether it is right; `text` is the same line, decoded. */
export function isIntact(line: Buffer, text = String(line)): boolean | undefined {
  if (!text.startsWith(mark, text.length - tailLength) || !text.endsWith('"}')) return undefined
  return Number.parseInt(text.slice(-10, -2), 16) === crc32(line.subarray(0, line.length - tailLength))
}

/** Whether a text has a checksum, of whatever line. */
export const hasChecksum = (text: Buffer): boolean => text.toString('latin1').search(tails) !== -1

/** The lines with their right checksums that stand in a text, and what is left over of it. */
export function intactIn(text: Buffer): { readonly lines: Buffer[]; readonly rest: Buffer } {
  const lines: Buffer[] = []
  const rest: Buffer[] = []
  const latin = text.toString('latin1')
  let from = 0
  for (const { index } of latin.matchAll(tails)) {
    const end = index + tailLength
    const start = from + latin.slice(from, index).lastIndexOf('{"run":')
    const line = text.subarray(start, end)
    if (start < from || !isIntact(line)) continue
    rest.push(text.subarray(from, start))
    lines.push(line)
    from = end
  }
  return { lines, rest: Buffer.concat([...rest, text.subarray(from)]) }
}

/** What CRC-32 makes of each byte, and the byte by the highest eight bits of that, which are different for all. */
function tables() {
  const table = Array.from({ length: 256 }, (_, byte) => (crc32(Buffer.of(byte)) ^ crc32(Buffer.of(0))) >>> 0)
  const byteOfTop = new Uint8Array(256)
  for (const [byte, value] of table.entries()) byteOfTop[value >>> 24] = byte
  return { table, byteOfTop }
}

/**
 * The lines of which a damaged one is a copy with one byte changed. The checksum is linear: that of the change is the difference to
 * the right one, and taken back byte by byte it is the change itself where that was made.
 */
export function* restorations(damaged: Buffer): Generator<Buffer> {
  const at = damaged.length - tailLength
  if (at < 0) return
  const text = damaged.subarray(0, at)
  const rewritten = Buffer.concat([text, Buffer.from(tailOf(text))])
  if (rewritten.filter((byte, place) => byte !== damaged[place]).length === 1) yield rewritten
  const [, stored] = new RegExp(`${tails.source}$`).exec(damaged.toString('latin1', at)) ?? []
  if (stored === undefined) return
  const { table, byteOfTop } = tables()
  let change = (crc32(text) ^ Number.parseInt(stored, 16)) >>> 0
  for (let place = at - 1; place >= 0; place -= 1) {
    const byte = byteOfTop[change >>> 24] ?? 0
    const value = table[byte] ?? 0
    if (value === change) {
      const line = Buffer.from(damaged)
      line[place] = (line[place] ?? 0) ^ byte
      yield line
    }
    change = (((change ^ value) << 8) | byte) >>> 0
  }
}
