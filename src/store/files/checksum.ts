import { crc32 } from 'node:zlib'

// Every line of the result log and of the intent log ends with a checksum of its text, as last field. Lines are without their line
// end here.

const mark = ',"crc32":"'
const tailLength = mark.length + 10
const tails = /,"crc32":"([0-9a-f]{8})"\}/g

const tailOf = (text: string | Uint8Array): string => `${mark}${crc32(text).toString(16).padStart(8, '0')}"}`

/** Adds the checksum of the UTF-8 text before it to a line, which is a JSON object. */
export function withChecksum(line: string): string {
  const text = line.slice(0, -1)
  return text + tailOf(text)
}

/** The line before its checksum was added; JSON.parse keeps a table of short texts, and each checksum would be a new one in it. */
export const withoutChecksum = (line: string): string => `${line.slice(0, -tailLength)}}`

/** Checks that a line ends with its right checksum; `text` is the line, decoded. */
export const isIntact = (line: Buffer, text = String(line)): boolean =>
  text.startsWith(mark, text.length - tailLength) &&
  text.endsWith('"}') &&
  Number.parseInt(text.slice(-10, -2), 16) === crc32(line.subarray(0, line.length - tailLength))

/** Checks whether there is a checksum anywhere in a text. */
export const hasChecksum = (text: Buffer): boolean => text.toString('latin1').search(tails) !== -1

/** The lines with their right checksums in a text, and its rest. */
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
