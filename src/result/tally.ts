import { isRepeated } from '../model/content-key.ts'
import type { StopReason } from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import type { Created, Merged, Outcome, RowError } from '../model/outcome.ts'
import type { Describe } from '../model/problem.ts'
import type { RowIdentity } from '../model/row.ts'
import { lineErrors } from '../store/files/lines.ts'
import { countIn, Losses, type UnreadColumn } from './losses.ts'
import { type BadStatus, type DescribeCode, Reasons } from './reasons.ts'
import { RowCounts } from './row-counts.ts'

const mostMerged = 10

/** The ends of rows that were not sent or checked again. */
const untried: ReadonlySet<Outcome['status']> = new Set(['duplicate', 'done', 'held'])

/** Sentences for a run's problems, from the catalogue of words. */
type Sentences = Readonly<{ describeProblem: Describe; describeCode: DescribeCode }>

/** Counts the events of a run, in bounded memory. */
export class Tally extends RowCounts {
  sent = 0
  /** The progress of the run at its first call. */
  beforeCalls: { readonly atMs: number; readonly rows: number; readonly bytes: number } | undefined
  /** The most calls in flight now, with how many the service has `enough`, and at any time; undefined if nothing is sent. */
  pace: { readonly atOnce: number; readonly enough: number; readonly most: number } | undefined
  /** The time for which no call starts, and who set it; undefined while calls start. */
  held: { readonly forMs: number; readonly byService: boolean } | undefined
  returned = 0
  /** Rows without a key that equal an earlier one and are records of their own, and the first of them. */
  readonly equal: { rows: number; first?: RowIdentity } = { rows: 0 }
  /** Rows that earlier runs refused, or left in doubt, and this one tried again. */
  triedAgain = 0
  /** Calls that were under way when an earlier run was killed. */
  abandoned = 0
  /** Rows that earlier runs left in doubt and this one settled. */
  settledDoubts = 0
  newDoubts = 0
  readonly mergedRows: Merged[] = []
  readonly losses = new Losses()
  /** Bytes that were read, and the batch that the rows in flight came from. */
  #bytesRead = 0
  #batch = { from: 0, to: 0, rowsBefore: 0, rows: 0 }
  readonly reasons: Reasons
  readonly #describe: Describe
  readonly #differences = new Map<string, number>()
  limitReached: number | undefined
  stopReason: StopReason | undefined

  /** Keeps `mostRows` rows without a record for a page. */
  constructor({ describeProblem, describeCode }: Sentences, mostRows = 0) {
    super()
    this.#describe = describeProblem
    this.reasons = new Reasons(describeCode, mostRows)
  }

