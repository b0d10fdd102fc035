import { isRepeated } from '../model/content-key.ts'
import type { StopReason } from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import { isKnown, type Merged, type Outcome } from '../model/outcome.ts'
import type { Describe } from '../model/problem.ts'
import type { RowIdentity } from '../model/row.ts'
import { lineErrors } from '../store/files/lines.ts'
import { Losses } from './losses.ts'
import { type BadStatus, Reasons } from './reasons.ts'
import { RowCounts } from './row-counts.ts'

const mostCounted = 1000
const mostMerged = 10

/** The outcomes of rows that were not looked at again. */
const untried: ReadonlySet<Outcome['status']> = new Set(['duplicate', 'done', 'held'])

/** Makes the sentences of a run's problems: the catalogue of words has them. */
export interface Sentences {
  readonly describeProblem: Describe
  /** Without parameters; undefined for a code of another version. */
  readonly describeCode: (code: string) => string | undefined
}

/** Counts the events of a run, in bounded memory. */
export class Tally extends RowCounts {
  sent = 0
  /** When the first call started, and how far the run was then. */
  beforeCalls: { readonly atMs: number; readonly rows: number; readonly bytes: number } | undefined
  /** How many calls may be in flight, and the most that may ever be; undefined where nothing is sent. */
  pace: { readonly atOnce: number; readonly most: number } | undefined
  /** For how long no call starts, and whether the service asked for that; undefined while calls start. */
  held: { readonly forMs: number; readonly asked: boolean } | undefined
  /** Rows from a rejects file. */
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
  /** The first of them. */
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

  /** Keeps so many rows without a record for a page. */
  constructor({ describeProblem, describeCode }: Sentences, mostRows = 0) {
    super()
    this.#describe = describeProblem
    this.reasons = new Reasons(describeCode, mostRows)
  }

  /** All of it for programs, without what stood in the rows. */
  override get fields() {
    const lost = this.losses.fields()
    return {
      ...super.fields,
      finished: this.stopReason === undefined,
      stop_reason: this.stopReason?.code,
      equal_rows: this.equal.rows || undefined,
      tried_again: this.triedAgain,
      settled_doubts: this.settledDoubts,
      abandoned: this.abandoned,
      reasons: this.reasons.fields(),
      merged_rows: this.mergedRows.map(({ recordId, identity: { source, row }, sameAs }) => ({
        record_id: recordId,
        row: { source, row },
        same_as: sameAs,
      })),
      ...lost,
      /** By difference; a field that was sent is not repeated here. */
      answer_differences: Object.fromEntries(
        [...this.#differences].filter(
          ([what]) => !Object.hasOwn(lost.not_in_answer, what.split(' ', 1)[0] ?? ''),
        ),
      ),
      limit_reached: this.limitReached,
    }
  }

  /** About how many bytes of the sources are done. */
  get bytesDone(): number {
    const { from, to, rowsBefore, rows } = this.#batch
    const share = rows === 0 ? 1 : Math.min(1, (this.rows - rowsBefore) / rows)
    return from + (to - from) * share
  }

  /** About how many rows are still to come, by the bytes of a row so far; CSV holds back the last row of a batch. */
  rowsLeft(totalBytes: number): number {
    const { to, rowsBefore, rows } = this.#batch
    return Math.ceil(((totalBytes - this.bytesDone) * (rowsBefore + rows)) / to) + 1
  }

  take(event: RunEvent): void {
    switch (event.type) {
      case 'orphaned_calls':
        this.abandoned = event.calls
        break
      case 'row_skipped':
        this.leftOut += 1
        break
      case 'call_started':
        this.sent += 1
        break
      case 'estimated':
        this.beforeCalls = { atMs: event.atMs, rows: this.rows, bytes: this.bytesDone }
        break
      case 'row_settled':
        this.#takeOutcome(event.outcome)
        break
      case 'retry':
        this.retries += 1
        if (event.fault === 'throttled') this.throttled += 1
        break
      case 'concurrency':
        this.pace = event
        break
      case 'hold':
        this.held = event
        break
      case 'service_down':
        this.held = { ...event, asked: false }
        break
      case 'service_back':
      case 'resumed':
        this.held = undefined
        break
      case 'answer_differs':
        for (const difference of event.differences) this.#count(this.#differences, difference)
        break
      case 'bytes_read':
        this.#bytesRead += event.bytes
        break
      case 'batch':
        if (event.rows > 0)
          this.#batch = { from: this.#batch.to, to: this.#bytesRead, rowsBefore: this.rows, rows: event.rows }
        break
      case 'limit_reached':
        this.limitReached = event.limit
        break
      case 'stopping':
        this.stopReason = event.reason
    }
  }

  #takeOutcome(outcome: Outcome): void {
    const { status, before, identity } = outcome
    this.ends[status] += 1
    const wasInDoubt = before === 'in_doubt'
    if (before !== undefined && !untried.has(status)) this.triedAgain += 1
    if ((status === 'valid' || status === 'created') && isRepeated(identity.key)) {
      this.equal.rows += 1
      this.equal.first ??= identity
    }
    if (identity.replaces !== undefined) this.returned += 1
    if (wasInDoubt && 'recordId' in outcome) this.settledDoubts += 1
    if (!wasInDoubt && status === 'in_doubt') this.newDoubts += 1
    if (outcome.status === 'done' && outcome.changed) this.changed += 1
    if (outcome.status === 'merged' && this.mergedRows.length < mostMerged) this.mergedRows.push(outcome)
    if (isKnown(outcome)) this.known[outcome.status === 'invalid' ? 'invalid' : 'failed'] += 1
    if ('errors' in outcome) this.#addReasons(outcome)
    if ('omitted' in outcome || 'notInAnswer' in outcome)
      this.losses.add(outcome.identity, outcome.omitted, 'notInAnswer' in outcome ? outcome.notInAnswer : [])
  }

  #addReasons(outcome: Extract<Outcome, { status: BadStatus }>): void {
    const { status, identity } = outcome
    const httpStatus = status === 'invalid' ? undefined : outcome.httpStatus
    const errors = lineErrors(outcome.errors, this.#describe)
    this.reasons.add(identity, { status, httpStatus, errors, isKnown: isKnown(outcome) })
  }

  #count(counts: Map<string, number>, name: string): void {
    if (counts.has(name) || counts.size < mostCounted) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
}
