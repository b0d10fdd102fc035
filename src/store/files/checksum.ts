import { crc32 } from 'node:zlib'
import { hexWord } from '../../model/fingerprint.ts'

// Every line of the result log and of the intent log ends with a seal: `chain`, the checksum of the line before it, and its own one of all text
// before that. Lines of a stream, and of logs before 0.5, have no chain. Lines are without their line end here.

const mark = ',"crc32":"'
const chainMark = ',"chain":"'
const tailLength = mark.length + 10
const chainLength = chainMark.length + 9

const hex = (number: number): string => number.toString(16).padStart(8, '0')

/** Adds the checksum of the UTF-8 text before it to a line, which is a JSON object. */
export const withChecksum = (line: string): string => sealed(line.slice(0, -1)).text

/** Seals the text of a line that lacks its last brace. */
function sealed(text: string) {
  const crc = crc32(text)
  return { text: `${text}${mark}${hex(crc)}"}`, crc }
}

/** The lines of one writer in one file, each of which follows from the one before. */
export class Chain {
  /** The number of lines so far. */
  lines = 0
  /** The checksum of the last one, or of the line that the first one follows. */
  crc: number

  constructor(crc: number) {
    this.crc = crc
  }

  /** Returns a line sealed, with its line end. */
  add(line: string): string {
    const { text, crc } = sealed(`${line.slice(0, -1)}${chainMark}${hex(this.crc)}"`)
    this.crc = crc
    this.lines += 1
    return `${text}\n`
  }
}

/** A whole line: its JSON without the seal, because JSON.parse keeps a table of short texts and each checksum would be a new one in it. */
export interface Unsealed {
  readonly json: string
  readonly crc: number
  /** Undefined for a line without a chain. */
  readonly chain: number | undefined
}

/** Returns a line whose checksum is right; undefined for another text. */
export function unseal(line: Buffer): Unsealed | undefined {
  const text = String(line)
  if (!text.startsWith(mark, text.length - tailLength) || !text.endsWith('"}')) return undefined
  const crc = hexWord(text, text.length - 10)
  if (crc !== crc32(line.subarray(0, line.length - tailLength))) return undefined
  const end = text.length - tailLength
  const isChained = text.startsWith(chainMark, end - chainLength)
  const json = `${text.slice(0, isChained ? end - chainLength : end)}}`
  return { json, crc, chain: isChained ? hexWord(text, end - 9) : undefined }
}

/** Checks whether there is a checksum anywhere in a text. */
export const hasChecksum = (text: Buffer): boolean =>
  text.toString('latin1').search(/,"crc32":"[0-9a-f]{8}"\}/) !== -1