  /** All counts for programs, without the content of rows. */
  override get fields() {
    const { omitted, kept, notInAnswer } = this.losses.facts()
    const not_in_answer = Object.fromEntries(notInAnswer.map(({ path, count }) => [path, count]))
    return {
      ...super.fields,
      finished: this.stopReason === undefined,
      stop_reason: this.stopReason?.code,
      equal_rows: this.equal.rows || undefined,
      tried_again: this.triedAgain,
      settled_doubts: this.settledDoubts,
      abandoned: this.abandoned,
      reasons: this.reasons.fields(),
      merged_rows: this.mergedRows.map(
        ({ recordId: record_id, identity: { source, row }, sameAs: same_as }) => ({
          ...{ record_id, row: { source, row }, same_as },
        }),
      ),
      omitted: countsByColumn(omitted),
      kept: countsByColumn(kept),
      not_in_answer,
      /** A field that is in `not_in_answer` is not repeated here. */
      answer_differences: Object.fromEntries(
        [...this.#differences].filter(([what]) => !Object.hasOwn(not_in_answer, what.split(' ', 1)[0] ?? '')),
      ),
      limit_reached: this.limitReached,
    }
  }

  /** An estimate of the bytes of the sources that are done. */
  get bytesDone(): number {
    const { from, to, rowsBefore, rows } = this.#batch
    const share = rows === 0 ? 1 : Math.min(1, (this.rows - rowsBefore) / rows)
    return from + (to - from) * share
  }

  /** An estimate of the rows still to come, by the bytes of a row so far; CSV holds back the last row of a batch. */
  rowsLeft(totalBytes: number): number {
    const { to, rowsBefore, rows } = this.#batch
    return Math.ceil(((totalBytes - this.bytesDone) * (rowsBefore + rows)) / to) + 1
  }

  take(event: RunEvent): void {
    const { type } = event
    if (type === 'row_settled') this.#takeOutcome(event.outcome)
    else if (type === 'orphaned_calls') this.abandoned = event.calls
    else if (type === 'row_skipped') this.leftOut += 1
    else if (type === 'call_started') this.sent += 1
    else if (type === 'estimated')
      this.beforeCalls = { atMs: event.atMs, rows: this.rows, bytes: this.bytesDone }
    else if (type === 'retry') {
      this.retries += 1
      if (event.fault === 'throttled') this.throttled += 1
    } else if (type === 'concurrency') this.pace = event
    else if (type === 'hold') this.held = event
    else if (type === 'service_down') this.held = { ...event, byService: false }
    else if (type === 'service_back' || type === 'resumed') this.held = undefined
    else if (type === 'answer_differs')
      for (const difference of event.differences) countIn(this.#differences, difference)
    else if (type === 'bytes_read') this.#bytesRead += event.bytes
    else if (type === 'batch' && event.rows > 0)
      this.#batch = { from: this.#batch.to, to: this.#bytesRead, rowsBefore: this.rows, rows: event.rows }
    else if (type === 'limit_reached') this.limitReached = event.limit
    else if (type === 'stopping') this.stopReason = event.reason
  }

  #takeOutcome(outcome: Outcome): void {
    const { status, before, identity } = outcome
    const wasInDoubt = before === 'in_doubt'
    this.ends[status] += 1
    if (before !== undefined && !untried.has(status)) this.triedAgain += 1
    if ((status === 'valid' || status === 'created') && isRepeated(identity.key)) {
      this.equal.rows += 1
      this.equal.first ??= identity
    }
    if (identity.replaces !== undefined) this.returned += 1
    if ('attempts' in outcome && outcome.unclearAttempts) this.unclear += 1
    if (wasInDoubt && 'recordId' in outcome) this.settledDoubts += 1
    if (!wasInDoubt && status === 'in_doubt') this.newDoubts += 1
    if (outcome.status === 'done') {
      this.changed += Number(outcome.changed)
      this.noLongerValid += Number(outcome.noLongerValid ?? false)
      this.renamed += Number(outcome.respells !== undefined)
    }
    if (outcome.status === 'duplicate' && outcome.differs) this.conflicts += 1
    if (outcome.status === 'held' && outcome.errors) this[outcome.candidates ? 'ambiguous' : 'respelled'] += 1
    if (outcome.status === 'merged' && this.mergedRows.length < mostMerged) this.mergedRows.push(outcome)
    if (outcome.known) this.known[status === 'invalid' ? 'invalid' : 'failed'] += 1
    if ('errors' in outcome && outcome.errors !== undefined) this.#addReasons(outcome, outcome.errors)
    const { omitted, kept, notInAnswer } = outcome as Partial<Created>
    if (omitted || kept || notInAnswer) this.losses.add(identity, { omitted, kept }, notInAnswer)
  }

  #addReasons(outcome: Extract<Outcome, { status: BadStatus }>, rowErrors: readonly RowError[]): void {
    const { status, identity } = outcome
    const httpStatus = 'httpStatus' in outcome ? outcome.httpStatus : undefined
    const errors = lineErrors(rowErrors, this.#describe)
    this.reasons.add(identity, { status, httpStatus, errors, isKnown: outcome.known ?? false })
  }
}

const countsByColumn = (unread: readonly UnreadColumn[]) =>
  Object.fromEntries(unread.map(({ column, count }) => [column, count]))
