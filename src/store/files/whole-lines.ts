import { createReadStream, existsSync } from 'node:fs'
import { reasonOf, UsageError } from '../../model/errors.ts'
import { hasChecksum, intactIn, isIntact, withoutChecksum } from './checksum.ts'
import { byHandIn, isKnownLine, type Opening, parseLine, type ResultLine } from './lines.ts'

// Reads the lines of a result log or an intent log: whole ones, those that a power cut took, and damaged ones.

/** The write-ahead log of the calls that may be in flight. */
export const intentLogPath = (results: string): string => `${results}.inflight`

export interface LogFile {
  readonly path: string
  /** The result log, or that of the intent log. */
  readonly log: string
}

/** A whole line, and its number among the whole lines, from 1. */
export interface WholeLine {
  readonly line: ResultLine
  readonly number: number
  readonly bytes: Buffer
  /** The offset in the file of the text that has it. */
  readonly position: number
}

/** Repair of the end of a log before a line is added: the rest is cut off, and its whole lines are added again. */
export interface TailRepair {
  readonly cutTo: number
  readonly add: Buffer
}

/** Lines that were not synced are among the last so many; only of these a power cut can take sectors. */
export const mostUnsynced = 1_000

export const joinedLines = (lines: readonly Uint8Array[]): Buffer =>
  Buffer.concat(lines.flatMap(line => [line, Buffer.from('\n')]))

const beginning = '{"run":'

/** Checks the texts between the line ends of one log, in their order. */
export class LineCheck {
  readonly #file: LogFile
  opening: Opening | undefined
  /** The number of the text that is checked, from 1. */
  number = 0

  constructor(file: LogFile) {
    this.#file = file
  }

