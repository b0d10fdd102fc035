import { isAscii, isUtf8 } from 'node:buffer'
import { iconv } from '../../model/package.ts'
import { LineCounter } from '../decode.ts'
import { nothing, Undecodable } from '../decoders.ts'
import { guardedDecoder } from '../utf8-guard.ts'
import lists from './header-words.json' with { type: 'json' }
import letters from './letters.json' with { type: 'json' }

export interface SniffedEncoding {
  readonly name: string
  readonly by: 'setting' | 'mark' | 'zeros' | 'valid' | 'guess' | 'damaged'
  /** The first line that is not UTF-8 in a text that is UTF-8 otherwise. */
  readonly damagedLine?: number
}

const mostSample = 256_000

/** UTF-8, or a guess by the lines that are not UTF-8. Reads all bytes, and keeps few. */
export async function sniffEncoding(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<SniffedEncoding> {
  const lines = new LineCounter()
  let sample = ''
  let [valid, invalid] = [0, 0]
  let damagedLine: number | undefined
  const guard = guardedDecoder('latin1')
  let isRefused = false
  for await (const bytes of wholeLines(chunks)) {
    isRefused ||= guard.write(bytes) instanceof Undecodable
    const texts = isAscii(bytes) ? [] : bytes.toString('latin1').split(/\r\n|\n|\r/)
    for (const [at, text] of texts.entries()) {
      if (!/[\x80-\xff]/.test(text)) continue
      const isValid = isUtf8(Buffer.from(text, 'latin1'))
      if (isValid) valid += 1
      else invalid += 1
      if (!isValid) damagedLine ??= lines.line + at
      if (sample.length < mostSample) sample += `${text}\n`
    }
    lines.add(bytes)
  }
  if (damagedLine === undefined) return { name: 'utf-8', by: 'valid' }
  // lines in another encoding are hardly ever valid UTF-8, and an import reads none that begins as UTF-8
  if (valid >= invalid || isRefused) return { name: 'utf-8', by: 'damaged', damagedLine }
  return { name: guess(Buffer.from(sample, 'latin1')), by: 'guess' }
}

export const endOfLines = (bytes: Buffer): number =>
  Math.max(bytes.lastIndexOf(10), bytes.lastIndexOf(13)) + 1

async function* wholeLines(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  let cut = nothing
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([cut, chunk])
    const isLong = bytes.length > mostSample // documents may be a single line
    const end = endOfLines(bytes) || (isLong ? bytes.findLastIndex(byte => byte < 128) + 1 : 0)
    cut = bytes.subarray(end)
    yield bytes.subarray(0, end)
  }
  yield cut
}

/** Text that is rare: signs and capitals inside words, signs before or after them, rows of accents, control characters, boxes. */
const unlikely =
  /\p{L}(?=[^\p{L}\p{M}\0-\x7f’–…]\p{L})|[¢£¥¦§©¬®±¶’](?=[^\0-\x7f])|[¬®©¶](?=\p{L})|\p{L}(?=[±¶¦¬¨¸ˇ˘˛˙])|[aeiouy](?=œ)|\p{Ll}(?=\p{Lu})|\p{Lu}(?=\p{Lu}\p{Ll})|[ªºÀ-ɏ]{4}|(?<!\p{L})[À-ɏ]{3}(?!\p{L})|(?<![\p{L}\p{M}])\p{M}|[\x80-\x9f\u2500-\u25ff\ue000-\uf8ff\uff61-\uff9f]/gu
/** Two scripts in a word. */
const mixed = /[a-zà-ɏ](?=[\u0370-\u1fff\u2e80-\uffef])|[\u0370-\u1fff\u2e80-\uffef](?=[a-zà-ɏ])/g
/** Letters that are common in the languages of an encoding; the first one wins a tie. */
const familiar = Object.entries(letters).map(
  ([name, common]) => [name, new RegExp(`[${common}]`, 'g')] as const,
)

/** The encodings of usual names of columns of people and tasks, by their languages; hardly any value is one of them. */
const encodingsOf = new Map(
  Object.entries(lists).flatMap(([encodings, words]) =>
    words.map(word => [word, encodings.split(' ')] as const),
  ),
)

/** The number of cells that are such names with letters beyond ASCII, in a language of the encoding; a name of no encoding is in all. */
function namesIn(encoding: string, cells: readonly string[]): number {
  const words = cells.filter(cell => /[^ -~]/.test(cell)).map(cell => cell.trim().toLowerCase())
  return words.filter(word => encodingsOf.get(word)?.some(by => by === '' || by === encoding)).length
}

/** Returns the best encoding by names of columns, then unlikely characters, then common ones. */
function guess(sample: Buffer): string {
  const tried = familiar.map(([name, commonLetters]) => {
    const text = iconv().decode(sample, name)
    const cells = text.split('\n', 5).flatMap(line => line.split(/[,;\t|"]/))
    const count = (signs: RegExp) => text.match(signs)?.length ?? 0
    const faults = 2 * count(/\ufffd/g) + count(unlikely) + count(mixed)
    const common = count(commonLetters) / text.length
    return { name, columns: namesIn(name, cells), faults, common }
  })
  const [best] = tried.toSorted((a, b) => b.columns - a.columns || a.faults - b.faults || b.common - a.common)
  return best?.name ?? 'windows-1252'
}
