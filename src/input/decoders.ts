import { isUtf8 } from 'node:buffer'
import { iconv } from '../model/package.ts'

/** Turns bytes into whole characters of UTF-8, chunk by chunk. */
export interface Decoder {
  write(bytes: Buffer): Buffer | Undecodable
  end(): Buffer | Undecodable
}

/** The text before the first bytes that are not valid; or before a character of UTF-8, and how that reads by another encoding. */
export class Undecodable {
  readonly before: Buffer
  readonly utf8: { readonly character: string; readonly misread: string } | undefined
  constructor(before: Buffer, utf8?: Undecodable['utf8']) {
    this.before = before
    this.utf8 = utf8
  }
}

export const nothing: Buffer = Buffer.alloc(0)

export function decoderOf(encoding: string): Decoder {
  const name = encoding.toLowerCase().replaceAll(/[-_]/g, '')
  if (name === 'utf8') return wholeCharacters(cutUtf8, readUtf8)
  if (name === 'utf16le' || name === 'ucs2') return wholeCharacters(cutUtf16(1), readUtf16le)
  if (name === 'utf16be') return wholeCharacters(cutUtf16(0), readUtf16be)
  // in whole characters: the decoder of iconv-lite can lose what follows a character that is cut
  if (name === 'gb18030') return wholeCharacters(cutGb18030, bytes => checkText(iconv().decode(bytes, name)))
  if (/^(utf32|ucs4)[lb]e$/.test(name)) return wholeCharacters(({ length }) => length % 4, readUtf32(name))
  const decoder = iconv().getDecoder(encoding, { stripBOM: false })
  return { write: bytes => checkText(decoder.write(bytes)), end: () => checkText(decoder.end() ?? '') }
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
  const fault = bytes.findIndex((byte, at) => byte !== again[at])
  return new Undecodable(bytes.subarray(0, fault))
}

const cutCharacter = /(?:[\xc0-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xff][\x80-\xbf]{0,2})$/
const cutUtf8 = (bytes: Buffer) =>
  cutCharacter.exec(bytes.toString('latin1', bytes.length - 3))?.[0].length ?? 0

const readUtf16le = (bytes: Buffer) => checkText(bytes.toString('utf16le'), /\p{Cs}/u) // half a surrogate pair
const readUtf32 = (name: string) => (bytes: Buffer) =>
  checkText(iconv().decode(bytes, name, { stripBOM: false }), /[\ufffd\p{Cs}]/u)
const readUtf16be = (bytes: Buffer) => readUtf16le(Buffer.from(bytes).swap16())

/** Half a code unit, or the first half of a surrogate pair; `highByte` is the position of the high byte in a unit. */
const cutUtf16 = (highByte: 0 | 1) => (bytes: Buffer) => {
  const half = bytes.length % 2
  const last = bytes[bytes.length - half - 2 + highByte] ?? 0
  return half + (bytes.length - half >= 2 && last >= 0xd8 && last <= 0xdb ? 2 : 0)
}

/** A byte below 0x81 is a character; any other starts one of four bytes if a digit follows, else one of two. */
const wholeGb18030 = /^(?:[\0-\x80]|[\x81-\xff](?:\d.{2}|\D))*/s
const cutGb18030 = (bytes: Buffer) =>
  bytes.length - (wholeGb18030.exec(bytes.toString('latin1'))?.[0].length ?? 0)

/** iconv-lite writes U+FFFD for bytes that are not valid; hardly any encoding that it reads has that character. */
function checkText(text: string, invalid = /\ufffd/): Buffer | Undecodable {
  const fault = text.search(invalid)
  return fault === -1 ? Buffer.from(text) : new Undecodable(Buffer.from(text.slice(0, fault)))
}