  /** Returns undefined for a text that is not one whole line. Throws a UsageError for a line of a newer version, and for another file. */
  parse(text: Buffer): ResultLine | undefined {
    const written = String(text)
    if (!isIntact(text, written)) return undefined
    const line = parseLine(withoutChecksum(written))
    const isOpening = line?.rowlift !== undefined
    if (this.#isInLog ? !isKnownLine(line) : !isOpening && line?.key === undefined)
      throw new UsageError('unknown_line', { ...this.#file, line: this.number, status: line?.status })
    if (isOpening) this.opening = line as Opening
    if (this.opening === undefined) throw this.#anotherFile()
    return line
  }

  /** The whole lines in a text, and its rest. */
  wholeIn(text: Buffer) {
    const { lines, rest } = intactIn(text)
    return { lines: lines.map(bytes => ({ bytes, line: this.parse(bytes) as ResultLine })), rest }
  }

  /**
   * Checks whether a text was not synced when its run ended. A log that is written has an intent log; without one, a text that may be
   * of a row is damage. So is a line end that was changed, and one NUL byte alone, unless it begins a torn last line.
   */
  isUnsynced(bytes: Buffer, isEnd: boolean): boolean {
    const text = String(bytes)
    const isLineStart = text.startsWith(beginning) || beginning.startsWith(text) || text.startsWith('\0')
    const isTorn = isEnd && isLineStart && !hasChecksum(bytes)
    if (!existsSync(intentLogPath(this.#file.log)))
      return isTorn && !/^(\{.*(\0|"key":"([^"\\]|\\.)*")|\0+[^\0])/s.test(text)
    const isLost = bytes.indexOf(0) !== bytes.lastIndexOf(0)
    return isTorn || (isLost && (this.opening !== undefined || hasChecksum(bytes)))
  }

  damage(text: Buffer, code: 'bad_log_line' | 'unreadable_line' = 'bad_log_line'): UsageError {
    if (this.opening === undefined && !hasChecksum(text)) return this.#anotherFile()
    return new UsageError(code, { ...this.#file, line: this.number })
  }

  #anotherFile(): UsageError {
    return new UsageError(this.#isInLog ? 'not_a_log' : 'bad_in_flight_file', { path: this.#file.path })
  }

  get #isInLog(): boolean {
    return this.#file.path === this.#file.log
  }
}

/** Reads the whole lines of a log, in batches; `onTail` is called if its end needs a repair. Throws a UsageError. */
export async function* readWholeLines(file: LogFile, onTail: (repair: TailRepair) => void = () => {}) {
  const check = new LineCheck(file)
  let tail: { readonly cutTo: number; readonly lines: Buffer[]; readonly damage: UsageError } | undefined
  let position = 0
  let number = 0
  for await (const { texts, isEnd } of readTexts(file.path)) {
    const whole: WholeLine[] = []
    const take = (bytes: Buffer, line: ResultLine) => {
      number += 1
      whole.push({ line, number, bytes, position })
      const isSynced = line.ended ?? line.rowlift ?? tail?.lines.length === mostUnsynced - 1
      if (tail && isSynced) throw tail.damage
      tail?.lines.push(bytes)
    }
    for (const text of texts) {
      check.number += 1
      const line = check.parse(text)
      if (line !== undefined) take(text, line)
      else {
        const damage = check.damage(text)
        if (!check.isUnsynced(text, isEnd)) throw damage
        tail ??= { cutTo: position, lines: [], damage }
        for (const { bytes, line } of check.wholeIn(text).lines) take(bytes, line)
      }
      position += text.length + 1
    }
    if (isEnd && tail === undefined) onTail({ cutTo: position - 1, add: Buffer.from('\n') })
    yield whole
  }
  if (tail !== undefined) onTail({ cutTo: tail.cutTo, add: joinedLines(tail.lines) })
}

/** Reads the lines that count: not those of a command that came to no end, and those that a person took back. */
export async function* countedLines(file: LogFile, onTail?: (repair: TailRepair) => void) {
  const unended = new Set<string>()
  let takenBack: ReadonlySet<string> | undefined
  for await (const lines of readWholeLines(file, onTail)) {
    for (const { line, position } of lines) {
      if (line.command && line.rowlift && !(await isEnded(file.path, position, line.run)))
        unended.add(line.run)
      if (byHandIn(line)) takenBack ??= await takenBackFrom(file.path, position)
    }
    const isCounted = ({ line }: WholeLine) => !unended.has(line.run) && !takenBack?.has(nameOf(line))
    yield unended.size === 0 && !takenBack?.size ? lines : lines.filter(isCounted)
  }
}

/** Looks ahead for the closing line of a run, so that nothing is kept in memory. */
async function isEnded(path: string, start: number, run: string): Promise<boolean> {
  for await (const { texts } of readTexts(path, streamOf(path, start)))
    for (const line of texts.map(text => parseLine(String(text))))
      if (line && (line.run === run ? line.ended : line.rowlift)) return line.run === run
  return false
}

/** Looks ahead for the lines by hand that later ones correct. A log with a line by hand is read once more, but hardly a line of it is parsed. */
async function takenBackFrom(path: string, start: number): Promise<Set<string>> {
  const names = new Set<string>()
  for await (const { texts } of readTexts(path, streamOf(path, start)))
    for (const text of texts.filter(text => text.includes('"corrects":')))
      for (const line of intactIn(text).lines.map(bytes => parseLine(String(bytes))))
        if (line?.corrects !== undefined) names.add(nameOf({ ...line, run: line.corrects }))
  return names
}

/** Returns the name of a line by hand: a run writes one for each key. */
const nameOf = ({ run, key }: Pick<ResultLine, 'run' | 'key'>) => `${run} ${key}`

export const streamOf = (path: string, start = 0, end = Number.POSITIVE_INFINITY) =>
  createReadStream(path, { start, end, highWaterMark: 262_144 })

/**
 * Reads the texts between the line ends of a file, in batches; `isEnd` is set for the text after the last one. A file that is
 * gone has none: the run that wrote an intent log removes it at its end, also while others look.
 */
export async function* readTexts(
  path: string,
  chunks: AsyncIterable<Buffer> = streamOf(path),
): AsyncGenerator<{ readonly texts: Buffer[]; readonly isEnd: boolean }> {
  let parts: Buffer[] = []
  try {
    for await (const chunk of chunks) {
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
