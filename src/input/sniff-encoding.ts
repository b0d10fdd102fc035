import { isAscii, isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'
import { markOf } from './decode.ts'
import { iconv } from './iconv.ts'
import { LineCounter } from './lines.ts'

/** How the bytes of a source are to be read, and how that is known. */
export interface FoundEncoding {
  readonly name: string
  readonly by: 'mark' | 'valid' | 'zeros' | 'guess' | 'damaged'
  /** Further guesses, the better ones first. */
  readonly others?: readonly string[]
  /** Where bytes are no UTF-8 in a text that is UTF-8 for the most part: the line of the first of them. */
  readonly damagedLine?: number
}

const mostSample = 65_536

/** Looks at bytes in the order of the source; what it keeps does not grow with them. */
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

  /** What was found, when all bytes were seen. */
  end(): FoundEncoding {
    this.#look(this.#cut)
    this.#cut = Buffer.alloc(0)
    const mark = markOf(this.#head)
    if (mark !== undefined) return { name: mark, by: 'mark' }
    const wide = byZeros(this.#head)
    if (wide !== undefined) return { name: wide, by: 'zeros' }
    if (this.#isUtf8) return { name: 'utf-8', by: 'valid' }
    const sample = Buffer.concat(this.#sample)
    const guess = { name: guessed(sample), others: ranked(sample).map(nameOf), by: 'guess' } as const
    const isMostlyUtf8 = this.#multiByte > this.#damaged * 2
    const isDamaged = isMostlyUtf8 || (this.#multiByte >= this.#damaged && isOfOneByte(guess.name))
    return isDamaged && this.#damagedLine !== undefined
      ? { name: 'utf-8', by: 'damaged', damagedLine: this.#damagedLine }
      : guess
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
      } else if (/[\x80-\xff]/.test(text)) this.#multiByte += 1
      if (/[\x80-\xff]/.test(text) && this.#sampleBytes < mostSample) {
        this.#sample.push(at, Buffer.from('\n'))
        this.#sampleBytes += at.length
      }
      line += 1
    }
  }
}

/** UTF-16 without a mark: of Latin letters, digits and separators every other byte is zero. */
function byZeros(head: Buffer): string | undefined {
  const zeros = [0, 0]
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const least = head.length / 8
  if (odd > least && even < odd / 10) return 'utf-16le'
  return even > least && odd < even / 10 ? 'utf-16be' : undefined
}

const western = new Set(['ISO-8859-1', 'windows-1252', 'ASCII', 'UTF-8'])
/** Of these, statistics of few letters tell little; western text is by far the most common. */
const alsoLatin = /^(ISO-8859-(2|9|15)|windows-125[0478]|ISO-8859-[348])$/
const isOfOneByte = (name: string) =>
  western.has(name) ||
  name === 'windows-1252' ||
  alsoLatin.test(name.toUpperCase().replace('WINDOWS', 'windows'))
const clearlyBetter = 20

function guessed(sample: Buffer): string {
  const matches = ranked(sample)
  const best = matches.find(({ name }) => !western.has(name))
  const asWestern = isInRuns(sample) ? 0 : (matches.find(({ name }) => western.has(name))?.confidence ?? 0)
  if (best === undefined) return ofOtherMachines(sample)
  const needed = alsoLatin.test(best.name) ? asWestern + clearlyBetter : asWestern + 1
  if (best.confidence < Math.max(needed, 10)) return ofOtherMachines(sample)
  return nameOf(best)
}

const ranked = (sample: Buffer) =>
  analyse(lettersOf(sample)).filter(({ name }) => iconv().encodingExists(name) && name !== 'ASCII')

const nameOf = ({ name }: { readonly name: string }) => name.toLowerCase()

/** The words that are not plain ASCII: addresses and numbers would only water down what the others tell. */
const lettersOf = (sample: Buffer) =>
  Buffer.from(
    sample
      .toString('latin1')
      .split(/[\s,;|"]+/)
      .filter(word => /[\x80-\xff]/.test(word))
      .join(' '),
    'latin1',
  )

/** Western words have a letter beyond ASCII here and there; those of other scripts are made of them. */
function isInRuns(sample: Buffer): boolean {
  const text = sample.toString('latin1')
  const runs = text.match(/[\x80-\xff]{3,}/g)?.join('').length ?? 0
  return runs > (text.match(/[\x80-\xff]/g)?.length ?? 0) / 2
}

const bytesOf = (text: string) => new Set(Buffer.from(text, 'hex'))
const dosLetters = bytesOf('8182848e94999aa0a1a2a3a4')
const macLetters = bytesOf('8788898a8d8e8f909698999a9d9e9f')

/** Letters of old Macs and of DOS stand where windows-1252 has signs that are hardly ever inside a word. */
function ofOtherMachines(sample: Buffer): string {
  let [windows, mac, dos] = [0, 0, 0]
  for (const [at, byte] of sample.entries()) {
    const isInWord = byte >= 0x80 && isLetter(sample[at - 1]) && isLetter(sample[at + 1])
    if (!isInWord) continue
    if (byte >= 0xc0) windows += 1
    else if (dosLetters.has(byte) && !macLetters.has(byte)) dos += 1
    else if (macLetters.has(byte) && byte !== 0x92 && byte !== 0x96) mac += 1
  }
  if (Math.max(mac, dos) <= windows) return 'windows-1252'
  return mac >= dos ? 'macintosh' : 'cp850'
}

const isLetter = (byte = 0) => (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122)
