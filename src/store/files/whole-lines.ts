import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { reasonOf, UsageError } from '../../model/errors.ts'
import { hasChecksum, type Unsealed, unseal } from './checksum.ts'
import { isKnownLine, parseLine, type ResultLine } from './lines.ts'

// Reads the lines of a result log or an intent log: whole ones, the end that was not synced, and damage.

/** A result log that is no file: an import in a ledger, read as one from one view of it. */
export interface StoredLog {
  readonly name: string
  /** The words of a command that name it. */
  readonly args: readonly string[]
  /** Reads it from its start, the same each time. Throws a LogError. */
  readonly bytes: () => AsyncIterable<Buffer>
}

/** The path of a result log, or one that a store has. */
export type Log = string | StoredLog

/** The name of a log for people. */
export const logName = (log: Log): string => (typeof log === 'string' ? log : log.name)

export const logArgs = (log: Log): readonly string[] => (typeof log === 'string' ? [log] : log.args)

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
  /** The checksum of the line. */
  readonly crc: number
  /** The offset in the file of the text that has it. */
  readonly position: number
}

/** The end of a log, from which the next run goes on. */
export interface LogEnd {
  /** The checksum of the last whole line, which the next opening follows; 0 if there is none. */
  readonly crc: number
  /** Offset behind the last whole line. */
  readonly cutTo: number
  /** What comes after that was not synced, and is cut off. */
  readonly hasRest: boolean
  /** The last line lacks its line end. */
  readonly isOpen: boolean
  /** Offset of the last group of lines. No later line shows that it was synced. */
  readonly groupAt: number
}

export const noEnd: LogEnd = { crc: 0, cutTo: 0, hasRest: false, isOpen: false, groupAt: 0 }

/** More calls of a run are not under way when it loses the lock. */
const mostLate = 10_000

/** The lines of a run so far. */
interface RunLines {
  lines: number
  /** The checksum of the last one. */
  crc: number
  readonly isChained: boolean
  isClosed: boolean
}

/** A whole line, and its seal. */
interface SealedLine extends Pick<Unsealed, 'crc' | 'chain'> {
  readonly line: ResultLine
}

/** Checks the texts between the line ends of one log, in their order. */
export class LineCheck {
  readonly #file: LogFile
  /** In an intent log all lines are of one writer. */
  readonly #isInLog: boolean
  readonly #runs = new Map<string, RunLines>()
  /** The run that opened last. */
  newest: string | undefined
  /** The checksums of the lines that an opening may follow: the last ones. Those of calls under way may come after its run had read the log. */
  #ends = [0]
  /** The number of the text that is checked, from 1. */
  number = 0

  constructor(file: LogFile) {
    this.#file = file
    this.#isInLog = file.path === file.log
  }

