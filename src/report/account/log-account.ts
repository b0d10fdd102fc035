import { type Opening, type ResultLine, settlesCall } from '../../journal/outcome.ts'
import { textsIn } from '../../model/values.ts'
import type { LastRun, LogPart, RowsNow } from '../page/facts.ts'
import type { Advised } from '../remedies.ts'
import { type BadRow, BadRows } from './bad-rows.ts'
import { MergedAccount, type MergedNumbers } from './merged-account.ts'
import { toldOpening } from './opening.ts'
import { ResponseClock } from './response-clock.ts'
import { RunLines } from './run-lines.ts'
import { RunTimeline } from './timeline.ts'
import { type ToldLine, toldLine } from './told-line.ts'

/** A line of a log, its number from 1, and whether it has the last word on its row. */
export interface TakenLine {
  readonly line: ResultLine
  readonly number: number
  readonly isLastWord: boolean
}

/** What is known of a log beside its lines. */
export interface AboutLog {
  readonly name: string
  readonly log: string
  readonly mended: number
  readonly lastRun: LastRun | undefined
}

type Count<T> = { -readonly [Field in keyof T]: T[Field] }

/** What a result log comes to, line by line, in the same memory however many there are. */
export class LogAccount {
  readonly #now: Count<RowsNow> = { created: 0, existing: 0, invalid: 0, failed: 0, inDoubt: 0 }
  readonly #runs = new RunLines()
  readonly #bad = new BadRows()
  readonly #allRuns = new ResponseClock()
  /** Of the run that is being told of, and of the last one that settled a row. */
  #current = new RunSpan('', '')
  #settling: RunSpan | undefined
  #opening = toldOpening({})
  #duplicates = 0
  #byHand = 0
  readonly #merged: MergedAccount

  constructor(merged: MergedNumbers) {
    this.#merged = new MergedAccount(merged)
  }

  take({ line, number, isLastWord }: TakenLine): void {
    if (line.status === undefined) this.#open(line)
    else this.#takeEnd(line, number, isLastWord)
  }

  #takeEnd(line: ResultLine, number: number, isLastWord: boolean): void {
    const told = toldLine(line)
    this.#runs.take(told)
    this.#time(told, settlesCall(line))
    if (told.status === 'duplicate') this.#duplicates += 1
    if (told.byHand) this.#byHand += 1
    if (isLastWord) this.#takeWord(told)
    this.#merged.take(told, number)
  }

  part({ name, log, mended, lastRun }: AboutLog): LogPart {
    const opening = this.#opening
    const advised = { log, doubts: doubtsOf(opening) }
    return {
      is: 'log',
      name,
      log,
      opening,
      now: this.#now,
      duplicates: this.#duplicates,
      mended,
      byHand: this.#byHand,
      runs: this.#runs.facts(),
      earlierRuns: this.#runs.earlier,
      timeline: this.#settling?.timeline.facts(),
      responses: { lastRun: this.#settling?.responses.facts(), allRuns: this.#allRuns.facts() },
      ...this.#bad.reasons(advised),
      merged: this.#merged.facts(),
      attention: this.#bad.attention(),
      lastRun,
    }
  }

  #open(line: ResultLine): void {
    this.#opening = toldOpening(line)
    this.#runs.open(this.#opening)
    this.#current = new RunSpan(this.#opening.run, this.#opening.at)
  }

  /** What a killed run left under way is told among the lines of the next one. */
  #time(told: ToldLine, settles: boolean): void {
    const span = [this.#current, this.#settling].find(each => each?.run === told.run)
    span?.timeline.take(told)
    if (span === this.#current && settles) this.#settling = span
    if (told.httpStatus === undefined || told.durationMs === undefined) return
    span?.responses.take(told.durationMs)
    this.#allRuns.take(told.durationMs)
  }

  #takeWord(told: ToldLine): void {
    switch (told.status) {
      case 'created':
      case 'existing':
        this.#now[told.status] += 1
        break
      case 'invalid':
      case 'failed':
      case 'in_doubt': {
        const { status } = told
        this.#now[status === 'in_doubt' ? 'inDoubt' : status] += 1
        this.#bad.take(badRow(told, status))
      }
    }
  }
}

/** Field by field: an object that is spread into another one costs several times the rest. */
const badRow = (
  { source, row, line, key, httpStatus, errors, body, at }: ToldLine,
  status: BadRow['status'],
): BadRow => ({
  source,
  row,
  line,
  key,
  status,
  httpStatus,
  errors,
  texts: body === undefined ? [key] : textsIn(body, 500, 100),
  at,
})

/** What the next run does with rows in doubt, unless it is told otherwise. */
function doubtsOf({ delivery, use_created: usesCreated }: Opening): Advised['doubts'] {
  if (delivery !== 'at-least-once') return 'held'
  return usesCreated ? 'found_again' : 'sent_again'
}

/** One run over its time. */
class RunSpan {
  readonly run: string
  readonly timeline: RunTimeline
  readonly responses = new ResponseClock()

  constructor(run: string, startedAt: string) {
    this.run = run
    this.timeline = new RunTimeline(run, startedAt)
  }
}
