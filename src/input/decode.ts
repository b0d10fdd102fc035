import { isAscii, isUtf8 } from 'node:buffer'
import { SourceError } from '../model/errors.ts'
import { lazyLibrary } from '../model/package.ts'
import { keyColumn, reasonColumn } from '../model/reserved-columns.ts'

/** Reads every encoding but UTF-8. */
export const iconv = lazyLibrary<typeof import('iconv-lite')>('iconv-lite')

/** The text before the first bytes that are not valid. */
class Undecodable {
  readonly before: Buffer
  constructor(before: Buffer) {
    this.before = before
  }
}

/** Turns bytes into whole characters of UTF-8, chunk by chunk. */
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

/** Finds the byte-order mark: the encoding and the number of its bytes. */
export function findMark(start: Buffer): { encoding: string; length: number } | undefined {
  const found = marks.find(([mark]) => mark.every((byte, at) => start[at] === byte))
  return found && { encoding: found[1], length: found[0].length }
}

/** The encoding can be read. */
export const isKnownEncoding = (name: string): boolean =>
  /^utf-?8$/i.test(name) || iconv().encodingExists(name)

/** Yields whole characters of UTF-8, without byte-order mark. Throws a SourceError with the line of the first bad byte. */
export async function* decode(
  chunks: AsyncIterable<Buffer>,
  given: string | undefined,
  source: string,
): AsyncGenerator<Buffer> {
  const lines = new LineCounter()
  let encoding = given ?? 'utf-8'
  let decoder: Decoder | undefined
  const check = (text: Buffer | Undecodable): Buffer => {
    lines.add(text instanceof Undecodable ? text.before : text)
    if (text instanceof Undecodable)
      throw new SourceError('bad_bytes', { source, line: lines.line, encoding })
    return text
  }
  for await (const chunk of joinStart(chunks)) {
    const mark = decoder === undefined ? findMark(chunk) : undefined
    if (decoder === undefined) {
      encoding = mark?.encoding ?? encoding
      decoder = mark === undefined && isRejectsStart(chunk) ? rejectsDecoder(encoding) : decoderOf(encoding)
    }
    yield check(decoder.write(chunk.subarray(mark?.length ?? 0)))
  }
  yield check(decoder?.end() ?? nothing)
}

/** The first chunk is long enough to hold a mark, unless there is no more. */
async function* joinStart(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = nothing
  for await (const chunk of chunks) {
    start = start && Buffer.concat([start, chunk])
    if (start !== undefined && start.length < longestMark) continue
    yield start ?? chunk
    start = undefined
  }
  if (start !== undefined) yield start
}

const lineFeed = 10
const carriageReturn = 13

/** Counts line ends in a stream of UTF-8 bytes; CR, LF and CRLF count as one each, wherever the chunks are cut. */
export class LineCounter {
  #last = 0
  /** The line of the next byte, from 1. */
  line = 1

  add(bytes: Uint8Array): void {
    for (let at = bytes.indexOf(carriageReturn); at !== -1; at = bytes.indexOf(carriageReturn, at + 1))
      this.line += 1
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1))
      if ((at === 0 ? this.#last : bytes[at - 1]) !== carriageReturn) this.line += 1
    this.#last = bytes.at(-1) ?? this.#last
  }
}

function decoderOf(encoding: string): Decoder {
  const name = encoding.toLowerCase().replaceAll(/[-_]/g, '')
  if (name === 'utf8') return wholeCharacters(cutUtf8, readUtf8)
  if (name === 'utf16le' || name === 'ucs2') return wholeCharacters(cutUtf16(1), readUtf16le)
  if (name === 'utf16be') return wholeCharacters(cutUtf16(0), readUtf16be)
  // in whole characters: the decoder of iconv-lite can lose what follows a character that is cut
  if (name === 'gb18030') return wholeCharacters(cutGb18030, bytes => checkText(iconv().decode(bytes, name)))
  const decoder = iconv().getDecoder(encoding, { stripBOM: false })
  return { write: bytes => checkText(decoder.write(bytes)), end: () => checkText(decoder.end() ?? '') }
}

const isRejectsStart = (start: Buffer): boolean => start.includes(keyColumn) && start.includes(reasonColumn)

/** For rejected rows saved without their mark, perhaps in another encoding: the first letters beyond ASCII decide. */
function rejectsDecoder(given: string): Decoder {
  const extendsAscii = iconv().decode(Buffer.from('+AGE-'), given) === '+AGE-' // UTF-7 does not
  if (!extendsAscii) return decoderOf(given)
  let decoder: Decoder | undefined
  return {
    write(bytes) {
      if (decoder === undefined && isAscii(bytes)) return bytes
      const isValid = decoder === undefined && isUtf8(bytes.subarray(0, bytes.length - cutUtf8(bytes)))
      decoder ??= decoderOf(isValid ? 'utf-8' : given)
      return decoder.write(bytes)
    },
    end: () => decoder?.end() ?? nothing,
  }
}

/** Keeps back the bytes of a cut character, so that `read` gets whole characters. */
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
    end: () => (cut.length === 0 ? nothing : new Undecodable(nothing)),
  }
}

/** UTF-8 is only checked: the parsers take its bytes as they are. */
function readUtf8(bytes: Buffer): Buffer | Undecodable {
  if (isUtf8(bytes)) return bytes
  const again = Buffer.from(bytes.toString()) // with U+FFFD in the place of what is not valid
  return new Undecodable(
    bytes.subarray(
      0,
      bytes.findIndex((byte, at) => byte !== again[at]),
    ),
  )
}

function cutUtf8(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0
  }
  return 0
}

const readUtf16le = (bytes: Buffer) => checkText(bytes.toString('utf16le'), /\p{Cs}/u) // half a surrogate pair
const readUtf16be = (bytes: Buffer) => readUtf16le(Buffer.from(bytes).swap16())

/** Half a code unit, or the first half of a surrogate pair; `highByte` is the position of the high byte in a unit. */
const cutUtf16 = (highByte: 0 | 1) => (bytes: Buffer) => {
  const half = bytes.length % 2
  const last = bytes[bytes.length - half - 2 + highByte] ?? 0
  return half + (bytes.length - half >= 2 && last >= 0xd8 && last <= 0xdb ? 2 : 0)
}

/** A byte below 0x81 is a character; any other starts one of four bytes if a digit follows, else one of two. */
function cutGb18030(bytes: Buffer): number {
  let whole = 0
  for (let at = 0; at <= bytes.length; ) {
    whole = at
    const [first, second] = [bytes[at] ?? 0, bytes[at + 1] ?? 0]
    at += first < 0x81 ? 1 : second >= 0x30 && second <= 0x39 ? 4 : 2
  }
  return bytes.length - whole
}

/** iconv-lite writes U+FFFD for bytes that are not valid; hardly any encoding that it reads here has that character. */
function checkText(text: string, invalid = /\ufffd/): Buffer | Undecodable {
  const fault = text.search(invalid)
  return fault === -1 ? Buffer.from(text) : new Undecodable(Buffer.from(text.slice(0, fault)))
}
