import { isAscii } from 'node:buffer'
import { keyColumn, reasonColumn } from '../model/content-key.ts'
import { SourceError } from '../model/errors.ts'
import { type Decoder, decoderOf, nothing, Undecodable } from './decoders.ts'
import type { SourceSettings } from './source.ts'
import { extendsAscii, guardedDecoder, isOneByte } from './utf8-guard.ts'

const marks: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe, 0, 0], 'utf-32le'],
  [[0, 0, 0xfe, 0xff], 'utf-32be'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]
const longestMark = 4

/** Finds the byte-order mark: the encoding and the number of its bytes. */
export function findMark(start: Buffer): { encoding: string; length: number } | undefined {
  const [mark, encoding] = marks.find(([bytes]) => bytes.every((byte, at) => start[at] === byte)) ?? []
  return mark && encoding ? { encoding, length: mark.length } : undefined
}

type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>
type EncodingSettings = Pick<SourceSettings, 'encoding' | 'trustEncoding'>

/** Yields whole characters of UTF-8, without byte-order mark. Throws a SourceError with the line of the first bad byte. */
export async function* decode(
  chunks: Chunks,
  { encoding: named = 'utf-8', trustEncoding }: EncodingSettings,
  source: string,
  lines = new LineCounter(),
): AsyncGenerator<Buffer> {
  let encoding = named
  let decoder: Decoder | undefined
  const check = (text: Buffer | Undecodable): Buffer => {
    lines.add(text instanceof Undecodable ? text.before : text)
    if (!(text instanceof Undecodable)) return text
    const place = { source, line: lines.line, encoding }
    throw text.utf8
      ? new SourceError('wrong_encoding', { ...place, ...text.utf8 })
      : new SourceError('bad_bytes', place)
  }
  for await (const chunk of joinStart(chunks)) {
    const mark = decoder === undefined ? findMark(chunk) : undefined
    if (decoder === undefined) {
      encoding = mark?.encoding ?? encoding
      const areRejects = isRejectsStart(chunk) // perhaps saved without their mark, or in another encoding
      const isDoubted = areRejects ? extendsAscii(encoding) : !trustEncoding && isOneByte(encoding)
      decoder = mark === undefined && isDoubted ? guardedDecoder(encoding, areRejects) : decoderOf(encoding)
    }
    yield check(decoder.write(chunk.subarray(mark?.length ?? 0)))
  }
  yield check(decoder?.end() ?? nothing)
}

const mostChecked = 10_000_000

/** Reads up to the first character beyond ASCII if the encoding is guarded, at most 10 MB. Throws a SourceError. */
export async function checkEncoding(chunks: Chunks, settings: EncodingSettings, source: string) {
  if (settings.encoding === undefined || !isOneByte(settings.encoding)) return
  let read = 0
  for await (const text of decode(chunks, settings, source)) {
    read += text.length
    if (!isAscii(text) || read >= mostChecked) return
  }
}

/** The first chunk is long enough to hold a mark, unless there is no more. */
export async function* joinStart(chunks: Chunks): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = nothing
  for await (const chunk of chunks) {
    start = start && Buffer.concat([start, chunk])
    if (start !== undefined && start.length < longestMark) continue
    yield start ?? chunk
    start = undefined
  }
  if (start !== undefined) yield start
}

export const lineFeed = 10
export const carriageReturn = 13

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

const isRejectsStart = (start: Buffer): boolean => start.includes(keyColumn) && start.includes(reasonColumn)