  /** Returns undefined for a text that is not one whole line. Throws a UsageError for a line of a newer version, and for another file. */
  parse(text: Buffer): SealedLine | undefined {
    const whole = unseal(text)
    if (whole === undefined) return undefined
    const line = parseLine(whole.json)
    const isOpening = line?.rowlift !== undefined
    if (this.#isInLog ? !isKnownLine(line) : !isOpening && line?.key === undefined)
      throw new UsageError('unknown_line', { ...this.#file, line: this.number, status: line?.status })
    return { line: line as ResultLine, crc: whole.crc, chain: whole.chain }
  }

  /** Checks that a whole line follows from the one before it of its run, and adds it then. */
  follows({ line, chain, crc }: SealedLine): boolean {
    const isOpening = line.rowlift !== undefined
    if (this.newest === undefined && !isOpening) return false
    const run = this.#isInLog ? (line.writer ?? line.run) : ''
    const isChained = chain !== undefined
    if (isOpening) {
      if (this.#isInLog && isChained && !this.mayFollow(chain)) return false
      this.newest = line.run
      this.#runs.set(run, { lines: 1, crc, isChained, isClosed: false })
      this.#ends = []
    } else {
      const written = this.#runs.get(run)
      if (written?.isChained === isChained) {
        if (isChained && chain !== written.crc) return false
        if ((line.lines ?? written.lines + 1) !== written.lines + 1) return false
        written.lines += 1
        written.crc = crc
        written.isClosed = line.ended !== undefined
      } else if (isChained || (written !== undefined && this.linesOf(this.newest)?.isChained !== false))
        return false // but before 0.5 a run wrote lines in the name of others
    }
    if (this.#ends.push(crc) > 2 * mostLate) this.#ends.splice(0, mostLate)
    return true
  }

  /** Checks that an opening may follow the line with this checksum. The first one of a log has 0, also behind another log that it was added to. */
  mayFollow = (crc: number): boolean => crc === 0 || this.#ends.includes(crc)

  linesOf = (run: string | undefined): Readonly<RunLines> | undefined => this.#runs.get(run ?? '')

  /** The fault of a text that is not whole, or of a line that does not follow. */
  damage(text: Buffer, isWhole = false): UsageError {
    if (this.newest === undefined && this.#isInLog && !hasChecksum(text))
      return new UsageError('not_a_log', { path: this.#file.path })
    return new UsageError(isWhole ? 'lines_missing' : 'bad_log_line', { ...this.#file, line: this.number })
  }
}

/** The first text at the end of a log that is not whole, or does not follow. */
export interface LogFault {
  readonly error: UsageError
  /** It is the beginning of a line, and the last text. */
  readonly isTorn: boolean
  /** It has the key of a row. */
  readonly namesRow: boolean
}

const beginning = '{"run":'

function tornness(bytes: Buffer, isEnd: boolean) {
  const text = String(bytes)
  const isLineStart = text.startsWith(beginning) || beginning.startsWith(text) || text.startsWith('\0')
  return { isTorn: isEnd && isLineStart, namesRow: /"key":"([^"\\]|\\.)*"/.test(text) }
}

/**
 * Reads the whole lines of a log, in batches. A text that is not whole, or does not follow, was not synced if no later line begins a group; `onEnd` gets its
 * fault. Else it is damage. Throws a UsageError.
 */
export async function* readWholeLines(
  log: Log,
  check: LineCheck,
  onEnd: (end: LogEnd, fault: LogFault | undefined) => void = () => {},
): AsyncGenerator<WholeLine[]> {
  let fault: LogFault | undefined
  let [position, number, groupAt, crc] = [0, 0, 0, 0]
  let [cutTo, isOpen] = [0, false]
  for await (const { texts, isEnd } of readTexts(log)) {
    const whole: WholeLine[] = []
    for (const text of texts) {
      check.number += 1
      const parsed = check.parse(text)
      const isGroup = parsed !== undefined && beginsGroup(parsed)
      if (fault === undefined && parsed !== undefined && check.follows(parsed)) {
        number += 1
        crc = parsed.crc
        whole.push({ line: parsed.line, number, bytes: text, crc, position })
        if (isGroup) groupAt = position
        cutTo = position + text.length + Number(!isEnd)
        isOpen = isEnd
      } else fault ??= { error: check.damage(text, parsed !== undefined), ...tornness(text, isEnd) }
      if (fault !== undefined && isGroup) throw fault.error
      position += text.length + 1
    }
    yield whole
  }
  onEnd({ crc, cutTo, hasRest: fault !== undefined, isOpen, groupAt }, fault)
}

/** Checks whether all lines before this one were on disk before it was written. Without a chain nothing tells, so each counts as one. */
const beginsGroup = ({ line, chain }: SealedLine) =>
  chain === undefined || (line.rowlift ?? line.intents ?? line.log) !== undefined

export const streamOf = (path: string, start = 0, end = Number.POSITIVE_INFINITY) =>
  createReadStream(path, { start, end, highWaterMark: 262_144 })

/** The bytes of a log from an offset on; one that a store has is read from its start. */
export const bytesOf = (log: Log, start = 0): AsyncIterable<Buffer> =>
  typeof log === 'string' ? streamOf(log, start) : log.bytes()

/**
 * Reads the texts between the line ends of a log, in batches; `isEnd` is set for the text after the last one. A file that is
 * gone has none: the run that wrote an intent log removes it at its end, also while others look.
 */
export async function* readTexts(
  log: Log,
  chunks: AsyncIterable<Buffer> = bytesOf(log),
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
    if (typeof log !== 'string') throw error
    if (reasonOf(error) === 'ENOENT') return
    throw unreadable(log, error)
  }
  const rest = Buffer.concat(parts)
  if (rest.length > 0) yield { texts: [rest], isEnd: true }
}

/** Checks whether a log exists and is not empty. Throws a UsageError if it is a folder or pipe, or cannot be read. */
export async function isThere(path: string): Promise<boolean> {
  const file = await stat(path).catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw unreadable(path, error)
  })
  if (file?.isDirectory() || file?.isFIFO()) throw new UsageError('log_not_a_file', { path })
  return file !== undefined && file.size > 0
}

export const unreadable = (path: string, error: unknown): UsageError =>
  new UsageError('file_unreadable', { what: 'result log', path, reason: reasonOf(error) })
