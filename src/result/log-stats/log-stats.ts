import { replacedName } from '../../model/content-key.ts'
import { UsageError } from '../../model/errors.ts'
import { fingerprint } from '../../model/fingerprint.ts'
import { KeyTable } from '../../model/key-table.ts'
import { givesRecord, type Opening, openingAfter, type ResultLine } from '../../store/files/lines.ts'
import { Losses } from '../losses.ts'
import { type Advised, type DescribeCode, mostShownRows, Reasons, type Remedy } from '../reasons.ts'
import { noRows } from '../row-counts.ts'
import type { RunResult } from '../run-result.ts'
import { labelOf, type RowLabel, shorten } from '../short-texts.ts'
import { isCounted, RunList } from './run-stats.ts'

/** The checkpoint of all lines. */
interface LogState {
  readonly opening: Opening | undefined
  get(key: string, hash: string): { readonly status: string } | undefined
  replacementOf(row: Pick<ResultLine, 'replaces'> & { key: string; hash: string }): string | undefined
}

/**
 * Facts of a log that its lines do not have: the name of its step, or its own; its path, as commands name it; the rows that
 * were refused or in doubt and have their record now; the result of the last run, if the log is not read later.
 */
type AboutLog = Readonly<{ name: string; log: string; recovered: number; lastRun: RunResult | undefined }>

const mostPairs = 10
const maxText = 500

/** Counts the rows of a log by their last lines: first all lines are noted, then all are taken. 17 to 19 bytes for each name of a row. */
export class LogStats {
  /** The last run that changed the state of each key, and of each replaced row by its name in rejects files. */
  readonly #lastRuns = new KeyTable()
  readonly #runNumbers = new Map<string, number>()
  readonly #counts = { ...noRows }
  readonly #runs = new RunList()
  readonly #reasons: Reasons
  readonly #losses = new Losses()
  #opening: Opening | undefined
  #duplicates = 0
  #byHand = 0
  #unclear = 0
  #merged: { readonly recordId: string; readonly second: RowLabel }[] = []
  /** The row that has the record of each merged row. */
  readonly #owners = new Map<string, RowLabel | undefined>()

  constructor(describeCode: DescribeCode) {
    this.#reasons = new Reasons(describeCode, mostShownRows)
  }

