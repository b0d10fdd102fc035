import { createReadStream, existsSync } from 'node:fs'
import { reasonOf, UsageError } from '../model/errors.ts'
import { hasChecksum, intactIn, isIntact, restorations, withoutChecksum } from './checksum.ts'
import { isKnownLine, type Opening, parseLine, parseRecordLine, type ResultLine } from './lines.ts'

// Reads the lines of a result log or an intent log, and tells whole lines, those that a power cut took, and damaged ones apart.

/** The write-ahead log of calls: it names those that may be in flight. */
export const intentLogPath = (results: string): string => `${results}.inflight`

export interface LogFile {
  readonly path: string
  /** The result log that it is, or whose intent log it is. */
  readonly log: string
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

/** Lines that were not synced are among the last so many; only of these a power cut can take sectors. */
export const mostUnsynced = 1_000

export const joinedLines = (lines: readonly Uint8Array[]): Buffer =>
  Buffer.concat(lines.flatMap(line => [line, Buffer.from('\n')]))

/** Judges the texts between the line ends of one log, in their order. */
export class LineJudge {
  readonly #file: LogFile
  /** Behind an opening line with a checksum all lines have one; an earlier version writes an opening line without. */
  #isChecked = false
  opening: Opening | undefined
  /** Of the text that is judged, from 1. */
  number = 0

  constructor(file: LogFile) {
    this.#file = file
  }

  /** Undefined for a text that is not one whole line. Throws a UsageError for a line of a newer version, and for another file. */
  parse(text: Buffer): ResultLine | undefined {
    const written = String(text)
    const isRight = isIntact(text, written)
    const line = isRight
      ? (parseRecordLine(written) ?? parseLine(withoutChecksum(written)))
      : isRight === undefined
        ? parseLine(written)
        : undefined
    const isOpening = line?.rowlift !== undefined
    const isKnown = this.#isInLog ? isKnownLine(line) : isOpening || line?.key !== undefined
    if (isRight && !isKnown)
      throw new UsageError('unknown_line', { ...this.#file, line: this.number, status: line?.status })
    if (!isKnown || (!isRight && this.#isChecked && !isOpening)) return undefined
    if (isOpening) this.#isChecked = isRight === true
    if (isOpening) this.opening = line as Opening
    if (this.opening === undefined) throw this.damage()
    return line
  }

  /** The whole lines in a text that is not one, and what is left over. */
  wholeIn(text: Buffer) {
    const { lines, rest } = intactIn(text)
    return { lines: lines.map(bytes => ({ bytes, line: this.parse(bytes) as ResultLine })), rest }
  }

  /**
   * Whether a text was not synced when its run ended: while a log is written, an intent log stands beside it, else a text that may
   * have told of a row is damage. One NUL byte alone is damage, and so is a line end that was changed.
   */
  isUnsynced(text: Buffer, isEnd: boolean): boolean {
    const isTorn =
      isEnd &&
      /^(\0*$|\{"run":|\{("(r(u(n("?)?)?)?)?)?$)/.test(String(text)) &&
      !hasChecksum(text) &&
      parseLine(String(text.subarray(0, -1))) === undefined
    if (!existsSync(intentLogPath(this.#file.log)))
      return isTorn && !/^\{.*(\0|"key":"([^"\\]|\\.)*")/s.test(String(text))
    const isLost = text.indexOf(0) !== text.lastIndexOf(0)
    return isTorn || (isLost && (this.opening !== undefined || hasChecksum(text)))
  }

  /** What to say of a file in which this text, or its parts, stand. */
  damage(...texts: readonly Buffer[]): UsageError {
    const isOurs = this.opening ?? restored(...texts.slice(0, 1)) ?? restored(...texts)
    if (isOurs) return new UsageError('bad_log_line', { ...this.#file, line: this.number })
    return new UsageError(this.#isInLog ? 'not_a_log' : 'bad_in_flight_file', { path: this.#file.path })
  }

  get #isInLog(): boolean {
    return this.#file.path === this.#file.log
  }
}

/** The line of which a text, or two that were one, are a copy with one byte changed; undefined where none or several can be. */
export function restored(...texts: readonly Buffer[]): Buffer | undefined {
  const lines = restorations(joinedLines(texts).subarray(0, -1))
  const [line, ...more] = [...lines].filter(bytes => parseLine(String(bytes)) !== undefined)
  return more.length === 0 ? line : undefined
}

/** Whether so many bytes are no text, or the same, that they can have been a whole line, or the end of one and the next one's beginning. */
export const hidesLines = (text: Buffer | string): boolean =>
  (String(text).match(/[\p{Cc}\ufffd]/gu)?.length ?? 0) > 16 || /(.)\1{16}/.test(String(text))

/** Whether a text may tell of a row. */
export const mayTell = (text: Buffer | string): boolean =>
  /"(run|key|crc32)"/.test(String(text)) || hidesLines(text)

/** Reads the whole lines of a log, in batches; `onTail` is called where its end needs a repair. Throws a UsageError. */
export async function* readWholeLines(
  file: LogFile,
  onTail: (repair: TailRepair) => void = () => {},
): AsyncGenerator<WholeLine[]> {
  const judge = new LineJudge(file)
  let tail: { readonly cutTo: number; readonly behind: Buffer[]; readonly damage: UsageError } | undefined
  let position = 0
  let number = 0
  for await (const { texts, isEnd } of readTexts(file.path)) {
    const found: WholeLine[] = []
    const take = (bytes: Buffer, line: ResultLine) => {
      number += 1
      found.push({ line, number, bytes })
      const isSynced = line.ended ?? line.rowlift ?? tail?.behind.length === mostUnsynced - 1
      if (tail && isSynced) throw tail.damage
      tail?.behind.push(bytes)
    }
    for (const [at, text] of texts.entries()) {
      judge.number += 1
      const line = judge.parse(text)
      if (line !== undefined) take(text, line)
      else {
        const { lines, rest } = judge.wholeIn(text)
        const damage = judge.damage(...texts.slice(at, at + 2))
        if (lines.length === 0 || mayTell(rest)) {
          if (!judge.isUnsynced(text, isEnd)) throw damage
          tail ??= { cutTo: position, behind: [], damage }
        }
        for (const { bytes, line } of lines) take(bytes, line)
      }
      position += text.length + 1
    }
    if (isEnd && tail === undefined) onTail({ cutTo: position - 1, add: Buffer.from('\n') })
    yield found
  }
  if (tail !== undefined) onTail({ cutTo: tail.cutTo, add: joinedLines(tail.behind) })
}

/**
 * Reads what stands between the line ends of a file, in batches; `isEnd` is set for what stands behind the last one. A file that is
 * gone has none: the run that wrote an intent log removes it at its end, also while others look.
 */
export async function* readTexts(
  path: string,
): AsyncGenerator<{ readonly texts: Buffer[]; readonly isEnd: boolean }> {
  let parts: Buffer[] = []
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 262_144 })) {
      const texts: Buffer[] = []
      let from = 0
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        const text = chunk.subarray(from, end)
        texts.push(parts.length === 0 ? text : Buffer.concat([...parts, text]))
        parts = []
        from = end + 1
      }
      if (from < chunk.length) parts.push(chunk.subarray(from))
      if (texts.length > 0) yield { texts, isEnd: false }
    }
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return
    throw unreadable(path, error)
  }
  const rest = Buffer.concat(parts)
  if (rest.length > 0) yield { texts: [rest], isEnd: true }
}

export const unreadable = (path: string, error: unknown): UsageError =>
  new UsageError('file_unreadable', { what: 'result log', path, reason: reasonOf(error) })
