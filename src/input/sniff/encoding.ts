import { isAscii, isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'
import { findMark, iconv, LineCounter } from '../decode.ts'
import { namesIn } from './header-words.ts'

/** How the bytes of a source are to be read, and how that is known. */
export interface FoundEncoding {
  readonly name: string
  readonly by: 'given' | 'mark' | 'valid' | 'zeros' | 'guess' | 'damaged'
  /** All guesses, the best first; the last one can read any bytes. */
  readonly guesses?: readonly string[]
  /** The line of the first bytes that are no UTF-8 in a text that is UTF-8 otherwise. */
  readonly damagedLine?: number
}

const mostSample = 65_536

/** Finds the encoding of bytes that are added in their order. Its memory does not grow with them. */
export class EncodingSniffer {
  #head: Buffer = Buffer.alloc(0)
  #cut: Buffer = Buffer.alloc(0)
  #isUtf8 = true
  #sample: Buffer[] = []
  #sampleBytes = 0
  #multiByte = 0
  readonly #lines = new LineCounter()
  #damagedLine: number | undefined
  #damaged = 0

  add(chunk: Buffer): void {
    if (this.#head.length < 4096) this.#head = Buffer.concat([this.#head, chunk.subarray(0, 4096)])
    const bytes = Buffer.concat([this.#cut, chunk])
    const end = Math.max(bytes.lastIndexOf(10), bytes.lastIndexOf(13)) + 1
    this.#cut = bytes.subarray(end)
    this.#look(bytes.subarray(0, end))
  }

  /** The result, after all bytes were added. */
  end(): FoundEncoding {
    this.#look(this.#cut)
    this.#cut = Buffer.alloc(0)
    const mark = findMark(this.#head)
    if (mark !== undefined) return { name: mark.encoding, by: 'mark' }
    const wide = findUtf16(this.#head)
    if (wide !== undefined) return { name: wide, by: 'zeros' }
    if (this.#isUtf8) return { name: 'utf-8', by: 'valid' }
    // bytes of other encodings are hardly ever valid UTF-8, so as many lines that are make it UTF-8
    if (this.#damagedLine !== undefined && this.#multiByte >= this.#damaged)
      return { name: 'utf-8', by: 'damaged', damagedLine: this.#damagedLine }
    const guesses = guess(Buffer.concat(this.#sample))
    return { name: guesses[0] ?? fallback, by: 'guess', guesses }
  }

  #look(bytes: Buffer): void {
    if (!isUtf8(bytes)) {
      this.#isUtf8 = false
      this.#lookAtLines(bytes)
    } else if (this.#multiByte < mostSample && !isAscii(bytes)) {
      for (const byte of bytes.subarray(0, mostSample)) if (byte >= 0xc2) this.#multiByte += 1
    }
    this.#lines.add(bytes)
  }

  #lookAtLines(bytes: Buffer): void {
    let { line } = this.#lines
    for (const text of bytes.toString('latin1').split(/\r\n|\n|\r/)) {
      const at = Buffer.from(text, 'latin1')
      if (!isUtf8(at)) {
        this.#damagedLine ??= line
        this.#damaged += 1
      } else if (!isAscii(at)) this.#multiByte += 1
      if (!isAscii(at) && this.#sampleBytes < mostSample) {
        this.#sample.push(at, Buffer.from('\n'))
        this.#sampleBytes += at.length
      }
      line += 1
    }
  }
}

/** UTF-16 without a mark: every other byte of ASCII characters is zero. */
function findUtf16(head: Buffer): string | undefined {
  const zeros = [0, 0]
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const least = head.length / 32
  if (odd > least && even < odd / 10) return 'utf-16le'
  return even > least && odd < even / 10 ? 'utf-16be' : undefined
}

const western = /^(iso-8859-1|windows-1252)$/
const latin = /^(windows-125[02478]|iso-8859-(1|2|3|4|9|15)|macintosh|cp850)$/
const doubleByte = /^(shift_jis|big5|euc-|gb18030|iso-2022)/
/** Statistics of few Latin letters say little, and Western text is by far the most common. */
const clearlyBetter = 20
/** chardet's confidence in double bytes that are too few to tell. */
const tooFew = 10
/** The encodings of Windows, which most exports have, for those that chardet names where a text has no letter that differs. */
const ofWindows: Readonly<Record<string, string>> = {
  'iso-8859-2': 'windows-1250',
  'iso-8859-6': 'windows-1256',
  'iso-8859-7': 'windows-1253',
  'iso-8859-8': 'windows-1255',
  'iso-8859-9': 'windows-1254',
}
const usual = ['windows-1252', 'windows-1250', 'windows-1254', 'macintosh', 'cp850']
/** Reads any bytes. */
const fallback = 'iso-8859-1'

/** The likeliest encodings of text that is not UTF-8, the best first: by the names of columns, then by letters. */
function guess(sample: Buffer): string[] {
  const words = wordsBeyondAscii(sample)
  const start = sample.subarray(0, 4000)
  const { clear, rest } = rank(words)
  return [...new Set([...clear, ...usual, ...rest, fallback])]
    .map(name => {
      const cells = iconv()
        .decode(start, name)
        .split('\n', 5)
        .join(';')
        .split(/[,;\t|"]/)
      const faults = iconv().decode(words, name).match(unlikely)?.length ?? 0
      return { name, columns: namesIn(name, cells), faults }
    })
    .sort((a, b) => b.columns - a.columns || a.faults - b.faults)
    .map(({ name }) => name)
}

/** The encodings that chardet finds: those that are clearly better than Western ones, and the rest. */
function rank(words: Buffer): { clear: string[]; rest: string[] } {
  const found = analyse(words)
    .map(({ name, confidence }) => ({ name: name.toLowerCase(), confidence }))
    .filter(({ name }) => iconv().encodingExists(name) && name !== 'ascii')
  const asWestern = found.find(({ name }) => western.test(name))?.confidence ?? 0
  const needed = (name: string) => {
    if (latin.test(name)) return asWestern + clearlyBetter
    return doubleByte.test(name) ? Math.max(asWestern, tooFew) : asWestern
  }
  const clear = found.filter(({ name, confidence }) => confidence > needed(name))
  return {
    clear: clear.flatMap(({ name }) => [ofWindows[name] ?? name, name]),
    rest: found.map(({ name }) => name),
  }
}

/** What hardly any text has: signs and capitals inside words, bytes without a character, boxes. */
const unlikely =
  /\p{L}(?=[^\p{L}\p{M}\0-\x7f’–…]\p{L})|\p{Ll}(?=\p{Lu})|\p{Lu}(?=\p{Lu}\p{Ll})|[\ufffd\x80-\x9f\u2500-\u25ff]/gu

/** The words that are not plain ASCII: addresses and numbers would only blur what the others say. */
const wordsBeyondAscii = (sample: Buffer) =>
  Buffer.from(
    sample
      .toString('latin1')
      .split(/[\s,;|"]+/)
      .filter(word => /[\x80-\xff]/.test(word))
      .join(' '),
    'latin1',
  )
