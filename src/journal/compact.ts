import { rejectedName, replacedName } from '../model/content-key.ts'
import { type Fingerprint, fingerprint, KeyTable } from '../model/key-table.ts'
import type { Describe } from '../model/problem.ts'
import { type Checkpoint, replay } from './checkpoint.ts'
import { removeIntentLog } from './intent-log.ts'
import { NumberSet, numbering } from './latest-lines.ts'
import { givesRecord, measuredRows, orphanLine, type ResultLine } from './lines.ts'
import type { Lock } from './lock.ts'
import { rewriteLog } from './replace-file.ts'
import { type NumberedLine, readResultLines } from './result-log.ts'
import { intentLogPath, joinedLines } from './whole-lines.ts'

/** Under the lock. The next run does what it would have done; a kill leaves the old log or the new one. Throws a UsageError, LogError or LockError. */
export async function compactLog(
  path: string,
  lock: Lock,
  { run, describe }: { readonly run: string; readonly describe: Describe },
): Promise<Record<'before' | 'after', { lines: number; bytes: number }>> {
  const refusals = new Refusals()
  let lines = 0
  const checkpoint = await replay(path, {}, each => {
    refusals.add(each)
    lines = each.number
  })
  const { orphans } = checkpoint
  const kept = await keptLines(path, refusals, checkpoint)
  const doubts = orphans.map(doubt => Buffer.from(orphanLine(doubt, describe)))
  const bytes = await rewriteLog({ path, log: path }, run, textsOf(path, kept, doubts), lock)
  removeIntentLog(intentLogPath(path), lock)
  return {
    before: { lines, bytes: bytes.before },
    after: { lines: kept.size + orphans.length, bytes: bytes.after },
  }
}

/** Of openings and closings the first is kept, the last ones, and those of runs that have other lines. */
async function keptLines(path: string, refusals: Refusals, checkpoint: Checkpoint) {
  const numbers = new NumberSet()
  const runs = new Set(checkpoint.orphans.map(({ run }) => run))
  const marks: NumberedLine[] = []
  for await (const lines of readResultLines(path))
    for (const { line, number } of lines) {
      const each = { line, number } // without its bytes
      if (line.status === undefined) marks.push(each)
      else if (!refusals.isObsolete(each, checkpoint)) {
        numbers.add(each.number)
        runs.add(line.run)
      }
    }
  const isClosing = ({ line }: NumberedLine) => Boolean(line.ended)
  const isMeasure = ({ line }: NumberedLine) => line.ended && measuredRows(line.ended) !== undefined
  const needed = [marks[0], marks.findLast(mark => !isClosing(mark)), marks.findLast(isMeasure)]
  for (const mark of marks) if (runs.has(mark.line.run) || needed.includes(mark)) numbers.add(mark.number)
  return numbers
}

/** The kept lines, and further ones. */
async function* textsOf(
  path: string,
  kept: NumberSet,
  more: readonly Uint8Array[],
): AsyncGenerator<Uint8Array> {
  for await (const lines of readResultLines(path))
    yield joinedLines(lines.filter(({ number }) => kept.has(number)).map(({ bytes }) => bytes))
  yield joinedLines(more)
}

/** Each is named by its key, its content and the names of its row, which may read differently from run to run. 17 to 19 bytes a name. */
class Refusals {
  /** The last run that refused a row so: in one run several rows may have one key. */
  readonly #refusedBy = new KeyTable()
  /** The last line by which a doubt came or ended. */
  readonly #doubts = new KeyTable()
  readonly #numberOf = numbering()
  readonly #refColumns = new Map<string, unknown>()
  /** Rows from rejects files and those that they replace: all their lines count for each other. */
  readonly #replaced = new KeyTable()

  add({ line, number }: NumberedLine): void {
    if (line.status === undefined && line.ended === undefined)
      this.#refColumns.set(line.run, line.ref_columns)
    if (line.repaired || line.replaces !== undefined) this.#noteReplaced(line)
    const print = this.#printOf(line)
    const isRefused = this.#refusedBy.get(print) !== undefined
    if (isRefusal(line)) this.#refusedBy.set(print, this.#numberOf(line.run))
    if (line.status === 'in_doubt') this.#doubts.set(print, number)
    const isEnd = givesRecord(line) || isByHand(line)
    const isNamed = line.by_hand && line.ref !== undefined // lookups among rows do not read the names in such a line
    if (isEnd && !isNamed && (isRefused || this.#doubts.get(print) !== undefined))
      this.#doubts.set(print, number)
  }

  #noteReplaced({ key = '', hash = '', replaces, alias = key }: ResultLine): void {
    for (const name of [key, alias, replacedName({ key, hash, replaces })])
      this.#replaced.set(fingerprint(name), 0)
  }

  /** A refusal of the last run is needed in any case: it may be of another row than the one that has the key. */
  isObsolete({ line, number }: NumberedLine, checkpoint: Checkpoint): boolean {
    const { key = '', hash = '', ref } = line
    const isRefused = isRefusal(line)
    if (!isRefused && line.status !== 'in_doubt' && !isByHand(line)) return false
    if (isRefused && line.run === checkpoint.opening?.run) return false
    const names = [key, rejectedName({ key, hash })]
    if (names.some(name => this.#replaced.get(fingerprint(name)) !== undefined)) return false
    const print = this.#printOf(line)
    if (isRefused && this.#refusedBy.get(print) !== this.#numberOf(line.run)) return true
    if (this.#replaced.size > 0 || checkpoint.get(key, '')?.status !== 'settled') return false
    const isEnded = (this.#doubts.get(print) ?? 0) > number
    return isEnded || (line.status !== 'in_doubt' && ref === undefined)
  }

  #printOf({ run, key, hash, ref }: ResultLine): Fingerprint {
    const columns = ref === undefined ? undefined : this.#refColumns.get(run)
    return fingerprint(JSON.stringify([key, hash, ref, columns]))
  }
}

const isByHand = ({ status, by_hand }: ResultLine) => status === 'failed' && by_hand === true
const isRefusal = (line: ResultLine) =>
  (line.status === 'invalid' || line.status === 'failed') && !isByHand(line)
