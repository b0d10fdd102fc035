import { createReadStream } from 'node:fs'
import { UsageError } from '../model/errors.ts'
import { hasChecksum, intactIn, isIntact, restorations } from './checksum.ts'
import { type Opening, parseLine, type ResultLine } from './lines.ts'

// Reads the lines of a result log or an intent log, and tells whole ones, those that a power cut took, and damaged ones apart.

export interface LogFile {
  readonly path: string
  /** The result log that it is, or is beside. */
  readonly log: string
  /** Whether this version knows what a line says. */
  readonly knows: (line: ResultLine) => boolean
  /** What is wrong with a file that does not begin as such a log. */
  readonly isAnother: () => UsageError
  /** What is wrong with a file that cannot be read. */
  readonly isUnreadable: (error: unknown) => UsageError
}

/** A whole line, as bytes and read, and which of the whole lines it is, from 1. */
export interface WholeLine {
  readonly line: ResultLine
  readonly number: number
  readonly bytes: Buffer
}

/** What the end of a log needs before a line is added: the rest is cut off, and what was whole in it comes back. */
export interface TailRepair {
  readonly cutTo: number
  readonly add: Buffer
}

/** How many lines may be written before they are synced: a power cut can take sectors of these alone. */
export const mostUnsynced = 1_000

export const lineEnd = Buffer.from('\n')

/** Takes the texts between the line ends of one log, in their order. */
export class LineSorter {
  readonly #file: LogFile
  /** Behind an opening line with a checksum all lines have one. */
  #isChecked = false
  opening: Opening | undefined
  number = 0

  constructor(file: LogFile) {
    this.#file = file
  }

  /** Undefined where the next text is not one whole line. Throws a UsageError for one of a newer version, and for another file. */
  read(text: Buffer): ResultLine | undefined {
    this.number += 1
    return this.#parse(text)
  }

  #parse(text: Buffer): ResultLine | undefined {
    const isRight = isIntact(text)
    if (isRight === false) return undefined
    const line = parseLine(text.toString())
    const isKnown = line !== undefined && this.#file.knows(line)
    const { path, isAnother } = this.#file
    if (isRight && !isKnown)
      throw new UsageError('unknown_line', { path, line: this.number, status: line?.status })
    const isOpening = line?.rowlift !== undefined
    if (!isKnown || (!isRight && this.#isChecked && !isOpening)) return undefined
    if (isOpening) {
      this.#isChecked = isRight === true
      this.opening = line as Opening
    }
    if (this.opening === undefined) throw isAnother()
    return line
  }

  /** The whole lines in a text that is not one, and what is left over of it. */
  wholeIn(text: Buffer): { readonly lines: Pick<WholeLine, 'bytes' | 'line'>[]; readonly rest: Buffer } {
    const found = intactIn(text)
    const isOld = found.lines.length === 0 && !this.#isChecked // then it may be a line whose line end was changed
    const { lines, rest } = isOld ? { lines: [text.subarray(0, -1)], rest: text.subarray(-1) } : found
    const read = lines.map(bytes => ({ bytes, line: this.#parse(bytes) }))
    return isOld && read[0]?.line === undefined
      ? { lines: [], rest: text }
      : { lines: read as Pick<WholeLine, 'bytes' | 'line'>[], rest }
  }

  /** Whether a power cut can have taken sectors of a text: one NUL byte alone is damage. */
  isLost(text: Buffer): boolean {
    return text.indexOf(0) !== text.lastIndexOf(0) && (this.opening !== undefined || hasChecksum(text))
  }

  /** What to say of a file that cannot be read from this text on. */
  damage(texts: readonly Buffer[]): UsageError {
    const { path, log, isAnother } = this.#file
    const isOurs = this.opening ?? restored(...texts.slice(0, 1)) ?? restored(...texts)
    return isOurs ? new UsageError('bad_log_line', { path, line: this.number, log }) : isAnother()
  }
}

/** The line of which a text, or two that were one, is a copy with one byte changed; undefined where none or several can be. */
export function restored(...texts: readonly Buffer[]): Buffer | undefined {
  const text = Buffer.concat(texts.flatMap((text, at) => (at === 0 ? [text] : [lineEnd, text])))
  const lines = [...restorations(text)].filter(bytes => parseLine(bytes.toString()) !== undefined)
  return lines.length === 1 ? lines[0] : undefined
}

/** Whether a text may tell of a row. */
export const mayTell = (text: Buffer): boolean => /"(run|key|crc32)"/.test(text.toString('latin1'))

/** Whether a text behind the last line end is the start of a line whose write was cut off. */
const isTorn = (text: Buffer): boolean =>
  /^(\0*$|\{"run":|\{("(r(u(n("?)?)?)?)?)?$)/.test(text.toString('latin1')) && !hasChecksum(text)

/** Reads the whole lines of a log, in batches; `onTail` is called where its end needs a repair. Throws a UsageError. */
export async function* readWholeLines(
  file: LogFile,
  onTail: (repair: TailRepair) => void = () => {},
): AsyncGenerator<WholeLine[]> {
  const sorter = new LineSorter(file)
  let tail: { readonly cutTo: number; readonly behind: Buffer[]; readonly damage: UsageError } | undefined
  let position = 0
  let number = 0
  for await (const { texts, isEnd } of readTexts(file)) {
    const found: WholeLine[] = []
    const take = (bytes: Buffer, line: ResultLine) => {
      number += 1
      found.push({ line, number, bytes })
      if (tail?.behind.push(bytes, lineEnd) === 2 * mostUnsynced) throw tail.damage
    }
    for (const [at, text] of texts.entries()) {
      const line = sorter.read(text)
      if (line !== undefined) take(text, line)
      else {
        const { lines, rest } = sorter.wholeIn(text)
        const damage = sorter.damage(texts.slice(at, at + 2))
        if (lines.length > 0 && !mayTell(rest)) for (const { bytes, line } of lines) take(bytes, line)
        else if ((isEnd && isTorn(text)) || sorter.isLost(text))
          tail ??= { cutTo: position, behind: [], damage }
        else throw damage
      }
      position += text.length + 1
    }
    if (isEnd) tail ??= { cutTo: position - 1, behind: [lineEnd], damage: file.isAnother() }
    yield found
  }
  if (tail !== undefined) onTail({ cutTo: tail.cutTo, add: Buffer.concat(tail.behind) })
}

const chunkBytes = 262_144

/** Reads what stands between the line ends of a file, in batches; `isEnd` is set for what stands behind the last one. */
export async function* readTexts({
  path,
  isUnreadable,
}: LogFile): AsyncGenerator<{ readonly texts: Buffer[]; readonly isEnd: boolean }> {
  let parts: Buffer[] = []
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
      parts.push(chunk)
      if (!chunk.includes(10)) continue
      const bytes = Buffer.concat(parts)
      const texts: Buffer[] = []
      let from = 0
      for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
        texts.push(bytes.subarray(from, end))
        from = end + 1
      }
      parts = [bytes.subarray(from)]
      yield { texts, isEnd: false }
    }
  } catch (error) {
    throw isUnreadable(error)
  }
  const rest = Buffer.concat(parts)
  if (rest.length > 0) yield { texts: [rest], isEnd: true }
}
