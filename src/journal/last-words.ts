import { replacedName } from '../model/content-key.ts'
import { fingerprint, KeyTable } from '../model/key-table.ts'
import { inFlightPath } from './in-flight-lines.ts'
import { isHeld, type Watching } from './lock.ts'
import { isThere } from './log-lines.ts'
import { MergedLines } from './merged-lines.ts'
import { NumberSet } from './number-set.ts'
import type { ResultLine } from './outcome.ts'
import type { PastRuns } from './past-runs.ts'
import { type NumberedLine, replay, resultLines } from './replay.ts'

/** A line of a result log, and whether it has the last word on its row. */
interface WordedLine extends NumberedLine {
  readonly isLastWord: boolean
}

/** What a result log tells, each row by its last word. */
export interface LastWords {
  readonly past: PastRuns
  readonly merged: MergedLines
  /**
   * Every line again, as a stream; behind them the calls that a run left under way and of which the log knows nothing,
   * with 0 for their number.
   */
  each(): AsyncGenerator<WordedLine[]>
}

/**
 * Reads a result log, which a run may be writing meanwhile, to know what has the last word on each row; of each no more
 * than fingerprints are remembered, and nothing is locked or mended. What a run that is alive has under way is in nobody's
 * doubt; `watching` is how that is found out. Throws a UsageError.
 */
export async function readLastWords(path: string, watching: Watching): Promise<LastWords> {
  const words = new Words()
  const merged = new MergedLines()
  let last = 0
  const isOver = !((await isThere(inFlightPath(path))) && (await isHeld(path, watching)))
  const past = await replay(
    path,
    false,
    (numbered, hasWord) => {
      if (hasWord) words.take(numbered)
      merged.take(numbered.line, numbered.number)
      last = numbered.number
    },
    isOver,
  )
  const underWay = past.abandoned.map(line => ({ line, number: behindTheLog }))
  for (const each of underWay) words.take(each)
  const worded = (each: NumberedLine): WordedLine => ({ ...each, isLastWord: words.isLast(each, past) })
  return {
    past,
    merged,
    async *each() {
      for await (const lines of resultLines(path)) {
        yield lines.filter(({ number }) => number <= last).map(worded) // the log may have grown
        if ((lines.at(-1)?.number ?? 0) >= last) break
      }
      yield underWay.map(worded)
    },
  }
}

/** Which lines have the last word on their rows; a record is the last word for good, so a bit is enough for it. */
class Words {
  readonly #records = new NumberSet()
  /** The last line of each row that is or was without a record. */
  readonly #others = new KeyTable()
  /** The same of rows that came back from a file of rejected rows, by their names there: they may have another key now. */
  readonly #rejected = new KeyTable()

  /** Takes a line that has the word for now. */
  take({ line, number }: NumberedLine): void {
    if (givesRecord(line)) this.#records.add(number)
    else this.#takeOther(line, number)
  }

  #takeOther(line: ResultLine, number: number): void {
    this.#others.set(fingerprint(line.key ?? ''), number)
    const rejected = printOf(line)
    if (line.replaces !== undefined || this.#rejected.get(rejected) !== undefined)
      this.#rejected.set(rejected, number)
  }

  isLast({ line, number }: NumberedLine, past: PastRuns): boolean {
    if (givesRecord(line)) return this.#records.has(number)
    const { key = '', hash = '', replaces } = line
    if (this.#others.get(fingerprint(key)) !== number) return false
    if ((this.#rejected.get(printOf(line)) ?? number) !== number) return false
    return past.of(key, '')?.is !== 'settled' && past.replacementOf({ key, hash, replaces }) !== 'settled'
  }
}

/** Names the row that was refused, whether it comes back or not. */
const printOf = ({ key = '', hash = '', replaces }: ResultLine) =>
  fingerprint(replacedName({ key, hash, replaces }))

const givesRecord = ({ status }: ResultLine) => status === 'created' || status === 'existing'

/** Stands for the line that a call under way has not got yet. */
const behindTheLog = 0