  /** Notes a line that changed the state of its row. */
  note(line: ResultLine): void {
    const { key = '', hash = '', replaces, status, record_id: id = '' } = line
    const run = this.#numberOf(line.run)
    this.#lastRuns.set(fingerprint(key), run)
    if (line.respells !== undefined) this.#lastRuns.set(fingerprint(line.respells), run) // its record counts once
    const name = fingerprint(replacedName({ key, hash, replaces }))
    if (replaces !== undefined || this.#lastRuns.get(name) !== undefined) this.#lastRuns.set(name, run)
    if (status === 'forgotten') this.#merged = this.#merged.filter(({ recordId }) => recordId !== id)
    if (status !== 'merged' || this.#merged.length === mostPairs) return
    this.#merged.push({ recordId: shorten(id, maxText), second: labelOfLine(line) })
    this.#owners.set(id.toLowerCase(), undefined)
  }

  take(line: ResultLine, state: LogState): void {
    if (line.ended !== undefined) this.#runs.close(line)
    else if (line.status !== undefined) this.#takeRow(line, state)
    else {
      this.#opening = openingAfter(this.#opening, line as Opening)
      this.#runs.open(line as Opening)
    }
  }

  part(about: AboutLog, remedyOf: Remedy) {
    if (this.#opening === undefined) throw new UsageError('log_not_begun', { path: about.log })
    const advised = { log: about.log, doubts: doubtsOf(this.#opening) }
    for (const group of about.lastRun?.details.tally.reasons.groups.values() ?? [])
      if (group.status === 'held') this.#reasons.groups.set(`held ${group.reason}`, group) // they have no line
    return {
      ...about,
      type: 'log' as const,
      /** The opening of the last run. */
      opening: this.#opening,
      /** Rows by their end so far: each row counts once, by the line that decides. */
      counts: this.#counts,
      /** Lines of duplicate rows. */
      duplicates: this.#duplicates,
      byHand: this.#byHand,
      /** Rows that have their record and were sent again after an unclear answer. */
      unclear: this.#unclear,
      /** The last runs, the oldest first; `earlierRuns` came before them. */
      runs: this.#runs.facts(),
      earlierRuns: this.#runs.earlier,
      ...this.#losses.facts(),
      ...this.#reasons.problems(remedyOf, advised),
      merged: { count: this.#counts.merged, pairs: this.#mergedPairs() },
    }
  }

  /** The second row of a pair got the record of the first, which may belong to another source or run. */
  #mergedPairs = () =>
    this.#merged.flatMap(({ recordId, second }) => {
      const first = this.#owners.get(recordId.toLowerCase())
      return first === undefined ? [] : [{ recordId, first, second }]
    })

  #numberOf(run: string): number {
    if (!this.#runNumbers.has(run)) this.#runNumbers.set(run, this.#runNumbers.size)
    return this.#runNumbers.get(run) ?? 0
  }

  #takeRow(line: ResultLine, state: LogState): void {
    const { status = '', record_id: id = '', by_hand } = line
    this.#runs.take(line)
    if (line.status === 'duplicate') this.#takeDuplicate(line, line.status, state)
    if (by_hand && status !== 'forgotten') this.#byHand += 1
    if (this.#isLast(line, state)) this.#takeLast(line, state)
    const owned = id.toLowerCase()
    if (status !== 'merged' && this.#owners.has(owned) && this.#owners.get(owned) === undefined)
      this.#owners.set(owned, labelOfLine(line))
  }

  #takeDuplicate(line: ResultLine, status: 'duplicate', { opening }: LogState): void {
    const { differs, errors = [], at, run } = line
    this.#duplicates += 1
    if (differs) this.#reasons.add(labelOfLine(line), { status, errors, at, isKnown: run !== opening?.run })
  }

  /** Checks that a line decides the end of its row. */
  #isLast(line: ResultLine, state: LogState): boolean {
    const { key = '', hash = '', replaces, status } = line
    if (status === 'duplicate') return false
    const run = this.#numberOf(line.run)
    if (givesRecord(line)) return this.#lastRuns.get(fingerprint(key)) === run
    if (state.replacementOf({ key, hash, replaces }) === 'settled') return false
    if (state.get(key, '')?.status === 'settled')
      return status === 'invalid' && line.run === state.opening?.run // another row with its key, unless a later run passed it
    const replacedBy = this.#lastRuns.get(fingerprint(replacedName({ key, hash, replaces })))
    return this.#lastRuns.get(fingerprint(key)) === run && (replacedBy ?? run) === run
  }

  #takeLast(line: ResultLine, state: LogState): void {
    const { status = '', http_status: httpStatus, errors = [], at, body, run } = line
    const row = labelOfLine(line)
    this.#losses.add(row, line, line.not_in_answer)
    const isKnown = status !== 'in_doubt' && run !== state.opening?.run && !line.by_hand
    if (status === 'invalid' || status === 'failed' || status === 'in_doubt')
      this.#reasons.add(row, { status, httpStatus, errors, at, body, isKnown })
    if (line.unclear_attempts) this.#unclear += 1
    if (isCounted(this.#counts, status)) this.#counts[status] += 1
  }
}

export const labelOfLine = ({ source = '', row = 0, line = 0, key = '' }: ResultLine): RowLabel =>
  labelOf({ source, row, line, key })

/** Returns what the next run does with rows in doubt, by default. */
function doubtsOf({ delivery, use_created: usesCreated }: Opening): Advised['doubts'] {
  if (delivery !== 'at-least-once') return 'held'
  return usesCreated ? 'found_again' : 'sent_again'
}
