import { isAscii } from 'node:buffer'
import { iconv } from '../model/package.ts'
import { type Decoder, decoderOf, nothing, Undecodable } from './decoders.ts'

/** Refuses a text that is UTF-8, at its first character beyond ASCII. */
function misread(text: Buffer, encoding: string): Undecodable {
  const first = text.findIndex(byte => byte >= 0x80)
  const [character = ''] = text.toString('utf8', first, first + 4)
  const misread = iconv().decode(Buffer.from(character), encoding)
  return new Undecodable(text.subarray(0, first), { character, misread })
}

const everyByte = Buffer.from([...Array(256).keys()])

/** Checks that each byte is a character; in UTF-8 the two of é are one. */
export const isOneByte = (encoding: string): boolean =>
  !/^utf-?8$/i.test(encoding) &&
  iconv().decode(everyByte, encoding, { stripBOM: false }).length === everyByte.length &&
  iconv().decode(Buffer.from('é'), encoding).length === 2

const ascii = everyByte.subarray(0, 128)

/** Checks that an encoding has ASCII as it is: UTF-7 does not. */
export const extendsAscii = (encoding: string): boolean =>
  !/^utf-?8$/i.test(encoding) && iconv().decode(ascii, encoding) === ascii.toString()

/** No word of another encoding is valid UTF-8 so often in a row. */
const enoughCharacters = 100
const mostHeldBytes = 10_000_000

/**
 * Reads a one-byte encoding, and holds text back from its first character beyond ASCII until it is clear that it is not UTF-8.
 * In UTF-8 a byte of C2 to F4 always has bytes of 80 to BF after it. In one-byte encodings those are capitals and signs, or letters
 * that rarely follow each other in this way. But single words look like UTF-8 (`раз` in cp866, `แดง` in windows-874, `Spaß®`).
 * So one invalid sequence proves the encoding right, and text is UTF-8 only if there is none up to its end, 100 characters beyond
 * ASCII or 10 MB. `Â£` alone is taken for UTF-8. UTF-8 is refused, or read as such.
 */
export function guardedDecoder(encoding: string, isReadAsUtf8 = false): Decoder {
  const utf8 = decoderOf('utf-8')
  const keepsAscii = extendsAscii(encoding)
  let decoder = decoderOf(encoding)
  let held: Buffer[] | undefined = []
  let [bytes, characters] = [0, 0]
  const settle = (isUtf8: boolean) => {
    const text = Buffer.concat(held ?? [])
    if (isUtf8 && !isReadAsUtf8) return misread(text, encoding)
    if (isUtf8) decoder = decoderOf('utf-8')
    held = undefined
    return decoder.write(text)
  }
  return {
    write(chunk) {
      if (held === undefined) return decoder.write(chunk)
      if (held.length === 0 && isAscii(chunk)) return keepsAscii ? chunk : decoder.write(chunk)
      held.push(chunk)
      const text = utf8.write(chunk)
      const valid = text instanceof Undecodable ? text.before : text
      bytes += chunk.length
      characters += valid.filter(byte => byte >= 0xc0).length
      const isLong = characters >= enoughCharacters || (characters > 0 && bytes >= mostHeldBytes)
      return isLong || text !== valid ? settle(isLong) : nothing
    },
    end() {
      if (held === undefined || held.length === 0) return decoder.end()
      return settle(!(utf8.end() instanceof Undecodable))
    },
  }
}
