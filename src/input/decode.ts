import { isAscii, isUtf8 } from 'node:buffer'
import { sourceErrors } from '../model/errors.ts'
import { iconv } from './iconv.ts'
import { LineCounter } from './lines.ts'
import { startsRejects } from './rejects-text.ts'

/** Bytes that the encoding does not know, and the text before them. */
class Undecodable {
  readonly before: string
  constructor(before: string) {
    this.before = before
  }
}

/** Turns the bytes of an encoding into whole characters of UTF-8, chunk by chunk. */
interface Decoder {
  write(bytes: Buffer): Buffer | Undecodable
  end(): Buffer | Undecodable
}

const marks: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]
const longestMark = 3
const nothing: Buffer = Buffer.alloc(0)

const isUtf8Name = (name: string) => /^utf-?8$/i.test(name)

/** Whether an encoding can be read. */
export const isKnownEncoding = (name: string): boolean => isUtf8Name(name) || iconv().encodingExists(name)

/** The encoding that a byte-order mark at the start of the bytes says, if there is one. */
export const markOf = (start: Buffer): string | undefined =>
  marks.find(([bytes]) => bytes.every((byte, at) => start[at] === byte))?.[1]

/**
 * Turns the bytes of a source into UTF-8 chunks of whole characters, without a byte-order mark, which wins over the
 * given encoding. Throws a SourceError that names the line at the first byte that is not valid: nothing of the chunk
 * that holds it is given out.
 */
export async function* decode(
  chunks: AsyncIterable<Buffer>,
  given: string | undefined,
  source: string,
): AsyncGenerator<Buffer> {
  const lines = new LineCounter()
  let head: Buffer | undefined = nothing
  let encoding = given ?? 'utf-8'
  let decoder = decoderOf(encoding)

  /** Looks for a mark at the very start, and gives the bytes behind it. */
  const behindMark = (start: Buffer): Buffer => {
    const mark = marks.find(([bytes]) => bytes.every((byte, at) => start[at] === byte))
    head = undefined
    if (mark === undefined && startsRejects(start)) decoder = unmarkedDecoder(encoding)
    if (mark === undefined) return start
    encoding = mark[1]
    decoder = decoderOf(encoding)
    return start.subarray(mark[0].length)
  }
  const counted = (text: Buffer | Undecodable): Buffer => {
    lines.add(text instanceof Undecodable ? Buffer.from(text.before) : text)
    if (text instanceof Undecodable) throw sourceErrors.badBytes(source, lines.line, encoding)
    return text
  }

  for await (const chunk of chunks) {
    let bytes = chunk
    if (head !== undefined) {
      head = Buffer.concat([head, chunk])
      if (head.length < longestMark) continue
      bytes = behindMark(head)
    }
    yield counted(decoder.write(bytes))
  }
  if (head !== undefined) yield counted(decoder.write(behindMark(head)))
  yield counted(decoder.end())
}

function decoderOf(encoding: string): Decoder {
  const name = encoding.toLowerCase().replaceAll(/[-_]/g, '')
  if (name === 'utf8') return wholeCharacters(cutUtf8, readUtf8)
  if (name === 'utf16le' || name === 'ucs2') return wholeCharacters(cutUtf16(1), readUtf16('utf-16le'))
  if (name === 'utf16be') return wholeCharacters(cutUtf16(0), readUtf16('utf-16be'))
  if (name === 'gb18030') return wholeCharacters(cutGb18030, readGb18030)
  return iconvDecoder(encoding)
}

/**
 * Of a file of rejected rows without its mark: who saved it may have left that out, or have gone back to the encoding of the
 * source. The first letters beyond ASCII tell: those of other encodings are hardly ever valid UTF-8.
 */
function unmarkedDecoder(given: string): Decoder {
  if (iconv().decode(Buffer.from('+AGE-'), given) !== '+AGE-') return decoderOf(given)
  let decoder: Decoder | undefined
  return {
    write(bytes) {
      if (decoder === undefined && isAscii(bytes)) return bytes
      const isUnmarked = decoder === undefined && isUtf8(bytes.subarray(0, bytes.length - cutUtf8(bytes)))
      decoder ??= decoderOf(isUnmarked ? 'utf-8' : given)
      return decoder.write(bytes)
    },
    end: () => decoder?.end() ?? nothing,
  }
}

/** Holds back the bytes of a character that the next chunk goes on with, so that `read` sees whole characters only. */
function wholeCharacters(
  lengthOfCut: (bytes: Buffer) => number,
  read: (bytes: Buffer) => Buffer | Undecodable,
): Decoder {
  let cut = nothing
  return {
    write(bytes) {
      const all = cut.length === 0 ? bytes : Buffer.concat([cut, bytes])
      const whole = all.length - lengthOfCut(all)
      cut = all.subarray(whole)
      return read(all.subarray(0, whole))
    },
    end: () => (cut.length === 0 ? nothing : new Undecodable('')),
  }
}

/** UTF-8 is only checked, never converted: the parsers take its bytes as they are. */
const readUtf8 = (bytes: Buffer) => (isUtf8(bytes) ? bytes : undecodable(bytes, 'utf-8'))

function cutUtf8(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0
  }
  return 0
}

const readUtf16 = (encoding: 'utf-16le' | 'utf-16be') => (bytes: Buffer) => {
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return undecodable(bytes, encoding)
  }
}

/** Half a code unit, or the first half of a surrogate pair, whose high byte stands at `highByte` of its unit. */
const cutUtf16 = (highByte: 0 | 1) => (bytes: Buffer) => {
  const half = bytes.length % 2
  const last = bytes[bytes.length - half - 2 + highByte] ?? 0
  return half + (bytes.length - half >= 2 && last >= 0xd8 && last <= 0xdb ? 2 : 0)
}

/** The first bytes that are not valid do not come back when the text that they gave is written again. */
function undecodable(bytes: Buffer, encoding: string): Undecodable {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true })
  const again = iconv().encode(decoder.decode(bytes), encoding)
  const fault = bytes.findIndex((byte, at) => byte !== again[at])
  return new Undecodable(decoder.decode(bytes.subarray(0, fault)))
}

/** A byte below 0x81 is a character; any other starts one of four bytes where a digit follows it, else of two. */
function cutGb18030(bytes: Buffer): number {
  let whole = 0
  for (let at = 0; at <= bytes.length; ) {
    whole = at
    const [first, second] = [bytes[at] ?? 0, bytes[at + 1] ?? 0]
    at += first < 0x81 ? 1 : second >= 0x30 && second <= 0x39 ? 4 : 2
  }
  return bytes.length - whole
}

/** Whole characters only: of one that two chunks share, the decoder of iconv-lite can lose what follows it. */
const readGb18030 = (bytes: Buffer) => checked(iconv().decode(bytes, 'gb18030'))

/** iconv-lite writes U+FFFD for what an encoding does not know; next to none of those it serves here has that character. */
function checked(text: string): Buffer | Undecodable {
  const fault = text.indexOf('\uFFFD')
  return fault === -1 ? Buffer.from(text) : new Undecodable(text.slice(0, fault))
}

function iconvDecoder(encoding: string): Decoder {
  const decoder = iconv().getDecoder(encoding, { stripBOM: false })
  return { write: bytes => checked(decoder.write(bytes)), end: () => checked(decoder.end() ?? '') }
}
