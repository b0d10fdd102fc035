import { replacedName } from '../model/content-key.ts'
import { fingerprint, KeyTable } from '../model/key-table.ts'
import { kinds } from '../records/kinds.ts'
import { type Checkpoint, recordPrint, replay } from './checkpoint.ts'
import { givesRecord, type ResultLine } from './lines.ts'
import { isHeld, type LockWatch } from './lock.ts'
import { behindTheLog, isThere, type NumberedLine, readResultLines } from './result-log.ts'
import { intentLogPath } from './whole-lines.ts'

/** A line of a result log, and whether it is the latest that counts for its row. */
interface MarkedLine extends NumberedLine {
  readonly isLatest: boolean
}

/** Also while a run writes it: nothing is locked or repaired, and calls in flight of a run that is alive are no doubts. Throws a UsageError. */
export async function readLatestLines(path: string, watch: LockWatch) {
  const latest = new LatestNumbers()
  const merged = new MergedLines()
  let last = 0
  const isOver = !((await isThere(intentLogPath(path))) && (await isHeld(path, watch)))
  const onLine = (numbered: NumberedLine, isNews: boolean) => {
    if (isNews) latest.add(numbered)
    merged.add(numbered.line, numbered.number)
    last = numbered.number
  }
  const checkpoint = await replay(path, {}, onLine, isOver)
  const orphans = checkpoint.orphans.map(line => ({ line, number: behindTheLog }))
  for (const each of orphans) latest.add(each)
  const marked = (each: NumberedLine): MarkedLine => ({ ...each, isLatest: latest.has(each, checkpoint) })
  return {
    checkpoint,
    merged,
    /** Reads every line again; behind them come the orphaned calls that the log does not have, with the number 0. */
    async *each(): AsyncGenerator<MarkedLine[]> {
      for await (const lines of readResultLines(path))
        yield lines.filter(({ number }) => number <= last).map(marked) // the log may have grown
      yield orphans.map(marked)
    },
  }
}

/** Which lines are the latest. A record is final, so a bit is enough for its line. */
class LatestNumbers {
  readonly #records = new NumberSet()
  /** The last run of each key that is or was without a record; in one run several refused rows may have one key. */
  readonly #others = new KeyTable()
  /** The same for rows from a rejects file, by their names there: they may have another key now. */
  readonly #rejected = new KeyTable()
  readonly #numberOf = numbering()

  /** Adds a line that changed the state of its row. */
  add({ line, number }: NumberedLine): void {
    if (givesRecord(line)) this.#records.add(number)
    else this.#addOther(line)
  }

  #addOther(line: ResultLine): void {
    const run = this.#numberOf(line.run)
    this.#others.set(fingerprint(line.key ?? ''), run)
    const rejected = printOf(line)
    if (line.replaces !== undefined || this.#rejected.get(rejected) !== undefined)
      this.#rejected.set(rejected, run)
  }

  has({ line, number }: NumberedLine, checkpoint: Checkpoint): boolean {
    if (givesRecord(line)) return this.#records.has(number)
    const { key = '', hash = '', replaces, status } = line
    const run = this.#numberOf(line.run)
    if (checkpoint.replacementOf({ key, hash, replaces }) === 'settled') return false
    if (checkpoint.get(key, '')?.status === 'settled')
      // this is another row with its key, unless a later run passed it
      return status === 'invalid' && line.run === checkpoint.opening?.run
    return this.#others.get(fingerprint(key)) === run && (this.#rejected.get(printOf(line)) ?? run) === run
  }
}

/** Numbers texts from 0 as they come. */
export function numbering(): (text: string) => number {
  const numbers = new Map<string, number>()
  return text => {
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }
}

/** Of the refused row, whether the line is its own or that of a row that replaces it. */
const printOf = ({ key = '', hash = '', replaces }: ResultLine) =>
  fingerprint(replacedName({ key, hash, replaces }))

const mostPairs = 10

/** The lines of a log that have the record of an earlier one; 17 to 19 bytes a record. */
class MergedLines {
  readonly #records = new KeyTable()
  /** Whether the service may return a record twice; of other kinds nothing is kept. */
  #findsSimilar: boolean | undefined
  /** The first of them, by the numbers of their lines. */
  readonly pairs: { readonly recordId: string; readonly first: number; readonly second: number }[] = []
  count = 0

  /** Adds a line of the log, with its number from 1. */
  add(line: ResultLine, number: number): void {
    const { status, record_id: recordId } = line
    if (line.record !== undefined) this.#findsSimilar = kinds[line.record]?.findsSimilar
    if (recordId === undefined || !this.#findsSimilar || !givesRecord(line)) return
    const print = recordPrint(recordId)
    const first = this.#records.get(print)
    if (first === undefined) this.#records.set(print, number)
    else if (status !== 'created') {
      this.count += 1
      if (this.pairs.length < mostPairs) this.pairs.push({ recordId, first, second: number })
    }
  }
}

/** A set of whole numbers that come roughly in order: a bit for each up to the largest. */
export class NumberSet {
  #bits = new Uint8Array(1024)
  size = 0

  /** Returns whether the number is new. */
  add(number: number): boolean {
    if (this.has(number)) return false
    const at = number >> 3
    if (at >= this.#bits.length) this.#grow(at + 1)
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (number & 7))
    this.size += 1
    return true
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0
  }

  #grow(bytes: number): void {
    const outgrown = this.#bits
    this.#bits = new Uint8Array(Math.max(bytes, outgrown.length * 2))
    this.#bits.set(outgrown)
  }
}
