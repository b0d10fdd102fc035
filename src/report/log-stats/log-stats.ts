// Gathers what the page shows of a result log (LogStats, begin here) or of a dry run (DryRunStats), line by line and row
// by row, in bounded memory.
import type { Opening, ResultLine } from '../../journal/lines.ts'
import { Losses } from '../losses.ts'
import type { LastRun, LogPart, MergedRows, RowLabel, SlowCall } from '../page/facts.ts'
import type { Advised } from '../words/remedies.ts'
import { BadRows } from './bad-rows.ts'
import { labelOf, type ParsedLine, parseLine, parseOpening, shorten } from './parse-line.ts'
import { isCounted, RunList } from './run-stats.ts'

/** A line of a log, its number from 1, and whether it decides what became of its row. */
interface NumberedLine {
  readonly line: ResultLine
  readonly number: number
  readonly isLatest: boolean
}

/** Pairs of lines with the same record, by their numbers. */
interface MergedLines {
  readonly count: number
  readonly pairs: readonly { readonly recordId: string; readonly first: number; readonly second: number }[]
}

const mostSlow = 10

export class LogStats {
  readonly #counts = { created: 0, existing: 0, merged: 0, in_doubt: 0, failed: 0, invalid: 0 }
  readonly #runs = new RunList()
  #slowest: readonly SlowCall[] = []
  readonly #badRows = new BadRows()
  #opening = parseOpening({})
  #duplicates = 0
  #byHand = 0
  readonly #losses = new Losses()
  readonly #merged: MergedLines
  readonly #lastRun: string | undefined
  /** The rows of merged lines, by the numbers of the lines. */
  readonly #mergedRows = new Map<number, RowLabel | undefined>()

  constructor(merged: MergedLines, lastRun: string | undefined) {
    this.#merged = merged
    this.#lastRun = lastRun
    for (const { first, second } of merged.pairs)
      this.#mergedRows.set(first, undefined).set(second, undefined)
  }

  take(numbered: NumberedLine): void {
    if (numbered.line.ended !== undefined) this.#runs.close(numbered.line)
    else if (numbered.line.status === undefined) this.#open(numbered.line)
    else this.#takeRow(numbered)
  }

  #takeRow({ line, number, isLatest }: NumberedLine): void {
    const parsed = parseLine(line)
    this.#runs.take(parsed)
    this.#takeDuration(parsed)
    if (parsed.status === 'duplicate') this.#duplicates += 1
    if (parsed.byHand) this.#byHand += 1
    if (isLatest) this.#takeLastWord(parsed)
    if (this.#mergedRows.has(number)) this.#mergedRows.set(number, labelOf(parsed))
  }

  /** All that was found; `lastRun` is what only the last run itself knew. */
  part(about: {
    readonly name: string
    readonly log: string
    readonly recovered: number
    readonly lastRun: LastRun | undefined
  }): LogPart {
    return {
      type: 'log',
      ...about,
      opening: this.#opening,
      counts: this.#countsNow(),
      duplicates: this.#duplicates,
      byHand: this.#byHand,
      runs: this.#runs.facts(),
      earlierRuns: this.#runs.earlier,
      slowest: this.#slowest,
      ...this.#losses.facts(),
      ...this.#badRows.facts({ log: about.log, doubts: doubtsOf(this.#opening) }),
      merged: {
        count: this.#merged.count,
        pairs: this.#merged.pairs.flatMap(pair => this.#mergedPair(pair)),
      },
    }
  }

  #open(line: ResultLine): void {
    this.#opening = parseOpening(line)
    this.#runs.open(this.#opening)
  }

  #takeDuration(line: ParsedLine): void {
    const { run, at, attempts, durationMs } = line
    if (durationMs <= (this.#slowest[mostSlow - 1]?.durationMs ?? 0)) return
    const calls = [...this.#slowest, { ...labelOf(line), run, at, attempts, durationMs }]
    this.#slowest = calls.sort((a, b) => b.durationMs - a.durationMs).slice(0, mostSlow)
  }

  #takeLastWord(line: ParsedLine): void {
    const { status = '', httpStatus, errors, at, body, run } = line
    this.#losses.add(line, line.omitted, line.notInAnswer)
    const isKnown = status !== 'in_doubt' && run !== this.#lastRun && !line.byHand
    if (status === 'invalid' || status === 'failed' || status === 'in_doubt')
      this.#badRows.take(line, { status, httpStatus, errors, at, body, isKnown })
    if (isCounted(this.#counts, status)) this.#counts[status] += 1
  }

  /** Until 0.2 the line of a merged row said existing. */
  #countsNow(): LogPart['counts'] {
    const { existing, merged, ...counts } = this.#counts
    const unnamed = Math.max(0, this.#merged.count - merged)
    return { ...counts, existing: existing - unnamed, merged: merged + unnamed }
  }

  #mergedPair({ recordId, first, second }: MergedLines['pairs'][number]): MergedRows[] {
    const [one, other] = [this.#mergedRows.get(first), this.#mergedRows.get(second)]
    if (one === undefined || other === undefined) return []
    return [{ recordId: shorten(recordId, 500), first: one, second: other }]
  }
}

/** How the next run treats rows in doubt by default. */
function doubtsOf({ delivery, use_created: usesCreated }: Opening): Advised['doubts'] {
  if (delivery !== 'at-least-once') return 'held'
  return usesCreated ? 'found_again' : 'sent_again'
}
